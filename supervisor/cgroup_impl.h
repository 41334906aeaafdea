/*
 * Between the two files of cgroups: where they go, and one jail's.
 */
#ifndef CGROUP_IMPL_H
#define CGROUP_IMPL_H

#include "cgroup.h"

struct cgroups {
	int	version;
	int	ntrees;
	int	dir[CGROUP_TREES];
	char	path[CGROUP_TREES][512];	/* what we made, to remove */
	char	home[600];			/* v2: where we came from */
	char	why[1024];			/* the last thing that failed */
};

/* Write text to the file name below dir. -1 with errno set. */
int	 cgroup_put(int dir, const char *name, const char *text);
/* SIGKILL to all that a cgroup.procs names. */
void	 cgroup_kill_in(int dir, const char *procs);

#endif
