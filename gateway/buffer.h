/*
 * Bytes that grow up to a limit.
 */
#ifndef BUFFER_H
#define BUFFER_H

#include <stddef.h>

struct buffer {
	char	*data;		/* NUL-terminated once anything was added */
	size_t	 len;
	size_t	 size;
};

/* Returns 0, or -1 with errno set: EFBIG if it would be longer than max. */
int	 buffer_add(struct buffer *, const char *, size_t n, size_t max)
	    __attribute__((warn_unused_result));
/* Forget the bytes, keep the memory. */
void	 buffer_empty(struct buffer *);
void	 buffer_free(struct buffer *);
/* The text, "" if nothing was added. Lent. */
const char	*buffer_text(const struct buffer *);

#endif
