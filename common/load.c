/*
 * A reader that may refuse what it likes, but must take nothing that jansson
 * would not.
 */
#include <sys/types.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "plain.h"
#include "utf8.h"

/* A longer number is left to jansson. */
#define NUMBER_MAX	40

struct text {
	const char	*p, *end;
};

/* What is between two quotes; it has escapes, or stands for itself. */
struct span {
	const char	*s;
	size_t		 n;
	int		 escaped;
};

static json_t	*load_value(struct text *, size_t);

static void
space(struct text *t)
{
	while (t->p < t->end && (*t->p == ' ' || *t->p == '\n' ||
	    *t->p == '\t' || *t->p == '\r'))
		t->p++;
}

/* Is the next byte that is no space this one? Then it is taken. */
static int
take(struct text *t, char c)
{
	space(t);
	if (t->p == t->end || *t->p != c)
		return (0);
	t->p++;
	return (1);
}

/* ---- strings ---- */

/* The first quote has been taken. */
static int
span_find(struct text *t, struct span *span)
{
	uint32_t	c;

	span->s = t->p;
	span->escaped = 0;
	for (;;) {
		t->p += plain_ascii(t->p, (size_t)(t->end - t->p));
		if (t->p == t->end || (unsigned char)*t->p < 0x20)
			return (-1);
		if (*t->p == '"')
			break;
		if (*t->p == '\\') {
			if (t->end - t->p < 2)
				return (-1);
			span->escaped = 1;
			t->p += 2;
			continue;
		}
		t->p += utf8_decode(t->p, (size_t)(t->end - t->p), &c);
		if (c == UTF8_BAD)
			return (-1);
	}
	span->n = (size_t)(t->p++ - span->s);
	return (0);
}

static int
hex(char c)
{
	if (c >= '0' && c <= '9')
		return (c - '0');
	if (c >= 'a' && c <= 'f')
		return (c - 'a' + 10);
	return (c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1);
}

/* Four digits at s as UTF-8 at out. Returns its length; 0 if they are none,
 * or half of a character, or NUL. */
static size_t
unescape_unicode(const char *s, size_t n, char *out)
{
	unsigned	c = 0;
	size_t		i;

	for (i = 0; i < 4; i++) {
		if (i == n || hex(s[i]) == -1)
			return (0);
		c = c << 4 | (unsigned)hex(s[i]);
	}
	if (c == 0 || (c >= 0xd800 && c <= 0xdfff))
		return (0);
	i = 0;
	if (c < 0x80)
		out[i++] = (char)c;
	else if (c < 0x800)
		out[i++] = (char)(0xc0 | c >> 6);
	else {
		out[i++] = (char)(0xe0 | c >> 12);
		out[i++] = (char)(0x80 | (c >> 6 & 0x3f));
	}
	if (c >= 0x80)
		out[i++] = (char)(0x80 | (c & 0x3f));
	return (i);
}

/* What span stands for, at out, which has room for as many bytes. Returns its
 * length, or -1. */
static ssize_t
unescape(const struct span *span, char *out)
{
	static const char	 from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char		*found;
	size_t			 i, step, len = 0;

	for (i = 0; i < span->n; i++) {
		if (span->s[i] != '\\') {
			out[len++] = span->s[i];
			continue;
		}
		if (span->s[++i] == 'u') {
			step = unescape_unicode(span->s + i + 1,
			    span->n - i - 1, out + len);
			if (step == 0)
				return (-1);
			len += step;
			i += 4;
			continue;
		}
		if ((found = memchr(from, span->s[i], sizeof(from) - 1)) ==
		    NULL)
			return (-1);
		out[len++] = to[found - from];
	}
	return ((ssize_t)len);
}

/* A new reference to the string of a span, or NULL. */
static json_t *
span_string(const struct span *span)
{
	json_t	*v = NULL;
	ssize_t	 n;
	char	*text;

	if (!span->escaped)
		return (json_stringn_nocheck(span->s, span->n));
	if ((text = malloc(span->n)) == NULL)
		return (NULL);
	if ((n = unescape(span, text)) != -1)
		v = json_stringn_nocheck(text, (size_t)n);
	free(text);
	return (v);
}

