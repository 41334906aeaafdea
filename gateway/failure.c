/*
 * Failures: their names, and texts that are fit to be shown.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "log.h"

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

/* The bytes of the UTF-8 character that s begins with, 0 if it is none. */
static size_t
char_length(const unsigned char *s, size_t n)
{
	static const unsigned	least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned		c = s[0];
	size_t			i, len;

	if (c < 0x80)
		return (1);
	len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	if (c < 0xc2 || c > 0xf4 || len > n)
		return (0);
	c &= 0x7fU >> len;
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return (0);
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return (0);
	return (len);
}

char *
text_line(char *dst, size_t dstlen, const char *src, size_t n)
{
	const unsigned char	*s = (const unsigned char *)src;
	size_t			 len, used = 0;

	for (; n > 0; s += len, n -= len) {
		len = char_length(s, n);
		if (used + (len == 0 ? 1 : len) >= dstlen)
			break;
		if (len == 0) {
			dst[used++] = '?';
			len = 1;
		} else if (len == 1 && (*s < 0x20 || *s == 0x7f))
			dst[used++] = ' ';
		else {
			memcpy(dst + used, s, len);
			used += len;
		}
	}
	dst[used] = '\0';
	return (dst);
}
