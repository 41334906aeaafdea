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

void
text_trim(char *s)
{
	size_t		n = strlen(s), at = n, want;
	unsigned char	c;

	while (at > 0 && is_inside(s[at - 1]))
		at--;
	if (at == 0) {
		s[0] = n > 0 && is_inside(s[0]) ? '\0' : s[0];
		return;
	}
	c = (unsigned char)s[at - 1];
	want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
	if (n - (at - 1) < want)
		s[at - 1] = '\0';
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
