/*
 * Between peer.c (a peer's life), peer_in.c and peer_out.c.
 */
#ifndef PEER_IMPL_H
#define PEER_IMPL_H

#include "peer.h"

enum peer_end { ALIVE, CLOSED, DROPPED };

struct peer {
	struct imsgbuf		 ibuf;
	enum role		 role;
	const struct peer_ops	*ops;
	void			*ctx;
	char			*name;
	struct event		*in, *out, *end;
	size_t			 body_max, queue_max;
	int			 paused, held;
	enum peer_end		 state;
	char			 why[160];

	/* The message whose continuation packets are still to come. */
	struct msg		 whole;
	char			*body;
	size_t			 bodylen;
	int64_t			 parts;
};

/* The events of a peer's socket. */
void	 peer_in(int, short, void *);
void	 peer_out(int, short, void *);
/* The peer has ended of itself: no fault, no audit line. */
void	 peer_gone(struct peer *, const char *why);

#endif
