/*
 * Where a submission stands, and what its loop decides: tables.
 */
#include "../../keeper/classify.h"
#include "../../keeper/turn_decide.h"
#include "../test.h"

#define USER		{ .kind = ENTRY_USER, .own = 1 }
#define FOREIGN		{ .kind = ENTRY_USER }
#define ANSWER(s)	{ .kind = ENTRY_ASSISTANT, .stop = (s) }
#define FAULT(f)	{ .kind = ENTRY_ASSISTANT, .stop = STOP_ERROR,	\
			  .fault = (f) }
#define CALLS(n, k, e)	{ .kind = ENTRY_ASSISTANT, .stop = STOP_TOOLS,	\
			  .calls = (n), .known = (k), .ends = (e) }
#define TOOL		{ .kind = ENTRY_TOOL }
#define SIGNAL(s)	{ .kind = ENTRY_SIGNAL, .signal = (s) }

static const struct {
	const char		*what;
	int			 has_input;
	size_t			 n;
	struct entry_view	 entries[6];
	enum submission_state	 want;
} states[] = {
	{ "no input", 0, 0, { { 0 } }, SUBMISSION_ABSENT },
	{ "only the input", 1, 0, { { 0 } }, SUBMISSION_INPUT_ONLY },
	{ "somebody else's input behind it", 1, 2,
	    { ANSWER(STOP_END), FOREIGN }, SUBMISSION_ADVANCED },
	{ "a reminder of its own behind an answer", 1, 2,
	    { ANSWER(STOP_END), USER }, SUBMISSION_INPUT_ONLY },
	{ "an answer", 1, 1, { ANSWER(STOP_END) }, SUBMISSION_COMPLETED },
	{ "an answer at its limit", 1, 1, { ANSWER(STOP_LENGTH) },
	    SUBMISSION_COMPLETED },
	{ "an answer behind tools", 1, 3,
	    { CALLS(1, 1, 0), TOOL, ANSWER(STOP_END) },
	    SUBMISSION_COMPLETED },
	{ "too long a context", 1, 1, { FAULT(FAULT_OVERFLOW) },
	    SUBMISSION_OVERFLOW },
	{ "a transient error", 1, 1, { FAULT(FAULT_TRANSIENT) },
	    SUBMISSION_RETRY },
	{ "a transient error behind tools", 1, 3,
	    { CALLS(1, 1, 0), TOOL, FAULT(FAULT_TRANSIENT) },
	    SUBMISSION_RETRY },
	{ "cut, with the pair behind it", 1, 3, { ANSWER(STOP_ABORTED),
	    SIGNAL(SIGNAL_INTERRUPTED), SIGNAL(SIGNAL_CONTINUED) },
	    SUBMISSION_CONTINUE },
	{ "cut, with half the pair", 1, 2,
	    { ANSWER(STOP_ABORTED), SIGNAL(SIGNAL_INTERRUPTED) },
	    SUBMISSION_ABORTED },
	{ "cut, with the pair in the wrong order", 1, 3,
	    { ANSWER(STOP_ABORTED), SIGNAL(SIGNAL_CONTINUED),
	    SIGNAL(SIGNAL_INTERRUPTED) }, SUBMISSION_ABORTED },
	{ "cut, with something between the pair", 1, 4,
	    { ANSWER(STOP_ABORTED), SIGNAL(SIGNAL_INTERRUPTED), TOOL,
	    SIGNAL(SIGNAL_CONTINUED) }, SUBMISSION_ABORTED },
	{ "one tool of two done", 1, 1, { CALLS(2, 1, 0) },
	    SUBMISSION_TOOLS_PARTIAL },
	{ "one of two done, and it ends the turn", 1, 1, { CALLS(2, 1, 1) },
	    SUBMISSION_TOOLS_PARTIAL },
	{ "all tools done, all end the turn", 1, 2, { CALLS(1, 1, 1), TOOL },
	    SUBMISSION_TOOLS_ENDED },
	{ "all done, one ends the turn", 1, 1, { CALLS(2, 2, 1) },
	    SUBMISSION_TOOLS_DONE },
	{ "all tools done", 1, 1, { CALLS(2, 2, 0) },
	    SUBMISSION_TOOLS_DONE },
	{ "no tool done", 1, 1, { CALLS(2, 0, 0) },
	    SUBMISSION_TOOLS_UNKNOWN },
	{ "cut, without the pair", 1, 1, { ANSWER(STOP_ABORTED) },
	    SUBMISSION_ABORTED },
	{ "refused for good", 1, 1, { FAULT(FAULT_PROVIDER) },
	    SUBMISSION_FAILED },
	{ "denied", 1, 1, { FAULT(FAULT_DENIED) }, SUBMISSION_FAILED },
	{ "out of budget", 1, 1, { FAULT(FAULT_BUDGET) },
	    SUBMISSION_FAILED },
};

