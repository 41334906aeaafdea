/*
 * What the supervisor says: configuration, sockets, begin, end; and the
 * broker, to which it connects us.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "jails.h"
#include "log.h"
#include "sandbox.h"

/* ---- the broker ---- */

/* Nobody waits for its jails any more. */
static void
broker_gone(struct peer *p, const char *why)
{
	struct warden	*w = peer_ctx(p);

	log_debug("broker: %s", why);
	/* One that we have dropped would live on, of no use to anybody. If it
	 * has died, by now there may be another. */
	if (strcmp(why, "closed") != 0)
		peer_send(w->supervisor, IMSG_ROOM_KILL, 0, -1, json_pack(
		    "{s:s}", "room", "broker"), NULL, 0);
	w->broker = NULL;
	jails_kill_all(w->jails, 1);
}

static void
broker_connect(struct warden *w, int fd)
{
	static const struct handler	 handlers[] = {
		{ IMSG_JAIL_START,	on_jail_start },
		{ IMSG_JAIL_KILL,	on_jail_kill },
		{ IMSG_WORKSPACE_OPEN,	on_workspace_open },
		{ IMSG_SANDBOX_REMOVE,	on_sandbox_remove },
		{ 0, NULL }
	};
	static const struct peer_ops	 ops = {
		.self = WARDEN, .handlers = handlers, .gone = broker_gone,
	};

	/* The one before has died, whether or not we have seen it. */
	if (w->broker != NULL) {
		peer_close(w->broker);
		jails_kill_all(w->jails, 1);
	}
	if ((w->broker = peer_new(w->base, fd, BROKER, "broker", &ops,
	    w)) == NULL)
		fatal("broker");
	peer_allow_fds(w->broker);
	peer_set_body_max(w->broker, 0);
	host_send(w);
}

/* ---- when the start and the end are complete ---- */

void
warden_check(struct warden *w)
{
	if (w->ready || !w->mounter_ready || !w->canaries[0].done ||
	    !w->canaries[1].done)
		return;
	w->ready = 1;
	peer_send(w->supervisor, IMSG_ROOM_READY, 0, -1, NULL, NULL, 0);
	jails_ready(w->jails);
}

void
warden_count(struct warden *w)
{
	int	busy = jails_busy(w->jails);

	if (busy != w->busy)
		peer_send(w->supervisor, IMSG_JAILS_BUSY, 0, -1, json_pack(
		    "{s:b}", "busy", busy), NULL, 0);
	w->busy = busy;
	if (!w->end_asked || (w->stopping ? jails_count(w->jails) != 0 : busy))
		return;
	w->end_asked = 0;
	peer_send(w->supervisor, IMSG_JAILS_GONE, w->end_id, -1, NULL, NULL,
	    0);
}

/* ---- the supervisor's messages ---- */

/* The first one must be right; a later one that is not changes nothing. */
static int
on_config(struct peer *p, struct msg *m)
{
	struct warden	*w = peer_ctx(p);
	struct config	*config = NULL;
	char		 why[512];
	json_t		*body;

	if ((body = msg_body(m, why, sizeof(why))) != NULL) {
		config = config_parse(body, why, sizeof(why));
		json_decref(body);
	}
	if (config == NULL && w->config == NULL)
		fatalx("configuration: %s", why);
	if (config == NULL) {
		log_warnx("configuration not taken, the old one stays: %s",
		    why);
		return (0);
	}
	config_free(w->config);
	w->config = config;
	if (w->jails == NULL)
		w->jails = jails_new(w);
	spares_configured(w->jails);
	return (0);
}

/* There is nothing to do before starters, mounter and launcher come. */
static int
on_start(struct peer *p, struct msg *m)
{
	struct warden	*w = peer_ctx(p);

	(void)m;
	if (w->config == NULL)
		fatalx("started without a configuration");
	return (0);
}

static int
on_channel(struct peer *p, struct msg *m)
{
	struct warden	*w = peer_ctx(p);
	const char	*name = msg_str(m->env, "peer");

	if (w->config == NULL || fcntl(m->fd, F_SETFL, O_NONBLOCK) == -1)
		return (-1);
	if (strcmp(name, "broker") == 0)
		broker_connect(w, msg_take_fd(m));
	else if (strcmp(name, "launcher") == 0 && w->launcher == NULL)
		launcher_connect(w, msg_take_fd(m));
	else
		return (-1);
	return (0);
}

static int
on_adopt(struct peer *p, struct msg *m)
{
	struct warden	*w = peer_ctx(p);
	const char	*name = msg_str(m->env, "room");
	pid_t		 pid = (pid_t)msg_int(m->env, "pid");
	struct starter	*st = starter_find(w, name);

	if (w->config == NULL)
		return (-1);
	if (st != NULL)
		starter_adopt(st, msg_take_fd(m), pid);
	else if (strcmp(name, "mounter") == 0 && w->mounter == NULL)
		mounter_adopt(w, msg_take_fd(m), pid);
	else
		return (-1);
	return (0);
}

static int
on_jails_end(struct peer *p, struct msg *m)
{
	struct warden	*w = peer_ctx(p);

	if (w->jails == NULL)
		return (-1);
	w->stopping |= msg_bool(m->env, "stop");
	w->end_asked = 1;
	w->end_id = m->id;
	jails_kill_all(w->jails, 0);
	warden_count(w);
	return (0);
}

const struct handler	warden_handlers[] = {
	{ IMSG_ROOM_CONFIG,	on_config },
	{ IMSG_ROOM_START,	on_start },
	{ IMSG_CHANNEL,		on_channel },
	{ IMSG_ADOPT,		on_adopt },
	{ IMSG_JAILS_END,	on_jails_end },
	{ 0, NULL }
};

void
warden_init(struct warden *w, struct event_base *base,
    struct peer *supervisor)
{
	w->base = base;
	w->supervisor = supervisor;
	w->script = STARTER_SCRIPT;
	w->cgroups = cgroups_new();
	STAILQ_INIT(&w->errands);
	starters_init(w);
}
