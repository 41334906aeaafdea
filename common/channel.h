/*
 * A room whose socket to another room has broken. If that room has died, the
 * supervisor starts it again and sends a new socket. If it lives, because one
 * of the two has dropped the other, nobody would: then this room ends, and
 * comes back with a socket that is whole.
 */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <event2/event.h>

/* How long a room waits for the new socket. */
#define CHANNEL_WAIT_MS	5000

struct channel_wait {
	struct event	*timer;		/* NULL before the first loss */
	const char	*peer;		/* lent */
};

/* The socket to peer has broken: fatal if channel_back() does not come. */
void	 channel_lost(struct channel_wait *, struct event_base *,
	    const char *peer);
/* There is a new one. */
void	 channel_back(struct channel_wait *);
/* Nobody waits any more. */
void	 channel_clear(struct channel_wait *);

#endif