static void
test_states(void)
{
	enum submission_state	got;
	size_t			i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		got = submission_classify(states[i].has_input,
		    states[i].entries, states[i].n);
		test_case(got == states[i].want, "%s: %s", states[i].what,
		    submission_state_name(got));
	}
}

static const struct {
	const char		*what;
	size_t			 n;
	struct entry_view	 entries[6];
	unsigned		 want;
} errors[] = {
	{ "none", 0, { { 0 } }, 0 },
	{ "two", 2, { FAULT(FAULT_TRANSIENT), FAULT(FAULT_TRANSIENT) }, 2 },
	{ "one behind an answer", 3, { FAULT(FAULT_TRANSIENT),
	    CALLS(1, 1, 0), FAULT(FAULT_TRANSIENT) }, 1 },
	{ "one behind a user's word", 3, { FAULT(FAULT_TRANSIENT), USER,
	    FAULT(FAULT_TRANSIENT) }, 1 },
	{ "none behind another error", 2, { FAULT(FAULT_TRANSIENT),
	    FAULT(FAULT_PROVIDER) }, 0 },
	{ "two around a tool", 3, { FAULT(FAULT_TRANSIENT), TOOL,
	    FAULT(FAULT_TRANSIENT) }, 2 },
};

static void
test_errors(void)
{
	unsigned	got;
	size_t		i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		got = classify_errors(errors[i].entries, errors[i].n);
		test_case(got == errors[i].want, "errors in a row, %s: %u",
		    errors[i].what, got);
	}
}

static const struct {
	unsigned	errors, jitter;
	int64_t		after, left, want;
} delays[] = {
	{ 1, 0,		0,	INT64_MAX,	2000 },
	{ 1, 1000,	0,	INT64_MAX,	1500 },
	{ 1, 500,	0,	INT64_MAX,	1750 },
	{ 2, 0,		0,	INT64_MAX,	4000 },
	{ 3, 0,		0,	INT64_MAX,	8000 },
	{ 3, 1000,	0,	INT64_MAX,	6000 },
	{ 4, 0,		0,	INT64_MAX,	-1 },
	{ 0, 0,		0,	INT64_MAX,	-1 },
	{ 1, 0,		30000,	INT64_MAX,	30000 },
	{ 3, 0,		100,	INT64_MAX,	8000 },
	{ 1, 0,		0,	2000,		-1 },
	{ 1, 0,		9000,	5000,		-1 },
	{ 1, 5000,	0,	INT64_MAX,	1500 },
	{ 1, 0,		INT64_MAX, INT64_MAX,	-1 },
};

static void
test_delays(void)
{
	int64_t	got;
	size_t	i;

	for (i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
		got = turn_retry_delay(delays[i].errors, delays[i].jitter,
		    delays[i].after, delays[i].left);
		test_case(got == delays[i].want, "error %u, jitter %u, after "
		    "%lld, left %lld: %lld", delays[i].errors,
		    delays[i].jitter, (long long)delays[i].after,
		    (long long)delays[i].left, (long long)got);
	}
}

static const struct {
	const char	*what, *tool;
	int		 recorded, resumed, input_ok, cut;
	size_t		 index, calls;
	enum call_plan	 want;
} plans[] = {
	{ "a call", "bash", 0, 0, 1, 0, 0, 1, CALL_RUN },
	{ "with an outcome", "bash", 1, 1, 1, 0, 0, 1, CALL_KEEP },
	{ "with an outcome, and cut", "bash", 1, 1, 0, 1, 0, 1, CALL_KEEP },
	{ "interrupted read", "read", 0, 1, 1, 0, 0, 2, CALL_RUN },
	{ "interrupted bash", "bash", 0, 1, 1, 0, 0, 2, CALL_INTERRUPTED },
	{ "interrupted write", "write", 0, 1, 1, 0, 0, 2, CALL_INTERRUPTED },
	{ "wrong input", "read", 0, 0, 0, 0, 0, 1, CALL_BAD_INPUT },
	{ "wrong input, never started", "bash", 0, 1, 0, 0, 0, 1,
	    CALL_BAD_INPUT },
	{ "no such tool", NULL, 0, 0, 0, 0, 0, 1, CALL_UNKNOWN_TOOL },
	{ "a tool that is gone", NULL, 0, 1, 0, 0, 0, 1, CALL_INTERRUPTED },
	{ "cut at the limit", "bash", 0, 0, 1, 1, 0, 1, CALL_CUT },
	{ "the 64th", "read", 0, 0, 1, 0, 63, 65, CALL_RUN },
	{ "the 65th", "read", 0, 0, 1, 0, 64, 65, CALL_TOO_MANY },
	{ "finish", "finish", 0, 0, 1, 0, 0, 1, CALL_FINISH },
	{ "finish, after a restart", "finish", 0, 1, 1, 0, 0, 1,
	    CALL_FINISH },
	{ "finish with a wrong result", "finish", 0, 0, 0, 0, 0, 1,
	    CALL_BAD_INPUT },
	{ "finish among others", "finish", 0, 0, 1, 0, 1, 2,
	    CALL_NOT_ALONE },
	{ "give_up", "give_up", 0, 0, 1, 0, 0, 1, CALL_GIVE_UP },
};

