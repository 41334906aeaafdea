/*
 * When the next starter of script jails is due.
 */
#include "warden.h"
#include "test.h"

static void
test_due(void)
{
	static const struct {
		const char	*what;
		int64_t		 jails, age, limit;
		int		 want;
	} cases[] = {
		{ "a young one",		5,	1000,	 10,	0 },
		{ "as many jails as it may",	10,	1000,	 10,	1 },
		{ "an hour",			1,	3600000, 10,	1 },
		{ "no limit",			1000000, 1000,	 0,	0 },
		{ "no limit, an hour",		1,	3600000, 0,	0 },
	};
	size_t	i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_case(recycle_due(cases[i].jails, cases[i].age,
		    cases[i].limit) == cases[i].want, "%s", cases[i].what);
}

int
main(void)
{
	test_due();
	return (test_end());
}
