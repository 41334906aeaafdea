/*
 * The keywords of JSON Schema that judge a value as a whole: its type, its
 * size, its being one of a list.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "schema_check.h"
#include "text.h"

enum answer
schema_spend(struct check *c, size_t n)
{
	if (c->work >= n) {
		c->work -= n;
		return (YES);
	}
	c->work = 0;
	(void)refuse(c, "checking this takes too much work");
	return (TOO_MUCH);
}

static const char *
type_name(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return ("object");
	case JSON_ARRAY:
		return ("array");
	case JSON_STRING:
		return ("string");
	case JSON_INTEGER:
		return ("integer");
	case JSON_REAL:
		return ("number");
	case JSON_TRUE:
	case JSON_FALSE:
		return ("boolean");
	case JSON_NULL:
		return ("null");
	}
	return ("nothing");
}

/* Of numbers beyond 2^53 each is a whole one. */
static int
is_whole(double x)
{
	if (x >= 9007199254740992.0 || x <= -9007199254740992.0)
		return (1);
	return (x == (double)(int64_t)x);
}

static int
is_type(const json_t *value, const char *type)
{
	if (strcmp(type, "number") == 0)
		return (json_is_number(value));
	if (strcmp(type, "integer") == 0 && json_is_real(value))
		return (is_whole(json_real_value(value)));
	return (strcmp(type_name(value), type) == 0);
}

enum answer
schema_type(struct check *c, const struct site *s)
{
	const json_t	*type;
	char		 list[128] = "";
	size_t		 i, n = 0;

	if (json_is_string(s->arg)) {
		if (is_type(s->value, json_string_value(s->arg)))
			return (YES);
		return (refuse(c, "expected %s, got %s",
		    json_string_value(s->arg), type_name(s->value)));
	}
	json_array_foreach((json_t *)s->arg, i, type) {
		if (is_type(s->value, json_string_value(type)))
			return (YES);
		if (n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
			    "%s%s", n > 0 ? " or " : "",
			    json_string_value(type));
	}
	return (refuse(c, "expected %s, got %s", list, type_name(s->value)));
}

/* 1 and 1.0 are the same number. */
static int
same(const json_t *a, const json_t *b)
{
	if (json_is_real(a) != json_is_real(b) && json_is_number(a) &&
	    json_is_number(b))
		return (json_number_value(a) == json_number_value(b));
	return (json_equal(a, b));
}

/* A value as the text of an error, cut to something readable. */
static const char *
show(char *buf, size_t buflen, const json_t *value)
{
	char	*text;

	text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY |
	    JSON_REAL_PRECISION(15));
	snprintf(buf, buflen, "%s", text == NULL ? "?" : text);
	if (text != NULL && strlen(text) >= buflen)
		memcpy(buf + buflen - 4, "...", 4);
	text_trim(buf);
	free(text);
	return (buf);
}

enum answer
schema_enum(struct check *c, const struct site *s)
{
	const json_t	*option;
	char		 got[64], list[256];
	size_t		 i;
	enum answer	 answer;

	if ((answer = schema_spend(c, json_array_size(s->arg))) != YES)
		return (answer);
	json_array_foreach((json_t *)s->arg, i, option)
		if (same(option, s->value))
			return (YES);
	return (refuse(c, "%s is none of %s", show(got, sizeof(got), s->value),
	    show(list, sizeof(list), s->arg)));
}

enum answer
schema_const(struct check *c, const struct site *s)
{
	char	want[128];

	if (same(s->arg, s->value))
		return (YES);
	return (refuse(c, "expected %s", show(want, sizeof(want), s->arg)));
}

/* ---- numbers ---- */

/* -1, 0 or 1; integers are compared as such, beyond what a double holds. */
static int
compare(const json_t *a, const json_t *b)
{
	json_int_t	x, y;
	double		u, v;

	if (json_is_integer(a) && json_is_integer(b)) {
		x = json_integer_value(a);
		y = json_integer_value(b);
		return (x < y ? -1 : x > y);
	}
	u = json_number_value(a);
	v = json_number_value(b);
	return (u < v ? -1 : u > v);
}

static enum answer
limit(struct check *c, const struct site *s, int ok, const char *words)
{
	char	got[32], bound[32];

	if (ok)
		return (YES);
	return (refuse(c, "%s is not %s %s", show(got, sizeof(got), s->value),
	    words, show(bound, sizeof(bound), s->arg)));
}

enum answer
schema_minimum(struct check *c, const struct site *s)
{
	return (limit(c, s, !json_is_number(s->value) ||
	    compare(s->value, s->arg) >= 0, "at least"));
}

enum answer
schema_maximum(struct check *c, const struct site *s)
{
	return (limit(c, s, !json_is_number(s->value) ||
	    compare(s->value, s->arg) <= 0, "at most"));
}

enum answer
schema_above(struct check *c, const struct site *s)
{
	return (limit(c, s, !json_is_number(s->value) ||
	    compare(s->value, s->arg) > 0, "above"));
}

enum answer
schema_below(struct check *c, const struct site *s)
{
	return (limit(c, s, !json_is_number(s->value) ||
	    compare(s->value, s->arg) < 0, "below"));
}

