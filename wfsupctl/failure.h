/*
 * What went wrong, as a person is told it and as --json shows it, and the
 * exit codes that the manual promises.
 */
#ifndef FAILURE_H
#define FAILURE_H

enum exitcode {
	EXIT_COMPLETED		= 0,
	EXIT_SCRIPT		= 1,	/* the script failed */
	EXIT_USAGE		= 2,
	EXIT_HOLES		= 3,	/* completed with failures */
	EXIT_CANCELLED		= 4,
	EXIT_UNREACHABLE	= 10,
	EXIT_FAULT		= 11,	/* please report */
	EXIT_RUNNING		= 75,	/* no result yet: try again later */
	EXIT_LEFT		= 128,	/* plus the signal; the run goes on */
};

struct failure {
	int	exit;
	char	class[65];
	char	message[1280];
};

/* Returns -1, so that a function can fail in one line. */
int	 failure_set(struct failure *, int code, const char *class,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* There is no memory left: say so and end. */
void	 oom(void) __attribute__((noreturn));

#endif
