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
