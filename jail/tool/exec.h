/*
 * Running a command for a call: its output, its time, and its end.
 */
#ifndef EXEC_H
#define EXEC_H

#include <stddef.h>
#include <stdint.h>

/* What is kept of each of the two outputs, more than any result may have; the
 * rest is read and counted. */
#define EXEC_OUTPUT_MAX	(4 * 1024 * 1024)
/* The exit status of a command that ran out of time, as timeout(1) has it. */
#define EXEC_TIMEOUT	124

struct exec_output {
	char	*data;		/* NUL-terminated; may hold NULs */
	size_t	 len;
	size_t	 dropped;	/* bytes beyond EXEC_OUTPUT_MAX */
};

struct exec {
	const char *const	*argv;		/* argv[0] is looked up */
	const char		*cwd;		/* NULL: stay */
	int64_t			 timeout;	/* milliseconds, 0 for none */

	/* Results. */
	int			 exit;	/* 128 + n if signal n killed it */
	int			 signal;	/* that it died of, or 0 */
	int			 late;		/* its time was up */
	int64_t			 cpu_ms;	/* with all that it waited for */
	struct exec_output	 out, err;
};

/*
 * Run it to its end, in a session of its own, with nothing on its standard
 * input and a clean environment. Whatever it has left running is killed.
 * Returns 0, or -1 with errno set if it could not be started. To be called
 * once, in the process of a call. Free with exec_free().
 */
int	 exec_run(struct exec *) __attribute__((warn_unused_result));
/* Add words of ours to the end of its standard error, on a line of their own.
 * Returns -1 if there is no room for them. */
int	 exec_say(struct exec *, const char *words)
	    __attribute__((warn_unused_result));
void	 exec_free(struct exec *);

#endif
