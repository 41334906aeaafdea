/*
 * What the kinds of nodes do: sleep, call a tool, or hand over to the turn.
 */
#include <stdio.h>
#include <string.h>

#include "agent.h"
#include "effect.h"
#include "log.h"
#include "nodes.h"
#include "tooldef.h"

/* What tool() and sandbox() of a script share. */
#define DEFAULT_SANDBOX	"default"
/* How often a call that is harmless to repeat is made again when its sandbox
 * was lost under it. */
#define RESTARTS_MAX	5
/* The longest sleep, in seconds: ten years. */
#define SLEEP_MAX	(10 * 366 * 86400)

/* ---- sleep ---- */

static void
sleep_due(int fd, short what, void *arg)
{
	struct node	*node = arg;

	(void)fd;
	(void)what;
	/* The clock of the wall may have been set back meanwhile. */
	if (store_now_ms() < node->due)
		sleep_arm(node);
	else
		node_settle(node, 1, json_null());
}

void
sleep_arm(struct node *node)
{
	int64_t		 left = node->due - store_now_ms();
	struct timeval	 tv;

	if (left < 0)
		left = 0;
	tv.tv_sec = left / 1000;
	tv.tv_usec = left % 1000 * 1000;
	if (node->timer == NULL && (node->timer = evtimer_new(
	    node->run->keeper->base, sleep_due, node)) == NULL)
		fatalx("evtimer_new");
	if (evtimer_add(node->timer, &tv) == -1)
		fatalx("evtimer_add");
}

static void
sleep_start(struct node *node)
{
	json_t	*seconds = json_object_get(node->input, "seconds");
	double	 s = json_number_value(seconds);

	if (!json_is_number(seconds) || s > SLEEP_MAX) {
		node_settle_error(node, "NodeError", "input", NULL,
		    "sleep: not a number of seconds up to %d", SLEEP_MAX);
		return;
	}
	node->due = node->started + (s > 0 ? (int64_t)(s * 1000) : 0);
	/* Over as it begins: begin and end are one transaction. */
	if (node->due <= store_now_ms()) {
		node_settle(node, 1, json_null());
		return;
	}
	node_save_due(node);
	sleep_arm(node);
}

/* ---- tools ---- */

static const char *
tool_name(const struct node *node)
{
	return (json_string_value(json_object_get(node->input, "name")));
}

static void	tool_done(void *, int, json_t *);

/* The input has been checked. */
static void
tool_run(struct node *node)
{
	const char	*name = tool_name(node);
	json_t		*input = json_object_get(node->input, "input");

	node->effect = effect_tool(node->run, node->path, name,
	    sandbox_get(node->run, DEFAULT_SANDBOX),
	    tooldef_timeout(tooldef_find(name), input), NULL, input,
	    tool_done, node);
}

static void
tool_done(void *arg, int ok, json_t *value)
{
	struct node	*node = arg;

	node->effect = NULL;
	if (effect_was_ours(ok, value) && node_repeatable(node) &&
	    node->restarts++ < RESTARTS_MAX)
		tool_run(node);
	else
		node_settle(node, ok, json_incref(value));
}

static int
tool_check(const struct node *node, char *why, size_t whylen)
{
	const char	*name = tool_name(node);
	json_t		*input = json_object_get(node->input, "input");

	if (name == NULL)
		name = "";
	if (json_is_object(input))
		return (tooldef_check(name, input, why, whylen));
	(void)snprintf(why, whylen, "%.64s: the input is not an object",
	    name);
	return (-1);
}

static void
tool_start(struct node *node)
{
	char	why[512];

	if (tool_check(node, why, sizeof(why)) == -1)
		node_settle_error(node, "ToolError", "input", NULL, "%s",
		    why);
	else
		tool_run(node);
}

int
node_repeatable(const struct node *node)
{
	const struct tooldef	*def = NULL;

	switch (node->kind) {
	case KIND_SLEEP:
		return (1);
	case KIND_TOOL:
		if (tool_name(node) != NULL)
			def = tooldef_find(tool_name(node));
		return (def != NULL && tooldef_repeatable(def));
	case KIND_AGENT:
	case KIND_UNKNOWN:
		return (0);
	}
	fatalx("node_repeatable: kind %d", node->kind);
}

const char *
node_error_class(const struct node *node)
{
	switch (node->kind) {
	case KIND_AGENT:
		return ("AgentError");
	case KIND_TOOL:
		return ("ToolError");
	case KIND_SLEEP:
	case KIND_UNKNOWN:
		return ("NodeError");
	}
	fatalx("node_error_class: kind %d", node->kind);
}

const char *
node_refuses(const struct node *node, size_t len, char *why, size_t whylen)
{
	switch (node->kind) {
	case KIND_AGENT:
		return (agent_refuses(node->run, node->input, len, why,
		    whylen));
	case KIND_TOOL:
		return (tool_check(node, why, whylen) == -1 ? "input" : NULL);
	case KIND_SLEEP:
	case KIND_UNKNOWN:
		(void)snprintf(why, whylen, "no such node has an input of "
		    "%zu bytes", len);
		return ("input");
	}
	fatalx("node_refuses: kind %d", node->kind);
}

void
node_settle_lost(struct node *node)
{
	node_settle_error(node, node_error_class(node), "interrupted", NULL, "the call was interrupted; "
	    "whether it took effect is unknown, and it was not repeated");
}

void
node_dispatch(struct node *node)
{
	node->parked = 0;
	switch (node->kind) {
	case KIND_AGENT:
		agent_start(node->run, node, node->input);
		return;
	case KIND_TOOL:
		tool_start(node);
		return;
	case KIND_SLEEP:
		sleep_start(node);
		return;
	case KIND_UNKNOWN:
		node_settle_error(node, "NodeError", "unknown", NULL,
		    "there is no such kind of node");
		return;
	}
	fatalx("node_dispatch: kind %d", node->kind);
}
