/*
 * Attempts at memory: executable, or more than is given.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include <unistd.h>

#include "attempt.h"

static int
try_write_exec(void)
{
	return (syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE |
	    PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != -1);
}

static int
try_make_exec(void)
{
	void	*p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		    MAP_ANONYMOUS, -1, 0);

	return (p != MAP_FAILED && syscall(SYS_mprotect, p, 4096, PROT_READ |
	    PROT_EXEC) == 0);
}

/* As above, by the call that has a protection key as well. */
static int
try_make_exec_pkey(void)
{
	void	*p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		    MAP_ANONYMOUS, -1, 0);

	return (p != MAP_FAILED && syscall(SYS_pkey_mprotect, p, 4096,
	    PROT_READ | PROT_EXEC, -1) == 0);
}

#ifndef __SANITIZE_ADDRESS__	/* whose own map has no end */
static int
try_2gib(void)
{
	return (syscall(SYS_mmap, NULL, 2UL << 30, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != -1);
}
#endif

static int
try_mlock(void)
{
	void	*p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		    MAP_ANONYMOUS, -1, 0);

	return (p != MAP_FAILED && syscall(SYS_mlock, p, 65536) == 0);
}

CALL(shm, SYS_shmget, 0, 4096, 01600)
CALL(sem, SYS_semget, 0, 1, 01600)
CALL(msg, SYS_msgget, 0, 01600)

const struct attempt	attempts_memory[] = {
	{ "writable and executable", try_write_exec, GIVEN | VARIES,
	    "MDWE of kernel 6.3" },
	{ "make executable", try_make_exec, GIVEN | VARIES,
	    "MDWE of kernel 6.3" },
	{ "make executable by key", try_make_exec_pkey, GIVEN | VARIES,
	    "MDWE of kernel 6.3" },
#ifndef __SANITIZE_ADDRESS__
	{ "2 GiB", try_2gib, UNFILTERED | GIVEN, "limits" },
#endif
	{ "mlock", try_mlock, 0, "limits" },
	{ "shmget", try_shm, GIVEN | ALONE,
	    "the ipc namespace is its own, and ends with it" },
	{ "semget", try_sem, GIVEN | ALONE,
	    "the ipc namespace is its own, and ends with it" },
	{ "msgget", try_msg, GIVEN | ALONE,
	    "the ipc namespace is its own, and ends with it" },
	{ NULL, NULL, 0, NULL }
};
