/*
 * Users whose clients broke the protocol of late. Each such client costs a
 * line of audit; who makes too many is not let in for a while, so that he
 * can't flood the log that would tell of him.
 */
#ifndef OFFENCE_H
#define OFFENCE_H

#include <sys/types.h>

#include <stdint.h>

#define OFFENDERS_MAX	64

struct offender {
	uid_t	uid;
	int64_t	level;		/* in ms of good conduct that it takes */
	int64_t	since;		/* when that was, in ms */
};

struct offences {
	struct offender	 all[OFFENDERS_MAX];
	int		 n;
};

/* The user's client has offended at this moment. */
void	 offence_add(struct offences *, uid_t, int64_t now);
/* Has the user to wait? */
int	 offence_bars(const struct offences *, uid_t, int64_t now);

#endif
