/*
 * Attempts at other processes, and at the one that there is for sure: the
 * init of the jail, which holds the socket to the broker. In a script jail
 * who attempts is the init; in a tool jail commands have the same uid as it,
 * but can't trace it.
 */
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attempt_table.h"

CALL(attach, SYS_ptrace, PTRACE_SEIZE, 1, 0, 0)
CALL(stop, SYS_kill, 1, SIGSTOP)
CALL(all, SYS_kill, -1, 0)
CALL(pidfd, SYS_pidfd_open, 1, 0)
CALL(kcmp, SYS_kcmp, 1, 1, 0, 0, 0)
CALL(memory, SYS_openat, AT_FDCWD, "/proc/1/mem", O_RDWR)
CALL(environment, SYS_openat, AT_FDCWD, "/proc/1/environ", O_RDONLY)
CALL(descriptors, SYS_openat, AT_FDCWD, "/proc/1/fd", O_RDONLY)
CALL(root, SYS_openat, AT_FDCWD, "/proc/1/root", O_PATH)
CALL(namespace, SYS_openat, AT_FDCWD, "/proc/1/ns/net", O_RDONLY)

/* An init gets the signal only if it is wanted, or sent from outside. Then
 * nobody is left to tell. */
static int
try_kill(void)
{
	(void)syscall(SYS_kill, 1, SIGKILL);
	return (0);
}

static int
try_getfd(void)
{
	long	init = syscall(SYS_pidfd_open, 1, 0);

	return (syscall(SYS_pidfd_getfd, init, 3, 0) != -1);
}

static int
try_vm_readv(void)
{
	static char	here[8];
	struct iovec	iov = { here, sizeof(here) };

	/* A fork has everything at the same place. */
	return (syscall(SYS_process_vm_readv, 1, &iov, 1, &iov, 1, 0) != -1);
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

/* The uid of a process, -1 if there is none to be seen. */
static long
uid_of(const char *pid)
{
	char	 path[64], text[4096], *line;
	ssize_t	 n;
	int	 fd;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/status", pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return (-1);
	n = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	line = strstr(text, "\nUid:");
	return (line == NULL ? -1 : strtol(line + 5, NULL, 10));
}

/* Is there anybody who is not of this jail? */
static int
try_strangers(void)
{
	struct dirent	*d;
	DIR		*proc;
	long		 uid;
	int		 found = 0;

	if ((proc = opendir("/proc")) == NULL)
		return (0);
	while (!found && (d = readdir(proc)) != NULL)
		found = d->d_name[0] >= '1' && d->d_name[0] <= '9' &&
		    (uid = uid_of(d->d_name)) != -1 && uid != (long)getuid();
	(void)closedir(proc);
	return (found);
}

const struct attempt	attempts_init[] = {
	{ "ptrace attach", try_attach, EACH(0, "pid namespace",
	    0, "the init can't be traced") },
	{ "stop the init", try_stop, SCRIPT(ALONE,
	    "an init can not stop itself") },
	{ "kill the init", try_kill, EACH(0, "pid namespace",
	    UNFILTERED, "pid namespace") },
	{ "kill all", try_all, SCRIPT(0, "pid namespace") },
	{ "see others", try_others, SCRIPT(0, "pid namespace") },
	{ "see strangers", try_strangers, EACH(0, "empty root",
	    UNFILTERED, "pid namespace") },
	{ "pidfd_open", try_pidfd, SCRIPT(ALONE, "a handle of oneself") },
	{ "pidfd_getfd of the init", try_getfd, EACH(ALONE,
	    "a handle of oneself has no other descriptors",
	    0, "the init can't be traced") },
	{ "process_vm_readv of the init", try_vm_readv, EACH(ALONE,
	    "reads oneself", 0, "the init can't be traced") },
	{ "kcmp", try_kcmp, EACH(ALONE, "compares one with oneself",
	    0, "the init can't be traced") },
	{ "memory of the init", try_memory, EACH(0, "empty root",
	    UNFILTERED, "the init can't be traced") },
	{ "environment of the init", try_environment, EACH(0, "empty root",
	    UNFILTERED, "the init can't be traced") },
	{ "descriptors of the init", try_descriptors, EACH(0, "empty root",
	    UNFILTERED, "the init can't be traced") },
	{ "root of the init", try_root, EACH(0, "empty root",
	    UNFILTERED, "the init can't be traced") },
	{ "namespace of the init", try_namespace, EACH(0, "empty root",
	    UNFILTERED, "the init can't be traced") },
	ATTEMPT_END
};
