/*
 * Submissions: one row for each agent node, from its admission to its
 * settlement. One owner's try is an attempt; its number is the fence of every
 * write: who writes with another one changes nothing and is told so.
 */
#ifndef SUBMISSION_H
#define SUBMISSION_H

#include <stdint.h>

struct store;

/* The numbers are in the store. */
enum submission_status {
	STATUS_QUEUED		= 0,
	STATUS_RUNNING		= 1,
	/* 2: an end reserved and not final. Here the end and the outcome of
	 * the node are one transaction, so there is no such time. */
	STATUS_SETTLED		= 3
};

struct submission {
	int64_t			num, run, node;
	enum submission_status	status;
	int64_t			attempt, attempts_max, retries;
	int64_t			due;		/* 0: none */
	int64_t			deadline;
	int64_t			leaf;		/* 0: none */
	int			abort_requested;
};

/*
 * Admit the submission of a node, with so many further attempts if one
 * fails. The same node again gives the same row. Returns its number.
 */
int64_t	 submission_admit(struct store *, int64_t run, int64_t node,
	    int64_t retries, int64_t attempts_max);
/* Returns 1, or 0 if there is none. */
int	 submission_load(struct store *, int64_t node, struct submission *);

/* The verbs return 1 if they held, 0 if the row was not as they need it. */

/* Queued to running: the attempt that owns it from here is *attempt. due is
 * 0 for no timeout; the deadline is set by the first claim only. */
int	 submission_claim(struct store *, int64_t num, int64_t due,
	    int64_t deadline, int64_t *attempt);
/* Running, back to queued; what was counted stays counted. */
int	 submission_requeue(struct store *, int64_t num, int64_t attempt);
/* The input is in the transcript. */
int	 submission_apply(struct store *, int64_t num, int64_t attempt);
/* A new attempt instead of this one, which an uncommitted slot follows. */
int	 submission_replace(struct store *, int64_t num, int64_t attempt,
	    int64_t due, int64_t *next);
/* Use up one of the retries that were asked for. */
int	 submission_use_retry(struct store *, int64_t num, int64_t attempt);
/* Ask for its end: the first time is kept. */
int	 submission_abort(struct store *, int64_t num);
/* The end, once. error is NULL for success, else its cause. Whoever wins
 * takes the rest of its streams along. */
int	 submission_settle(struct store *, int64_t num, int64_t attempt,
	    const char *error);

#endif
