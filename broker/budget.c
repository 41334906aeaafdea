#include <stddef.h>

#include "budget.h"

/* Sums of amounts from outside end at INT64_MAX. */
static int64_t
add(int64_t a, int64_t b)
{
	int64_t	sum;

	if (__builtin_add_overflow(a, b, &sum))
		return (INT64_MAX);
	return (sum);
}

static int
has(const struct budget *b, int64_t n)
{
	if (b->tokens == 0)
		return (1);
	return (add(add(b->spent, b->reserved), n) <= b->tokens);
}

/* What the tightest has, with or without what others have set aside. */
static int64_t
left(const struct budget *b, int with_reserved)
{
	int64_t	n, least = INT64_MAX;

	for (; b != NULL; b = b->parent) {
		if (b->tokens == 0)
			continue;
		n = b->tokens - add(b->spent, with_reserved ? 0 : b->reserved);
		if (n < least)
			least = n;
	}
	return (least);
}

int64_t
budget_least(int64_t input, int64_t output)
{
	return (add(input, output < BUDGET_ANSWER_LEAST ? output :
	    BUDGET_ANSWER_LEAST));
}

enum budget_verdict
budget_decide(const struct budget *b, int64_t input, int64_t *output)
{
	int64_t	now = left(b, 0), later = left(b, 1);

	if (add(input, *output) <= now)
		return (BUDGET_GRANT);
	if (budget_least(input, *output) > later)
		return (BUDGET_REFUSE);
	if (now < later)
		return (BUDGET_WAIT);
	*output = later - input;
	return (BUDGET_GRANT);
}

int
budget_reserve(struct budget *budget, int64_t n)
{
	struct budget	*b;

	for (b = budget; b != NULL; b = b->parent)
		if (!has(b, n))
			return (-1);
	for (b = budget; b != NULL; b = b->parent)
		b->reserved = add(b->reserved, n);
	return (0);
}

void
budget_settle(struct budget *budget, int64_t reserved, int64_t used)
{
	struct budget	*b;

	for (b = budget; b != NULL; b = b->parent) {
		b->reserved -= reserved < b->reserved ? reserved : b->reserved;
		b->spent = add(b->spent, used);
	}
}
