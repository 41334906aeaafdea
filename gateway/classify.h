/*
 * What kind of failure a provider's error is, and how long to wait after
 * it. Pure.
 */
#ifndef CLASSIFY_H
#define CLASSIFY_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "failure.h"

/* An error as it came. Texts may be NULL. */
struct complaint {
	int		 status;	/* of HTTP; 200 for one in a stream */
	const char	*type, *code, *message;
	int		 empty;		/* there was no body at all */
	const char	*should_retry;	/* the header x-should-retry */
};

/*
 * Read the error out of a body: {"error": {...}}, {"error": TEXT},
 * {"message": TEXT} and their kin. Texts are lent by v. Returns 0 if it
 * holds none.
 */
int	 complaint_read(struct complaint *, const json_t *v);

enum failure_class	 classify(const struct complaint *);

#define RETRY_AFTER_MAX	INT64_C(604800000)	/* a week, in milliseconds */

/* The milliseconds that the headers Retry-After and retry-after-ms ask for,
 * 0 if they make no sense. Either may be NULL. */
int64_t	 retry_after(const char *seconds_or_date, const char *ms, time_t now);

#endif
