/*
 * Bytes that grow up to a limit, by doubling.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"

static int
buffer_grow(struct buffer *b, size_t need)
{
	size_t	 size = b->size == 0 ? 256 : b->size;
	char	*grown;

	while (size < need)
		if (__builtin_mul_overflow(size, 2, &size)) {
			errno = ENOMEM;
			return (-1);
		}
	if (size == b->size)
		return (0);
	if ((grown = realloc(b->data, size)) == NULL)
		return (-1);
	b->data = grown;
	b->size = size;
	return (0);
}

int
buffer_add(struct buffer *b, const char *data, size_t n, size_t max)
{
	if (b->len > max || n > max - b->len) {
		errno = EFBIG;
		return (-1);
	}
	if (buffer_grow(b, b->len + n + 1) == -1)
		return (-1);
	if (n > 0)
		memcpy(b->data + b->len, data, n);
	b->len += n;
	b->data[b->len] = '\0';
	return (0);
}

void
buffer_empty(struct buffer *b)
{
	b->len = 0;
	if (b->data != NULL)
		*b->data = '\0';
}

void
buffer_free(struct buffer *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

const char *
buffer_text(const struct buffer *b)
{
	return (b->data == NULL ? "" : b->data);
}