static json_t *
load_string(struct text *t)
{
	struct span	span;

	return (span_find(t, &span) == -1 ? NULL : span_string(&span));
}

/* ---- numbers and words ---- */

static int
digits(struct text *t)
{
	const char	*start = t->p;

	while (t->p < t->end && *t->p >= '0' && *t->p <= '9')
		t->p++;
	return (t->p != start);
}

/* Step over a number. Returns 1 if it is a real, 0 if not, -1 for none. */
static int
number_span(struct text *t)
{
	int	real = 0;

	if (t->p < t->end && *t->p == '-')
		t->p++;
	if (t->p < t->end && *t->p == '0')
		t->p++;
	else if (!digits(t))
		return (-1);
	if (t->p < t->end && *t->p == '.') {
		t->p++;
		real = 1;
		if (!digits(t))
			return (-1);
	}
	if (t->p < t->end && (*t->p == 'e' || *t->p == 'E')) {
		t->p++;
		real = 1;
		if (t->p < t->end && (*t->p == '+' || *t->p == '-'))
			t->p++;
		if (!digits(t))
			return (-1);
	}
	return (real);
}

static json_t *
load_number(struct text *t)
{
	const char	*start = t->p;
	char		 text[NUMBER_MAX + 1];
	long long	 n;
	double		 d;
	int		 real = number_span(t);
	size_t		 len = (size_t)(t->p - start);

	if (real == -1 || len > NUMBER_MAX)
		return (NULL);
	memcpy(text, start, len);
	text[len] = '\0';
	if (real) {
		d = strtod(text, NULL);
		return (isfinite(d) ? json_real(d) : NULL);
	}
	errno = 0;
	n = strtoll(text, NULL, 10);
	return (errno == 0 ? json_integer(n) : NULL);
}

static json_t *
load_word(struct text *t, const char *word, json_t *v)
{
	size_t	n = strlen(word);

	if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0)
		return (NULL);
	t->p += n;
	return (v);
}

/* ---- containers ---- */

static json_t *
load_array(struct text *t, size_t depth)
{
	json_t	*v = json_array();

	if (take(t, ']'))
		return (v);
	do {
		if (json_array_append_new(v, load_value(t, depth)) == -1)
			goto fail;
	} while (take(t, ','));
	if (take(t, ']'))
		return (v);
 fail:
	json_decref(v);
	return (NULL);
}

/* One member more. A key that is there already is jansson's to refuse, and
 * one with escapes is rare. */
static int
member_add(struct text *t, json_t *v, size_t depth)
{
	struct span	span;
	size_t		before = json_object_size(v);

	if (!take(t, '"') || span_find(t, &span) == -1 || span.escaped ||
	    !take(t, ':') || json_object_setn_new_nocheck(v, span.s, span.n,
	    load_value(t, depth)) == -1)
		return (-1);
	return (json_object_size(v) == before ? -1 : 0);
}

static json_t *
load_object(struct text *t, size_t depth)
{
	json_t	*v = json_object();

	if (take(t, '}'))
		return (v);
	do {
		if (member_add(t, v, depth) == -1)
			goto fail;
	} while (take(t, ','));
	if (take(t, '}'))
		return (v);
 fail:
	json_decref(v);
	return (NULL);
}

static json_t *
load_value(struct text *t, size_t depth)
{
	space(t);
	if (t->p == t->end)
		return (NULL);
	switch (*t->p) {
	case '{':
		t->p++;
		return (depth == 0 ? NULL : load_object(t, depth - 1));
	case '[':
		t->p++;
		return (depth == 0 ? NULL : load_array(t, depth - 1));
	case '"':
		t->p++;
		return (load_string(t));
	case 't':
		return (load_word(t, "true", json_true()));
	case 'f':
		return (load_word(t, "false", json_false()));
	case 'n':
		return (load_word(t, "null", json_null()));
	default:
		return (load_number(t));
	}
}

json_t *
load_json(const char *buf, size_t len, size_t depth)
{
	struct text	 t = { buf, buf + len };
	json_t		*v = load_value(&t, depth);

	space(&t);
	if (v != NULL && t.p == t.end)
		return (v);
	json_decref(v);
	return (NULL);
}
