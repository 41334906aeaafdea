/*
 * How long the supervisor waits before it starts a room again.
 */
#include "supervisor.h"
#include "test.h"

static const struct {
	const char	*what;
	int		 last;
	int64_t		 lived;
	int		 want;
} delays[] = {
	{ "the first failure", 0, 0, 10 },
	{ "the second", 10, 50, 20 },
	{ "many in a row", 16000, 50, 30000 },
	{ "no longer than that", 30000, 50, 30000 },
	{ "after a good life", 30000, 60000, 10 },
};

int
main(void)
{
	size_t	i;

	for (i = 0; i < sizeof(delays) / sizeof(delays[0]); i++)
		test_case(restart_delay(delays[i].last, delays[i].lived) ==
		    delays[i].want, "restart after %s: %d ms",
		    delays[i].what, delays[i].want);
	return (test_end());
}