/* 0.3 is a multiple of 0.1, though not in binary: allow for rounding. */
static int
is_almost_whole(double x)
{
	double	rest;

	if (is_whole(x))
		return (1);
	rest = x - (double)(int64_t)x;
	if (rest < 0)
		rest = -rest;
	return (rest < 1e-9 || rest > 1 - 1e-9);
}

enum answer
schema_multiple(struct check *c, const struct site *s)
{
	int	ok;

	if (!json_is_number(s->value))
		return (YES);
	if (json_is_integer(s->value) && json_is_integer(s->arg))
		ok = json_integer_value(s->value) %
		    json_integer_value(s->arg) == 0;
	else
		ok = is_almost_whole(json_number_value(s->value) /
		    json_number_value(s->arg));
	return (limit(c, s, ok, "a multiple of"));
}

/* ---- counts ---- */

static enum answer
count(struct check *c, const struct site *s, size_t n, int least,
    const char *what)
{
	json_int_t	bound = json_integer_value(s->arg);

	if (least ? (json_int_t)n >= bound : (json_int_t)n <= bound)
		return (YES);
	return (refuse(c, "has %zu %s, %s is %lld", n, what,
	    least ? "the least" : "the most", (long long)bound));
}

enum answer
schema_min_length(struct check *c, const struct site *s)
{
	if (!json_is_string(s->value))
		return (YES);
	return (count(c, s, text_chars(json_string_value(s->value),
	    json_string_length(s->value)), 1, "characters"));
}

enum answer
schema_max_length(struct check *c, const struct site *s)
{
	if (!json_is_string(s->value))
		return (YES);
	return (count(c, s, text_chars(json_string_value(s->value),
	    json_string_length(s->value)), 0, "characters"));
}

enum answer
schema_min_items(struct check *c, const struct site *s)
{
	if (!json_is_array(s->value))
		return (YES);
	return (count(c, s, json_array_size(s->value), 1, "items"));
}

enum answer
schema_max_items(struct check *c, const struct site *s)
{
	if (!json_is_array(s->value))
		return (YES);
	return (count(c, s, json_array_size(s->value), 0, "items"));
}

enum answer
schema_min_properties(struct check *c, const struct site *s)
{
	if (!json_is_object(s->value))
		return (YES);
	return (count(c, s, json_object_size(s->value), 1, "properties"));
}

enum answer
schema_max_properties(struct check *c, const struct site *s)
{
	if (!json_is_object(s->value))
		return (YES);
	return (count(c, s, json_object_size(s->value), 0, "properties"));
}

/* ---- strings ---- */

enum answer
schema_pattern(struct check *c, const struct site *s)
{
	struct pattern	*pattern;
	char		 why[64], got[64];
	enum answer	 answer;
	int		 found;

	if (!json_is_string(s->value))
		return (YES);
	if ((answer = schema_spend(c, json_string_length(s->arg))) != YES)
		return (answer);
	pattern = pattern_new(json_string_value(s->arg), why, sizeof(why));
	if (pattern == NULL)
		return (refuse(c, "%s", why));
	found = pattern_match(pattern, json_string_value(s->value),
	    json_string_length(s->value), &c->work);
	pattern_free(pattern);
	if (found == -1)
		return (schema_spend(c, c->work + 1));
	if (found)
		return (YES);
	return (refuse(c, "%s does not match /%.100s/",
	    show(got, sizeof(got), s->value), json_string_value(s->arg)));
}

/* Whole numbers are written as integers, so that 1.0 equals 1. */
static char *
canonical(const json_t *value)
{
	char	*text;

	if (json_is_real(value) && is_whole(json_real_value(value)))
		return (asprintf(&text, "%.0f", json_real_value(value)) == -1 ?
		    NULL : text);
	return (json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS |
	    JSON_ENCODE_ANY));
}

enum answer
schema_unique(struct check *c, const struct site *s)
{
	const json_t	*item, *earlier;
	json_t		*seen;
	char		*text;
	size_t		 i;
	enum answer	 answer = YES;

	if (!json_is_array(s->value) || !json_is_true(s->arg))
		return (YES);
	seen = json_object();
	json_array_foreach((json_t *)s->value, i, item) {
		if ((text = canonical(item)) == NULL ||
		    (answer = schema_spend(c, strlen(text) / 8 + 1)) != YES) {
			free(text);
			break;
		}
		if ((earlier = json_object_get(seen, text)) != NULL)
			answer = refuse(c, "items %lld and %zu are equal",
			    (long long)json_integer_value(earlier), i);
		else
			json_object_set_new(seen, text,
			    json_integer((json_int_t)i));
		free(text);
		if (answer != YES)
			break;
	}
	json_decref(seen);
	return (answer);
}

enum answer
schema_required(struct check *c, const struct site *s)
{
	const json_t	*name;
	size_t		 i;
	enum answer	 answer;

	if (!json_is_object(s->value))
		return (YES);
	if ((answer = schema_spend(c, json_array_size(s->arg))) != YES)
		return (answer);
	json_array_foreach((json_t *)s->arg, i, name)
		if (json_object_get(s->value, json_string_value(name)) == NULL)
			return (refuse(c, "\"%.100s\" is missing",
			    json_string_value(name)));
	return (YES);
}
