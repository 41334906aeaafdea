/*
 * What the turn loop decides. Pure: values in, a value out.
 */
#ifndef TURN_DECIDE_H
#define TURN_DECIDE_H

#include <jansson.h>
#include <stdint.h>

#include "classify.h"
#include "tooldef.h"

#define TURN_RETRIES_MAX	3	/* transient errors in a row */
#define TURN_RETRY_BASE_MS	2000
#define TURN_CALLS_MAX		64	/* tool calls of one batch */
#define TURN_TURNS_MAX		64	/* model answers of one attempt */
#define TURN_REMINDERS_MAX	5
#define TURN_WRONG_MAX		5	/* answers with a wrong result */
#define TURN_ATTEMPTS_MAX	10	/* of one submission */
#define TURN_BUDGET_MS		(3600 * INT64_C(1000))

/* The class of a MODEL_FAIL. */
enum fault	turn_fault(const char *class);

/*
 * After a transient error that is the errors-th in a row: milliseconds until
 * the next try, or -1 for none. jitter is 0..1000; after is the least that
 * the provider asked for; left is the time the attempt still has.
 */
int64_t		turn_retry_delay(unsigned errors, unsigned jitter,
		    int64_t after, int64_t left);

/* What to do about one call of a batch. */
enum call_plan {
	CALL_KEEP,		/* its outcome is recorded */
	CALL_RUN,
	CALL_INTERRUPTED,	/* it may have happened: say unknown */
	CALL_UNKNOWN_TOOL,
	CALL_BAD_INPUT,		/* why says what is wrong */
	CALL_CUT,		/* the answer was cut off at its limit */
	CALL_TOO_MANY,
	CALL_NOT_ALONE,		/* finish and give_up stand alone */
	CALL_FINISH,
	CALL_GIVE_UP
};

struct call_facts {
	const struct tooldef	*def;		/* NULL: no such tool */
	int			 recorded;	/* there is an outcome */
	int			 resumed;	/* it may have been started */
	int			 input_ok;
	int			 cut;
	size_t			 index, calls;	/* the n-th of so many */
};

enum call_plan	turn_call_plan(const struct call_facts *);

/* What comes of an interrupted submission; tested in this order. */
enum resume {
	RESUME_SETTLE,		/* it is complete: settle success */
	RESUME_ABORT,
	RESUME_EXHAUSTED,	/* no attempt left */
	RESUME_TIMEOUT,
	RESUME_FAIL,
	RESUME_REQUEUE,
	RESUME_GO_ON		/* in a new attempt */
};

struct resume_facts {
	enum submission_state	state;
	int			abort_requested;
	int64_t			attempts, attempts_max;
	int64_t			now, deadline;
};

enum resume	turn_resume(const struct resume_facts *);

#endif
