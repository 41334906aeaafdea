/*
 * Rooms, starters and the mounter: starting them, checking that they are as
 * confined as they say, starting them again.
 */
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "errand.h"
#include "jails.h"
#include "log.h"
#include "room.h"
#include "sandbox.h"
#include "supervisor.h"

#define DELAY_MIN	10
#define DELAY_MAX	30000
#define LIFE_GOOD	60000	/* after so long a failure is a first one */

static const struct {
	const char	*name, *binary;
	enum role	 role;
} defs[NCHILDREN] = {
	[CHILD_BROKER] =  { "broker", "wfsup-broker", BROKER },
	[CHILD_KEEPER] =  { "keeper", "wfsup-keeper", KEEPER },
	[CHILD_GATEWAY] = { "gateway", "wfsup-gateway", GATEWAY },
	[CHILD_SCRIPT] =  { "script-starter", "wfsup-script", SSTARTER },
	[CHILD_TOOL] =	  { "tool-starter", "wfsup-tool", TSTARTER },
	[CHILD_MOUNTER] = { "mounter", "wfsup-mounter", MOUNTER },
};

static void	child_again(int, short, void *);

int
child_is_room(const struct child *c)
{
	return ((defs[c->id].role & ROOMS) != 0);
}

const char *
child_name(const struct child *c)
{
	return (defs[c->id].name);
}

uid_t
starter_base(const struct child *c)
{
	return (c->sup->conf->jail_base + (c->id == CHILD_TOOL ? 65536 : 0));
}

int
restart_delay(int last, int64_t lived)
{
	if (last == 0 || lived >= LIFE_GOOD)
		return (DELAY_MIN);
	return (last >= DELAY_MAX / 2 ? DELAY_MAX : last * 2);
}

/* ---- verification ---- */

/* Its pid is its own until we have reaped it. */
void
child_kill(const struct child *c)
{
	if (c->pid > 0)
		(void)kill(c->pid, SIGKILL);
}

static const struct conf_ids *
room_ids(const struct child *c)
{
	const struct conf	*conf = c->sup->conf;

	if (c->id == CHILD_BROKER)
		return (&conf->broker);
	return (c->id == CHILD_KEEPER ? &conf->keeper : &conf->gateway);
}

/* Something is wrong with us, not with the world: everything goes down. */
static int
child_distrust(const struct child *c, const char *why)
{
	log_warnx("going down: %s %s", defs[c->id].name, why);
	audit("room.verify", "fail", "room", defs[c->id].name, "reason", why,
	    NULL);
	child_kill(c);
	sup_stop(c->sup, 1);
	return (-1);
}

/* Is it as confined as it was meant to be? If not, that is the end. */
static int
child_verify(const struct child *c)
{
	struct status_want	want = { .uid = 0 };
	siginfo_t		si = { .si_pid = 0 };
	char			why[256];

	if (child_is_room(c)) {
		want.uid = room_ids(c)->uid;
		want.gid = room_ids(c)->gid;
	} else if (c->id == CHILD_MOUNTER)
		want.caps = UINT64_C(1) << CAP_SYS_ADMIN;
	else {
		want.uid = want.gid = starter_base(c);
		want.any_caps = 1;
	}
	errno = 0;
	if (status_check(c->pid, &want, why, sizeof(why)) == 0)
		return (0);
	/* Not seen is not trusted, but no reason for all to go down. */
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
		log_warnx("%s: %s", defs[c->id].name, why);
		child_kill(c);
		return (-1);
	}
	if (waitid(P_PID, (id_t)c->pid, &si, WEXITED | WNOHANG | WNOWAIT) == 0
	    && si.si_pid == c->pid)
		return (-1);	/* it has died: another matter */
	return (child_distrust(c, why));
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
	if (c->id != CHILD_MOUNTER)
		child_begin(c);
	else {
		c->state = CHILD_BEGUN;
		host_probe_idmap(c->sup);
	}
	return (0);
}

static void
children_ready(struct supervisor *sup)
{
	int	i;

	if (sup->state != SUP_STARTING || !sup->canary_done)
		return;
	for (i = 0; i < NCHILDREN; i++)
		if (sup->children[i].state != CHILD_READY)
			return;
	sup->state = SUP_RUNNING;
	log_info("ready");
	audit("daemon.start", "ok", "version", WFSUP_VERSION, NULL);
	notify_send("READY=1");
	for (i = 0; i < NCHILDREN; i++)
		jails_starter_ready(sup->jails, &sup->children[i]);
}

