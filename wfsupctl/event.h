/*
 * One event of a run, as the broker sends it, and the line that says it.
 */
#ifndef EVENT_H
#define EVENT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct event {
	int64_t		 seq;
	int64_t		 at;	/* ms since 1970 */
	const char	*kind;
	json_t		*body;	/* an object; every key may be missing */
};

/* A text of the body, "" if there is none; a number, 0 if none. Lent. */
const char	*event_str(const struct event *, const char *key);
int64_t		 event_int(const struct event *, const char *key);
int		 event_true(const struct event *, const char *key);
/* Did a node end because nobody waited for it any more? */
int		 event_cancelled(const struct event *);

/*
 * The event in words, encoded, with the time of day: lines but the first
 * begin with spaces. NULL if it is not worth a line. The caller frees.
 */
char		*event_line(const struct event *);
/* The event as one JSON object: a new reference. */
json_t		*event_object(const struct event *);

#endif
