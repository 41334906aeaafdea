/*
 * Where a submission stands. The tests are in a fixed order: the first that
 * holds decides.
 */
#include "classify.h"
#include "log.h"

static int
is_foreign(const struct entry_view *e)
{
	return (e->kind == ENTRY_USER && !e->own);
}

/* The last assistant entry behind the last user entry, or NULL. */
static const struct entry_view *
last_assistant(const struct entry_view *entries, size_t n)
{
	while (n > 0) {
		n--;
		if (entries[n].kind == ENTRY_USER)
			return (NULL);
		if (entries[n].kind == ENTRY_ASSISTANT)
			return (&entries[n]);
	}
	return (NULL);
}

static enum submission_state
classify_error(const struct entry_view *last)
{
	switch (last->fault) {
	case FAULT_OVERFLOW:
		return (SUBMISSION_OVERFLOW);
	case FAULT_TRANSIENT:
		return (SUBMISSION_RETRY);
	case FAULT_NONE:
	case FAULT_DENIED:
	case FAULT_BUDGET:
	case FAULT_PROVIDER:
		return (SUBMISSION_FAILED);
	}
	fatalx("classify_error: fault %d", last->fault);
}

/* The pair must be adjacent, or somebody else has written in between. */
static enum submission_state
classify_aborted(const struct entry_view *last, const struct entry_view *end)
{
	if (end - last >= 3 && last[1].signal == SIGNAL_INTERRUPTED &&
	    last[2].signal == SIGNAL_CONTINUED)
		return (SUBMISSION_CONTINUE);
	return (SUBMISSION_ABORTED);
}

static enum submission_state
classify_tools(const struct entry_view *last)
{
	if (last->known == 0)
		return (SUBMISSION_TOOLS_UNKNOWN);
	if (last->known < last->calls)
		return (SUBMISSION_TOOLS_PARTIAL);
	if (last->ends == last->calls)
		return (SUBMISSION_TOOLS_ENDED);
	return (SUBMISSION_TOOLS_DONE);
}

enum submission_state
submission_classify(int has_input, const struct entry_view *entries, size_t n)
{
	const struct entry_view	*last;
	size_t			 i;

	if (!has_input)
		return (SUBMISSION_ABSENT);
	for (i = 0; i < n; i++)
		if (is_foreign(&entries[i]))
			return (SUBMISSION_ADVANCED);
	if ((last = last_assistant(entries, n)) == NULL)
		return (SUBMISSION_INPUT_ONLY);
	switch (last->stop) {
	case STOP_END:
	case STOP_LENGTH:
		return (SUBMISSION_COMPLETED);
	case STOP_ERROR:
		return (classify_error(last));
	case STOP_ABORTED:
		return (classify_aborted(last, entries + n));
	case STOP_TOOLS:
		return (classify_tools(last));
	case STOP_NONE:
		return (SUBMISSION_FAILED);
	}
	fatalx("submission_classify: stop %d", last->stop);
}

unsigned
classify_errors(const struct entry_view *entries, size_t n)
{
	unsigned	errors = 0;

	while (n > 0) {
		n--;
		if (entries[n].kind == ENTRY_USER)
			break;
		if (entries[n].kind != ENTRY_ASSISTANT)
			continue;
		if (entries[n].fault != FAULT_TRANSIENT)
			break;
		errors++;
	}
	return (errors);
}

const char *
submission_state_name(enum submission_state state)
{
	switch (state) {
	case SUBMISSION_ABSENT:
		return ("absent");
	case SUBMISSION_ADVANCED:
		return ("advanced_past_input");
	case SUBMISSION_INPUT_ONLY:
		return ("input_only");
	case SUBMISSION_COMPLETED:
		return ("completed");
	case SUBMISSION_OVERFLOW:
		return ("overflow");
	case SUBMISSION_RETRY:
		return ("transient_retry");
	case SUBMISSION_CONTINUE:
		return ("stream_continuation");
	case SUBMISSION_TOOLS_PARTIAL:
		return ("tool_results_partial");
	case SUBMISSION_TOOLS_ENDED:
		return ("completed_by_tools");
	case SUBMISSION_TOOLS_DONE:
		return ("tool_results");
	case SUBMISSION_TOOLS_UNKNOWN:
		return ("tool_use_unresolved");
	case SUBMISSION_ABORTED:
		return ("aborted_partial");
	case SUBMISSION_FAILED:
		return ("terminal_error");
	}
	fatalx("submission_state_name: %d", state);
}
