/*
 * The first rule that fits gives the answer.
 */
#include <stdio.h>
#include <string.h>

#include "canned.h"
#include "canned_rule.h"

/* How many tool calls there are in the conversation so far. */
static size_t
calls_before(const json_t *messages)
{
	size_t	 i, n = 0;
	json_t	*m;

	json_array_foreach(messages, i, m)
		n += json_array_size(json_object_get(m, "tool_calls"));
	return (n);
}

static json_t *
call_make(const json_t *call, size_t number, const json_t *env)
{
	char	id[32];

	(void)snprintf(id, sizeof(id), "call_%zu", number);
	return (json_pack("{s:s, s:O, s:o}", "id", id,
	    "name", json_object_get(call, "name"),
	    "arguments", template_fill(json_object_get(call, "arguments"),
	    env)));
}

/* The calls of the answer, each with an id of its own. */
static json_t *
calls_make(const struct rule *r, const json_t *messages, const json_t *env)
{
	size_t	 i, before = calls_before(messages);
	json_t	*calls, *call;

	if ((calls = json_array()) == NULL)
		return (NULL);
	json_array_foreach(r->calls, i, call)
		if (json_array_append_new(calls, call_make(call,
		    before + i + 1, env)) == -1) {
			json_decref(calls);
			return (NULL);
		}
	return (calls);
}

static json_t *
message_make(const struct rule *r, const json_t *messages, const json_t *env)
{
	json_t	*content, *message;

	content = r->text == NULL ? json_null() : template_text(r->text, env);
	message = json_pack("{s:s, s:o}", "role", "assistant", "content",
	    content);
	if (message != NULL && r->calls != NULL &&
	    json_object_set_new(message, "tool_calls",
	    calls_make(r, messages, env)) == -1) {
		json_decref(message);
		return (NULL);
	}
	return (message);
}

static void
answer_make(const struct rule *r, const json_t *messages, const json_t *env,
    struct canned_answer *a)
{
	a->delay = r->delay;
	if (r->fails) {
		a->failure = r->failure;
		if (r->text != NULL)
			a->partial = template_text(r->text, env);
		return;
	}
	a->finish = r->finish != NULL ? r->finish :
	    r->calls != NULL ? "tool_calls" : "stop";
	if ((a->message = message_make(r, messages, env)) == NULL)
		failure_set(&a->failure, FAIL_TRANSIENT, "canned: out of "
		    "memory");
}

/* Say what was asked, so that the missing rule can be written. */
static void
no_rule(const struct canned_question *q, const json_t *messages,
    struct canned_answer *a)
{
	const json_t	*last;
	const char	*role, *content;

	last = json_array_get(messages, json_array_size(messages) - 1);
	role = json_string_value(json_object_get(last, "role"));
	content = json_string_value(json_object_get(last, "content"));
	failure_set(&a->failure, FAIL_INVALID, "canned: no rule fits: model "
	    "%s, %zu messages, the last one from %s: \"%.160s\"", q->model,
	    json_array_size(messages), role, content == NULL ? "" : content);
}

void
canned_answer(const struct canned *c, const struct canned_question *q,
    struct canned_answer *a)
{
	const json_t	*messages = json_object_get(q->body, "messages");
	json_t		*env;
	size_t		 i;

	memset(a, 0, sizeof(*a));
	for (i = 0; i < c->nrules; i++) {
		env = rule_match(&c->rules[i], q->model, q->attempt, q->body);
		if (env == NULL)
			continue;
		answer_make(&c->rules[i], messages, env, a);
		json_decref(env);
		return;
	}
	no_rule(q, messages, a);
}
