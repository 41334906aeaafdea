/*
 * What the file tools share.
 */
#include <stdarg.h>
#include <stdio.h>

#include "files.h"

int
op_fail(char *why, size_t whylen, const char *fmt, ...)
{
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, whylen, fmt, ap);
	va_end(ap);
	return (-1);
}

const char *
op_string(const json_t *input, const char *key, char *why, size_t whylen)
{
	const json_t	*v = json_object_get(input, key);

	if (json_is_string(v))
		return (json_string_value(v));
	(void)op_fail(why, whylen, "%s is missing or not a string", key);
	return (NULL);
}

/* Length of the character at s, 0 if it is none. */
static size_t
utf8_len(const unsigned char *s, size_t n)
{
	size_t	i, len;

	len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 :
	    s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
	if (len == 0 || len > n || s[0] == 0)
		return (0);
	for (i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return (0);
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return (0);
	return (len);
}

size_t
op_utf8_span(const char *s, size_t len)
{
	size_t	i, n;

	for (i = 0; i < len; i += n)
		if ((n = utf8_len((const unsigned char *)s + i, len - i)) == 0)
			break;
	return (i);
}
