/*
 * Making processes: user namespaces, rooms inside the rooms' namespace,
 * starters in all namespaces of their own. None of it needs more than
 * SETUID and SETGID, so a restart works as the start did.
 *
 * Rooms are exec'ed as root of a user namespace in which every id is itself.
 * It is made once, while the supervisor may still map id 0. Entering it
 * needs no capability, since it belongs to root; and it gives the room what
 * it must have to confine itself, while SO_PEERCRED stays true.
 */
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "room.h"
#include "supervisor.h"

#define STARTER_NAMESPACES						\
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC |	\
	CLONE_NEWPID | CLONE_NEWUTS)

/* As fork(2), with namespaces. */
static pid_t
clone_into(int flags)
{
	return ((pid_t)syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0));
}

static int
map_write(pid_t pid, const char *file, const char *map)
{
	char	path[64];
	ssize_t	n;
	int	fd, saved;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	if ((fd = open(path, O_WRONLY | O_CLOEXEC)) == -1)
		return (-1);
	n = write(fd, map, strlen(map));
	saved = errno;
	(void)close(fd);
	errno = saved;
	return (n == (ssize_t)strlen(map) ? 0 : -1);
}

int
userns_open(const char *uid_map, const char *gid_map)
{
	char	path[64];
	pid_t	pid;
	int	fd = -1, saved;

	if ((pid = clone_into(CLONE_NEWUSER)) == -1)
		return (-1);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			(void)pause();
	}
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	if (map_write(pid, "uid_map", uid_map) == 0 &&
	    map_write(pid, "gid_map", gid_map) == 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	saved = errno;
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
		;
	errno = saved;
	return (fd);
}

/* Turn each "inside outside count" of our own map into "inside inside". */
static void
identity_map(const char *path, char *map, size_t size)
{
	unsigned long	inside, outside, count;
	size_t		used = 0;
	FILE		*f;

	if ((f = fopen(path, "re")) == NULL)
		fatal("%s", path);
	while (used < size && fscanf(f, "%lu %lu %lu", &inside, &outside,
	    &count) == 3)
		used += (size_t)snprintf(map + used, size - used,
		    "%lu %lu %lu\n", inside, inside, count);
	(void)fclose(f);
	if (used == 0 || used >= size)
		fatalx("%s: not understood", path);
}

int
userns_identity(void)
{
	char	uids[4096], gids[4096];
	int	fd;

	identity_map("/proc/self/uid_map", uids, sizeof(uids));
	identity_map("/proc/self/gid_map", gids, sizeof(gids));
	if ((fd = userns_open(uids, gids)) == -1)
		fatal("the rooms' user namespace (this kernel may not allow "
		    "user namespaces, or CAP_SETFCAP is missing)");
	return (fd);
}

/* ---- in the child ---- */

/* The step in words on standard error, which is the log's last resort. */
static void __attribute__((noreturn))
child_fail(const char *binary, const char *step)
{
	dprintf(2, "wfsupd: %s: %s: %s\n", binary, step, strerror(errno));
	_exit(127);
}

/*
 * Exactly fds 0 to 4, no signal handled or blocked, no terminal, nothing of
 * our environment. The binary is executed by descriptor: a starter has no
 * rights on the directories above it.
 */
static void __attribute__((noreturn))
child_exec(const char *binary, int exec, int sock, int log, char **argv)
{
	static char	*const env[] = {
		(char *)"PATH=/usr/bin:/bin", (char *)"LC_ALL=C.UTF-8",
#ifdef __SANITIZE_ADDRESS__
		(char *)"ASAN_OPTIONS=detect_leaks=0",
#endif
		NULL
	};
	sigset_t	none;
	int		null;

	(void)setsid();
	if ((null = open("/dev/null", O_RDWR | O_CLOEXEC)) == -1 ||
	    dup2(null, 0) == -1 || dup2(null, 1) == -1)
		child_fail(binary, "/dev/null");
	/* Above all targets first, for they may be each other's. */
	if ((exec = fcntl(exec, F_DUPFD_CLOEXEC, 10)) == -1 ||
	    (sock = fcntl(sock, F_DUPFD_CLOEXEC, 10)) == -1 ||
	    (log != -1 && (log = fcntl(log, F_DUPFD_CLOEXEC, 10)) == -1))
		child_fail(binary, "fcntl");
	if (dup2(sock, ROOM_FD) == -1 ||
	    (log != -1 && dup2(log, ROOM_LOG_FD) == -1))
		child_fail(binary, "dup2");
	if (close_range(log == -1 ? ROOM_FD + 1 : ROOM_LOG_FD + 1, ~0U,
	    CLOSE_RANGE_CLOEXEC) == -1)
		child_fail(binary, "close_range");
	(void)signal(SIGPIPE, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)syscall(SYS_execveat, exec, "", argv, env, AT_EMPTY_PATH);
	child_fail(binary, "exec");
}

