/*
 * What the clients of one user have on its way, all together: a user with
 * many clients gets little more than one with few. Who has too much is not
 * read until something has been answered or sent.
 */
#ifndef SHARE_H
#define SHARE_H

#include <sys/queue.h>
#include <sys/types.h>

#include <stddef.h>

struct broker;
struct client;
struct pending;

/* A user's open questions, also those of clients that have gone. */
struct share {
	uid_t			uid;
	size_t			asks;
	size_t			submits;	/* of these */
	size_t			owed;		/* bytes that may come back */
	TAILQ_ENTRY(share)	entry;
};
TAILQ_HEAD(share_list, share);

/* The question has been asked; it is over. */
void	 share_asked(struct broker *, const struct pending *);
void	 share_answered(struct broker *, const struct pending *);
/* Submissions of the user that have not been answered. */
size_t	 share_submits(const struct broker *, uid_t);
/* The client is new, or something was queued for it. */
void	 share_check(struct client *);
/* Look again at all clients. Returns the milliseconds after which to do so
 * once more, 0 for never. */
int	 share_tick(struct broker *);

/* With the broker. */
void	 share_free_all(struct share_list *);

#endif
