/*
 * Attempts at processes: more of them, other ones, other programs. A jail is
 * alone in its pid namespace and may have one process.
 */
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"

/* 1 in the parent of a new process, which ends at once. */
static int
born(long pid)
{
	if (pid == 0)
		_exit(0);
	return (pid != -1);
}

static int
try_fork(void)
{
	return (born(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)));
}

static int
try_clone_files(void)
{
	return (born(syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0)));
}

static int
try_clone3(void)
{
	struct clone_args	args = { .exit_signal = SIGCHLD };

	return (born(syscall(SYS_clone3, &args, sizeof(args))));
}

/* Success does not come back: the program ends with ATTEMPT_OPEN. */
static char	*const shell[] = {
	(char *)"sh", (char *)"-c", (char *)"exit 42", NULL
};

static int
try_exec(void)
{
	(void)syscall(SYS_execve, "/bin/sh", shell, NULL);
	return (0);
}

/* A program that is in no file system. EACCES and such say that the call
 * was let in, but an empty file is no program for sure. */
static int
try_exec_memfd(void)
{
	int	fd;

	fd = (int)syscall(SYS_memfd_create, "x", 0);
	return (fd != -1 && syscall(SYS_write, fd, "#!/bin/sh\nexit 42\n",
	    18) == 18 && syscall(SYS_execveat, fd, "", shell, NULL,
	    AT_EMPTY_PATH) != -1);
}

static int
try_vm_readv(void)
{
	static char	here[8];
	struct iovec	iov = { here, sizeof(here) };

	return (syscall(SYS_process_vm_readv, getpid(), &iov, 1, &iov, 1, 0)
	    != -1);
}

/* A second handle of one's socket, by way of oneself. */
static int
try_getfd(void)
{
	long	self = syscall(SYS_pidfd_open, getpid(), 0);

	return (syscall(SYS_pidfd_getfd, self, 3, 0) != -1);
}

/* Is there anybody else that can be seen? */
static int
try_others(void)
{
	int	pid;

	for (pid = 1; pid < 64; pid++)
		if (pid != getpid() && syscall(SYS_kill, pid, 0) == 0)
			return (1);
	return (0);
}

CALL(memfd, SYS_memfd_create, "x", 0)
CALL(memfd_secret, SYS_memfd_secret, 0)
CALL(traceme, SYS_ptrace, 0, 0, 0, 0)
CALL(attach, SYS_ptrace, PTRACE_SEIZE, 1, 0, 0)
CALL(kill_init, SYS_kill, 1, SIGSTOP)
CALL(kill_all, SYS_kill, -1, 0)
CALL(pidfd, SYS_pidfd_open, 1, 0)
CALL(kcmp, SYS_kcmp, 1, 1, 0, 0, 0)
CALL(userns, SYS_unshare, CLONE_NEWUSER)
CALL(netns, SYS_unshare, CLONE_NEWNET)
CALL(mountns, SYS_unshare, CLONE_NEWNS)
CALL(setns, SYS_setns, 0, 0)

static int
try_clone_userns(void)
{
	return (born(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0,
	    0)));
}

const struct attempt	attempts_processes[] = {
	{ "fork", try_fork, GIVEN, "limits" },
	{ "clone", try_clone_files, GIVEN, "limits" },
	{ "clone3", try_clone3, 0, "limits" },
	{ "exec", try_exec, GIVEN, "empty root" },
	{ "exec of memory", try_exec_memfd, GIVEN, "empty root" },
	{ "memfd", try_memfd, GIVEN | ALONE, "memory, which the limit counts" },
	{ "memfd_secret", try_memfd_secret, VARIES, "a kernel without it" },
	{ "ptrace traceme", try_traceme, ALONE,
	    "nobody is in sight to trace it" },
	{ "ptrace attach", try_attach, 0, "pid namespace" },
	{ "stop the init", try_kill_init, GIVEN | ALONE,
	    "an init can not stop itself" },
	{ "kill all", try_kill_all, GIVEN, "pid namespace" },
	{ "see others", try_others, GIVEN, "pid namespace" },
	{ "pidfd_open", try_pidfd, GIVEN | ALONE, "a handle of oneself" },
	{ "pidfd_getfd", try_getfd, ALONE,
	    "a handle of oneself has no other descriptors" },
	{ "kcmp", try_kcmp, ALONE, "compares one with oneself" },
	{ "process_vm_readv", try_vm_readv, ALONE, "reads oneself" },
	{ "user namespace", try_userns, 0, "limits" },
	{ "user namespace by clone", try_clone_userns, 0, "limits" },
	{ "net namespace", try_netns, 0, "no capability" },
	{ "mount namespace", try_mountns, 0, "no capability" },
	{ "setns", try_setns, 0, "no capability" },
	{ NULL, NULL, 0, NULL }
};
