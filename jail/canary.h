/*
 * The canary: a jail that is made as all are made, and in which, instead of
 * what such a jail is for, every attempt of a list is made that it must
 * refuse. What comes of each stands in a page that the jail shares with its
 * starter, and is told to the warden when the jail is dead.
 *
 * In a script jail the init makes the attempts, for it is alone. The one
 * thing in which it differs from others is what it does when the filter
 * catches a call: it notes it and goes on to the next attempt. A call at
 * which the filter kills ends the jail; the warden then orders another,
 * which begins after that attempt. In a tool jail they are made where a
 * command would be: when one is killed for it, the init starts another.
 */
#ifndef CANARY_H
#define CANARY_H

#include <stddef.h>

#include "attempt.h"

struct canary;

/* In the starter: a page for a canary that begins with attempt number first.
 * NULL with errno set. */
struct canary	*canary_new(size_t first);
void		 canary_free(struct canary *);
/* After the clone: the page is not for later jails. */
int		 canary_keep(struct canary *) __attribute__((warn_unused_result));

/* In the jail, before the filter: go on after a call that it catches. */
int	 canary_listen(struct canary *) __attribute__((warn_unused_result));
/* In the jail, confined: make the attempts that nobody has come to yet.
 * Returns 0. */
int	 canary_run(struct canary *, enum jail_kind);
/* In its init, if that lets others make them: who did is dead, with this
 * wait status. Returns 1 if attempts are left, 0 if none, or -1 if it had
 * not come to the next one. */
int	 canary_died(struct canary *, enum jail_kind, int status)
	    __attribute__((warn_unused_result));

/* One attempt's end, as the page and the jail's wait status tell it. */
struct canary_row {
	int	open;		/* it had what it wanted, or who knows */
	char	how[64];	/* "refused: EPERM", "caught: socket", ... */
};
/* In the starter, when the jail is dead: how attempt n ended. Returns -1 if
 * the jail did not come to it. */
int	 canary_row(const struct canary *, enum jail_kind, size_t n,
	    int status, struct canary_row *);
/* What closes an attempt in such a jail, in words. */
void	 canary_layers(const struct attempt *, enum jail_kind, char *text,
	    size_t len);

#endif
