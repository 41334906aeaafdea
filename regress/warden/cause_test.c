/*
 * The causes of a jail's death, and how long a restart waits.
 */
#include <signal.h>
#include <string.h>

#include "cause.h"
#include "test.h"

#define EXITED(n)	((n) << 8)

static const struct {
	const char	*what;
	struct death	 death;
	const char	*cause;
} deaths[] = {
	{ "it ended", { .reaped = 1, .status = EXITED(0), .cpu_limit = 10 },
	    "exit 0" },
	{ "it failed", { .reaped = 1, .status = EXITED(3), .cpu_limit = 10 },
	    "exit 3" },
	{ "our word wins", { .own = "wall", .reaped = 1, .status = SIGKILL,
	    .oom = 1, .cpu_limit = 10 }, "wall" },
	{ "out of memory", { .reaped = 1, .status = SIGKILL, .oom = 1,
	    .cpu_limit = 10 }, "oom" },
	{ "a child of it was out of memory, long before", { .reaped = 1,
	    .status = EXITED(0), .oom = 1, .cpu_limit = 10 }, "exit 0" },
	{ "the CPU limit's hard end", { .reaped = 1, .status = SIGKILL,
	    .cpu_ms = 9990, .cpu_limit = 10 }, "cpu" },
	{ "the same by a slow clock", { .reaped = 1, .status = SIGKILL,
	    .cpu_ms = 1917, .cpu_limit = 2 }, "cpu" },
	{ "killed long before that limit", { .reaped = 1, .status = SIGKILL,
	    .cpu_ms = 1000, .cpu_limit = 2 }, "signal KILL" },
	{ "the CPU limit's signal", { .reaped = 1, .status = SIGXCPU,
	    .cpu_limit = 10 }, "cpu" },
	{ "a forbidden call", { .reaped = 1, .status = SIGSYS,
	    .cpu_limit = 10 }, "syscall" },
	{ "a forbidden call that it names", { .reaped = 1, .status = SIGSYS,
	    .words = "syscall socket", .cpu_limit = 10 }, "syscall socket" },
	{ "words of one that ended well", { .reaped = 1,
	    .status = EXITED(0), .words = "cpu", .cpu_limit = 10 },
	    "exit 0" },
	{ "it crashed", { .reaped = 1, .status = SIGSEGV | 0x80,
	    .cpu_limit = 10 }, "signal SEGV" },
	{ "killed by somebody else", { .reaped = 1, .status = SIGKILL,
	    .cpu_limit = 10 }, "signal KILL" },
	{ "no process could be made", { .reaped = 1, .status = EXITED(1),
	    .pids = 4, .cpu_limit = 10 }, "pids" },
	{ "it hit pids but ended well", { .reaped = 1, .status = EXITED(0),
	    .pids = 4, .cpu_limit = 10 }, "exit 0" },
	{ "hung up on, and it ended before we knew", { .hung = "protocol",
	    .reaped = 1, .status = EXITED(0), .cpu_limit = 10 }, "protocol" },
	{ "hung up on when it was done, and it ended before we knew",
	    { .hung = "done", .reaped = 1, .status = 0 }, "done" },
	{ "which it did in its own way", { .hung = "done", .reaped = 1,
	    .status = 3 << 8 }, "exit 3" },
	{ "hung up on when it was out of memory", { .hung = "protocol", .reaped = 1,
	    .status = SIGKILL, .oom = 1, .cpu_limit = 10 }, "oom" },
	{ "nobody told how", { .cpu_limit = 10 }, "signal KILL" },
	{ "nobody told, but memory was short", { .oom = 2, .cpu_limit = 10 },
	    "oom" },
	{ "a signal without a name", { .reaped = 1, .status = 40,
	    .cpu_limit = 10 }, "signal 40" },
};

int
main(void)
{
	char	cause[CAUSE_MAX];
	size_t	i;

	for (i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
		death_cause(&deaths[i].death, cause, sizeof(cause));
		test_case(strcmp(cause, deaths[i].cause) == 0, "%s: %s",
		    deaths[i].what, cause);
	}
	return (test_end());
}
