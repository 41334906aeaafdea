/*
 * Failures: their names, and texts that are fit to be shown.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "log.h"
#include "utf8.h"

static const struct {
	enum failure_class	 class;
	const char		*name;
} names[] = {
	{ FAIL_TRANSIENT,	"transient" },
	{ FAIL_RATE_LIMIT,	"rate_limit" },
	{ FAIL_OVERFLOW,	"overflow" },
	{ FAIL_AUTH,		"auth" },
	{ FAIL_INVALID,		"invalid" },
	{ FAIL_DENIED,		"denied" },
	{ FAIL_BUDGET,		"budget" },
	{ FAIL_PROTOCOL,	"protocol" },
	{ FAIL_FATAL,		"fatal" },
};
#define NNAMES	(sizeof(names) / sizeof(names[0]))

const char *
failure_name(enum failure_class class)
{
	size_t	i;

	for (i = 0; i < NNAMES; i++)
		if (names[i].class == class)
			return (names[i].name);
	fatalx("failure_name: class %d", (int)class);
}

int
failure_find(const char *name, enum failure_class *class)
{
	size_t	i;

	for (i = 0; i < NNAMES; i++)
		if (strcmp(names[i].name, name) == 0) {
			*class = names[i].class;
			return (0);
		}
	return (-1);
}

void
failure_set(struct failure *f, enum failure_class class, const char *fmt, ...)
{
	char	text[2 * FAILURE_TEXT_MAX];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	memset(f, 0, sizeof(*f));
	f->class = class;
	text_line(f->text, sizeof(f->text), text, strlen(text));
}

char *
text_line(char *dst, size_t dstlen, const char *src, size_t n)
{
	uint32_t	c;
	size_t		len, used = 0;

	for (; n > 0; src += len, n -= len) {
		len = utf8_decode(src, n, &c);
		if (c == UTF8_BAD)
			len = 1;
		if (used + len >= dstlen)
			break;
		if (c == UTF8_BAD)
			dst[used++] = '?';
		else if (c < 0x20 || c == 0x7f)
			dst[used++] = ' ';
		else {
			memcpy(dst + used, src, len);
			used += len;
		}
	}
	dst[used] = '\0';
	return (dst);
}
