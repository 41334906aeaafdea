/*
 * A warden that was taken over: confined as it should be, and as soon as it
 * has begun it says what it may not. What, is told by the limit of spares.
 */
#include <sys/prctl.h>

#include <cap-ng.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <unistd.h>

#include "confine.h"
#include "fake_room.h"
#include "log.h"
#include "room.h"

static int64_t	lie;

static void
say(struct peer *p, uint32_t type, const char *env)
{
	peer_send(p, type, 0, -1, json_loads(env, 0, NULL), NULL, 0);
}

static int
on_config(struct peer *p, struct msg *m)
{
	char	 why[128];
	json_t	*body = msg_body(m, why, sizeof(why));

	(void)p;
	lie = json_integer_value(json_object_get(body, "spares"));
	json_decref(body);
	return (0);
}

static int
on_start(struct peer *p, struct msg *m)
{
	(void)m;
	say(p, IMSG_ROOM_READY, "{}");
	switch (lie) {
	case LIE_READY_TWICE:
		say(p, IMSG_ROOM_READY, "{}");
		break;
	case LIE_HELLO_TWICE:
		say(p, IMSG_ROOM_HELLO, "{\"version\":\"0.1.0\"}");
		break;
	case LIE_WANT_ROOM:
		say(p, IMSG_STARTER_WANT, "{\"room\":\"keeper\",\"want\":false}");
		break;
	case LIE_WANT_BROKER:
		say(p, IMSG_STARTER_WANT, "{\"room\":\"broker\",\"want\":false}");
		break;
	case LIE_KILL_LAUNCHER:
		say(p, IMSG_ROOM_KILL, "{\"room\":\"launcher\"}");
		break;
	case LIE_KILL_KEEPER:
		say(p, IMSG_ROOM_KILL, "{\"room\":\"keeper\"}");
		break;
	case LIE_KILL_NOBODY:
		say(p, IMSG_ROOM_KILL, "{\"room\":\"init\",\"pid\":1}");
		break;
	}
	return (0);
}

static int
on_nothing(struct peer *p, struct msg *m)
{
	(void)p;
	(void)m;
	return (0);
}

static void
gone(struct peer *p, const char *why)
{
	(void)p;
	(void)why;
	exit(0);
}

static void
give_up(void)
{
	static const int	none[] = { -1 };

	capng_clear(CAPNG_SELECT_ALL);
	(void)capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED |
	    CAPNG_BOUNDING_SET, CAP_KILL);
	if (setgroups(0, NULL) == -1 || capng_apply(CAPNG_SELECT_ALL) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		fatal("rights");
	confine_syscalls(none);
}

void
fake_warden(void)
{
	static const struct handler	 handlers[] = {
		{ IMSG_ROOM_CONFIG,	on_config },
		{ IMSG_ROOM_START,	on_start },
		{ IMSG_CHANNEL,		on_nothing },
		{ IMSG_ADOPT,		on_nothing },
		{ IMSG_JAILS_END,	on_nothing },
		{ IMSG_LOG_SOCKET,	on_nothing },
		{ IMSG_PING,		on_nothing },
		{ 0, NULL }
	};
	static const struct peer_ops	 ops = {
		.self = WARDEN, .handlers = handlers, .gone = gone,
	};
	struct event_base		*base;
	struct peer			*p;

	if ((base = event_base_new()) == NULL)
		fatalx("warden");
	json_object_seed(0);
	give_up();
	if ((p = peer_new(base, ROOM_FD, SUPERVISOR, "supervisor", &ops,
	    NULL)) == NULL)
		fatal("warden");
	peer_allow_fds(p);
	say(p, IMSG_ROOM_HELLO, "{\"version\":\"" WFSUP_VERSION "\"}");
	(void)event_base_dispatch(base);
	exit(0);
}
