/*
 * Budgets: a row is what is there, what is asked, and what is left.
 */
#include "budget.h"
#include "test.h"

static const struct {
	const char	*what;
	int64_t		 tokens, spent, reserved, want;
	int		 ok;
} cases[] = {
	{ "without a limit all goes",	0, 5, 5, INT64_MAX, 1 },
	{ "up to the limit",		100, 40, 40, 20, 1 },
	{ "one beyond the limit",	100, 40, 40, 21, 0 },
	{ "nothing wanted, all spent",	100, 100, 0, 0, 1 },
	{ "nothing wanted, overspent",	100, 101, 0, 0, 0 },
	{ "sums that overflow",		INT64_MAX, INT64_MAX - 1, 1, 1, 1 },
	{ "an overflowing wish",	100, 1, 1, INT64_MAX, 0 },
	{ "an overflowing past",	100, INT64_MAX, INT64_MAX, 1, 0 },
};

static void
test_settle(void)
{
	struct budget	parent = { .tokens = 100 };
	struct budget	b = { .parent = &parent, .tokens = 0 };

	test_case(budget_reserve(&b, 60) == 0 && parent.reserved == 60,
	    "a reserve counts in the parent too");
	test_case(budget_reserve(&b, 60) == -1 && b.reserved == 60,
	    "what the parent has not is not set aside anywhere");
	budget_settle(&b, 60, 25);
	test_case(b.spent == 25 && b.reserved == 0 && parent.spent == 25 &&
	    parent.reserved == 0, "settled: spent, and free again");
	budget_settle(&b, 1000, 0);
	test_case(b.reserved == 0 && parent.reserved == 0,
	    "settling more than was set aside makes no credit");
	budget_settle(&b, 0, INT64_MAX);
	test_case(b.spent == INT64_MAX && budget_reserve(&b, 1) == -1,
	    "an absurd cost ends the budget and does not wrap");
}

int
main(void)
{
	size_t		i;
	struct budget	b;
	int		ok;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		b = (struct budget){ .tokens = cases[i].tokens,
		    .spent = cases[i].spent, .reserved = cases[i].reserved };
		ok = budget_reserve(&b, cases[i].want) == 0;
		test_case(ok == cases[i].ok && b.spent == cases[i].spent &&
		    (ok || b.reserved == cases[i].reserved), "%s",
		    cases[i].what);
	}
	test_settle();
	return (test_end());
}
