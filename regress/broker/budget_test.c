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

static const struct {
	const char		*what;
	int64_t			 tokens, spent, reserved, input, output;
	enum budget_verdict	 want;
	int64_t			 granted;
} calls[] = {
	{ "a call without a budget is granted", 0, 9, 9, 50, 4096,
	    BUDGET_GRANT, 4096 },
	{ "one that fits is granted", 5000, 0, 0, 800, 4096,
	    BUDGET_GRANT, 4096 },
	{ "one that does not fit beside another waits", 5000, 0, 4896, 800,
	    4096, BUDGET_WAIT, 4096 },
	{ "it waits rather than be cut short", 5000, 0, 1000, 800, 4096,
	    BUDGET_WAIT, 4096 },
	{ "alone it is cut short to what is left", 5000, 817, 0, 800, 4096,
	    BUDGET_GRANT, 3383 },
	{ "down to the least answer", 5000, 3944, 0, 800, 4096,
	    BUDGET_GRANT, 256 },
	{ "and no further", 5000, 3945, 0, 800, 4096, BUDGET_REFUSE, 4096 },
	{ "one that will never fit does not wait", 5000, 3945, 900, 800,
	    4096, BUDGET_REFUSE, 4096 },
	{ "who asks for a short answer gets it", 5000, 4100, 0, 800, 100,
	    BUDGET_GRANT, 100 },
	{ "or nothing", 5000, 4101, 0, 800, 100, BUDGET_REFUSE, 100 },
	{ "a budget that is overspent refuses", 5000, 9000, 0, 0, 1,
	    BUDGET_REFUSE, 1 },
	{ "wishes that overflow are refused", 5000, 0, 0, INT64_MAX,
	    INT64_MAX, BUDGET_REFUSE, INT64_MAX },
};

static void
test_decide(void)
{
	struct budget	b, parent = { .tokens = 1000, .spent = 200 };
	int64_t		output;
	size_t		i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		b = (struct budget){ .tokens = calls[i].tokens,
		    .spent = calls[i].spent, .reserved = calls[i].reserved };
		output = calls[i].output;
		test_case(budget_decide(&b, calls[i].input, &output) ==
		    calls[i].want && output == calls[i].granted, "%s",
		    calls[i].what);
	}
	b = (struct budget){ .parent = &parent };
	output = 4096;
	test_case(budget_decide(&b, 100, &output) == BUDGET_GRANT &&
	    output == 700, "what the parent has left counts");
	parent.reserved = 1;
	output = 4096;
	test_case(budget_decide(&b, 100, &output) == BUDGET_WAIT,
	    "and what is set aside there is waited for");
}

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
	test_decide();
	test_settle();
	return (test_end());
}
