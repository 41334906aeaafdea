/*
 * What is said of limits: only what the kernel's counts bear out.
 */
#include <signal.h>
#include <string.h>

#include "test.h"
#include "toll.h"

#define OURS	"killed: the sandbox's memory limit (1048576 bytes)\n"

static const struct limits	limits = {
	.memory = 1048576, .pids = 32, .cpu = 10, .events = { -1, -1, -1 }
};

static const struct {
	const char		*what;
	struct toll_counts	 before, now;
	int			 alone;
	struct toll_end		 end;
	const char		*cause, *words;
} cases[] = {
	{ "nothing was counted", { 3, 3, 3 }, { 3, 3, 3 }, 1, { 0, 0, 0 },
	    NULL, "" },
	{ "a KILL that no limit sent", { 3, 3, 3 }, { 3, 3, 3 }, 1,
	    { 137, SIGKILL, 0 }, NULL, "" },
	{ "memory was short, but enough", { 0, 0, 0 }, { 0, 9, 0 }, 1,
	    { 137, SIGKILL, 0 }, NULL, "" },
	{ "the command", { 0, 0, 0 }, { 1, 1, 0 }, 1, { 137, SIGKILL, 0 },
	    "oom", OURS },
	{ "what its shell waited for", { 4, 4, 0 }, { 5, 7, 0 }, 1,
	    { 137, 0, 0 }, "oom", OURS },
	{ "not the command itself", { 0, 0, 0 }, { 2, 2, 0 }, 1,
	    { 0, 0, 0 }, NULL, "killed by the sandbox's memory limit (1048576 "
	    "bytes): 2 of its processes\n" },
	{ "it or another call's", { 0, 0, 0 }, { 1, 1, 0 }, 0,
	    { 137, SIGKILL, 0 }, NULL, "killed by the sandbox's memory limit "
	    "(1048576 bytes): 1 of the processes of this call and of others "
	    "that ran meanwhile\n" },
	{ "for want of the host's memory", { 0, 5, 0 }, { 1, 5, 0 }, 1,
	    { 137, SIGKILL, 0 }, "oom", "killed for want of memory outside of "
	    "the sandbox: 1 of its processes\n" },
	{ "the same, perhaps another", { 0, 5, 0 }, { 1, 5, 0 }, 0,
	    { 137, SIGKILL, 0 }, NULL, "killed for want of memory outside of "
	    "the sandbox: 1 of the processes of this call and of others that "
	    "ran meanwhile\n" },
	{ "forks were refused", { 0, 0, 2 }, { 0, 0, 5 }, 1, { 1, 0, 0 },
	    NULL, "refused: 3 new processes, by the limit (the sandbox's is "
	    "32)\n" },
	{ "of this call or another", { 0, 0, 2 }, { 0, 0, 5 }, 0,
	    { 1, 0, 0 }, NULL, "refused: 3 new processes of this call and of "
	    "others that ran meanwhile, by the limit (the sandbox's is 32)\n" },
	{ "both", { 0, 0, 0 }, { 1, 1, 1 }, 1, { 137, SIGKILL, 0 }, "oom",
	    OURS "refused: 1 new processes, by the limit (the sandbox's is "
	    "32)\n" },
	{ "CPU time", { 0, 0, 0 }, { 0, 0, 0 }, 0, { 152, SIGXCPU, 9900 },
	    "cpu", "killed: the limit of CPU time (10 seconds)\n" },
	{ "CPU time, not heeded", { 0, 0, 0 }, { 0, 0, 0 }, 1,
	    { 137, SIGKILL, 10800 }, "cpu",
	    "killed: the limit of CPU time (10 seconds)\n" },
	{ "CPU time, counted in ticks", { 0, 0, 0 }, { 0, 0, 0 }, 1,
	    { 152, SIGXCPU, 6000 }, "cpu",
	    "killed: the limit of CPU time (10 seconds)\n" },
	{ "a signal that looks like it", { 0, 0, 0 }, { 0, 0, 0 }, 1,
	    { 152, SIGXCPU, 20 }, NULL, "" },
	{ "a status that looks like it", { 0, 0, 0 }, { 0, 0, 0 }, 1,
	    { 152, 0, 20000 }, NULL, "" },
	{ "memory, late", { 0, 0, 0 }, { 1, 1, 0 }, 1,
	    { 137, SIGKILL, 20000 }, "oom", OURS },
};

static const struct {
	const char	*text, *key;
	int64_t		 want;
} numbers[] = {
	{ "oom_kill_disable 0\nunder_oom 1\noom_kill 7\n", "oom_kill", 7 },
	{ "low 0\nhigh 1\nmax 2\noom 3\noom_kill 4\n", "oom", 3 },
	{ "low 0\nhigh 1\nmax 2\noom 3\noom_kill 4\n", "oom_kill", 4 },
	{ "max 12", "max", 12 },
	{ "maximum 3\n", "max", 0 },
	{ "", "max", 0 },
	{ "4096\n", NULL, 4096 },
};

int
main(void)
{
	char		 text[TOLL_TEXT];
	const char	*cause;
	size_t		 i;
	int		 ok;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cause = toll_words(&limits, &cases[i].before, &cases[i].now,
		    cases[i].alone, &cases[i].end, text);
		ok = strcmp(text, cases[i].words) == 0 &&
		    (cause == NULL || cases[i].cause == NULL ?
		    cause == cases[i].cause :
		    strcmp(cause, cases[i].cause) == 0);
		test_case(ok, "%s", cases[i].what);
		if (!ok)
			printf("# want %s: %s\n# got %s: %s\n",
			    cases[i].cause != NULL ? cases[i].cause : "-",
			    cases[i].words, cause != NULL ? cause : "-", text);
	}
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		test_case(toll_number(numbers[i].text, numbers[i].key) ==
		    numbers[i].want, "%s of \"%.12s...\"",
		    numbers[i].key != NULL ? numbers[i].key : "the number",
		    numbers[i].text);
	return (test_end());
}
