/*
 * Why a question of a client is refused: the class that it is told, and the
 * exit code of wfsupctl(8) that goes with it.
 */
#ifndef REFUSAL_H
#define REFUSAL_H

enum refusal {
	REFUSE_SCRIPT,		/* it can't be a script */
	REFUSE_USAGE,		/* the question makes no sense */
	REFUSE_NOT_FOUND,	/* there is no such run, for this client */
	REFUSE_ENDED,		/* the run has ended */
	REFUSE_LIMIT,		/* one more is one too many */
	REFUSE_DENIED,		/* the profile does not grant it */
	REFUSE_AWAY,		/* not now: try again */
	REFUSE_SPACE,		/* not on this disk, as full as it is */
};

const char	*refusal_class(enum refusal);
int		 refusal_exit(enum refusal);

/* The longest script in bytes; wfsupctl need not ask. */
#define SOURCE_MAX	(512 * 1024)
#define SOURCE_LONG	"the script is longer than 512 KiB"

#endif