void
child_works(struct child *c)
{
	c->state = CHILD_READY;
	if (c->sup->state == SUP_STARTING &&
	    (c->id == CHILD_SCRIPT || c->id == CHILD_TOOL))
		canary_begin(c);
	children_ready(c->sup);
	jails_starter_ready(c->sup->jails, c);
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

static void
child_log(const struct child *c)
{
	int	fd;

	if ((fd = config_log(c->sup->conf)) != -1)
		peer_send(c->peer, IMSG_LOG_SOCKET, 0, fd, NULL, NULL, 0);
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
		if (child_is_room(c) && c->peer != NULL)
			child_log(c);
}

static const struct handler	handlers[] = {
	{ IMSG_ROOM_HELLO,	on_hello },
	{ IMSG_ROOM_READY,	on_ready },
	{ IMSG_LOG_ASK,		on_log_ask },
	{ IMSG_PONG,		on_pong },
	{ IMSG_JAIL_START,	priv_jail_start },
	{ IMSG_JAIL_KILL,	priv_jail_kill },
	{ IMSG_WORKSPACE_OPEN,	priv_workspace_open },
	{ IMSG_SANDBOX_REMOVE,	priv_sandbox_remove },
	{ IMSG_JAIL_SPAWNED,	priv_jail_spawned },
	{ IMSG_JAIL_CONFINED,	priv_jail_confined },
	{ IMSG_JAIL_UNMADE,	priv_jail_unmade },
	{ IMSG_JAIL_REAPED,	priv_jail_reaped },
	{ IMSG_CANARY_ROW,	priv_canary_row },
	{ IMSG_MOUNTED,		on_mounted },
	{ IMSG_MOUNT_FAILED,	on_mount_failed },
	{ IMSG_ERRAND_DONE,	on_errand_done },	/* of none of these */
	{ 0, NULL }
};

/* It hung up, or broke the protocol: either way it is of no more use. */
static void
child_gone(struct peer *p, const char *why)
{
	struct child	*c = peer_ctx(p);

	c->peer = NULL;
	log_debug("%s: %s", defs[c->id].name, why);
	child_kill(c);
}

static const struct peer_ops	ops = {
	.self = SUPERVISOR,
	.handlers = handlers,
	.gone = child_gone,
};

/* ---- start ---- */

static pid_t
child_spawn(struct child *c, int sock)
{
	char	binary[256], root[512];
	int	log = config_log(c->sup->conf);
	pid_t	pid;

	(void)snprintf(binary, sizeof(binary), "%s/%s", c->sup->libexec,
	    defs[c->id].binary);
	(void)snprintf(root, sizeof(root), "%s/keeper", c->sup->conf->state);
	if (child_is_room(c))
		pid = spawn_room(c, binary, room_ids(c),
		    c->id == CHILD_KEEPER ? root : NULL, sock, log);
	else if (c->id == CHILD_MOUNTER)
		pid = spawn_room(c, binary, NULL, NULL, sock, log);
	else
		pid = spawn_starter(c, binary, sock, log);
	if (log != -1)
		(void)close(log);
	if (pid == -1)
		log_warn("%s", binary);
	return (pid);
}

static void
child_adopt(struct child *c, pid_t pid, int sock)
{
	c->pid = pid;
	c->state = CHILD_FORKED;
	c->born = clock_ms();
	c->peer = peer_new(c->sup->base, sock, defs[c->id].role,
	    defs[c->id].name, &ops, c);
	if (c->peer == NULL)
		fatal("peer_new");
	peer_allow_fds(c->peer);
	/* Nothing that is for us has a body. */
	peer_set_body_max(c->peer, 0);
}

static void
child_later(struct child *c)
{
	struct timeval	tv = { c->delay / 1000, c->delay % 1000 * 1000 };

	if (event_add(c->again, &tv) == -1)
		fatalx("event_add");
}

static void
child_start(struct child *c)
{
	int	fds[2];
	pid_t	pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0, fds) == -1)
		log_warn("%s: socketpair", defs[c->id].name);
	else {
		pid = child_spawn(c, fds[1]);
		(void)close(fds[1]);
		if (pid != -1) {
			child_adopt(c, pid, fds[0]);
			return;
		}
		(void)close(fds[0]);
	}
	if (c->sup->state == SUP_STARTING)
		sup_stop(c->sup, 1);
	else {
		c->delay = restart_delay(c->delay, 0);
		child_later(c);
	}
}

