/*
 * Following a run to its end, through the daemon's restarts and the user's
 * Ctrl-C.
 */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "result.h"
#include "view.h"
#include "wire.h"

/* How long a daemon that went away is waited for, in milliseconds. */
#define FOLLOW_PATIENCE	30000

struct follow {
	const char	*control;	/* path of the socket */
	const char	*run;
	int64_t		 after;		/* events up to this are not wanted */
	int		 live;		/* 0: only what has happened */
	int		 ask;		/* Ctrl-C asks what to do */
	int		 sigfd;		/* of signals_open(), or -1 */
	struct view	*view;
};

/*
 * Follow on w, which is taken; NULL: connect first. Returns 0 with the
 * outcome, or -1 with the failure. The outcome's state is set in any case,
 * as far as it is known.
 */
int	 follow(const struct follow *, struct wire *w, struct outcome *,
	    struct failure *) __attribute__((warn_unused_result));

#endif
