/*
 * Tokens: set aside before a call is dispatched, settled when it is over. A
 * call that breaks off without a word of its cost settles with none.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include <stdint.h>

struct budget {
	struct budget	*parent;	/* lent; shares in every amount */
	int64_t		 tokens;	/* 0: no limit */
	int64_t		 spent, reserved;
};

/* Set n aside, here and in all parents. -1 if one of them has not enough. */
int	 budget_reserve(struct budget *, int64_t n)
	    __attribute__((warn_unused_result));
/* What was set aside is free again, and used is spent. */
void	 budget_settle(struct budget *, int64_t reserved, int64_t used);

#endif