/* The options of a room, or, without ids, of the others. */
struct args {
	char	 uid[16], gid[16];
	char	*argv[12];
};

static void
args_fill(struct args *a, const struct child *c, const char *binary,
    const struct conf_ids *ids, const char *root)
{
	char	**argv = a->argv;
	int	 n = 0;

	argv[n++] = (char *)(uintptr_t)binary;
	argv[n++] = (char *)"-b";
	argv[n++] = c->sup->boot;
	if (ids != NULL) {
		(void)snprintf(a->uid, sizeof(a->uid), "%u", ids->uid);
		(void)snprintf(a->gid, sizeof(a->gid), "%u", ids->gid);
		argv[n++] = (char *)"-u";
		argv[n++] = a->uid;
		argv[n++] = (char *)"-g";
		argv[n++] = a->gid;
	}
	if (root != NULL) {
		argv[n++] = (char *)"-r";
		argv[n++] = (char *)(uintptr_t)root;
	}
	if (c->sup->verbose)
		argv[n++] = (char *)"-d";
	argv[n] = NULL;
}

/* ---- in the supervisor ---- */

/* In this user namespace, or, with -1, in ours. */
static pid_t
spawn(const char *binary, int userns, int sock, int log, char **argv)
{
	pid_t	parent = getpid(), pid;
	int	exec;

	if ((exec = open(binary, O_RDONLY | O_CLOEXEC)) == -1)
		return (-1);
	if ((pid = fork()) == 0) {
		if (userns != -1 && setns(userns, CLONE_NEWUSER) == -1)
			child_fail(binary, "setns");
		/* After setns, which clears it; the race is closed below. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1 ||
		    getppid() != parent)
			child_fail(binary, "parent-death signal");
		child_exec(binary, exec, sock, log, argv);
	}
	(void)close(exec);
	return (pid);
}

pid_t
spawn_room(const struct child *c, const char *binary,
    const struct conf_ids *ids, const char *root, int sock, int log)
{
	struct args	a = { .argv = { NULL } };

	args_fill(&a, c, binary, ids, root);
	return (spawn(binary, ids != NULL ? c->sup->userns : -1, sock, log,
	    a.argv));
}

pid_t
spawn_errand(const struct supervisor *sup, uid_t uid, gid_t gid, int groups,
    int sock)
{
	char	binary[256], user[16], group[16];
	char	*argv[] = { binary, (char *)"-u", user, (char *)"-g", group,
		    groups ? (char *)"-G" : NULL, NULL };

	(void)snprintf(binary, sizeof(binary), "%s/wfsup-errand",
	    sup->libexec);
	(void)snprintf(user, sizeof(user), "%u", uid);
	(void)snprintf(group, sizeof(group), "%u", gid);
	return (spawn(binary, -1, sock, -1, argv));
}

/* Root of its own namespaces, once the supervisor has written the maps. */
static void __attribute__((noreturn))
starter_child(const char *binary, int go, int exec, int sock, int log,
    char **argv)
{
	char	c;

	/* No byte: the supervisor has died or could not write the maps. */
	if (read(go, &c, 1) != 1)
		_exit(127);
	if (setgroups(0, NULL) == -1 || setresgid(0, 0, 0) == -1 ||
	    setresuid(0, 0, 0) == -1)
		child_fail(binary, "ids");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
		child_fail(binary, "parent-death signal");
	/* What it builds is for jails to look at. */
	(void)umask(022);
	/* Its parent is in no namespace that it sees: ask the pipe again. */
	if (read(go, &c, 1) != 1)
		_exit(127);
	child_exec(binary, exec, sock, log, argv);
}

static int
starter_maps(const struct child *c, pid_t pid)
{
	char	map[64];

	(void)snprintf(map, sizeof(map), "0 %u 65536\n", starter_base(c));
	if (map_write(pid, "uid_map", map) == -1 ||
	    map_write(pid, "gid_map", map) == -1)
		return (-1);
	return (0);
}

pid_t
spawn_starter(const struct child *c, const char *binary, int sock, int log)
{
	struct args	a = { .argv = { NULL } };
	pid_t		pid;
	int		exec, go[2];

	args_fill(&a, c, binary, NULL, NULL);
	if (pipe2(go, O_CLOEXEC) == -1)
		return (-1);
	if ((exec = open(binary, O_RDONLY | O_CLOEXEC)) == -1) {
		(void)close(go[0]);
		(void)close(go[1]);
		return (-1);
	}
	if ((pid = clone_into(STARTER_NAMESPACES)) == 0) {
		(void)close(go[1]);
		starter_child(binary, go[0], exec, sock, log, a.argv);
	}
	(void)close(exec);
	(void)close(go[0]);
	if (pid != -1 && (starter_maps(c, pid) == -1 ||
	    write(go[1], "go", 2) != 2)) {
		log_warn("%s: id maps", binary);
		/* It ends by itself when the pipe closes, and is reaped. */
	}
	(void)close(go[1]);
	return (pid);
}
