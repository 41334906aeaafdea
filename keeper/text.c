/*
 * Cutting text without breaking a character of UTF-8.
 */
#include <string.h>

#include "text.h"

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

/* How long the character at s is, 0 if it is not a whole one. */
static size_t
whole(const char *s)
{
	unsigned char	c = (unsigned char)*s;
	size_t		i, n;

	n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
	if (is_inside(*s))
		return (0);
	for (i = 1; i < n; i++)
		if (!is_inside(s[i]))
			return (0);
	return (n);
}

void
text_trim(char *s)
{
	char	*to = s;
	size_t	 n;

	while (*s != '\0') {
		if ((n = whole(s)) == 0) {
			s++;
			continue;
		}
		memmove(to, s, n);
		to += n;
		s += n;
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
