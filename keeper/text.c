/*
 * Cutting text without breaking a character of UTF-8.
 */
#include <string.h>

#include "text.h"
#include "utf8.h"

static int
is_inside(char c)
{
	return (((unsigned char)c & 0xc0) == 0x80);
}

size_t
text_cut(const char *s, size_t n, size_t max)
{
	if (n <= max)
		return (n);
	while (max > 0 && is_inside(s[max]))
		max--;
	return (max);
}

size_t
text_skip(const char *s, size_t n, size_t from)
{
	while (from < n && is_inside(s[from]))
		from++;
	return (from < n ? from : n);
}

void
text_trim(char *s)
{
	char		*to = s;
	uint32_t	 c;
	size_t		 n;

	for (; *s != '\0'; s += n) {
		n = utf8_decode(s, strnlen(s, 4), &c);
		if (c == UTF8_BAD)
			continue;
		memmove(to, s, n);
		to += n;
	}
	*to = '\0';
}

size_t
text_chars(const char *s, size_t n)
{
	size_t	i, chars = 0;

	for (i = 0; i < n; i++)
		if (!is_inside(s[i]))
			chars++;
	return (chars);
}
