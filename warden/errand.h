/*
 * Errands: what has to be done as somebody else is done by a process of its
 * own, which becomes that user.
 */
#ifndef ERRAND_H
#define ERRAND_H

#include "warden.h"

struct errand_def {
	uint32_t	 type;		/* of the message */
	int		 seconds;	/* it may take so long */
	int		 groups;	/* with the user's supplementary groups */
	/* Once, always later: takes fd (or -1) and arg. error is an errno. */
	void		(*done)(struct warden *, void *arg, int error,
			    int fd);
};

/* Takes env and arg. Only so many run at once. */
void	 errand_start(struct warden *, const struct errand_def *, uid_t,
	    gid_t, json_t *env, void *arg);
int	 on_errand_done(struct peer *, struct msg *);
/* Are there more than an honest peer would ask for? */
int	 errand_flood(const struct warden *);

#endif
