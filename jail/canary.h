/*
 * The canary: a jail that is made as all are made, and in which, instead of
 * a script, every attempt of a list is made that a jail must refuse. What
 * comes of each stands in a page that the jail shares with its starter, and
 * is told to the supervisor when the jail is dead.
 *
 * The one thing in which it differs from other jails is what it does when
 * the filter catches a call: it notes it and goes on to the next attempt. A
 * call at which the filter kills ends the jail; the supervisor then orders
 * another, which begins after that attempt.
 */
#ifndef CANARY_H
#define CANARY_H

#include <stddef.h>

/* How an attempt is met. */
enum {
	/* The filter does not stand in its way. */
	UNFILTERED	= 1 << 0,
	/* Nothing but the filter does, and `also` says why that may be. */
	ALONE		= 1 << 1,
	/* Whether anything but the filter does is for the kernel to say. */
	VARIES		= 1 << 2,
	/* A tool jail gives it: any program may run there. */
	GIVEN		= 1 << 3,
};

/* What a program exits with that an attempt has come to run. */
#define ATTEMPT_OPEN	42

struct attempt {
	const char	*name;
	/* Returns 1 if the attempt had what it wanted. */
	int		(*fn)(void);
	int		 flags;
	const char	*also;	/* what refuses it besides the filter */
};

struct canary;

/* In the starter: a page for a canary that begins with attempt number first.
 * NULL with errno set. */
struct canary	*canary_new(size_t first);
void		 canary_free(struct canary *);
/* After the clone: the page is not for later jails. */
int		 canary_keep(struct canary *) __attribute__((warn_unused_result));

/* In the jail, before the filter: go on after a call that it catches. */
int	 canary_listen(struct canary *) __attribute__((warn_unused_result));
/* In the jail, confined: make all attempts. The exit status. */
int	 canary_run(struct canary *, const struct attempt *(*at)(size_t));

/* One attempt's end, as the page and the jail's wait status tell it. */
struct canary_row {
	int	open;		/* it had what it wanted, or who knows */
	char	how[64];	/* "refused: EPERM", "caught: socket", ... */
};
/* In the starter, when the jail is dead: how attempt n ended. Returns -1 if
 * the jail did not come to it. */
int	 canary_row(const struct canary *, size_t n, int status,
	    struct canary_row *);
/* What closes an attempt, in words. */
void	 canary_layers(const struct attempt *, char *text, size_t len);

#endif
