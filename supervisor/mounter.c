/*
 * The mounter: makes a directory readable to a jail's uid, and nothing else.
 *
 * User		root
 * Capabilities	SYS_ADMIN, bounding set SYS_ADMIN
 * Files	none by name: it has no call that opens one
 * Network	none: it has no call that makes a socket
 * Syscalls	mounter_syscalls below
 * Peers	supervisor
 * Secrets	none
 *
 * It is forked, not exec'ed, before the supervisor gives up SYS_ADMIN, and
 * can't be replaced: when it dies the daemon goes down.
 */
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "log.h"
#include "room.h"
#include "supervisor.h"

static const int	mounter_syscalls[] = {
	SCMP_SYS(open_tree), SCMP_SYS(mount_setattr), -1
};

/* A directory that waits for its id map. */
struct mounter {
	int		dir;
	int		readonly;
	uint32_t	id;
};

int
mount_idmapped(int dir, int userns, int readonly, const char **step)
{
	struct mount_attr	attr = {
		.attr_set = MOUNT_ATTR_IDMAP | MOUNT_ATTR_NOSUID |
		    MOUNT_ATTR_NODEV | (readonly ? MOUNT_ATTR_RDONLY : 0),
		.userns_fd = (uint64_t)userns,
	};
	int			fd, saved;

	*step = "open_tree";
	fd = (int)syscall(SYS_open_tree, dir, "", OPEN_TREE_CLONE |
	    OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
	if (fd == -1)
		return (-1);
	*step = "idmap";
	if (syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH, &attr,
	    sizeof(attr)) == 0)
		return (fd);
	saved = errno;
	(void)close(fd);
	errno = saved;
	return (-1);
}

static int
on_mount_dir(struct peer *p, struct msg *m)
{
	struct mounter	*mo = peer_ctx(p);

	if (mo->dir != -1)
		return (-1);
	mo->dir = msg_take_fd(m);
	mo->readonly = msg_bool(m->env, "readonly");
	mo->id = m->id;
	return (0);
}

/* errno in words, where its own would be no help. */
static const char *
reason(const char *step)
{
	if (errno != EINVAL)
		return (strerror(errno));
	return (strcmp(step, "idmap") == 0 ?
	    "this file system has no id-mapped mounts" :
	    "it is in another mount namespace than wfsupd's");
}

static int
on_mount_idmap(struct peer *p, struct msg *m)
{
	struct mounter	*mo = peer_ctx(p);
	const char	*step;
	int		 fd;

	if (mo->dir == -1 || m->id != mo->id)
		return (-1);
	fd = mount_idmapped(mo->dir, m->fd, mo->readonly, &step);
	if (fd != -1)
		peer_send(p, IMSG_MOUNTED, m->id, fd, NULL, NULL, 0);
	else
		peer_send(p, IMSG_MOUNT_FAILED, m->id, -1, json_pack(
		    "{s:s,s:s}", "step", step, "error", reason(step)), NULL,
		    0);
	(void)close(mo->dir);
	mo->dir = -1;
	return (0);
}

static void
on_gone(struct peer *p, const char *why)
{
	(void)p;
	(void)why;
	exit(0);
}

static const struct handler	handlers[] = {
	{ IMSG_MOUNT_DIR,	on_mount_dir },
	{ IMSG_MOUNT_IDMAP,	on_mount_idmap },
	{ 0, NULL }
};

static const struct peer_ops	ops = {
	.self = MOUNTER,
	.handlers = handlers,
	.gone = on_gone,
};

static void __attribute__((noreturn))
mounter_main(int sock, int log, int debug)
{
	struct mounter		 mo = { .dir = -1 };
	struct event_base	*base;
	struct peer		*p;

	/* Our parent's log socket may have a number that we are about to use. */
	log_set_socket(-1);
	/* 0 to 2, our socket and the log's: nothing else of our parent's. Above
	 * all targets first, for they may be each other's. */
	if ((sock = fcntl(sock, F_DUPFD, 10)) == -1 ||
	    (log != -1 && (log = fcntl(log, F_DUPFD, 10)) == -1) ||
	    dup2(sock, ROOM_FD) == -1 ||
	    (log != -1 && dup2(log, ROOM_LOG_FD) == -1) ||
	    close_range(log == -1 ? 4 : 5, ~0U, 0) == -1)
		fatal("mounter: descriptors");
	log_init("mounter", debug);
	log_set_socket(log == -1 ? -1 : ROOM_LOG_FD);
	(void)setsid();
	if (signal(SIGHUP, SIG_IGN) == SIG_ERR ||
	    signal(SIGPIPE, SIG_IGN) == SIG_ERR ||
	    prctl(PR_SET_DUMPABLE, 0) == -1)
		fatal("mounter");
	rights_keep(CAP_SYS_ADMIN);
	/* After the change of capabilities, which may clear it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
		fatal("mounter: parent-death signal");
	peer_check_handlers(MOUNTER, SUPERVISOR, handlers);
	if ((base = event_base_new()) == NULL || (p = peer_new(base, ROOM_FD,
	    SUPERVISOR, "supervisor", &ops, &mo)) == NULL)
		fatalx("mounter: event loop");
	peer_allow_fds(p);
	confine_syscalls(mounter_syscalls);
	peer_send(p, IMSG_ROOM_HELLO, 0, -1, json_pack("{s:s}", "version",
	    WFSUP_VERSION), NULL, 0);
	(void)event_base_dispatch(base);
	fatalx("mounter: event loop ended");
}

pid_t
mounter_fork(const struct supervisor *sup, int *sock)
{
	int	fds[2], log = config_log(sup->conf);
	pid_t	pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0, fds) == -1)
		fatal("socketpair");
	if ((pid = fork()) == -1)
		fatal("mounter: fork");
	if (pid == 0)
		mounter_main(fds[1], log, sup->debug);
	(void)close(fds[1]);
	if (log != -1)
		(void)close(log);
	*sock = fds[0];
	return (pid);
}
