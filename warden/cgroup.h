/*
 * The limits of jails: a cgroup for each, version 2 where the memory
 * controller is there, else version 1.
 */
#ifndef CGROUP_H
#define CGROUP_H

#include <stddef.h>
#include <stdint.h>

#define CGROUP_TREES	2	/* version 1 has one a controller */
#define CGROUP_EVENTS	3	/* files that count */

struct cgroups;

struct cgroup_counts {
	int64_t	oom, pids;	/* times that a limit said no */
	int64_t	peak;		/* bytes */
};

/* Limits can be set once there is a directory for each hierarchy. */
struct cgroups	*cgroups_new(void);
/* One that the launcher has made (taken). -1 if it is one too many. */
int		 cgroups_add(struct cgroups *, int version, int dir);
void		 cgroups_free(struct cgroups *);

/*
 * Make the cgroup of a jail. Puts up to CGROUP_TREES descriptors of its
 * cgroup.procs into procs, for the jail to enter by. Returns how many, or
 * -1 with errno set and nothing left behind.
 */
int		 cgroup_make(struct cgroups *, int64_t jail, int64_t memory,
		    int64_t pids, int procs[CGROUP_TREES]);
/*
 * Open what its limits count, for the jail to read: kills for want of memory,
 * the most that was used (version 1 only, else -1), forks refused. Returns 0, or
 * -1 with errno set and none open.
 */
int		 cgroup_events(const struct cgroups *, int64_t jail,
		    int fds[CGROUP_EVENTS]) __attribute__((warn_unused_result));
void		 cgroup_count(struct cgroups *, int64_t jail,
		    struct cgroup_counts *);
/* SIGKILL to all in it. */
void		 cgroup_kill(struct cgroups *, int64_t jail);
/* Returns 0, or -1 with errno set: EBUSY if somebody is still in it. */
int		 cgroup_remove(struct cgroups *, int64_t jail);

#endif
