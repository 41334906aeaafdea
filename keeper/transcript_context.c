/*
 * What of a transcript the model gets to see. Pure.
 */
#include <string.h>

#include "log.h"
#include "transcript.h"

static void
add(json_t *messages, json_t *message)
{
	if (json_array_append_new(messages, message) == -1)
		fatalx("json: a message");
}

static void
add_user(json_t *messages, const json_t *body)
{
	add(messages, json_pack("{s:s, s:O}", "role", "user", "content",
	    json_object_get(body, "text")));
}

static void
add_assistant(json_t *messages, const json_t *body)
{
	json_t	*calls, *content;

	content = json_object_get(body, "content");
	if (content == NULL)
		content = json_null();
	calls = json_object_get(body, "tool_calls");
	if (json_array_size(calls) == 0)
		add(messages, json_pack("{s:s, s:O}", "role", "assistant",
		    "content", content));
	else
		add(messages, json_pack("{s:s, s:O, s:O}", "role",
		    "assistant", "content", content, "tool_calls", calls));
}

static void
add_tool(json_t *messages, const json_t *body)
{
	add(messages, json_pack("{s:s, s:O, s:O, s:O}", "role", "tool", "id",
	    json_object_get(body, "id"), "name", json_object_get(body,
	    "name"), "content", json_object_get(body, "text")));
}

static int
is_same(const json_t *a, const json_t *b, const char *key)
{
	return (json_equal(json_object_get(a, key), json_object_get(b, key)));
}

/* Do the entries behind an assistant's calls answer each, in order? */
static int
is_complete(const struct transcript *t, size_t at)
{
	const json_t	*calls, *call, *body;
	size_t		 i;

	calls = json_object_get(t->entries[at].body, "tool_calls");
	json_array_foreach((json_t *)calls, i, call) {
		if (at + 1 + i >= t->n ||
		    t->entries[at + 1 + i].view.kind != ENTRY_TOOL)
			return (0);
		body = t->entries[at + 1 + i].body;
		if (!is_same(call, body, "id") || !is_same(call, body, "name"))
			return (0);
	}
	return (1);
}

/* A partial answer that was gone on with: it, and a word about why. */
static void
add_partial(json_t *messages, const struct transcript *t, size_t at)
{
	if (at + 2 >= t->n ||
	    t->entries[at + 1].view.signal != SIGNAL_INTERRUPTED ||
	    t->entries[at + 2].view.signal != SIGNAL_CONTINUED)
		return;
	add_assistant(messages, t->entries[at].body);
	add(messages, json_pack("{s:s, s:s}", "role", "user", "content",
	    "[Your answer was cut off here. Go on exactly where it stopped, "
	    "without repeating any of it.]"));
}

static void
add_batch(json_t *messages, const struct transcript *t, size_t at)
{
	size_t	i;

	if (!is_complete(t, at))
		return;
	add_assistant(messages, t->entries[at].body);
	for (i = 1; i <= t->entries[at].view.calls; i++)
		add_tool(messages, t->entries[at + i].body);
}

json_t *
transcript_messages(const struct transcript *t)
{
	json_t	*messages;
	size_t	 i;

	if ((messages = json_array()) == NULL)
		fatalx("json: messages");
	for (i = 0; i < t->n; i++) {
		if (t->entries[i].view.kind == ENTRY_USER)
			add_user(messages, t->entries[i].body);
		if (t->entries[i].view.kind != ENTRY_ASSISTANT)
			continue;
		switch (t->entries[i].view.stop) {
		case STOP_END:
		case STOP_LENGTH:
			add_assistant(messages, t->entries[i].body);
			break;
		case STOP_TOOLS:
			add_batch(messages, t, i);
			break;
		case STOP_ABORTED:
			add_partial(messages, t, i);
			break;
		case STOP_ERROR:
		case STOP_NONE:
			break;
		}
	}
	return (messages);
}
