/*
 * Where a submission stands, from its transcript alone. Pure: it reads no
 * clock and no file.
 */
#ifndef CLASSIFY_H
#define CLASSIFY_H

#include <stddef.h>

enum entry_kind {
	ENTRY_USER,
	ENTRY_ASSISTANT,
	ENTRY_TOOL,		/* one outcome of a published batch */
	ENTRY_SIGNAL
};

/* How an assistant entry ended. */
enum stop {
	STOP_NONE,		/* not an assistant entry */
	STOP_END,
	STOP_LENGTH,
	STOP_TOOLS,
	STOP_ERROR,
	STOP_ABORTED
};

/* What went wrong, for STOP_ERROR. */
enum fault {
	FAULT_NONE,
	FAULT_TRANSIENT,	/* rate limits too: worth another try */
	FAULT_OVERFLOW,		/* the context is too long for the model */
	FAULT_DENIED,
	FAULT_BUDGET,
	FAULT_PROVIDER		/* all else: not worth another try */
};

enum signal_kind {
	SIGNAL_NONE,
	SIGNAL_INTERRUPTED,	/* the stream of the entry before was cut */
	SIGNAL_CONTINUED	/* ... and is gone on with from there */
};

/* What the classifier looks at of an entry. */
struct entry_view {
	enum entry_kind		kind;
	int			own;	/* user: of this submission */
	enum stop		stop;
	enum fault		fault;
	enum signal_kind	signal;
	size_t			calls;	/* assistant: tool calls asked for, */
	size_t			known;	/* the last one: with an outcome, */
	size_t			ends;	/* with one that ends the turn */
};

enum submission_state {
	SUBMISSION_ABSENT,
	SUBMISSION_ADVANCED,		/* past its input: not ours any more */
	SUBMISSION_INPUT_ONLY,
	SUBMISSION_COMPLETED,
	SUBMISSION_OVERFLOW,
	SUBMISSION_RETRY,
	SUBMISSION_CONTINUE,		/* from a partial answer */
	SUBMISSION_TOOLS_PARTIAL,
	SUBMISSION_TOOLS_ENDED,		/* all outcomes end the turn */
	SUBMISSION_TOOLS_DONE,
	SUBMISSION_TOOLS_UNKNOWN,	/* calls, and no outcome at all */
	SUBMISSION_ABORTED,
	SUBMISSION_FAILED
};

/*
 * Classify a submission by the n entries of the active path that follow its
 * input entry; has_input says whether there is one.
 */
enum submission_state	submission_classify(int has_input,
			    const struct entry_view *, size_t n);

/*
 * How many transient errors in a row the path ends with: counted back to a
 * user entry or any other assistant entry.
 */
unsigned		classify_errors(const struct entry_view *, size_t n);

const char		*submission_state_name(enum submission_state);

#endif
