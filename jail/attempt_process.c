/*
 * Attempts at processes: more of them, other ones, other programs, other
 * namespaces. A script jail is alone in its pid namespace and may have one
 * process; a tool jail is alone too, but has what its programs start.
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

#include "attempt_table.h"

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

CALL(memfd, SYS_memfd_create, "x", 0)
CALL(memfd_secret, SYS_memfd_secret, 0)
CALL(traceme, SYS_ptrace, 0, 0, 0, 0)
CALL(userns, SYS_unshare, CLONE_NEWUSER)
CALL(netns, SYS_unshare, CLONE_NEWNET)
CALL(mountns, SYS_unshare, CLONE_NEWNS)
CALL(pidns, SYS_unshare, CLONE_NEWPID)
CALL(cgroupns, SYS_unshare, CLONE_NEWCGROUP)
CALL(setns, SYS_setns, 0, 0)

static int
try_clone_userns(void)
{
	return (born(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0,
	    0)));
}

static int
try_clone_mountns(void)
{
	return (born(syscall(SYS_clone, CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0)));
}

const struct attempt	attempts_processes[] = {
	{ "fork", try_fork, SCRIPT(0, "limits") },
	{ "clone", try_clone_files, SCRIPT(0, "limits") },
	{ "clone3", try_clone3, EACH(0, "limits",
	    ALONE, "a fork, but one whose flags can't be seen") },
	{ "exec", try_exec, SCRIPT(0, "empty root") },
	{ "exec of memory", try_exec_memfd, SCRIPT(0, "empty root") },
	{ "memfd", try_memfd, SCRIPT(ALONE,
	    "memory, which the limit counts") },
	{ "memfd_secret", try_memfd_secret, BOTH(VARIES,
	    "a kernel without it") },
	{ "ptrace traceme", try_traceme, BOTH(ALONE,
	    "nobody is in sight to trace it") },
	{ "pidfd_getfd", try_getfd, BOTH(ALONE,
	    "a handle of oneself has no other descriptors") },
	{ "process_vm_readv", try_vm_readv, BOTH(ALONE, "reads oneself") },
	{ "user namespace", try_userns, BOTH(0, "limits") },
	{ "user namespace by clone", try_clone_userns, BOTH(0, "limits") },
	{ "net namespace", try_netns, BOTH(0, "no capability") },
	{ "mount namespace", try_mountns, BOTH(0, "no capability") },
	{ "mount namespace by clone", try_clone_mountns,
	    BOTH(0, "no capability") },
	{ "pid namespace", try_pidns, BOTH(0, "no capability") },
	{ "cgroup namespace", try_cgroupns, BOTH(0, "no capability") },
	{ "setns", try_setns, BOTH(0, "no capability") },
	ATTEMPT_END
};
