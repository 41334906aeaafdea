/*
 * The tools' side of the turn: the calls of one answer, in parallel, each
 * outcome recorded as it lands, all of them published at once in the order
 * of the calls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "render.h"
#include "schema.h"
#include "text.h"
#include "turn.h"
#include "turn_decide.h"
#include "turn_journal.h"

/* The longest input of a call: a message has to carry it. */
#define INPUT_MAX	(512 * 1024)
/* How often a call that changes nothing is made again when the sandbox had
 * to be restarted under it. */
#define RESTARTS_MAX	3

static void	batch_run(struct agent *);
static void	call_run(struct agent *, size_t, const struct tooldef *);

static const json_t *
asked(const struct agent *a, size_t i)
{
	return (json_array_get(a->batch.asked, i));
}

static const char *
asked_name(const struct agent *a, size_t i)
{
	return (json_string_value(json_object_get(asked(a, i), "name")));
}

static json_t *
asked_input(const struct agent *a, size_t i)
{
	return (json_object_get(asked(a, i), "arguments"));
}

/* ---- outcomes ---- */

static json_t *
error_body(const char *cause, const char *message)
{
	json_t	*body;

	body = json_pack("{s:s, s:s, s:s, s:n}", "class", "ToolError",
	    "message", message, "cause", cause, "rule");
	if (body == NULL)
		fatalx("json: an outcome");
	return (body);
}

/* Record what a call came to. Takes body. Of an end the node's own event
 * tells. */
static int
record(struct agent *a, size_t i, int ok, int ends, json_t *body)
{
	struct outcome	o = { .ok = ok, .ends = ends, .body = body };
	int64_t		grown;
	int		held;

	if (!ends)
		run_event(a->run, "tool", json_pack("{s:s, s:s, s:b}", "node",
		    node_path(a->node), "tool", asked_name(a, i), "ok", ok));
	held = outcome_record(a->store, a->submission, a->attempt,
	    a->batch.entry, i, o, &grown);
	run_grow(a->run, grown);
	return (held);
}

static int
record_error(struct agent *a, size_t i, const char *cause,
    const char *message)
{
	return (record(a, i, 0, 0, error_body(cause, message)));
}

/* Was it our own doing that a call which changes nothing has failed? */
static int
is_worth_again(const struct call *call, int ok, const json_t *error)
{
	const struct tool	*tool;

	if (!effect_was_ours(ok, error) || call->restarts == RESTARTS_MAX)
		return (0);
	tool = toolset_find(call->agent->session->tools,
	    asked_name(call->agent, call->index));
	return (tool != NULL && tooldef_repeatable(tool->def));
}

static void
call_done(void *arg, int ok, json_t *value)
{
	struct call	*call = arg;
	struct agent	*a = call->agent;

	call->effect = NULL;
	a->batch.open--;
	if (is_worth_again(call, ok, value)) {
		call->restarts++;
		call_run(a, call->index, tooldef_find(asked_name(a,
		    call->index)));
		return;
	}
	if (!record(a, call->index, ok, 0, json_incref(value))) {
		agent_lost(a);
		return;
	}
	batch_run(a);
}

/* ---- starting ---- */

static int64_t
sandbox_of(struct agent *a)
{
	if (a->sandbox == 0)
		a->sandbox = sandbox_get(a->run, a->session->sandbox != NULL ?
		    a->session->sandbox : node_path(a->node));
	return (a->sandbox);
}

static void
call_run(struct agent *a, size_t i, const struct tooldef *def)
{
	struct call	*call = &a->batch.calls[i];

	call->effect = effect_tool(a->run, node_path(a->node), def->name,
	    sandbox_of(a), tooldef_timeout(def, asked_input(a, i)),
	    agent_name(a), asked_input(a, i), call_done, call);
	a->batch.open++;
}

/* Is the input of a call right? finish gives its result. */
static int
check_input(const struct agent *a, size_t i, const struct tool *tool,
    json_t **result, char *why, size_t whylen)
{
	size_t	size;

	*result = NULL;
	if (tool == NULL)
		return (0);
	size = json_dumpb(asked_input(a, i), NULL, 0, JSON_COMPACT);
	if (size > INPUT_MAX) {
		(void)snprintf(why, whylen, "%s: the input has %zu bytes, "
		    "more than %d", tool->def->name, size, INPUT_MAX);
		return (0);
	}
	if (tool->def != &tooldef_finish)
		return (schema_check(tool->input, asked_input(a, i),
		    tool->def->name, why, whylen) == 0);
	*result = toolset_result(a->session->schema, asked_input(a, i), why,
	    whylen);
	return (*result != NULL);
}

/* Takes result, which only finish has. */
static int
call_do(struct agent *a, size_t i, enum call_plan plan,
    const struct tool *tool, json_t *result, const char *why)
{
	char	message[700];

	switch (plan) {
	case CALL_KEEP:
		return (1);
	case CALL_RUN:
		call_run(a, i, tool->def);
		return (1);
	case CALL_INTERRUPTED:
		return (record_error(a, i, "interrupted", "the call was "
		    "interrupted: whether it took effect is unknown. Look "
		    "before doing it again."));
	case CALL_UNKNOWN_TOOL:
		(void)snprintf(message, sizeof(message), "there is no tool "
		    "\"%.64s\" here; there are: %s", asked_name(a, i),
		    toolset_names(a->session->tools));
		text_trim(message);
		return (record_error(a, i, "unknown", message));
	case CALL_BAD_INPUT:
		return (record_error(a, i, "input", why));
	case CALL_CUT:
		return (record_error(a, i, "length", "your answer was cut "
		    "off at its limit of tokens, so this call was not made. "
		    "Do it in smaller steps."));
	case CALL_TOO_MANY:
		(void)snprintf(message, sizeof(message), "more than %d calls "
		    "in one answer: this one was not made", TURN_CALLS_MAX);
		return (record_error(a, i, "count", message));
	case CALL_NOT_ALONE:
		return (record_error(a, i, "input", "call this alone, "
		    "after the other calls of this answer are done"));
	case CALL_FINISH:
		return (record(a, i, 1, 1, json_incref(result)));
	case CALL_GIVE_UP:
		return (record(a, i, 1, 1, json_incref(json_object_get(
		    asked_input(a, i), "reason"))));
	}
	fatalx("call_do: plan %d", plan);
}

