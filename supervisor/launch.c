/*
 * The launcher, seen from here. The supervisor makes this one process, while
 * it still may; all others are made by it, and are the supervisor's children
 * all the same.
 */
#include <sys/socket.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "room.h"
#include "supervisor.h"

#define ARGS_MAX	24

/* ---- starting it ---- */

struct args {
	char	 binary[256], base[16], users[4][48];
	char	*argv[ARGS_MAX];
	int	 n;
};

static void
arg(struct args *a, const char *option, const char *value)
{
	a->argv[a->n++] = (char *)(uintptr_t)option;
	a->argv[a->n++] = (char *)(uintptr_t)value;
}

static void
args_user(struct args *a, int i, const char *name, const struct conf_ids *ids)
{
	(void)snprintf(a->users[i], sizeof(a->users[i]), "%s:%u:%u", name,
	    ids->uid, ids->gid);
	arg(a, "-u", a->users[i]);
}

static void
args_fill(struct args *a, const struct supervisor *sup)
{
	const struct conf	*conf = sup->conf;

	(void)snprintf(a->binary, sizeof(a->binary), "%s/wfsup-launcher",
	    sup->libexec);
	a->argv[a->n++] = a->binary;
	if (sup->verbose)
		a->argv[a->n++] = (char *)"-d";
	(void)snprintf(a->base, sizeof(a->base), "%u", conf->jail_base);
	arg(a, "-b", sup->boot);
	arg(a, "-j", a->base);
	arg(a, "-l", sup->libexec);
	arg(a, "-s", conf->state);
	args_user(a, 0, "broker", &conf->broker);
	args_user(a, 1, "keeper", &conf->keeper);
	args_user(a, 2, "gateway", &conf->gateway);
	args_user(a, 3, "sandbox", &conf->sandbox);
	if (conf->cgroup != NULL)
		arg(a, "-c", conf->cgroup);
}

/* Fds 0 to 6, or without a log socket not 4; no environment. */
static void __attribute__((noreturn))
launcher_exec(const struct args *a, int sock, int log, int mounter, int warden)
{
	static char	*const env[] = {
		(char *)"PATH=/usr/bin:/bin", (char *)"LC_ALL=C.UTF-8",
#ifdef __SANITIZE_ADDRESS__
		(char *)"ASAN_OPTIONS=detect_leaks=0",
#endif
		NULL
	};

	(void)setsid();
	/* Above all targets first, for they may be each other's. */
	if ((sock = fcntl(sock, F_DUPFD_CLOEXEC, 10)) == -1 ||
	    (mounter = fcntl(mounter, F_DUPFD_CLOEXEC, 10)) == -1 ||
	    (warden = fcntl(warden, F_DUPFD_CLOEXEC, 10)) == -1 ||
	    (log != -1 && (log = fcntl(log, F_DUPFD_CLOEXEC, 10)) == -1) ||
	    close_range(ROOM_FD, 9, 0) == -1 ||
	    dup2(sock, ROOM_FD) == -1 || dup2(mounter, ROOM_MOUNTER_FD) == -1 ||
	    dup2(warden, ROOM_WARDEN_FD) == -1 ||
	    (log != -1 && dup2(log, ROOM_LOG_FD) == -1) ||
	    close_range(ROOM_WARDEN_FD + 1, ~0U, CLOSE_RANGE_CLOEXEC) == -1)
		fatal("the launcher's descriptors");
	(void)execve(a->binary, a->argv, env);
	fatal("%s", a->binary);
}

/* The launcher's end, and those that it passes on. */
static void
sockets(struct supervisor *sup, int far[3])
{
	static const enum child_id	ids[] = {
		CHILD_LAUNCHER, CHILD_MOUNTER, CHILD_WARDEN
	};
	int				fds[2];
	size_t				i;

	for (i = 0; i < 3; i++) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK |
		    SOCK_CLOEXEC, 0, fds) == -1)
			fatal("socketpair");
		sup->children[ids[i]].sock = fds[0];
		sup->children[ids[i]].state = CHILD_ASKED;
		far[i] = fds[1];
	}
}

void
launcher_start(struct supervisor *sup)
{
	struct args	a = { .n = 0 };
	int		far[3], log = config_log(sup->conf), pidfd;
	pid_t		pid;

	args_fill(&a, sup);
	sockets(sup, far);
	if ((pid = fork()) == -1)
		fatal("fork");
	if (pid == 0)
		launcher_exec(&a, far[0], log, far[1], far[2]);
	if ((pidfd = (int)syscall(SYS_pidfd_open, pid, 0)) == -1)
		fatal("pidfd_open");
	(void)close(far[0]);
	(void)close(far[1]);
	(void)close(far[2]);
	if (log != -1)
		(void)close(log);
	child_adopt(&sup->children[CHILD_LAUNCHER], pid, pidfd);
}

/* ---- what it is asked for ---- */

int
launch_child(struct child *c, int sock)
{
	struct peer	*launcher = c->sup->children[CHILD_LAUNCHER].peer;
	int		 log;

	if (launcher == NULL) {
		(void)close(sock);
		return (-1);
	}
	if ((log = config_log(c->sup->conf)) != -1)
		peer_send(launcher, IMSG_LAUNCH_LOG, 0, log, NULL, NULL, 0);
	peer_send(launcher, IMSG_LAUNCH, 0, sock, json_pack("{s:s}", "room",
	    child_name(c)), NULL, 0);
	return (0);
}

/* ---- what it answers ---- */

/* The child of this name that is being launched, or NULL. */
static struct child *
launched(struct peer *p, const struct msg *m)
{
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;
	const char		*name = msg_str(m->env, "room");
	struct child		*c;

	for (c = sup->children; c < sup->children + NCHILDREN; c++)
		if (c->state == CHILD_ASKED &&
		    strcmp(child_name(c), name) == 0)
			return (c);
	return (NULL);
}

int
on_launched(struct peer *p, struct msg *m)
{
	struct child	*c = launched(p, m);

	if (c == NULL)
		return (-1);
	child_adopt(c, (pid_t)msg_int(m->env, "pid"), msg_take_fd(m));
	return (0);
}

int
on_launch_failed(struct peer *p, struct msg *m)
{
	struct child	*c = launched(p, m);

	if (c == NULL)
		return (-1);
	log_warnx("%s: %s", child_name(c), msg_str(m->env, "error"));
	child_unmade(c);
	return (0);
}
