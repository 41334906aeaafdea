/*
 * Making processes: rooms inside the rooms' user namespace, starters in all
 * namespaces of their own. None of it needs more than SETUID and SETGID, so
 * a restart works as the start did.
 *
 * Rooms are exec'ed as root of a user namespace in which every id is itself.
 * It is made once, while the launcher may still map id 0. Entering it needs
 * no capability, since it belongs to root; and it gives the room what it must
 * have to confine itself, while SO_PEERCRED stays true.
 *
 * A room and a starter are the supervisor's children, though they are made
 * here: it waits for them, and they die with it.
 */
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"
#include "log.h"
#include "room.h"

#define STARTER_NAMESPACES						\
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC |	\
	CLONE_NEWPID | CLONE_NEWUTS)

/* ---- in the child ---- */

/* The step in words on standard error, which is the log's last resort. */
static void __attribute__((noreturn))
child_fail(const char *binary, const char *step)
{
	dprintf(2, "wfsupd: %s: %s: %s\n", binary, step, strerror(errno));
	_exit(127);
}

/* None handled, ignored or blocked. */
static void
default_signals(void)
{
	sigset_t	none;
	int		sig;

	for (sig = 1; sig < NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			(void)signal(sig, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Exactly fds 0 to 4, no terminal, nothing of our environment. The binary is
 * executed by descriptor: a starter has no rights on the directories above
 * it.
 */
static void __attribute__((noreturn))
child_exec(const struct spawn *sp, int exec)
{
	static char	*const env[] = {
		(char *)"PATH=/usr/bin:/bin", (char *)"LC_ALL=C.UTF-8",
#ifdef __SANITIZE_ADDRESS__
		(char *)"ASAN_OPTIONS=detect_leaks=0:"
		    "allocator_may_return_null=1",
#endif
		NULL
	};
	int		sock = sp->sock, log = sp->log, null;

	(void)setsid();
	if ((null = open("/dev/null", O_RDWR | O_CLOEXEC)) == -1 ||
	    dup2(null, 0) == -1 || dup2(null, 1) == -1)
		child_fail(sp->binary, "/dev/null");
	/* Above all targets first, for they may be each other's. */
	if ((exec = fcntl(exec, F_DUPFD_CLOEXEC, 10)) == -1 ||
	    (sock = fcntl(sock, F_DUPFD_CLOEXEC, 10)) == -1 ||
	    (log != -1 && (log = fcntl(log, F_DUPFD_CLOEXEC, 10)) == -1))
		child_fail(sp->binary, "fcntl");
	if (dup2(sock, ROOM_FD) == -1 ||
	    (log != -1 && dup2(log, ROOM_LOG_FD) == -1))
		child_fail(sp->binary, "dup2");
	if (close_range(log == -1 ? ROOM_FD + 1 : ROOM_LOG_FD + 1, ~0U,
	    CLOSE_RANGE_CLOEXEC) == -1)
		child_fail(sp->binary, "close_range");
	default_signals();
	(void)syscall(SYS_execveat, exec, "", sp->argv, env, AT_EMPTY_PATH);
	child_fail(sp->binary, "exec");
}

/* Root of its own namespaces, once its maps have been written. */
static void __attribute__((noreturn))
starter_child(const struct spawn *sp, int go, int exec)
{
	char	c;

	/* No byte: the launcher has died or could not write the maps. */
	if (read(go, &c, 1) != 1)
		_exit(127);
	if (setgroups(0, NULL) == -1 || setresgid(0, 0, 0) == -1 ||
	    setresuid(0, 0, 0) == -1)
		child_fail(sp->binary, "ids");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
		child_fail(sp->binary, "parent-death signal");
	/* What it builds is for jails to look at. */
	(void)umask(022);
	/* Its parent is in no namespace that it sees: ask the pipe again. A
	 * parent that has gone since closes its socket, which ends it. */
	if (read(go, &c, 1) != 1)
		_exit(127);
	child_exec(sp, exec);
}

/* ---- in the launcher ---- */

pid_t
spawn(const struct spawn *sp, int *pidfd)
{
	pid_t	parent = sp->ours ? getpid() : getppid(), pid;
	int	exec, saved;

	if ((exec = open(sp->binary, O_RDONLY | O_CLOEXEC)) == -1)
		return (-1);
	if ((pid = clone_into(sp->ours ? 0 : CLONE_PARENT, pidfd)) == 0) {
		if (sp->userns != -1 &&
		    setns(sp->userns, CLONE_NEWUSER) == -1)
			child_fail(sp->binary, "setns");
		/* After setns, which clears it; the race is closed below. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1 ||
		    getppid() != parent)
			child_fail(sp->binary, "parent-death signal");
		child_exec(sp, exec);
	}
	saved = errno;
	(void)close(exec);
	errno = saved;
	return (pid);
}

static int
starter_maps(pid_t pid, uid_t base)
{
	char	map[64];

	(void)snprintf(map, sizeof(map), "0 %u 65536\n", base);
	return (userns_map(pid, map, map));
}

pid_t
spawn_starter(const struct spawn *sp, uid_t base, int *pidfd)
{
	pid_t	pid = -1;
	int	exec, go[2], saved;

	if (pipe2(go, O_CLOEXEC) == -1)
		return (-1);
	if ((exec = open(sp->binary, O_RDONLY | O_CLOEXEC)) != -1 &&
	    (pid = clone_into(CLONE_PARENT | STARTER_NAMESPACES,
	    pidfd)) == 0) {
		(void)close(go[1]);
		starter_child(sp, go[0], exec);
	}
	saved = errno;
	if (exec != -1)
		(void)close(exec);
	(void)close(go[0]);
	/* It ends by itself when the pipe closes, and is waited for. */
	if (pid != -1 && (starter_maps(pid, base) == -1 ||
	    write(go[1], "go", 2) != 2))
		log_warn("%s: id maps", sp->binary);
	(void)close(go[1]);
	errno = saved;
	return (pid);
}