static const struct tooldef *
definition(const char *name)
{
	if (name == NULL)
		return (NULL);
	if (tooldef_is_reserved(name))
		return (name[0] == 'f' ? &tooldef_finish : &tooldef_give_up);
	return (tooldef_find(name));
}

static void
test_plans(void)
{
	struct call_facts	f;
	size_t			i;

	for (i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		f.def = definition(plans[i].tool);
		f.recorded = plans[i].recorded;
		f.resumed = plans[i].resumed;
		f.input_ok = plans[i].input_ok;
		f.cut = plans[i].cut;
		f.index = plans[i].index;
		f.calls = plans[i].calls;
		test_case(turn_call_plan(&f) == plans[i].want,
		    "of a batch: %s", plans[i].what);
	}
}

static const struct {
	const char	*what;
	enum submission_state state;
	int		 abort;
	int64_t		 attempts, now;
	enum resume	 want;
} resumes[] = {
	{ "complete", SUBMISSION_COMPLETED, 0, 1, 0, RESUME_SETTLE },
	{ "complete, past everything", SUBMISSION_COMPLETED, 1, 10, 99,
	    RESUME_SETTLE },
	{ "complete by its tools", SUBMISSION_TOOLS_ENDED, 1, 10, 99,
	    RESUME_SETTLE },
	{ "its end was asked for", SUBMISSION_INPUT_ONLY, 1, 10, 99,
	    RESUME_ABORT },
	{ "no attempt left", SUBMISSION_INPUT_ONLY, 0, 10, 99,
	    RESUME_EXHAUSTED },
	{ "no time left", SUBMISSION_INPUT_ONLY, 0, 9, 10, RESUME_TIMEOUT },
	{ "failed", SUBMISSION_FAILED, 0, 1, 0, RESUME_FAIL },
	{ "past its input", SUBMISSION_ADVANCED, 0, 1, 0, RESUME_FAIL },
	{ "too long a context", SUBMISSION_OVERFLOW, 0, 1, 0, RESUME_FAIL },
	{ "no input", SUBMISSION_ABSENT, 0, 1, 0, RESUME_REQUEUE },
	{ "only the input", SUBMISSION_INPUT_ONLY, 0, 1, 0, RESUME_GO_ON },
	{ "a transient error", SUBMISSION_RETRY, 0, 1, 0, RESUME_GO_ON },
	{ "a partial answer", SUBMISSION_CONTINUE, 0, 1, 0, RESUME_GO_ON },
	{ "some tools", SUBMISSION_TOOLS_PARTIAL, 0, 1, 0, RESUME_GO_ON },
	{ "all tools", SUBMISSION_TOOLS_DONE, 0, 1, 0, RESUME_GO_ON },
	{ "no tools", SUBMISSION_TOOLS_UNKNOWN, 0, 1, 0, RESUME_GO_ON },
	{ "an aborted answer", SUBMISSION_ABORTED, 0, 1, 0, RESUME_GO_ON },
};

static void
test_resumes(void)
{
	struct resume_facts	f;
	size_t			i;

	for (i = 0; i < sizeof(resumes) / sizeof(resumes[0]); i++) {
		f.state = resumes[i].state;
		f.abort_requested = resumes[i].abort;
		f.attempts = resumes[i].attempts;
		f.attempts_max = 10;
		f.now = resumes[i].now;
		f.deadline = 10;
		test_case(turn_resume(&f) == resumes[i].want,
		    "after a restart: %s", resumes[i].what);
	}
}

int
main(void)
{
	test_states();
	test_errors();
	test_delays();
	test_plans();
	test_resumes();
	return (test_end());
}
