/*
 * A short-lived child that does one thing as somebody else: the supervisor
 * has no right to pass over the rights of files, so it becomes their owner.
 */
#ifndef JOB_H
#define JOB_H

#include <sys/types.h>

#include "supervisor.h"

struct job_def {
	int	 seconds;	/* it may take so long */
	int	 groups;	/* with the user's supplementary groups */
	/* In the child: 0 or an errno, and perhaps a descriptor. */
	int	(*run)(const void *arg, int *fd);
	/* In the supervisor, once: takes fd (or -1) and arg. */
	void	(*done)(struct supervisor *, void *arg, int error, int fd);
};

/* Takes arg. Whatever goes wrong is told to done(), always later. Only so many
 * run at once. */
void	 job_start(struct supervisor *, const struct job_def *, uid_t, gid_t,
	    void *arg);

/* Are there more than an honest peer would ask for? */
int	 job_flood(const struct supervisor *);

#endif
