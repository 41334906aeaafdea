/*
 * A node's end: settled once, or cancelled.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "dump.h"
#include "effect.h"
#include "log.h"
#include "nodes.h"
#include "text.h"

/* The longest text of an error in an event; the outcome has all of it. */
#define EVENT_TEXT	400

static void
node_tell(struct run *run, const char *path, int ok, int64_t now,
    int64_t spent, const char *value)
{
	keeper_send(run->keeper, IMSG_NODE_DONE, 0,
	    keeper_pack("{s:s, s:s, s:b, s:I, s:I}", "run", run->id, "path",
	    path, "ok", ok, "now", (json_int_t)now, "spent",
	    (json_int_t)spent), value, strlen(value));
}

/* A text of an error for an event, and its length; NULL if it has none. */
static const char *
event_text(const json_t *error, const char *key, size_t *len)
{
	const json_t	*v = json_object_get(error, key);

	*len = 0;
	if (!json_is_string(v))
		return (NULL);
	*len = text_cut(json_string_value(v), json_string_length(v),
	    EVENT_TEXT);
	return (json_string_value(v));
}

static void
end_event(struct node *node, int ok, const json_t *error)
{
	const char	*class, *message;
	size_t		 class_len, message_len;

	class = event_text(error, "class", &class_len);
	message = event_text(error, "message", &message_len);
	run_event_text(node->run, "node.end", dump_members("node:s,ok:b,ms:I,"
	    "class:t,message:t,tokens_in:I,tokens_out:I", node->path, ok,
	    (json_int_t)(store_now_ms() - node->started), class, class_len,
	    message, message_len, (json_int_t)node->tokens_in,
	    (json_int_t)node->tokens_out));
}

static json_t *
outcome_error(const char *class, const char *cause, const char *rule,
    const char *message)
{
	return (keeper_pack("{s:s, s:s, s:s?, s:s?}", "class", class,
	    "message", message, "cause", cause, "rule", rule));
}

/* The four keys and no others, whoever wrote the error. Takes body. */
static json_t *
outcome_clean(json_t *body)
{
	const char	*class, *message;
	json_t		*clean;

	class = json_string_value(json_object_get(body, "class"));
	message = json_string_value(json_object_get(body, "message"));
	clean = outcome_error(class == NULL ? "NodeError" : class,
	    json_string_value(json_object_get(body, "cause")),
	    json_string_value(json_object_get(body, "rule")),
	    message == NULL ? "" : message);
	json_decref(body);
	return (clean);
}

/* Replaces an outcome that no message could carry. Takes text. */
static char *
outcome_fit(const struct node *node, char *text, int *ok, json_t **body)
{
	int	is_agent = node->kind == KIND_AGENT;
	char	message[160];

	if (strlen(text) <= VALUE_MAX)
		return (text);
	(void)snprintf(message, sizeof(message), "the outcome has %zu bytes "
	    "of JSON, more than %d: %s", strlen(text), VALUE_MAX, is_agent ?
	    "ask for less" : "keep it in a file, or take it in pieces");
	free(text);
	json_decref(*body);
	*ok = 0;
	*body = outcome_error(is_agent ? "AgentError" : "ToolError", "size",
	    NULL, message);
	return (dump_json(*body));
}

void
node_settle(struct node *node, int ok, json_t *body)
{
	struct run	*run = node->run;
	char		*text;

	if (!ok)
		body = outcome_clean(body);
	text = outcome_fit(node, dump_json(body), &ok, &body);
	node_save_end(node, NODE_SETTLED, ok, text);
	/* First the script, which waits, then those who only watch. A new
	 * jail that has not come so far finds it in the replay. */
	if (node->asked)
		node_tell(run, node->path, ok, run->now,
		    run->tokens_in + run->tokens_out, text);
	end_event(node, ok, ok ? NULL : body);
	free(text);
	json_decref(body);
	node_free(node);
}

void
node_settle_error(struct node *node, const char *class, const char *cause,
    const char *rule, const char *fmt, ...)
{
	char	message[1024];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	node_settle(node, 0, keeper_pack("{s:s, s:o, s:s?, s:s?}", "class",
	    class, "message", keeper_string(message), "cause", cause, "rule",
	    rule));
}

void
node_cancel(struct node *node)
{
	json_t	*error;

	if (node->kind == KIND_AGENT)
		agent_cancel(node);
	if (node->effect != NULL)
		effect_cancel(node->effect);
	node->effect = NULL;
	node_save_end(node, NODE_CANCELLED, 0, NULL);
	error = outcome_error("CancelledError", NULL, NULL,
	    "nobody waits for it any more");
	end_event(node, 0, error);
	json_decref(error);
	node_free(node);
}
