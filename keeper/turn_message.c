/*
 * What of a model's message is kept. It has come a long way, and a model may
 * write anything: what is kept can be stored, checked and sent back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "log.h"
#include "text.h"
#include "turn.h"

/* A conversation nests them five levels deeper. */
#define ARGUMENTS_DEPTH_MAX	48
#define ID_MAX			128
#define NAME_MAX_BYTES		64

/*
 * Arguments as they are kept: an object, and not so deep that it could not
 * be sent back within a conversation. What is neither is put into one, in
 * which no tool's schema will find anything.
 */
static json_t *
clean_arguments(json_t *arguments)
{
	char	*text;
	size_t	 depth;

	if (arguments == NULL)
		return (json_object());
	if ((text = json_dumps(arguments, JSON_COMPACT | JSON_ENCODE_ANY)) ==
	    NULL)
		fatalx("json: arguments");
	depth = json_text_depth(text, strlen(text));
	free(text);
	if (depth > ARGUMENTS_DEPTH_MAX)
		return (json_pack("{s:s}", "arguments", "nested too deeply"));
	if (!json_is_object(arguments))
		return (json_pack("{s:O}", "arguments", arguments));
	return (json_incref(arguments));
}

/* Many a model writes null for what it does not want to give. */
static json_t *
without_nulls(json_t *arguments)
{
	const char	*key;
	json_t		*value, *rest = json_object();

	json_object_foreach(arguments, key, value)
		if (!json_is_null(value))
			json_object_set(rest, key, value);
	json_decref(arguments);
	return (rest);
}

/* The id of a call, or one of our own if it is no use as such. */
static json_t *
clean_id(int64_t turn, const json_t *call, size_t i,
    const json_t *ids)
{
	json_t	*id = json_object_get(call, "id");
	char	 own[48];

	if (json_string_length(id) > 0 && json_string_length(id) <= ID_MAX &&
	    json_object_get(ids, json_string_value(id)) == NULL)
		return (json_incref(id));
	(void)snprintf(own, sizeof(own), "call_%lld_%zu", (long long)turn, i);
	return (json_string(own));
}

/* One call as it is kept: a text id, a name, and arguments in an object. */
static json_t *
clean_call(int64_t turn, const json_t *call, size_t i,
    const json_t *ids)
{
	json_t	*name, *arguments;
	size_t	 n;

	name = json_object_get(call, "name");
	n = json_string_length(name);
	name = json_stringn(n == 0 ? "" : json_string_value(name),
	    text_cut(json_string_value(name), n, NAME_MAX_BYTES));
	arguments = clean_arguments(json_object_get(call, "arguments"));
	if (tooldef_find(json_string_value(name)) != NULL)
		arguments = without_nulls(arguments);
	return (json_pack("{s:o, s:o, s:o}", "id", clean_id(turn, call, i, ids),
	    "name", name, "arguments", arguments));
}

json_t *
message_calls(const json_t *message, int64_t turn)
{
	json_t	*calls, *ids, *call, *given;
	size_t	 i;

	given = json_object_get(message, "tool_calls");
	if (!json_is_array(given) || json_array_size(given) == 0)
		return (NULL);
	calls = json_array();
	ids = json_object();
	json_array_foreach(given, i, call) {
		call = clean_call(turn, call, i, ids);
		json_object_set_new(ids, json_string_value(
		    json_object_get(call, "id")), json_true());
		if (json_array_append_new(calls, call) == -1)
			fatalx("json: tool calls");
	}
	json_decref(ids);
	return (calls);
}
