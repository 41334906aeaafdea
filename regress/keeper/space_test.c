/*
 * Room on the disk: what is judged good, low, and none.
 */
#include <stdint.h>

#include "space.h"
#include "test.h"

#define M	(1024LL * 1024)

static const struct {
	const char	*what;
	int64_t		 reserved, wanted, left;
	enum space	 want;
} cases[] = {
	{ "a whole reserve and room", 8 * M, 8 * M, 100 * M, SPACE_GOOD },
	{ "a whole reserve and nothing else", 8 * M, 8 * M, 0, SPACE_LOW },
	{ "no reserve, but room", 0, 8 * M, 100 * M, SPACE_LOW },
	{ "half a reserve", 4 * M, 8 * M, 0, SPACE_LOW },
	{ "a little room", 0, 8 * M, 64 * 1024, SPACE_LOW },
	{ "no room at all", 0, 8 * M, 0, SPACE_NONE },
	{ "room for nothing", 0, 8 * M, 4096, SPACE_NONE },
};

int
main(void)
{
	size_t	i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_case(space_judge(cases[i].reserved, cases[i].wanted,
		    cases[i].left) == cases[i].want, "space: %s",
		    cases[i].what);
	test_case(space_takes(3 * M, M, 0) && !space_takes(2 * M, M, 0) &&
	    !space_takes(3 * M, M, M) && space_takes(7 * M, M, 100 * M),
	    "space: what comes is written twice, and so is what the log has");
	test_case(space_wanted(4 * M) == M / 4, "space: a small disk");
	test_case(space_wanted(1000000 * M) == 8 * M, "space: a large disk");
	test_case(space_share(100 * M) == 25 * M / 2 &&
	    space_share(1000000 * M) == 512 * M, "space: a run's share of it");
	test_case(space_history(100 * M) == 25 * M &&
	    space_history(1000000 * M) == 4096 * M,
	    "space: what ended runs may have of it");
	return (test_end());
}
