/*
 * The pure decisions: states, exit codes, deaths, what is repeated.
 */
#include <string.h>

#include "node_decide.h"
#include "run_add.h"
#include "run_state.h"
#include "test.h"

static const struct {
	const char		*what;
	struct run_facts	 facts;
	const char		*want;
} states[] = {
	{ "added",		{ PHASE_QUEUED, 0, 0, 0, 0 },	"queued" },
	{ "started",		{ PHASE_ACTIVE, 0, 0, 0, 0 },	"running" },
	{ "workspace lost",	{ PHASE_ACTIVE, 1, 0, 0, 0 },	"waiting" },
	{ "returned",		{ PHASE_ENDED, 0, 0, 0, 0 },	"completed" },
	{ "returned with a hole", { PHASE_ENDED, 0, 0, 0, 1 },
	    "completed_with_failures" },
	{ "raised",		{ PHASE_ENDED, 0, 0, 1, 0 },	"failed" },
	{ "raised after a hole", { PHASE_ENDED, 0, 0, 1, 2 },	"failed" },
	{ "cancelled",		{ PHASE_ENDED, 0, 1, 0, 0 },	"cancelled" },
	{ "cancelled while it failed", { PHASE_ENDED, 1, 1, 1, 1 },
	    "cancelled" },
};

static const struct {
	enum run_state	 state;
	enum blamer	 by;
	const char	*class, *cause;
	int		 want;
} exits[] = {
	{ STATE_COMPLETED, BY_SCRIPT,	NULL, NULL,			0 },
	{ STATE_HOLES,	BY_SCRIPT,	NULL, NULL,			3 },
	{ STATE_CANCELLED, BY_KEEPER,	"CancelledError", "cancel",	4 },
	{ STATE_RUNNING, BY_SCRIPT,	NULL, NULL,			0 },
	{ STATE_FAILED,	BY_SCRIPT,	"SyntaxError", NULL,		1 },
	{ STATE_FAILED,	BY_SCRIPT,	NULL, NULL,			1 },
	{ STATE_FAILED,	BY_SCRIPT,	"AgentError", "timeout",	1 },
	{ STATE_FAILED,	BY_SCRIPT,	"AgentError", NULL,		1 },
	{ STATE_FAILED,	BY_SCRIPT,	"AgentError", "provider",	8 },
	{ STATE_FAILED,	BY_SCRIPT,	"ToolError", "provider",	1 },
	{ STATE_FAILED,	BY_SCRIPT,	"ScopeError", "denied",		7 },
	{ STATE_FAILED,	BY_SCRIPT,	"BudgetError", NULL,		6 },
	{ STATE_FAILED,	BY_SCRIPT,	"MemoryError", "oom",		6 },
	{ STATE_FAILED,	BY_SCRIPT,	"MemoryError", NULL,		1 },
	{ STATE_FAILED,	BY_SCRIPT,	"NondeterminismError", NULL,	5 },
	{ STATE_FAILED,	BY_KEEPER,	"NondeterminismError", NULL,	5 },
	{ STATE_FAILED,	BY_KEEPER,	"JailError", "oom",		6 },
	{ STATE_FAILED,	BY_KEEPER,	"JailError", "cpu",		6 },
	{ STATE_FAILED,	BY_KEEPER,	"JailError", "wall",		6 },
	{ STATE_FAILED,	BY_KEEPER,	"JailError", "pids",		6 },
	{ STATE_FAILED,	BY_KEEPER,	"JailError", "signal SEGV",	9 },
	{ STATE_FAILED,	BY_KEEPER,	"JailError", "protocol",	9 },
	{ STATE_FAILED,	BY_KEEPER,	"InternalError", "jail",	11 },
	/* A script can't claim what only we can know. */
	{ STATE_FAILED,	BY_SCRIPT,	"InternalError", NULL,		1 },
	{ STATE_FAILED,	BY_SCRIPT,	"JailError", "oom",		1 },
};

static const struct {
	const char	*cause, *class, *want;
} deaths[] = {
	{ "oom",		"JailError",	"oom" },
	{ "syscall ptrace",	"JailError",	"syscall ptrace" },
	{ "exit 3",		"JailError",	"exit 3" },
	{ "done",		"JailError",	"done" },
	{ "failed cgroup: No space left on device", "InternalError",
	    "jail" },
};

