/*
 * Text from bytes, byte by byte, as the Unicode standard recommends: each
 * maximal part of an ill-formed sequence becomes one U+FFFD.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define REPLACEMENT	"\xef\xbf\xbd"

/* Lead bytes, and what may follow them first: this rules out overlong
 * forms, surrogates and what is above U+10FFFF. */
static const struct {
	unsigned char	first, last;	/* lead bytes */
	unsigned char	low, high;	/* the second byte */
	unsigned char	more;		/* bytes after the lead */
} forms[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 1 },
	{ 0xe0, 0xe0, 0xa0, 0xbf, 2 },
	{ 0xe1, 0xec, 0x80, 0xbf, 2 },
	{ 0xed, 0xed, 0x80, 0x9f, 2 },
	{ 0xee, 0xef, 0x80, 0xbf, 2 },
	{ 0xf0, 0xf0, 0x90, 0xbf, 3 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 3 },
	{ 0xf4, 0xf4, 0x80, 0x8f, 3 },
};

/* Look at the sequence that begins at s. Returns how many bytes it has;
 * *good says if it is whole and valid. */
static size_t
sequence(const unsigned char *s, size_t len, int *good)
{
	size_t	f, n;

	*good = s[0] > 0 && s[0] < 0x80;
	for (f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
		if (s[0] >= forms[f].first && s[0] <= forms[f].last)
			break;
	if (f == sizeof(forms) / sizeof(forms[0]))
		return (1);
	for (n = 1; n <= forms[f].more; n++)
		if (n >= len || s[n] < (n == 1 ? forms[f].low : 0x80) ||
		    s[n] > (n == 1 ? forms[f].high : 0xbf))
			return (n);
	*good = 1;
	return (n);
}

json_t *
text_json(const char *data, size_t len, size_t dropped)
{
	const unsigned char	*s = (const unsigned char *)data;
	char			*text;
	json_t			*json;
	size_t			 i, n, at = 0, size;
	int			 good;

	/* Three bytes for each bad one, and the note. */
	if (__builtin_mul_overflow(len, (size_t)3, &size) ||
	    __builtin_add_overflow(size, (size_t)80, &size) ||
	    (text = malloc(size)) == NULL)
		return (NULL);
	for (i = 0; i < len; i += n) {
		n = sequence(s + i, len - i, &good);
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
	const unsigned char	*s = (const unsigned char *)data;
	size_t			 i, n;
	int			 good;

	for (i = 0; i < len; i += n) {
		n = sequence(s + i, len - i, &good);
		if (!good)
			break;
	}
	return (i);
}
