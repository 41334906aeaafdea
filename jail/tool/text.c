/*
 * Text from bytes: each maximal part of an ill-formed sequence becomes one
 * U+FFFD.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "utf8.h"

#define REPLACEMENT	"\xef\xbf\xbd"

/* Does what begins at s, *n bytes of at most max, stand in a text? */
static int
is_text(const char *s, size_t max, size_t *n)
{
	uint32_t	c;

	*n = utf8_decode(s, max, &c);
	return (c != UTF8_BAD && c != 0);
}

json_t *
text_json(const char *data, size_t len, size_t dropped)
{
	char	*text;
	json_t	*json;
	size_t	 i, n, at = 0, size;
	int	 good;

	/* Three bytes for each bad one, and the note. */
	if (__builtin_mul_overflow(len, (size_t)3, &size) ||
	    __builtin_add_overflow(size, (size_t)80, &size) ||
	    (text = malloc(size)) == NULL)
		return (NULL);
	for (i = 0; i < len; i += n) {
		good = is_text(data + i, len - i, &n);
		memcpy(text + at, good ? data + i : REPLACEMENT, good ? n : 3);
		at += good ? n : 3;
	}
	if (dropped > 0)
		at += (size_t)snprintf(text + at, size - at,
		    "\n[%zu more bytes were not kept]\n", dropped);
	json = json_stringn_nocheck(text, at);
	free(text);
	return (json);
}

size_t
text_span(const char *data, size_t len)
{
	size_t	i, n;

	for (i = 0; i < len; i += n)
		if (!is_text(data + i, len - i, &n))
			break;
	return (i);
}
