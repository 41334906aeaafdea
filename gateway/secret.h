/*
 * A provider's key. It is in this struct, and while a request is being made
 * in its header; in no log line, no error text and no core file.
 */
#ifndef SECRET_H
#define SECRET_H

#include <stddef.h>

#define SECRET_MAX	4096

struct secret {
	char	*text;		/* NULL: there is none */
	size_t	 len;
};

/*
 * Read a key from a file, all of it, less the newline at its end. Replaces
 * what was there. fd stays the caller's. Returns 0, or -1 with why filled in
 * and nothing changed.
 */
int	 secret_read(struct secret *, int fd, char *why, size_t whylen)
	    __attribute__((warn_unused_result));
/* Wipe and free. */
void	 secret_wipe(struct secret *);
/* Hand a key over; the taker's old one is wiped. */
void	 secret_move(struct secret *to, struct secret *from);

/* A copy for a request under way. Returns -1 without memory. */
int	 secret_copy(struct secret *to, const struct secret *from)
	    __attribute__((warn_unused_result));
/*
 * Mask the key in a text that came from outside: a server may repeat what
 * it was sent. A piece of it that was cut off is masked as well.
 */
void	 secret_scrub(const struct secret *, char *text);

#endif