/* The broker and the keeper come back only when no jail is left of before. */
static void
child_again(int fd, short what, void *arg)
{
	struct child	*c = arg;

	(void)fd;
	(void)what;
	if (c->sup->state == SUP_STOPPING)
		return;
	if ((c->id == CHILD_BROKER || c->id == CHILD_KEEPER) &&
	    jails_count(c->sup->jails) != 0)
		child_later(c);
	else
		child_start(c);
}

void
children_init(struct supervisor *sup)
{
	struct child	*c;
	int		 i, j;

	peer_check_handlers(SUPERVISOR, ANY, handlers);
	for (i = 0; i < NCHILDREN; i++) {
		c = &sup->children[i];
		c->sup = sup;
		c->id = (enum child_id)i;
		c->pid = -1;
		for (j = 0; j < NLINKS; j++)
			c->link[j] = -1;
		if ((c->again = event_new(sup->base, -1, 0, child_again,
		    c)) == NULL)
			fatalx("event_new");
	}
}

void
children_start_mounter(struct supervisor *sup)
{
	child_start(&sup->children[CHILD_MOUNTER]);
}

void
children_start(struct supervisor *sup)
{
	int	i;

	for (i = 0; i < NCHILDREN && sup->state == SUP_STARTING; i++)
		if (i != CHILD_MOUNTER)
			child_start(&sup->children[i]);
}

/* ---- end ---- */

static void
child_audit(const struct child *c, int status)
{
	char	how[32];

	if (WIFSIGNALED(status))
		(void)snprintf(how, sizeof(how), "signal %s",
		    sigabbrev_np(WTERMSIG(status)));
	else
		(void)snprintf(how, sizeof(how), "exit %d",
		    WEXITSTATUS(status));
	audit("room.exit", c->sup->state == SUP_STOPPING ? "ok" : "fail",
	    "room", defs[c->id].name, "how", how, "lived_ms",
	    audit_int(clock_ms() - c->born), NULL);
	if (c->sup->state != SUP_STOPPING)
		log_warnx("%s has died: %s", defs[c->id].name, how);
}

/* What dies with it, and when it comes back. */
static void
child_died(struct child *c)
{
	struct supervisor	*sup = c->sup;

	links_drop(c);
	if (c->id == CHILD_BROKER || c->id == CHILD_KEEPER)
		jails_kill_all(sup->jails, c->id == CHILD_BROKER);
	if (c->id == CHILD_SCRIPT || c->id == CHILD_TOOL)
		jails_starter_gone(sup->jails, c);
	if (sup->state == SUP_STOPPING)
		return;
	if (sup->state == SUP_STARTING || c->id == CHILD_MOUNTER) {
		/* The mounter's rights can't be had again. */
		log_warnx("going down: %s can't go on", defs[c->id].name);
		sup_stop(sup, 1);
		return;
	}
	c->delay = restart_delay(c->delay, clock_ms() - c->born);
	child_later(c);
}

void
children_reaped(struct supervisor *sup, pid_t pid, int status)
{
	struct child	*c;
	int		 i;

	for (i = 0; i < NCHILDREN; i++) {
		c = &sup->children[i];
		if (c->pid != pid)
			continue;
		child_audit(c, status);
		c->pid = -1;
		c->asked = 0;
		c->state = CHILD_DOWN;
		if (c->peer != NULL)
			peer_close(c->peer);
		c->peer = NULL;
		child_died(c);
	}
}

void
child_hang_up(struct child *c)
{
	if (c->peer == NULL)
		return;
	peer_flush(c->peer, 100);
	peer_close(c->peer);
	c->peer = NULL;
}

int
children_stop(struct supervisor *sup, int hard)
{
	struct child	*c;
	int		 i, left = 0;

	for (i = 0; i < NCHILDREN; i++) {
		c = &sup->children[i];
		child_hang_up(c);
		if (c->pid == -1)
			continue;
		left++;
		if (hard)
			child_kill(c);
	}
	return (left);
}
