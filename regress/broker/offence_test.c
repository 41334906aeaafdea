/*
 * Who breaks the protocol too often is not let in for a while.
 */
#include "offence.h"
#include "test.h"

static const struct {
	const char	*what;
	int		 n;		/* offences */
	int64_t		 every;		/* ms between them */
	int64_t		 after;		/* ms after the last one */
	int		 want;
} cases[] = {
	{ "one offence",			1,	0,	0,	0 },
	{ "nineteen at once",			19,	0,	0,	0 },
	{ "twenty at once",			20,	0,	0,	1 },
	{ "twenty, a second later",		20,	0,	1000,	0 },
	{ "twenty, a moment later",		20,	0,	999,	1 },
	{ "forty, 20 seconds later",		40,	0,	20000,	1 },
	{ "forty, 21 seconds later",		40,	0,	21000,	0 },
	{ "a thousand, one a second",		1000,	1000,	0,	0 },
	{ "a thousand, two a second",		1000,	500,	0,	1 },
};

int
main(void)
{
	struct offences	all;
	int64_t		now;
	size_t		i;
	int		n;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		all.n = 0;
		now = 5000;
		for (n = 0; n < cases[i].n; n++) {
			now += cases[i].every;
			offence_add(&all, 7, now);
		}
		test_case(offence_bars(&all, 7, now + cases[i].after) ==
		    cases[i].want && !offence_bars(&all, 8, now),
		    "%s: %s, others not", cases[i].what,
		    cases[i].want ? "barred" : "let in");
	}
	all.n = 0;
	for (n = 0; n < 25; n++)
		offence_add(&all, 1000, 1);
	for (n = 0; n < 500; n++)
		offence_add(&all, (uid_t)(2000 + n), 1);
	test_case(offence_bars(&all, 1000, 1) && all.n == OFFENDERS_MAX,
	    "many users with one offence don't hide one with many");
	return (test_end());
}
