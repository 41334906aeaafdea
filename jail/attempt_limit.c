/*
 * Attempts at more of the machine than a jail may have: memory, processes,
 * disk. A jail in which they are made has less than they want (see
 * ATTEMPT_MEMORY and those beside it).
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "attempt_table.h"

#ifndef __SANITIZE_ADDRESS__	/* whose own map has no end */
static int
try_2gib(void)
{
	return (syscall(SYS_mmap, NULL, 2UL << 30, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != -1);
}

/* Not only promised, but there. Beyond a cgroup's limit the kernel kills. */
static int
try_more(void)
{
	return (syscall(SYS_mmap, NULL, (size_t)ATTEMPT_MEMORY, PROT_READ |
	    PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) !=
	    -1);
}
#endif

static int
try_mlock(void)
{
	void	*p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		    MAP_ANONYMOUS, -1, 0);

	return (p != MAP_FAILED && syscall(SYS_mlock, p, 65536) == 0);
}

/* In our memory, on a few bytes of a stack. */
static int
child_wait(void *arg)
{
	(void)arg;
	return ((int)syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0));
}

static int
try_processes(void)
{
	static char	stacks[ATTEMPT_PIDS][1024]
			    __attribute__((aligned(16)));
	pid_t		pids[ATTEMPT_PIDS];
	int		i, n;

	for (n = 0; n < ATTEMPT_PIDS; n++)
		if ((pids[n] = clone(child_wait, stacks[n] +
		    sizeof(stacks[n]), CLONE_VM | SIGCHLD, NULL)) == -1)
			break;
	for (i = 0; i < n; i++) {
		(void)kill(pids[i], SIGKILL);
		(void)waitpid(pids[i], NULL, 0);
	}
	return (n == ATTEMPT_PIDS);
}

static int
try_file(void)
{
	int	fd;

	(void)signal(SIGXFSZ, SIG_IGN);
	fd = (int)syscall(SYS_openat, AT_FDCWD, "/tmp", O_TMPFILE | O_RDWR |
	    O_CLOEXEC, 0600);
	return (fd != -1 && syscall(SYS_ftruncate, fd, ATTEMPT_FILE) == 0);
}

const struct attempt	attempts_limits[] = {
#ifndef __SANITIZE_ADDRESS__
	{ "2 GiB", try_2gib, SCRIPT(UNFILTERED, "limits") },
	{ "more memory than the limit", try_more, EACH(UNFILTERED, "limits",
	    UNFILTERED | LETHAL, "limits") },
#endif
	{ "mlock", try_mlock, EACH(0, "limits", UNFILTERED, "limits") },
	{ "more processes than the limit", try_processes, EACH(0, "limits",
	    UNFILTERED, "limits") },
	{ "a longer file than the limit", try_file, EACH(0, "empty root",
	    UNFILTERED, "limits") },
	ATTEMPT_END
};
