/*
 * What the sandbox's limits have done while a call ran, as the kernel counts
 * it for the jail's cgroup: the one who dies of a limit can't say so.
 */
#ifndef TOLL_H
#define TOLL_H

#include <stddef.h>
#include <stdint.h>

/* Files of the jail's cgroup, open for reading; -1 where there is none. */
enum { EVENTS_MEMORY, EVENTS_PEAK, EVENTS_PIDS, EVENTS };

/* The jail's limits, and who looks after them. */
struct limits {
	int64_t			 memory, pids, cpu;	/* cpu in seconds */
	int			 events[EVENTS];
	/* Calls that were started, in a page that calls share. */
	volatile unsigned	*started;
};

struct toll_counts {
	int64_t	killed;		/* processes, for want of memory */
	int64_t	full;		/* times that memory met its limit */
	int64_t	refused;	/* forks, by the limit of processes */
};

/* A call's look at them. */
struct toll {
	const struct limits	*limits;	/* NULL: nothing is known */
	struct toll_counts	 before;
	unsigned		 number;	/* of the call */
	int			 first;		/* it began alone */
};

/* How the command of a call ended. */
struct toll_end {
	int	exit;		/* as its outcome has it */
	int	signal;		/* that it was killed by, 0: none */
	int64_t	cpu_ms;		/* with all that it waited for */
};

#define TOLL_TEXT	384

/* The page for limits.started. Returns -1 with errno set. */
int	 toll_share(struct limits *) __attribute__((warn_unused_result));

/* In the server: a call is about to start, with so many others under way. */
void	 toll_begin(struct toll *, const struct limits *, size_t running);

/*
 * In the server or in the call: it has ended. Puts lines about what limits
 * did meanwhile into text, "" if nothing, and returns what killed the
 * command, "oom" or "cpu", or NULL if nothing did or who it was is not known.
 */
const char	*toll_take(const struct toll *, const struct toll_end *,
		    char text[TOLL_TEXT]);

/* The same of two counts; alone: no other call ran. Pure. */
const char	*toll_words(const struct limits *, const struct toll_counts *,
		    const struct toll_counts *, int alone,
		    const struct toll_end *, char text[TOLL_TEXT]);

/* The number after key in lines of "key number", 0 if there is none; with
 * NULL the number that the text begins with. Pure. */
int64_t	 toll_number(const char *text, const char *key);

#endif
