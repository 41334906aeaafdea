/*
 * Templates: "${name}" in the texts and arguments of an answer.
 */
#include <stdlib.h>
#include <string.h>

#include "canned_rule.h"

/*
 * The next ${name} at or after s: returns its begin and sets the name and
 * its length, or NULL. A ${ without an end has a length of 0.
 */
static const char *
reference_find(const char *s, const char **name, size_t *len)
{
	const char	*end;

	if ((s = strstr(s, "${")) == NULL)
		return (NULL);
	*name = s + 2;
	end = strchr(*name, '}');
	*len = end == NULL ? 0 : (size_t)(end - *name);
	return (s);
}

static int
string_check(struct shape *s, const char *path, const char *text,
    const json_t *env)
{
	const char	*name;
	size_t		 len;

	while ((text = reference_find(text, &name, &len)) != NULL) {
		if (len == 0)
			return (shape_bad(s, path, "\"${\" without a name "
			    "and \"}\""));
		if (json_object_getn(env, name, len) == NULL)
			return (shape_bad(s, path, "nothing is called "
			    "\"%.*s\"", (int)(len < 64 ? len : 64), name));
		text = name + len;
	}
	return (0);
}

int
template_check(struct shape *s, const char *path, const json_t *v,
    const json_t *env)
{
	const char	*key;
	json_t		*item;
	size_t		 i;
	char		 below[SHAPE_PATH_MAX];

	if (json_is_string(v))
		return (string_check(s, path, json_string_value(v), env));
	json_object_foreach((json_t *)(uintptr_t)v, key, item)
		if (template_check(s, shape_key(below, path, key), item,
		    env) == -1)
			return (-1);
	json_array_foreach(v, i, item)
		if (template_check(s, shape_item(below, path, i), item,
		    env) == -1)
			return (-1);
	return (0);
}

/* A text that grows. On a lack of memory it becomes NULL and stays so. */
struct text {
	char	*buf;
	size_t	 len;
};

static void
text_add(struct text *t, const char *s, size_t n)
{
	char	*grown;

	if (t->buf == NULL)
		return;
	if ((grown = realloc(t->buf, t->len + n + 1)) == NULL) {
		free(t->buf);
		t->buf = NULL;
		return;
	}
	memcpy(grown + t->len, s, n);
	t->buf = grown;
	t->len += n;
	t->buf[t->len] = '\0';
}

/* A value within a text: strings as they are, all else as JSON. */
static void
text_add_value(struct text *t, const json_t *v)
{
	char	*json;

	if (json_is_string(v)) {
		text_add(t, json_string_value(v), json_string_length(v));
		return;
	}
	if ((json = json_dumps(v, JSON_ENCODE_ANY)) == NULL)
		return;
	text_add(t, json, strlen(json));
	free(json);
}

json_t *
template_text(const json_t *v, const json_t *env)
{
	const char	*text = json_string_value(v), *at, *name;
	size_t		 len;
	struct text	 t = { calloc(1, 1), 0 };
	json_t		*filled;

	while ((at = reference_find(text, &name, &len)) != NULL) {
		text_add(&t, text, (size_t)(at - text));
		text_add_value(&t, json_object_getn(env, name, len));
		text = name + len + 1;
	}
	text_add(&t, text, strlen(text));
	filled = t.buf == NULL ? NULL : json_string(t.buf);
	free(t.buf);
	return (filled);
}

static json_t *
string_fill(const json_t *v, const json_t *env)
{
	const char	*text = json_string_value(v), *name;
	size_t		 len;

	if (reference_find(text, &name, &len) == text &&
	    name[len + 1] == '\0')
		return (json_deep_copy(json_object_getn(env, name, len)));
	return (template_text(v, env));
}

static json_t *
object_fill(const json_t *v, const json_t *env)
{
	const char	*key;
	json_t		*filled, *item;

	if ((filled = json_object()) == NULL)
		return (NULL);
	json_object_foreach((json_t *)(uintptr_t)v, key, item)
		if (json_object_set_new(filled, key,
		    template_fill(item, env)) == -1) {
			json_decref(filled);
			return (NULL);
		}
	return (filled);
}

static json_t *
array_fill(const json_t *v, const json_t *env)
{
	json_t	*filled, *item;
	size_t	 i;

	if ((filled = json_array()) == NULL)
		return (NULL);
	json_array_foreach(v, i, item)
		if (json_array_append_new(filled,
		    template_fill(item, env)) == -1) {
			json_decref(filled);
			return (NULL);
		}
	return (filled);
}

json_t *
template_fill(const json_t *v, const json_t *env)
{
	if (json_is_string(v))
		return (string_fill(v, env));
	if (json_is_object(v))
		return (object_fill(v, env));
	if (json_is_array(v))
		return (array_fill(v, env));
	return (json_deep_copy(v));
}
