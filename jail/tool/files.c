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
