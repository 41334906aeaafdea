/*
 * What the keeper asks. The broker has not parsed it, so it is checked here
 * before any provider looks at it.
 */
#include <stdlib.h>
#include <string.h>

#include "question.h"
#include "shape.h"

#define MESSAGES_MAX	100000
#define CALLS_MAX	1024
#define TOOLS_MAX	1024
#define NAME_MAX_BYTES	256
#define TOKEN_CHARS	4

/* A string below key, of any length, also an empty one. */
static int
text_check(struct shape *s, const char *path, const json_t *v, const char *key)
{
	char	below[SHAPE_PATH_MAX];

	if (json_is_string(json_object_get(v, key)))
		return (0);
	return (shape_bad(s, shape_key(below, path, key), "must be a string"));
}

static int
name_check(struct shape *s, const char *path, const json_t *v, const char *key)
{
	const char	*name = NULL;
	char		 below[SHAPE_PATH_MAX];

	if (shape_str(s, path, v, key, NAME_MAX_BYTES, &name) == -1)
		return (-1);
	if (name == NULL)
		return (shape_bad(s, shape_key(below, path, key),
		    "is missing"));
	return (0);
}

static int
tool_call_check(struct shape *s, const char *path, const json_t *v)
{
	char	below[SHAPE_PATH_MAX];

	if (!json_is_object(v))
		return (shape_bad(s, path, "must be an object"));
	if (name_check(s, path, v, "id") == -1 ||
	    name_check(s, path, v, "name") == -1)
		return (-1);
	if (json_object_get(v, "arguments") == NULL)
		return (shape_bad(s, shape_key(below, path, "arguments"),
		    "is missing"));
	return (0);
}

static int
assistant_check(struct shape *s, const char *path, const json_t *v)
{
	char	 calls_path[SHAPE_PATH_MAX], below[SHAPE_PATH_MAX];
	json_t	*calls, *content;
	size_t	 i;

	content = json_object_get(v, "content");
	if (content != NULL && !json_is_null(content) &&
	    text_check(s, path, v, "content") == -1)
		return (-1);
	if (json_is_null(json_object_get(v, "tool_calls")))
		return (0);
	if (shape_array(s, path, v, "tool_calls", CALLS_MAX, &calls) == -1)
		return (-1);
	shape_key(calls_path, path, "tool_calls");
	for (i = 0; i < json_array_size(calls); i++)
		if (tool_call_check(s, shape_item(below, calls_path, i),
		    json_array_get(calls, i)) == -1)
			return (-1);
	return (0);
}

static int
message_check(struct shape *s, const char *path, const json_t *v)
{
	const char	*role;
	char		 below[SHAPE_PATH_MAX];

	role = json_string_value(json_object_get(v, "role"));
	if (role == NULL)
		return (shape_bad(s, path, "is not a message with a role"));
	if (strcmp(role, "system") == 0 || strcmp(role, "user") == 0)
		return (text_check(s, path, v, "content"));
	if (strcmp(role, "assistant") == 0)
		return (assistant_check(s, path, v));
	if (strcmp(role, "tool") != 0)
		return (shape_bad(s, shape_key(below, path, "role"),
		    "there is no role \"%.32s\"", role));
	if (name_check(s, path, v, "id") == -1 ||
	    name_check(s, path, v, "name") == -1)
		return (-1);
	return (text_check(s, path, v, "content"));
}

static int
tool_check(struct shape *s, const char *path, const json_t *v)
{
	char	below[SHAPE_PATH_MAX];

	if (!json_is_object(v))
		return (shape_bad(s, path, "must be an object"));
	if (name_check(s, path, v, "name") == -1 ||
	    text_check(s, path, v, "description") == -1)
		return (-1);
	if (!json_is_object(json_object_get(v, "input")))
		return (shape_bad(s, shape_key(below, path, "input"),
		    "must be an object"));
	return (0);
}

/* Check each item of the array below key. */
static int
each_check(struct shape *s, const json_t *body, const char *key, size_t max,
    int (*check)(struct shape *, const char *, const json_t *))
{
	char	 path[SHAPE_PATH_MAX];
	json_t	*items;
	size_t	 i;

	if (shape_array(s, "", body, key, max, &items) == -1)
		return (-1);
	for (i = 0; i < json_array_size(items); i++)
		if (check(s, shape_item(path, key, i),
		    json_array_get(items, i)) == -1)
			return (-1);
	return (0);
}

int
question_check(const json_t *body, char *why, size_t whylen)
{
	struct shape	s = { why, whylen };
	int64_t		max_tokens = 0;

	if (!json_is_object(body))
		return (shape_bad(&s, "", "must be an object"));
	if (json_array_size(json_object_get(body, "messages")) == 0)
		return (shape_bad(&s, "messages", "there are none"));
	if (each_check(&s, body, "messages", MESSAGES_MAX,
	    message_check) == -1 ||
	    each_check(&s, body, "tools", TOOLS_MAX, tool_check) == -1)
		return (-1);
	return (shape_int(&s, "", body, "max_tokens", 0, INT32_MAX,
	    &max_tokens));
}

/* The characters of a value as text; keys and brackets count as well. */
static size_t
value_chars(const json_t *v)
{
	if (v == NULL || json_is_null(v) ||
	    (json_is_array(v) && json_array_size(v) == 0))
		return (0);
	if (json_is_string(v))
		return (json_string_length(v));
	return (json_dumpb(v, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY));
}

static int64_t
chars_tokens(size_t chars)
{
	return ((int64_t)((chars + TOKEN_CHARS - 1) / TOKEN_CHARS));
}

static size_t
message_chars(const json_t *message)
{
	return (value_chars(json_object_get(message, "content")) +
	    value_chars(json_object_get(message, "tool_calls")));
}

int64_t
message_tokens(const json_t *message)
{
	return (chars_tokens(message_chars(message)));
}

int64_t
question_tokens(const json_t *body)
{
	const json_t	*messages = json_object_get(body, "messages");
	size_t		 chars, i;

	chars = value_chars(json_object_get(body, "tools"));
	for (i = 0; i < json_array_size(messages); i++)
		chars += message_chars(json_array_get(messages, i));
	return (chars_tokens(chars));
}
