/*
 * The message that a stream makes, when it is over.
 */
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "openai_stream.h"

/*
 * An object as such. Anything else as the text it is: whoever checks the
 * tool's input tells the model what is wrong with it.
 */
static json_t *
arguments_value(const struct openai_call *c)
{
	const char	*text = buffer_text(&c->arguments);
	char		 why[128];
	json_t		*v;

	if (*text == '\0')
		return (json_object());
	v = json_parse(text, c->arguments.len, JSON_DEPTH_MAX, why,
	    sizeof(why));
	if (json_is_object(v))
		return (v);
	json_decref(v);
	return (json_stringn(text, c->arguments.len));
}

static int
is_taken(const struct openai_stream *s, size_t n)
{
	size_t	i;

	for (i = 0; i < n; i++)
		if (s->calls[i].id != NULL &&
		    strcmp(s->calls[i].id, s->calls[n].id) == 0)
			return (1);
	return (0);
}

static json_t *
call_value(const struct openai_stream *s, size_t n)
{
	const struct openai_call	*c = &s->calls[n];
	const char			*id = c->id;
	char				 made[32];

	if (id == NULL || is_taken(s, n)) {
		(void)snprintf(made, sizeof(made), "call_%zu",
		    s->calls_before + n + 1);
		id = made;
	}
	return (json_pack("{s:s, s:s, s:o}", "id", id, "name", c->name,
	    "arguments", arguments_value(c)));
}

static json_t *
calls_value(const struct openai_stream *s)
{
	json_t	*calls;
	size_t	 i;

	if ((calls = json_array()) == NULL)
		return (NULL);
	for (i = 0; i < s->ncalls; i++)
		if (json_array_append_new(calls, call_value(s, i)) == -1) {
			json_decref(calls);
			return (NULL);
		}
	return (calls);
}

/*
 * Why it has stopped. Calls that come with a plain stop are meant to be
 * made; those of an answer that was cut are not: the last may be half one.
 */
static const char *
finish_word(const struct openai_stream *s)
{
	if (strcmp(s->finish, "length") == 0 ||
	    strcmp(s->finish, "max_tokens") == 0)
		return ("length");
	if (strcmp(s->finish, "content_filter") == 0)
		return ("content_filter");
	if (*s->finish == '\0' || strcmp(s->finish, "stop") == 0 ||
	    strcmp(s->finish, "end_turn") == 0 ||
	    strcmp(s->finish, "tool_calls") == 0)
		return (s->ncalls > 0 ? "tool_calls" : "stop");
	return ("unknown");
}

static int
calls_named(const struct openai_stream *s)
{
	size_t	i;

	for (i = 0; i < s->ncalls; i++)
		if (s->calls[i].name == NULL)
			return (0);
	return (1);
}

json_t *
openai_stream_message(struct openai_stream *s, const char **finish)
{
	json_t	*message;
	int	 calls;

	*finish = finish_word(s);
	calls = strcmp(*finish, "tool_calls") == 0;
	if (calls && !calls_named(s)) {
		failure_set(&s->failure, FAIL_PROTOCOL, "a tool call has no "
		    "name");
		return (NULL);
	}
	if (calls && s->content.len == 0)
		message = json_pack("{s:s, s:n}", "role", "assistant",
		    "content");
	else
		message = json_pack("{s:s, s:s}", "role", "assistant",
		    "content", buffer_text(&s->content));
	if (message != NULL && (!calls || json_object_set_new(message,
	    "tool_calls", calls_value(s)) == 0))
		return (message);
	json_decref(message);
	failure_set(&s->failure, FAIL_TRANSIENT, "out of memory");
	return (NULL);
}
