/*
 * The launcher, seen from here. The supervisor makes this one process, while
 * it still may; all others are made by it, and are the supervisor's children
 * all the same.
 */
#include <sys/socket.h>
#include <sys/syscall.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "room.h"
#include "supervisor.h"

#define ARGS_MAX	12

/* Those that have a socket from the start, and where the launcher finds it. */
static const struct {
	enum child_id	id;
	int		fd;
} first[] = {
	{ CHILD_LAUNCHER, ROOM_FD }, { CHILD_MOUNTER, ROOM_MOUNTER_FD },
	{ CHILD_WARDEN, ROOM_WARDEN_FD }, { CHILD_READER, ROOM_READER_FD },
};
#define NFIRST		((int)(sizeof(first) / sizeof(first[0])))

/* ---- starting it ---- */

/* No environment, so what is in ours goes with the arguments. */
static void
args_fill(char *argv[ARGS_MAX], char *binary, const struct supervisor *sup)
{
	const char	*credentials = getenv("CREDENTIALS_DIRECTORY");
	const char	*args[ARGS_MAX] = {
		binary, "-b", sup->boot, "-f", sup->conf_name, "-l",
		sup->libexec, NULL
	};
	int		 n = 7;

	if (sup->verbose)
		args[n++] = "-d";
	if (credentials != NULL) {
		args[n++] = "-c";
		args[n++] = credentials;
	}
	memcpy(argv, args, sizeof(args));
}

/* Its sockets from fd 3 on, but for 4. */
static void __attribute__((noreturn))
launcher_exec(char *argv[], int far[NFIRST])
{
	static char	*const env[] = {
		(char *)"PATH=/usr/bin:/bin", (char *)"LC_ALL=C.UTF-8",
#ifdef __SANITIZE_ADDRESS__
		(char *)"ASAN_OPTIONS=detect_leaks=0",
#endif
		NULL
	};
	int		i;

	(void)setsid();
	/* Above all targets first, for they may be each other's. */
	for (i = 0; i < NFIRST; i++)
		if ((far[i] = fcntl(far[i], F_DUPFD_CLOEXEC, 10)) == -1)
			fatal("the launcher's descriptors");
	if (close_range(ROOM_FD, 9, 0) == -1)
		fatal("the launcher's descriptors");
	for (i = 0; i < NFIRST; i++)
		if (dup2(far[i], first[i].fd) == -1)
			fatal("the launcher's descriptors");
	(void)execve(argv[0], argv, env);
	fatal("%s", argv[0]);
}

void
launcher_start(struct supervisor *sup)
{
	char	*argv[ARGS_MAX], binary[256];
	int	 far[NFIRST], fds[2], i, pidfd;
	pid_t	 pid;

	(void)snprintf(binary, sizeof(binary), "%s/wfsup-launcher",
	    sup->libexec);
	args_fill(argv, binary, sup);
	for (i = 0; i < NFIRST; i++) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK |
		    SOCK_CLOEXEC, 0, fds) == -1)
			fatal("socketpair");
		sup->children[first[i].id].sock = fds[0];
		sup->children[first[i].id].state = CHILD_ASKED;
		far[i] = fds[1];
	}
	if ((pid = fork()) == -1)
		fatal("fork");
	if (pid == 0)
		launcher_exec(argv, far);
	if ((pidfd = (int)syscall(SYS_pidfd_open, pid, 0)) == -1)
		fatal("pidfd_open");
	for (i = 0; i < NFIRST; i++)
		(void)close(far[i]);
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
	if ((log = conf_log(c->sup)) != -1)
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
on_listen(struct peer *p, struct msg *m)
{
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;

	if (sup->control != -1)
		return (-1);
	sup->control = msg_take_fd(m);
	return (0);
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
