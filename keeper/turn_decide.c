/*
 * What the turn loop decides.
 */
#include <string.h>

#include "log.h"
#include "turn_decide.h"

enum fault
turn_fault(const char *class)
{
	static const struct {
		const char	*class;
		enum fault	 fault;
	} faults[] = {
		{ "transient",	FAULT_TRANSIENT },
		{ "rate_limit",	FAULT_TRANSIENT },
		{ "overflow",	FAULT_OVERFLOW },
		{ "denied",	FAULT_DENIED },
		{ "budget",	FAULT_BUDGET },
	};
	size_t	i;

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (strcmp(faults[i].class, class) == 0)
			return (faults[i].fault);
	return (FAULT_PROVIDER);
}

int64_t
turn_retry_delay(unsigned errors, unsigned jitter, int64_t after,
    int64_t left)
{
	int64_t	delay;

	if (errors == 0 || errors > TURN_RETRIES_MAX)
		return (-1);
	delay = (int64_t)TURN_RETRY_BASE_MS << (errors - 1);
	delay -= delay / 4 * (jitter > 1000 ? 1000 : jitter) / 1000;
	if (delay < after)
		delay = after;
	return (delay < left ? delay : -1);
}

static enum call_plan
plan_result(const struct call_facts *f)
{
	if (f->calls > 1)
		return (CALL_NOT_ALONE);
	if (!f->input_ok)
		return (CALL_BAD_INPUT);
	return (f->def == &tooldef_finish ? CALL_FINISH : CALL_GIVE_UP);
}

enum call_plan
turn_call_plan(const struct call_facts *f)
{
	if (f->recorded)
		return (CALL_KEEP);
	if (f->cut)
		return (CALL_CUT);
	if (f->index >= TURN_CALLS_MAX)
		return (CALL_TOO_MANY);
	if (f->def == NULL)
		return (f->resumed ? CALL_INTERRUPTED : CALL_UNKNOWN_TOOL);
	if (f->def->place == TOOL_KEEPER)
		return (plan_result(f));
	if (!f->input_ok)
		return (CALL_BAD_INPUT);
	if (f->resumed && !tooldef_repeatable(f->def))
		return (CALL_INTERRUPTED);
	return (CALL_RUN);
}

enum resume
turn_resume(const struct resume_facts *f)
{
	int	resume = 0, absent = 0, failed = 0;

	switch (f->state) {
	case SUBMISSION_COMPLETED:
	case SUBMISSION_TOOLS_ENDED:
		return (RESUME_SETTLE);
	case SUBMISSION_ADVANCED:
	case SUBMISSION_FAILED:
	case SUBMISSION_OVERFLOW:	/* compaction is not there to help */
		failed = 1;
		break;
	case SUBMISSION_ABSENT:
		absent = 1;
		break;
	case SUBMISSION_INPUT_ONLY:
	case SUBMISSION_RETRY:
	case SUBMISSION_CONTINUE:
	case SUBMISSION_TOOLS_PARTIAL:
	case SUBMISSION_TOOLS_DONE:
	case SUBMISSION_TOOLS_UNKNOWN:
	case SUBMISSION_ABORTED:
		resume = 1;
		break;
	}
	if (f->abort_requested)
		return (RESUME_ABORT);
	if (f->attempts >= f->attempts_max)
		return (RESUME_EXHAUSTED);
	if (f->now >= f->deadline)
		return (RESUME_TIMEOUT);
	if (failed)
		return (RESUME_FAIL);
	if (absent)
		return (RESUME_REQUEUE);
	if (resume)
		return (RESUME_GO_ON);
	fatalx("turn_resume: state %d", f->state);
}
