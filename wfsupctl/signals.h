/*
 * Signals as something to poll for, from submitting a run to its end.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

enum sign {
	SIGN_NONE,
	SIGN_INT,	/* Ctrl-C */
	SIGN_TERM,
	SIGN_RESIZE,	/* the terminal has another size */
	SIGN_CONTINUE,	/* we were stopped, and the screen is no longer ours */
};

/* A descriptor to poll; from here on these signals do nothing else. */
int		 signals_open(void);
/* The next one that has come. */
enum sign	 signals_next(int fd);

#endif
