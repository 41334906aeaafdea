/*
 * Eight bytes are tested at once; those that differ are then found one by
 * one.
 */
#include <stdint.h>
#include <string.h>

#include "plain.h"

/* A byte in all eight places; and the places of bytes below c, which is at
 * most 0x80: right if there are any, the lowest one is right. */
#define EACH(c)		(UINT64_C(0x0101010101010101) * (c))
#define BELOW(x, c)	(((x) - EACH(c)) & ~(x) & EACH(0x80))
#define IS(x, c)	BELOW((x) ^ EACH(c), 1)

static int
is_special(unsigned char c)
{
	return (c < 0x20 || c == '"' || c == '\\');
}

static size_t
skip(const char *s, size_t n, uint64_t high)
{
	uint64_t	x;
	size_t		i;

	for (i = 0; n - i >= sizeof(x); i += sizeof(x)) {
		memcpy(&x, s + i, sizeof(x));
		if ((BELOW(x, 0x20) | IS(x, '"') | IS(x, '\\') |
		    (x & high)) != 0)
			break;
	}
	while (i < n && !is_special((unsigned char)s[i]) &&
	    ((unsigned char)s[i] & high & 0x80) == 0)
		i++;
	return (i);
}

size_t
plain_length(const char *s, size_t n)
{
	return (skip(s, n, 0));
}

size_t
plain_ascii(const char *s, size_t n)
{
	return (skip(s, n, EACH(0x80)));
}
