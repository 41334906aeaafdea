/*
 * What is known of a run from its events, and the lines that show it. Pure:
 * it reads no clock and writes nowhere.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "event.h"
#include "screen.h"

struct progress;

struct progress	*progress_new(const char *run);
void		 progress_free(struct progress *);

/* Take one event in. */
void		 progress_event(struct progress *, const struct event *);
/*
 * The picture at the moment now (ms since 1970) in at most max lines; with
 * less than 4 only the first. cols is how wide a line should be; what must
 * not be lost is left of it. Returns how many there are.
 */
size_t		 progress_lines(const struct progress *, int64_t now,
		    size_t cols, struct line *, size_t max);

#endif
