/*
 * The set-up: what the first configuration has fixed, once, and what can be
 * made only now, while there are rights to make it with.
 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "launcher.h"
#include "log.h"
#include "rights.h"
#include "room.h"
#include "trees.h"

static struct ids
ids(const json_t *env, const char *uid, const char *gid)
{
	struct ids	ids;

	ids.uid = (uid_t)msg_int(env, uid);
	ids.gid = (gid_t)msg_int(env, gid);
	return (ids);
}

static void
setup_take(struct launcher *la, json_t *env)
{
	la->setup = json_incref(env);
	la->state = msg_str(env, "state");
	la->cgroup = msg_str(env, "cgroup");
	la->jail_base = (uid_t)msg_int(env, "jail_base");
	la->users[BROKER_USER] = ids(env, "broker_uid", "broker_gid");
	la->users[KEEPER_USER] = ids(env, "keeper_uid", "keeper_gid");
	la->users[GATEWAY_USER] = ids(env, "gateway_uid", "gateway_gid");
	la->users[SANDBOX_USER] = ids(env, "sandbox_uid", "sandbox_gid");
}

/* With a log socket of its own, like all that come later. */
static void
launch_first(struct launcher *la, const char *room, int sock, int log)
{
	if (log != -1)
		la->log = fcntl(log, F_DUPFD_CLOEXEC, 0);
	(void)launch(la, room, sock);
}

static void
open_trees(struct launcher *la)
{
	char	why[1024];

	if ((la->trees = trees_open(la->cgroup, getppid(), why,
	    sizeof(why))) == NULL)
		wrong("%s", why);
}

/* What needs more rights than will be left. */
static void
setup_make(struct launcher *la, int log)
{
	int	fd;

	state_make(la);
	fd = listen_make(msg_str(la->setup, "control"),
	    (gid_t)msg_int(la->setup, "control_gid"),
	    (mode_t)msg_int(la->setup, "control_mode"));
	peer_send(la->supervisor, IMSG_LISTEN, 0, fd, NULL, NULL, 0);
	open_trees(la);
	launch_first(la, "mounter", ROOM_MOUNTER_FD, log);
	launch_first(la, "warden", ROOM_WARDEN_FD, log);
}

int
on_setup(struct peer *p, struct msg *m)
{
	struct launcher	*la = peer_ctx(p);
	int		 log;

	if (la->setup != NULL)
		return (-1);
	setup_take(la, m->env);
	if ((log = msg_take_fd(m)) != -1)
		log_set_socket(log);
	setup_make(la, log);
	rights_drop();
	la->overlay = host_overlay(la->userns);
	/* Nobody waits for errands. */
	if (signal(SIGCHLD, SIG_IGN) == SIG_ERR)
		fatal("signal");
	room_greet(p);
	return (0);
}
