/*
 * A place inside a JSON value, as text: "input.items[3].when".
 */
#ifndef SCHEMA_PATH_H
#define SCHEMA_PATH_H

#include <stddef.h>

struct path {
	char	text[256];
	size_t	len;		/* of the whole path, also where text is cut */
};

void	 path_start(struct path *, const char *name);
/* Go down; each returns the length to give to path_leave(). */
size_t	 path_key(struct path *, const char *key);
size_t	 path_index(struct path *, size_t i);
void	 path_leave(struct path *, size_t len);

/* Write "PATH: MESSAGE" to why, never with half a character at its end.
 * Returns -1. */
int	 path_error(const struct path *, char *why, size_t whylen,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
