/*
 * Tokens: set aside before a call is dispatched, settled when it is over. A
 * call that breaks off without a word of its cost settles with an estimate.
 *
 * The longest answer is set aside, and few answers are that long: a call that
 * does not fit waits until others have settled, rather than be refused or cut
 * short for what they will not use. Once nothing is set aside any more, its
 * answer is shortened to what is left.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include <stdint.h>

struct budget {
	struct budget	*parent;	/* lent; shares in every amount */
	int64_t		 tokens;	/* 0: no limit */
	int64_t		 spent, reserved;
};

/* No answer is shortened below this, or below what was asked for. */
#define BUDGET_ANSWER_LEAST	256

enum budget_verdict {
	BUDGET_GRANT,
	BUDGET_WAIT,		/* until something is settled */
	BUDGET_REFUSE,		/* it will never fit */
};

/* What of a call with so much input and at most so much output? Of *output,
 * what may be set aside is left. Pure. */
enum budget_verdict	 budget_decide(const struct budget *, int64_t input,
			    int64_t *output);
/* The least that budget_decide() would grant such a call. */
int64_t	 budget_least(int64_t input, int64_t output);
/* Set n aside, here and in all parents. -1 if one of them has not enough. */
int	 budget_reserve(struct budget *, int64_t n)
	    __attribute__((warn_unused_result));
/* What was set aside is free again, and used is spent. */
void	 budget_settle(struct budget *, int64_t reserved, int64_t used);

#endif
