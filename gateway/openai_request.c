/*
 * Messages and tools, said in the words of Chat Completions.
 */
#include <stdlib.h>
#include <string.h>

#include "openai_request.h"

/*
 * Arguments are text there. Ours are an object, or the raw text that the
 * model gave and that was none: it sees again what it said.
 */
static json_t *
arguments_text(const json_t *arguments)
{
	json_t	*text;
	char	*s;

	if (json_is_string(arguments))
		return (json_copy((json_t *)(uintptr_t)arguments));
	if ((s = json_dumps(arguments, JSON_COMPACT | JSON_ENCODE_ANY)) ==
	    NULL)
		return (NULL);
	text = json_string(s);
	free(s);
	return (text);
}

static json_t *
tool_call(const json_t *call)
{
	return (json_pack("{s:O, s:s, s:{s:O, s:o}}",
	    "id", json_object_get(call, "id"), "type", "function",
	    "function", "name", json_object_get(call, "name"),
	    "arguments", arguments_text(json_object_get(call, "arguments"))));
}

static json_t *
tool(const json_t *t)
{
	return (json_pack("{s:s, s:{s:O, s:O, s:O}}", "type", "function",
	    "function", "name", json_object_get(t, "name"),
	    "description", json_object_get(t, "description"),
	    "parameters", json_object_get(t, "input")));
}

/* A new array of what make() makes of each item. */
static json_t *
each(const json_t *items, json_t *(*make)(const json_t *))
{
	json_t	*made, *item;
	size_t	 i;

	if ((made = json_array()) == NULL)
		return (NULL);
	json_array_foreach(items, i, item)
		if (json_array_append_new(made, make(item)) == -1) {
			json_decref(made);
			return (NULL);
		}
	return (made);
}

/* Set key to an array if there is anything in it: an empty one is refused. */
static int
set_each(json_t *obj, const char *key, const json_t *items,
    json_t *(*make)(const json_t *))
{
	if (json_array_size(items) == 0)
		return (0);
	return (json_object_set_new(obj, key, each(items, make)));
}

static json_t *
assistant(const json_t *m)
{
	const json_t	*content = json_object_get(m, "content");
	json_t		*made;

	made = json_pack("{s:s, s:O?}", "role", "assistant", "content",
	    content);
	if (made != NULL && content == NULL &&
	    json_object_set_new(made, "content", json_null()) == -1)
		goto fail;
	if (made != NULL && set_each(made, "tool_calls",
	    json_object_get(m, "tool_calls"), tool_call) == -1)
		goto fail;
	return (made);

 fail:
	json_decref(made);
	return (NULL);
}

static json_t *
message(const json_t *m)
{
	const char	*role = json_string_value(json_object_get(m, "role"));

	if (strcmp(role, "assistant") == 0)
		return (assistant(m));
	if (strcmp(role, "tool") == 0)
		return (json_pack("{s:s, s:O, s:O}", "role", "tool",
		    "tool_call_id", json_object_get(m, "id"),
		    "content", json_object_get(m, "content")));
	return (json_pack("{s:s, s:O}", "role", role,
	    "content", json_object_get(m, "content")));
}

json_t *
openai_request(const json_t *body, const char *model, const char *limit_key,
    int64_t max_tokens)
{
	json_t	*made;

	made = json_pack("{s:s, s:o, s:b, s:{s:b}}", "model", model,
	    "messages", each(json_object_get(body, "messages"), message),
	    "stream", 1, "stream_options", "include_usage", 1);
	if (made == NULL)
		return (NULL);
	if (set_each(made, "tools", json_object_get(body, "tools"),
	    tool) == -1 || (max_tokens > 0 && json_object_set_new(made,
	    limit_key, json_integer((json_int_t)max_tokens)) == -1)) {
		json_decref(made);
		return (NULL);
	}
	return (made);
}
