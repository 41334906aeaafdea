/*
 * The parts of a starter, as they know each other.
 */
#ifndef STARTER_IMPL_H
#define STARTER_IMPL_H

#include "starter.h"

/* starter_tell.c: to the warden; none returns before the socket took it. */
/* Takes env and fd. */
void	 starter_send(struct starter *, uint32_t type, int fd, json_t *env);
/* A message of no more than the jail's number; takes fd. */
void	 starter_tell(struct starter *, uint32_t type, const struct jail *,
	    int fd);
void	 starter_unmade(struct starter *, const struct jail *,
	    const char *step, const char *error);
/* How each attempt of a canary ended, up to the one that it died of. */
void	 starter_rows(struct starter *, const struct jail *, int status);

/* starter_jail.c: a jail's life. */
/* All parts are there. */
void	 starter_spawn(struct starter *, struct jail *);
/* The child has said how far it came, or has died. */
void	 starter_reported(struct starter *, struct jail *);
/* There are children to wait for. */
void	 starter_reap(struct starter *);

/* starter_in.c: the warden has sent something, or hung up. */
void	 starter_in(struct starter *);

/* starter_loop.c */
void	 starter_loop(struct starter *) __attribute__((noreturn));

#endif
