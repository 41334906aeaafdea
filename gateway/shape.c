/*
 * Reading JSON that a person wrote, with complaints that name the key.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shape.h"

int
shape_bad(struct shape *s, const char *path, const char *fmt, ...)
{
	va_list	ap;
	int	n;

	n = snprintf(s->why, s->whylen, "%s: ", *path == '\0' ? "top" : path);
	if (n < 0 || (size_t)n >= s->whylen)
		return (-1);
	va_start(ap, fmt);
	(void)vsnprintf(s->why + n, s->whylen - (size_t)n, fmt, ap);
	va_end(ap);
	return (-1);
}

char *
shape_key(char dst[SHAPE_PATH_MAX], const char *path, const char *key)
{
	(void)snprintf(dst, SHAPE_PATH_MAX, "%s%s%s", path,
	    *path == '\0' ? "" : ".", key);
	return (dst);
}

char *
shape_item(char dst[SHAPE_PATH_MAX], const char *path, size_t i)
{
	(void)snprintf(dst, SHAPE_PATH_MAX, "%s[%zu]", path, i);
	return (dst);
}

static int
is_one_of(const char *word, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strcmp(word, *words) == 0)
			return (1);
	return (0);
}

int
shape_object(struct shape *s, const char *path, const json_t *v,
    const char *const *keys)
{
	const char	*key;
	json_t		*item;
	char		 below[SHAPE_PATH_MAX];

	if (!json_is_object(v))
		return (shape_bad(s, path, "must be an object"));
	json_object_foreach((json_t *)(uintptr_t)v, key, item)
		if (!is_one_of(key, keys))
			return (shape_bad(s, shape_key(below, path, key),
			    "unknown key"));
	return (0);
}

int
shape_array(struct shape *s, const char *path, const json_t *obj,
    const char *key, size_t max, json_t **out)
{
	char	 below[SHAPE_PATH_MAX];
	json_t	*v;

	*out = NULL;
	if ((v = json_object_get(obj, key)) == NULL)
		return (0);
	shape_key(below, path, key);
	if (!json_is_array(v))
		return (shape_bad(s, below, "must be an array"));
	if (json_array_size(v) > max)
		return (shape_bad(s, below, "has %zu items, at most %zu are "
		    "allowed", json_array_size(v), max));
	*out = v;
	return (0);
}

int
shape_str(struct shape *s, const char *path, const json_t *obj,
    const char *key, size_t max, const char **out)
{
	char		 below[SHAPE_PATH_MAX];
	const json_t	*v;

	if ((v = json_object_get(obj, key)) == NULL)
		return (0);
	shape_key(below, path, key);
	if (!json_is_string(v))
		return (shape_bad(s, below, "must be a string"));
	if (json_string_length(v) == 0)
		return (shape_bad(s, below, "must not be empty"));
	if (json_string_length(v) > max)
		return (shape_bad(s, below, "is longer than %zu bytes", max));
	*out = json_string_value(v);
	return (0);
}

int
shape_int(struct shape *s, const char *path, const json_t *obj,
    const char *key, int64_t min, int64_t max, int64_t *out)
{
	char		 below[SHAPE_PATH_MAX];
	const json_t	*v;

	if ((v = json_object_get(obj, key)) == NULL)
		return (0);
	shape_key(below, path, key);
	if (!json_is_integer(v))
		return (shape_bad(s, below, "must be an integer"));
	if (json_integer_value(v) < min || json_integer_value(v) > max)
		return (shape_bad(s, below, "is %" JSON_INTEGER_FORMAT
		    ", must be %" PRId64 " to %" PRId64,
		    json_integer_value(v), min, max));
	*out = json_integer_value(v);
	return (0);
}

int
shape_bool(struct shape *s, const char *path, const json_t *obj,
    const char *key, int *out)
{
	char		 below[SHAPE_PATH_MAX];
	const json_t	*v;

	if ((v = json_object_get(obj, key)) == NULL)
		return (0);
	if (!json_is_boolean(v))
		return (shape_bad(s, shape_key(below, path, key),
		    "must be true or false"));
	*out = json_is_true(v);
	return (0);
}
