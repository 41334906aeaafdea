/*
 * Attempts at memory: executable, or shared with others.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include <unistd.h>

#include "attempt_table.h"

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

CALL(shm, SYS_shmget, 0, 4096, 01600)
CALL(sem, SYS_semget, 0, 1, 01600)
CALL(msg, SYS_msgget, 0, 01600)

#define OWN_IPC	"the ipc namespace is its own, and ends with it"

const struct attempt	attempts_memory[] = {
	{ "writable and executable", try_write_exec, SCRIPT(VARIES,
	    "MDWE of kernel 6.3") },
	{ "make executable", try_make_exec, SCRIPT(VARIES,
	    "MDWE of kernel 6.3") },
	{ "make executable by key", try_make_exec_pkey, SCRIPT(VARIES,
	    "MDWE of kernel 6.3") },
	{ "shmget", try_shm, SCRIPT(ALONE, OWN_IPC) },
	{ "semget", try_sem, SCRIPT(ALONE, OWN_IPC) },
	{ "msgget", try_msg, SCRIPT(ALONE, OWN_IPC) },
	ATTEMPT_END
};
