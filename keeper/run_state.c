/*
 * A run's state, its exit code and its jail's death, as pure functions of
 * what is recorded.
 */
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "run_state.h"
#include "text.h"

enum run_state
run_state(const struct run_facts *f)
{
	switch (f->phase) {
	case PHASE_QUEUED:
		return (STATE_QUEUED);
	case PHASE_ACTIVE:
		return (f->waiting ? STATE_WAITING : STATE_RUNNING);
	case PHASE_ENDED:
		if (f->cancelled)
			return (STATE_CANCELLED);
		if (f->failed)
			return (STATE_FAILED);
		return (f->failures > 0 ? STATE_HOLES : STATE_COMPLETED);
	}
	fatalx("run_state: phase %d", f->phase);
}

const char *
run_state_name(enum run_state state)
{
	switch (state) {
	case STATE_QUEUED:
		return ("queued");
	case STATE_RUNNING:
		return ("running");
	case STATE_WAITING:
		return ("waiting");
	case STATE_COMPLETED:
		return ("completed");
	case STATE_HOLES:
		return ("completed_with_failures");
	case STATE_FAILED:
		return ("failed");
	case STATE_CANCELLED:
		return ("cancelled");
	}
	fatalx("run_state_name: %d", state);
}

/* A NULL in class or cause of a row matches anything. */
static const struct {
	enum blamer	 by;
	const char	*class, *cause;
	int		 exit;
} exits[] = {
	{ BY_SCRIPT,	"NondeterminismError",	NULL,		5 },
	{ BY_SCRIPT,	"BudgetError",		NULL,		6 },
	{ BY_SCRIPT,	"ScopeError",		NULL,		7 },
	{ BY_SCRIPT,	"MemoryError",		"oom",		6 },
	{ BY_SCRIPT,	"AgentError",		"provider",	8 },
	{ BY_KEEPER,	"NondeterminismError",	NULL,		5 },
	{ BY_KEEPER,	"JailError",		"oom",		6 },
	{ BY_KEEPER,	"JailError",		"cpu",		6 },
	{ BY_KEEPER,	"JailError",		"wall",		6 },
	{ BY_KEEPER,	"JailError",		"pids",		6 },
	{ BY_KEEPER,	"JailError",		NULL,		9 },
	{ BY_KEEPER,	"LimitError",		NULL,		6 },
	{ BY_KEEPER,	"InternalError",	NULL,		11 },
};

static int
failed_code(enum blamer by, const char *class, const char *cause)
{
	size_t	i;

	for (i = 0; i < sizeof(exits) / sizeof(exits[0]); i++)
		if (exits[i].by == by && class != NULL &&
		    strcmp(exits[i].class, class) == 0 &&
		    (exits[i].cause == NULL || (cause != NULL &&
		    strcmp(exits[i].cause, cause) == 0)))
			return (exits[i].exit);
	return (1);
}

int
exit_code(enum run_state state, enum blamer by, const char *class,
    const char *cause)
{
	switch (state) {
	case STATE_QUEUED:
	case STATE_RUNNING:
	case STATE_WAITING:
	case STATE_COMPLETED:
		return (0);
	case STATE_HOLES:
		return (3);
	case STATE_FAILED:
		return (failed_code(by, class, cause));
	case STATE_CANCELLED:
		return (4);
	}
	fatalx("exit_code: state %d", state);
}

static const struct {
	const char	*cause, *message;
} deaths[] = {
	{ "oom",	"the script used more memory than its limit" },
	{ "cpu",	"the script used up its CPU time (its clock stands "
			"still between two calls: to wait, use await "
			"sleep())" },
	{ "wall",	"the script ran longer than its limit" },
	{ "pids",	"the script wanted more processes than its limit" },
	{ "protocol",	"the script's process broke the protocol" },
	{ "done",	"the script's process ended without a result" },
};

void
jail_death(const char *cause, struct death *d)
{
	size_t	i;

	if (strncmp(cause, "failed ", 7) == 0) {
		d->class = "InternalError";
		(void)snprintf(d->cause, sizeof(d->cause), "jail");
		(void)snprintf(d->message, sizeof(d->message),
		    "no jail could be made: %s", cause + 7);
		text_trim(d->message);
		return;
	}
	d->class = "JailError";
	(void)snprintf(d->cause, sizeof(d->cause), "%s", cause);
	text_trim(d->cause);
	for (i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++)
		if (strcmp(deaths[i].cause, cause) == 0) {
			(void)snprintf(d->message, sizeof(d->message), "%s",
			    deaths[i].message);
			return;
		}
	(void)snprintf(d->message, sizeof(d->message),
	    "the script's process died: %s", cause);
	text_trim(d->message);
}

int
run_may_start(int64_t active, int64_t slots)
{
	return (slots > 0 && active < 3 * slots);
}
