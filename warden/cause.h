/*
 * Why a jail died, in the words of JAIL_EXIT.
 */
#ifndef CAUSE_H
#define CAUSE_H

#include <stddef.h>
#include <stdint.h>

#define CAUSE_MAX	65	/* with the NUL */

struct death {
	char	own[CAUSE_MAX];		/* why we killed it, or "" */
	char	hung[CAUSE_MAX];	/* why the broker hung up on it, if it
					   was dead when we heard, or "" */
	int	reaped;			/* status and cpu_ms are known */
	int	status;			/* as waitpid(2) has it */
	char	words[CAUSE_MAX];	/* its last ones, or "" */
	int64_t	cpu_ms, cpu_limit;	/* the limit in seconds */
	int64_t	oom, pids;		/* times its cgroup said no */
};

/* Pure. */
void	 death_cause(const struct death *, char *cause, size_t len);

#endif
