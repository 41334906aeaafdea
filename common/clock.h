/*
 * The time in milliseconds.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/* Of a clock that only goes forward. */
int64_t	 clock_ms(void);
/* Since 1970. */
int64_t	 clock_now(void);

#endif
