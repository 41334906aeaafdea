/*
 * Back-pressure: a peer that asks faster than it can be served is not read
 * until it is served. It is held for any number of reasons at once.
 */
#ifndef THROTTLE_H
#define THROTTLE_H

#include <sys/queue.h>

#include <stddef.h>
#include <stdint.h>

#include "peer.h"

enum hold {
	HOLD_OPEN	= 1 << 0,	/* too many open questions */
	HOLD_RATE	= 1 << 1,	/* too much at a time */
	HOLD_QUEUE	= 1 << 2,	/* the keeper does not keep up */
	HOLD_DONE	= 1 << 3,	/* nothing more may come */
	HOLD_SHARE	= 1 << 4,	/* its user has too much on its way */
	HOLD_PACE	= 1 << 5,	/* no credit, and questions are open */
};

struct throttle {
	struct peer		*peer;		/* lent; NULL: gone */
	unsigned		 held;		/* of enum hold */
	int			 listed;
	int64_t			 rate;		/* credit for a second */
	int64_t			 credit;	/* and when it was counted */
	int64_t			 since;
	TAILQ_ENTRY(throttle)	 entry;
};

struct throttles;
struct event_base;

struct throttles	*throttle_table(void);
void			 throttle_table_free(struct throttles *);
void			 throttle_begin(struct throttles *,
			    struct event_base *);

void	 throttle_init(struct throttle *, struct peer *);
/* It may do so much in a second, where nothing is said 500; eight times as
 * much at once. */
void	 throttle_rate(struct throttle *, int64_t);
/* The peer has gone. */
void	 throttle_end(struct throttles *, struct throttle *);

void	 throttle_hold(struct throttle *, enum hold);
void	 throttle_release(struct throttle *, unsigned why);
/* What costs others something is paid for: an event 1, more if it is long.
 * Holds the peer when it has nothing left. */
void	 throttle_spend(struct throttles *, struct throttle *, int64_t cost);
/* The same for what who answers it sets a pace to: it is paid for as far as
 * there is credit. Returns 0 when nothing is left. */
int	 throttle_afford(struct throttle *, int64_t cost);
/* Holds a peer that has nothing left until it has, or until HOLD_PACE is
 * released. */
void	 throttle_pace(struct throttles *, struct throttle *);
/* Something was queued for sink: holds the peer while that has too much. */
void	 throttle_sink(struct throttles *, struct throttle *,
	    struct peer *sink);
/* What sink was has gone, and its queue with it. */
void	 throttle_drained(struct throttles *);

#endif
