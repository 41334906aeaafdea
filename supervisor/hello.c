/*
 * What they say of themselves: that they are up, and that they work. Whether
 * they are as confined as they were meant to be is looked at.
 */
#include <sys/wait.h>

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "room.h"
#include "supervisor.h"

/* Something is wrong with us, not with the world: everything goes down. */
static int
child_distrust(const struct child *c, const char *why)
{
	log_warnx("going down: %s %s", child_name(c), why);
	audit("room.verify", "fail", "room", child_name(c), "reason", why,
	    NULL);
	child_kill(c);
	sup_stop(c->sup, 1);
	return (-1);
}

/* "keeper_uid" and "keeper_gid" are in the configuration. */
static uint32_t
room_id(const struct child *c, const char *kind)
{
	char	name[32];

	(void)snprintf(name, sizeof(name), "%s_%s", child_name(c), kind);
	return ((uint32_t)msg_int(c->sup->conf, name));
}

static struct status_want
child_want(const struct child *c)
{
	struct status_want	want = { .uid = 0 };

	if (c->id == CHILD_LAUNCHER)
		want.caps = UINT64_C(1) << CAP_SETUID |
		    UINT64_C(1) << CAP_SETGID;
	else if (c->id == CHILD_WARDEN)
		want.caps = UINT64_C(1) << CAP_KILL;
	else if (child_is_room(c)) {
		want.uid = room_id(c, "uid");
		want.gid = room_id(c, "gid");
	}
	return (want);
}

/* Is it as confined as it was meant to be? If not, that is the end. */
static int
child_verify(const struct child *c)
{
	struct status_want	want = child_want(c);
	siginfo_t		si = { .si_pid = 0 };
	char			why[256];

	if (status_check("/proc", c->pid, &want, why, sizeof(why)) == 0)
		return (0);
	/* Not seen is not trusted, but no reason for all to go down. */
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
		log_warnx("%s: %s", child_name(c), why);
		child_kill(c);
		return (-1);
	}
	if (waitid(P_PIDFD, (id_t)c->pidfd, &si, WEXITED | WNOHANG | WNOWAIT)
	    == 0 && si.si_pid == c->pid)
		return (-1);	/* it has died: another matter */
	return (child_distrust(c, why));
}

static void
children_ready(struct supervisor *sup)
{
	int	i;

	if (sup->state != SUP_STARTING)
		return;
	/* Of those that the warden has it has seen that they work. */
	for (i = 0; i < NCHILDREN; i++)
		if (!child_is_wardens(&sup->children[i]) &&
		    sup->children[i].state != CHILD_READY)
			return;
	sup->state = SUP_RUNNING;
	log_info("ready");
	audit("daemon.start", "ok", "version", WFSUP_VERSION, NULL);
	notify_send("READY=1");
	/* The warden may have wanted another starter meanwhile. */
	children_start(sup);
}

static void
child_works(struct child *c)
{
	struct child	*broker = &c->sup->children[CHILD_BROKER];

	c->state = CHILD_READY;
	if (c->id == CHILD_WARDEN && broker->state == CHILD_BEGUN &&
	    broker->peer != NULL)
		child_go(broker);
	children_ready(c->sup);
}

static void
child_log(const struct child *c)
{
	int	fd;

	if ((fd = conf_log(c->sup)) != -1)
		peer_send(c->peer, IMSG_LOG_SOCKET, 0, fd, NULL, NULL, 0);
}

static int
on_hello(struct peer *p, struct msg *m)
{
	struct child	*c = peer_ctx(p);

	if (c->state != CHILD_FORKED)
		return (-1);
	if (strcmp(msg_str(m->env, "version"), WFSUP_VERSION) != 0)
		return (child_distrust(c, "is of another version"));
	if (child_verify(c) == -1)
		return (-1);
	if (c->id == CHILD_LAUNCHER) {
		links_make(c);
		child_works(c);
		children_start(c->sup);
	} else if (c->id == CHILD_READER) {
		child_works(c);
		child_log(c);
		conf_begin(c->sup);
	} else
		child_begin(c);
	return (0);
}

static int
on_ready(struct peer *p, struct msg *m)
{
	struct child	*c = peer_ctx(p);

	(void)m;
	if (c->state != CHILD_BEGUN)
		return (-1);
	if (child_verify(c) == -1)
		return (-1);
	child_works(c);
	return (0);
}

static int
on_log_ask(struct peer *p, struct msg *m)
{
	(void)m;
	child_log(peer_ctx(p));
	return (0);
}

void
children_log(const struct supervisor *sup)
{
	const struct child	*c;

	for (c = sup->children; c < sup->children + NCHILDREN; c++)
		if (c->id != CHILD_LAUNCHER && c->peer != NULL)
			child_log(c);
}

static const struct handler	handlers[] = {
	{ IMSG_ROOM_HELLO,	on_hello },
	{ IMSG_ROOM_READY,	on_ready },
	{ IMSG_LOG_ASK,		on_log_ask },
	{ IMSG_PONG,		on_pong },
	{ IMSG_JAILS_GONE,	on_jails_gone },
	{ IMSG_JAILS_BUSY,	on_jails_busy },
	{ IMSG_STARTER_WANT,	on_starter_want },
	{ IMSG_ROOM_KILL,	on_room_kill },
	{ IMSG_LAUNCHED,	on_launched },
	{ IMSG_LAUNCH_FAILED,	on_launch_failed },
	{ IMSG_LISTEN,		on_listen },
	{ IMSG_CONF,		on_conf },
	{ IMSG_CONF_WRONG,	on_conf_wrong },
	{ IMSG_KEY,		on_secret },
	{ IMSG_RULES,		on_secret },
	{ IMSG_SECRETS_DONE,	on_secrets_done },
	{ 0, NULL }
};

/* It hung up, or broke the protocol: either way it is of no more use. */
static void
child_gone(struct peer *p, const char *why)
{
	struct child	*c = peer_ctx(p);

	c->peer = NULL;
	log_debug("%s: %s", child_name(c), why);
	child_kill(c);
}

const struct peer_ops	child_ops = {
	.self = SUPERVISOR,
	.handlers = handlers,
	.gone = child_gone,
};
