/*
 * JSON as text, with numbers as people write them. Each node of a run is
 * written several times: the text grows in one piece of memory, without a
 * stream or a copy between.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "log.h"

struct text {
	char	*buf;
	size_t	 len, size;
};

static void	dump_value(struct text *, const json_t *);

/* Room for n more bytes and the NUL. */
static void
text_room(struct text *t, size_t n)
{
	size_t	want;
	char	*grown;

	if (n < t->size - t->len)
		return;
	if (__builtin_add_overflow(t->len, n, &want) ||
	    __builtin_mul_overflow(want, 2, &want) ||
	    __builtin_add_overflow(want, 128, &want))
		fatalx("dump_json: too long");
	if ((grown = realloc(t->buf, want)) == NULL)
		fatal("realloc");
	t->buf = grown;
	t->size = want;
}

static void
text_add(struct text *t, const char *s, size_t n)
{
	text_room(t, n);
	memcpy(t->buf + t->len, s, n);
	t->len += n;
}

static void
text_byte(struct text *t, char c)
{
	text_room(t, 1);
	t->buf[t->len++] = c;
}

/* How many bytes of s need no escape. */
static size_t
plain_length(const char *s, size_t n)
{
	size_t	i;

	for (i = 0; i < n; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == '"' || s[i] == '\\')
			break;
	return (i);
}

static void
dump_escaped(struct text *t, char c)
{
	static const char	 from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char		*found = c == '\0' ? NULL : strchr(from, c);
	char			 code[7];

	if (found == NULL) {
		(void)snprintf(code, sizeof(code), "\\u%04X",
		    (unsigned int)c);
		text_add(t, code, sizeof(code) - 1);
	} else {
		text_byte(t, '\\');
		text_byte(t, to[found - from]);
	}
}

/* UTF-8, as all of jansson's strings are. */
static void
dump_string(struct text *t, const char *s, size_t n)
{
	size_t	plain;

	text_byte(t, '"');
	for (;;) {
		plain = plain_length(s, n);
		text_add(t, s, plain);
		if (plain == n)
			break;
		dump_escaped(t, s[plain]);
		s += plain + 1;
		n -= plain + 1;
	}
	text_byte(t, '"');
}

static void
dump_integer(struct text *t, json_int_t n)
{
	char			 s[24], *p = s + sizeof(s);
	unsigned long long	 left = (unsigned long long)n;

	if (n < 0)
		left = 0 - left;
	do {
		*--p = (char)('0' + left % 10);
		left /= 10;
	} while (left > 0);
	if (n < 0)
		*--p = '-';
	text_add(t, p, (size_t)(s + sizeof(s) - p));
}

/* A real stays one: what is a float to the script must not become an int. */
static void
dump_real(struct text *t, double d)
{
	char	s[32];
	int	digits;

	for (digits = 15; digits <= 17; digits++) {
		(void)snprintf(s, sizeof(s), "%.*g", digits, d);
		if (strtod(s, NULL) == d)
			break;
	}
	text_add(t, s, strlen(s));
	if (strpbrk(s, ".e") == NULL)
		text_add(t, ".0", 2);
}

static void
dump_array(struct text *t, const json_t *v)
{
	const json_t	*item;
	size_t		 i;

	text_byte(t, '[');
	json_array_foreach(v, i, item) {
		if (i > 0)
			text_byte(t, ',');
		dump_value(t, item);
	}
	text_byte(t, ']');
}

static void
dump_object(struct text *t, json_t *v)
{
	const char	*key;
	json_t		*item;
	int		 n = 0;

	text_byte(t, '{');
	json_object_foreach(v, key, item) {
		if (n++ > 0)
			text_byte(t, ',');
		dump_string(t, key, strlen(key));
		text_byte(t, ':');
		dump_value(t, item);
	}
	text_byte(t, '}');
}

/* Depth is bounded by what was parsed, and by what we build ourselves. */
static void
dump_value(struct text *t, const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		dump_object(t, (json_t *)(uintptr_t)v);
		return;
	case JSON_ARRAY:
		dump_array(t, v);
		return;
	case JSON_STRING:
		dump_string(t, json_string_value(v), json_string_length(v));
		return;
	case JSON_INTEGER:
		dump_integer(t, json_integer_value(v));
		return;
	case JSON_REAL:
		dump_real(t, json_real_value(v));
		return;
	case JSON_TRUE:
		text_add(t, "true", 4);
		return;
	case JSON_FALSE:
		text_add(t, "false", 5);
		return;
	case JSON_NULL:
		text_add(t, "null", 4);
		return;
	}
	fatalx("dump_value: type %d", json_typeof(v));
}

static char *
text_end(struct text *t)
{
	text_room(t, 0);
	t->buf[t->len] = '\0';
	return (t->buf);
}

char *
dump_json(const json_t *v)
{
	struct text	t = { NULL, 0, 0 };

	dump_value(&t, v);
	return (text_end(&t));
}

/* ---- members ---- */

/* A name of n bytes, after what is there. */
static void
dump_name(struct text *t, const char *name, size_t n)
{
	if (t->len > 1)
		text_byte(t, ',');
	dump_string(t, name, n);
	text_byte(t, ':');
}

static void
dump_text(struct text *t, const char *s, size_t n)
{
	if (s == NULL)
		text_add(t, "null", 4);
	else
		dump_string(t, s, n);
}

static void
dump_boolean(struct text *t, int truth)
{
	text_add(t, truth ? "true" : "false", truth ? 4 : 5);
}

/* One member; returns what follows it in fmt. */
static const char *
dump_member(struct text *t, const char *fmt, va_list *ap)
{
	size_t		 n = strcspn(fmt, ":");
	const char	*type = fmt + n + 1, *s;

	if (type[0] == 's' && type[1] == '*') {
		if ((s = va_arg(*ap, const char *)) != NULL) {
			dump_name(t, fmt, n);
			dump_string(t, s, strlen(s));
		}
		return (type + 2);
	}
	dump_name(t, fmt, n);
	switch (*type) {
	case 's':
		s = va_arg(*ap, const char *);
		dump_string(t, s, strlen(s));
		break;
	case 't':
		s = va_arg(*ap, const char *);
		dump_text(t, s, va_arg(*ap, size_t));
		break;
	case 'I':
		dump_integer(t, va_arg(*ap, json_int_t));
		break;
	case 'b':
		dump_boolean(t, va_arg(*ap, int));
		break;
	default:
		fatalx("dump_members: %s", fmt);
	}
	return (type + 1);
}

char *
dump_members(const char *fmt, ...)
{
	struct text	t = { NULL, 0, 0 };
	va_list		ap;

	text_byte(&t, '{');
	va_start(ap, fmt);
	for (fmt = dump_member(&t, fmt, &ap); *fmt == ',';)
		fmt = dump_member(&t, fmt + 1, &ap);
	va_end(ap);
	text_byte(&t, '}');
	return (text_end(&t));
}
