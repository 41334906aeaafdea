#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/* Milliseconds of a clock that only goes forward. */
int64_t	 clock_ms(void);
/* Milliseconds since 1970. */
int64_t	 clock_now(void);

#endif
