/*
 * Reading clocks: the two of them that can't fail.
 */
#include <time.h>

#include "clock.h"

static int64_t
clock_get(clockid_t id)
{
	struct timespec	ts;

	(void)clock_gettime(id, &ts);
	return ((int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000);
}

int64_t
clock_ms(void)
{
	return (clock_get(CLOCK_MONOTONIC));
}

int64_t
clock_now(void)
{
	return (clock_get(CLOCK_REALTIME));
}
