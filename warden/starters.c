/*
 * The starters of jails, from the socket that the supervisor hands over until
 * that breaks. A starter that has died is started again by the supervisor.
 */
#include <string.h>

#include "clock.h"
#include "jails.h"
#include "log.h"
#include "room.h"

static const struct {
	const char	*name;
	enum role	 role;
} defs[NSTARTERS] = {
	[STARTER_SCRIPT] =  { "script-starter", SSTARTER },
	[STARTER_SCRIPT2] = { "script-starter-2", SSTARTER },
	[STARTER_TOOL] =    { "tool-starter", TSTARTER },
};

const char *
starter_name(const struct starter *st)
{
	return (defs[st->id].name);
}

struct starter *
starter_find(struct warden *w, const char *name)
{
	struct starter	*st;

	for (st = w->starters; st < w->starters + NSTARTERS; st++)
		if (strcmp(starter_name(st), name) == 0)
			return (st);
	return (NULL);
}

uid_t
starter_base(const struct starter *st)
{
	return (st->w->config->jail_base + (st->id == STARTER_TOOL ? 65536 :
	    0));
}

/* ---- its end ---- */

static void
starter_down(struct starter *st)
{
	st->peer = NULL;
	st->state = STARTER_DOWN;
	jails_starter_gone(st->w->jails, st);
	st->pid = -1;
}

void
starter_hang_up(struct starter *st)
{
	peer_close(st->peer);
	starter_down(st);
}

void
starter_kill(const struct starter *st)
{
	if (st->pid != -1)
		peer_send(st->w->supervisor, IMSG_ROOM_KILL, 0, -1,
		    json_pack("{s:s,s:i}", "room", starter_name(st), "pid",
		    st->pid), NULL, 0);
}

/* It hung up, or broke the protocol: either way it is of no more use. */
static void
starter_gone(struct peer *p, const char *why)
{
	struct starter	*st = peer_ctx(p);

	log_debug("%s: %s", starter_name(st), why);
	starter_kill(st);
	starter_down(st);
}

/* ---- its start ---- */

static int
on_hello(struct peer *p, struct msg *m)
{
	struct starter	*st = peer_ctx(p);
	json_t		*config;

	if (st->state != STARTER_ADOPTED)
		return (-1);
	if (strcmp(msg_str(m->env, "version"), WFSUP_VERSION) != 0)
		fatalx("going down: %s is of another version",
		    starter_name(st));
	if (verify(starter_name(st), st->pid, starter_base(st), 0, 1) == -1)
		return (-1);
	st->state = STARTER_BEGUN;
	config = st->id == STARTER_TOOL ? json_pack("{s:s}", "root", "/") :
	    json_object();
	if (config == NULL)
		fatalx("%s: out of memory", starter_name(st));
	peer_send_json(p, IMSG_ROOM_CONFIG, 0, -1, NULL, config);
	peer_send(p, IMSG_ROOM_START, 0, -1, NULL, NULL, 0);
	return (0);
}

static int
on_ready(struct peer *p, struct msg *m)
{
	struct starter	*st = peer_ctx(p);

	(void)m;
	if (st->state != STARTER_BEGUN)
		return (-1);
	if (verify(starter_name(st), st->pid, starter_base(st), 0, 1) == -1)
		return (-1);
	st->state = STARTER_READY;
	if (st->w->ready)
		recycle_ready(st);
	else
		canary_begin(st);
	jails_starter_ready(st->w->jails, st);
	return (0);
}

static const struct handler	handlers[] = {
	{ IMSG_ROOM_HELLO,	on_hello },
	{ IMSG_ROOM_READY,	on_ready },
	{ IMSG_JAIL_SPAWNED,	on_jail_spawned },
	{ IMSG_JAIL_CONFINED,	on_jail_confined },
	{ IMSG_JAIL_UNMADE,	on_jail_unmade },
	{ IMSG_JAIL_REAPED,	on_jail_reaped },
	{ IMSG_CANARY_ROW,	on_canary_row },
	{ 0, NULL }
};

void
starter_adopt(struct starter *st, int fd, pid_t pid)
{
	static const struct peer_ops	 ops = {
		.self = WARDEN, .handlers = handlers, .gone = starter_gone,
	};

	/* The one before has died, whether or not we have seen it. */
	if (st->peer != NULL)
		starter_hang_up(st);
	if ((st->peer = peer_new(st->w->base, fd, defs[st->id].role,
	    starter_name(st), &ops, st)) == NULL)
		fatal("%s: no event", starter_name(st));
	peer_allow_fds(st->peer);
	/* Nothing that is for us has a body. */
	peer_set_body_max(st->peer, 0);
	st->pid = pid;
	st->state = STARTER_ADOPTED;
	st->born = clock_ms();
	st->jails = 0;
	/* It came too late. */
	if (!st->wanted)
		starter_hang_up(st);
}

void
starters_init(struct warden *w)
{
	struct starter	*st;

	peer_check_handlers(WARDEN, STARTERS, handlers);
	for (st = w->starters; st < w->starters + NSTARTERS; st++) {
		st->w = w;
		st->id = (enum starter_id)(st - w->starters);
		st->pid = -1;
		st->wanted = st->id != STARTER_SCRIPT2;
	}
}