static int
call_start(struct agent *a, size_t i)
{
	struct call_facts	 f;
	const struct tool	*tool;
	json_t			*result;
	char			 why[512] = "";
	int			 held;

	tool = toolset_find(a->session->tools, asked_name(a, i));
	memset(&f, 0, sizeof(f));
	f.def = tool == NULL ? NULL : tool->def;
	f.recorded = a->batch.known[i].body != NULL;
	f.resumed = a->batch.resumed;
	f.cut = a->batch.cut;
	f.index = i;
	f.calls = a->batch.ncalls;
	f.input_ok = check_input(a, i, tool, &result, why, sizeof(why));
	held = call_do(a, i, turn_call_plan(&f), tool, result, why);
	json_decref(result);
	return (held);
}

/* ---- publishing ---- */

static int
publish_one(struct agent *a, size_t i, const struct outcome *o)
{
	char	 key[48], *text;
	json_t	*body;

	text = render_outcome(asked_name(a, i), asked_input(a, i), o->ok,
	    o->body);
	if (text == NULL)
		fatal("render_outcome");
	body = json_pack("{s:O, s:s, s:s, s:b}", "id", json_object_get(
	    asked(a, i), "id"), "name", asked_name(a, i), "text", text, "ok",
	    o->ok);
	free(text);
	if (body == NULL)
		fatalx("json: an entry");
	(void)snprintf(key, sizeof(key), "t%lld.%zu",
	    (long long)a->batch.entry, i);
	return (turn_append(a, ENTRY_TOOL, key, body) != 0);
}

/* All outcomes end the turn: the first call is finish or give_up. Takes
 * value. */
static void
end(struct agent *a, json_t *value)
{
	struct transcript	t;
	int			held;

	transcript_load(a->store, a->submission, &t);
	held = journal_commit(a->store, a->submission, a->attempt, t.leaf);
	transcript_free(&t);
	if (!held) {
		json_decref(value);
		agent_lost(a);
	} else if (strcmp(asked_name(a, 0), tooldef_finish.name) == 0)
		agent_succeed(a, value);
	else {
		agent_fail(a, "AgentError", "gave_up", NULL, "%s",
		    json_is_string(value) ? json_string_value(value) :
		    "no reason given");
		json_decref(value);
	}
}

static void
publish(struct agent *a)
{
	struct outcome	*all;
	json_t		*first;
	size_t		 i, ends = 0, n = a->batch.ncalls;
	int		 held = 1;

	all = outcomes_load(a->store, a->submission, a->batch.entry, n);
	for (i = 0; i < n && held; i++) {
		if (all[i].body == NULL)
			fatalx("call %zu has no outcome", i);
		held = publish_one(a, i, &all[i]);
		ends += (size_t)all[i].ends;
	}
	first = json_incref(all[0].body);
	outcomes_free(all, n);
	if (held && ends == n) {
		end(a, first);
		return;
	}
	json_decref(first);
	batch_stop(a, 0);
	if (held)
		turn_begin(a);
	else
		agent_lost(a);
}

static void
batch_run(struct agent *a)
{
	struct batch	*b = &a->batch;

	while (b->next < b->ncalls && (!b->one_by_one || b->open == 0))
		if (!call_start(a, b->next++)) {
			agent_lost(a);
			return;
		}
	if (b->next == b->ncalls && b->open == 0)
		publish(a);
}

static int
wants_to_be_alone(const struct agent *a)
{
	const struct tool	*tool;
	size_t			 i;

	for (i = 0; i < a->batch.ncalls; i++) {
		tool = toolset_find(a->session->tools, asked_name(a, i));
		if (tool != NULL && tool->def->exclusive)
			return (1);
	}
	return (0);
}

void
batch_start(struct agent *a, int64_t entry, json_t *calls, int cut,
    int resumed)
{
	struct batch	*b = &a->batch;
	size_t		 i;

	memset(b, 0, sizeof(*b));
	b->entry = entry;
	b->asked = json_incref(calls);
	b->ncalls = json_array_size(calls);
	b->cut = cut;
	b->resumed = resumed;
	b->known = outcomes_load(a->store, a->submission, entry, b->ncalls);
	if ((b->calls = calloc(b->ncalls + 1, sizeof(*b->calls))) == NULL)
		fatal("calloc");
	for (i = 0; i < b->ncalls; i++) {
		b->calls[i].agent = a;
		b->calls[i].index = i;
	}
	b->one_by_one = wants_to_be_alone(a);
	batch_run(a);
}

void
batch_stop(struct agent *a, int told)
{
	struct batch	*b = &a->batch;
	size_t		 i;

	for (i = 0; b->calls != NULL && i < b->ncalls; i++) {
		if (b->calls[i].effect == NULL)
			continue;
		if (told)
			effect_cancel(b->calls[i].effect);
		else
			effect_forget(b->calls[i].effect);
	}
	free(b->calls);
	outcomes_free(b->known, b->ncalls);
	json_decref(b->asked);
	memset(b, 0, sizeof(*b));
}
