/*
 * Clients for whom there is no room: each is told so in answer to its first
 * question, so that it hears it, and is gone soon. If even of these there are
 * too many, at once and unasked.
 */
#ifndef GUEST_H
#define GUEST_H

#include <sys/queue.h>
#include <sys/types.h>

#include <stddef.h>

struct event_base;
struct guest;
struct offences;
struct peer;

TAILQ_HEAD(guest_list, guest);

struct guests {
	struct guest_list	 list;
	size_t			 n;
	struct offences		*offences;	/* lent */
};

void	 guest_init(struct guests *, struct offences *);
/* Turn away who speaks on fd (taken), for this reason (lent for good). */
void	 guest_new(struct guests *, struct event_base *, int fd, uid_t,
	    const char *name, const char *why);
void	 guest_close_all(struct guests *);
/* Tell a client, unasked, why it can't stay, and close its peer. */
void	 guest_farewell(struct peer *, const char *why);

#endif