static const struct {
	const char		*what;
	enum node_state		 state;
	int			 same, repeatable;
	enum ask_verdict	 want;
} asks[] = {
	{ "never asked for",		NODE_NONE, 0, 0,	ASK_START },
	{ "running",			NODE_RUNNING, 1, 0,	ASK_ATTACH },
	{ "running, other digest",	NODE_RUNNING, 0, 1,	ASK_DIFFERS },
	{ "settled",			NODE_SETTLED, 1, 1,	ASK_RECORDED },
	{ "settled, other digest",	NODE_SETTLED, 0, 1,	ASK_DIFFERS },
	{ "a cancelled read",		NODE_CANCELLED, 1, 1,	ASK_RESTART },
	{ "a cancelled write",		NODE_CANCELLED, 1, 0,	ASK_LOST },
	{ "cancelled, other digest",	NODE_CANCELLED, 0, 1,	ASK_DIFFERS },
};

static const struct {
	const char		*what;
	enum node_kind		 kind;
	int			 repeatable;
	enum recover_verdict	 want;
} recovers[] = {
	{ "an agent",		KIND_AGENT, 0,		RECOVER_AGENT },
	{ "a sleep",		KIND_SLEEP, 1,		RECOVER_TIMER },
	{ "a read",		KIND_TOOL, 1,		RECOVER_WAIT },
	{ "a write",		KIND_TOOL, 0,		RECOVER_LOST },
	{ "an unknown kind",	KIND_UNKNOWN, 0,	RECOVER_LOST },
};

#define COUNT(t)	(sizeof(t) / sizeof((t)[0]))

static void
test_states(void)
{
	size_t	i;

	for (i = 0; i < COUNT(states); i++)
		test_case(strcmp(run_state_name(run_state(&states[i].facts)),
		    states[i].want) == 0, "a run that was %s is %s",
		    states[i].what, states[i].want);
	for (i = 0; i < COUNT(exits); i++)
		test_case(exit_code(exits[i].state, exits[i].by,
		    exits[i].class, exits[i].cause) == exits[i].want,
		    "%s by %s, %s %s: exit %d",
		    run_state_name(exits[i].state),
		    exits[i].by == BY_SCRIPT ? "the script" : "the keeper",
		    exits[i].class == NULL ? "no class" : exits[i].class,
		    exits[i].cause == NULL ? "" : exits[i].cause,
		    exits[i].want);
}

static void
test_deaths(void)
{
	struct death	d;
	size_t		i;

	for (i = 0; i < COUNT(deaths); i++) {
		jail_death(deaths[i].cause, &d);
		test_case(strcmp(d.class, deaths[i].class) == 0 &&
		    strcmp(d.cause, deaths[i].want) == 0 &&
		    d.message[0] != '\0', "a jail that died of \"%s\" is %s",
		    deaths[i].cause, deaths[i].class);
	}
}

static void
test_nodes(void)
{
	size_t	i;

	for (i = 0; i < COUNT(asks); i++)
		test_case(ask_decide(asks[i].state, asks[i].same,
		    asks[i].repeatable) == asks[i].want,
		    "a node asked for: %s", asks[i].what);
	for (i = 0; i < COUNT(recovers); i++)
		test_case(recover_decide(recovers[i].kind,
		    recovers[i].repeatable) == recovers[i].want,
		    "found running: %s", recovers[i].what);
}

static void
test_ids(void)
{
	char	a[RUN_ID_LEN + 1], b[RUN_ID_LEN + 1];

	run_make_id(a, 1700000000000);
	run_make_id(b, 1700000000001);
	test_case(strlen(a) == 16 && strspn(a,
	    "0123456789abcdefghijklmnopqrstuvwxyz") == 16,
	    "a run's id is 16 digits and letters");
	test_case(strcmp(a, b) < 0, "a later run's id is greater");
}

/* One user alone, then a second and a third, until nothing starts. */
static void
test_shares(void)
{
	static const struct {
		int64_t	limit, first, second, third;
	} cases[] = {
		{ 64, 48, 12, 3 }, { 8, 6, 2, 0 }, { 4, 3, 1, 0 },
		{ 1, 1, 0, 0 },
	};
	int64_t	slots, got[3];
	size_t	i, u;

	for (i = 0; i < COUNT(cases); i++) {
		slots = cases[i].limit;
		for (u = 0; u < 3; u++)
			for (got[u] = 0; run_may_start(got[u], slots); slots--)
				got[u]++;
		test_case(got[0] == cases[i].first && got[1] ==
		    cases[i].second && got[2] == cases[i].third,
		    "shares of %lld slots: %lld, %lld, %lld",
		    (long long)cases[i].limit, (long long)got[0],
		    (long long)got[1], (long long)got[2]);
	}
}

int
main(void)
{
	test_states();
	test_shares();
	test_deaths();
	test_nodes();
	test_ids();
	return (test_end());
}
