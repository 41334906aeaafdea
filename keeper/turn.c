/*
 * The model's side of the turn: asking it.
 */
#include <stdio.h>
#include <string.h>

#include "agent.h"
#include "log.h"
#include "quota.h"
#include "turn.h"
#include "turn_decide.h"
#include "turn_journal.h"

#define BYTES_A_TOKEN		4

static size_t
count_turns(const struct transcript *t)
{
	size_t	i, n = 0;

	for (i = 0; i < t->n; i++)
		if (t->entries[i].view.kind == ENTRY_ASSISTANT &&
		    t->entries[i].view.stop != STOP_ERROR)
			n++;
	return (n);
}

static int
is_wrong_result(const struct entry *e)
{
	const char	*name;

	if (e->view.kind != ENTRY_TOOL ||
	    json_is_true(json_object_get(e->body, "ok")))
		return (0);
	name = json_string_value(json_object_get(e->body, "name"));
	return (name != NULL && strcmp(name, tooldef_finish.name) == 0);
}

/* Answers with a result that was not right, and what the model was told of
 * the last one. */
static size_t
count_wrong(const struct transcript *t, const char **told)
{
	size_t	i, n = 0;
	int	counted = 0;

	for (i = 0; i < t->n; i++) {
		if (t->entries[i].view.kind == ENTRY_ASSISTANT)
			counted = 0;
		if (counted || !is_wrong_result(&t->entries[i]))
			continue;
		counted = 1;
		n++;
		*told = json_string_value(json_object_get(
		    t->entries[i].body, "text"));
	}
	return (n);
}

/* Has the model had its share of answers? Ends the agent if so. */
static int
is_enough(struct agent *a, const struct transcript *t)
{
	const char	*told = NULL;

	if (count_wrong(t, &told) >= TURN_WRONG_MAX)
		agent_fail(a, "AgentError", "schema", NULL, "the model has "
		    "given %d results that the schema does not allow, and was "
		    "told last: %s", TURN_WRONG_MAX, told == NULL ? "" : told);
	else if (count_turns(t) >= TURN_TURNS_MAX)
		agent_fail(a, "AgentError", "turns", NULL, "no result after "
		    "%d answers of the model", TURN_TURNS_MAX);
	else
		return (0);
	return (1);
}

int64_t
turn_append(struct agent *a, enum entry_kind kind, const char *key,
    json_t *body)
{
	int64_t	entry, grown;

	entry = transcript_append(a->store, a->submission, a->attempt, kind,
	    key, body, &grown);
	run_grow(a->run, grown);
	return (entry);
}

/* A turn adds to the journal: has the run had its share of it? */
static int
is_over(struct agent *a)
{
	char	why[160];

	if (!quota_run_over(a->run, why, sizeof(why)))
		return (0);
	agent_fail(a, "BudgetError", "journal", NULL, "%s", why);
	return (1);
}

static json_t *
message(const char *who, const char *text)
{
	json_t	*m;

	m = json_pack("{s:s, s:s}", "role", who, "content", text);
	if (m == NULL)
		fatalx("json: a message");
	return (m);
}

/* Messages begin with the system's. */
static json_t *
conversation(const struct session *s, json_t *messages)
{
	if (json_array_insert_new(messages, 0, message("system", s->system))
	    == -1)
		fatalx("json: the system message");
	return (messages);
}

static size_t
size_of(const struct session *s, const json_t *messages)
{
	return (json_dumpb(messages, NULL, 0, JSON_COMPACT) +
	    json_dumpb(toolset_advert(s->tools), NULL, 0, JSON_COMPACT));
}

size_t
turn_first_size(const struct session *s)
{
	json_t	*messages;
	size_t	 size;

	messages = json_pack("[o]", message("user", s->prompt));
	size = size_of(s, conversation(s, messages));
	json_decref(messages);
	return (size);
}

int
turn_is_long(size_t size, char *why, size_t whylen)
{
	if (size <= CONVERSATION_MAX)
		return (0);
	(void)snprintf(why, whylen, "the conversation has %zu bytes, more "
	    "than %d: what is long belongs in a file, which the agent reads "
	    "in pieces", size, CONVERSATION_MAX);
	return (1);
}

/* Takes messages. */
static void
ask(struct agent *a, json_t *messages)
{
	json_t	*body;
	size_t	 size = size_of(a->session, messages);
	char	 why[160];
	int64_t	 in;

	if (turn_is_long(size, why, sizeof(why))) {
		json_decref(messages);
		agent_fail(a, "AgentError", "overflow", NULL, "%s", why);
		return;
	}
	if (!journal_provider_started(a->store, a->submission, a->attempt)) {
		json_decref(messages);
		agent_lost(a);
		return;
	}
	in = (int64_t)size / BYTES_A_TOKEN;
	body = json_pack("{s:o, s:O, s:I}", "messages", messages, "tools",
	    toolset_advert(a->session->tools), "max_tokens",
	    (json_int_t)a->session->max_tokens);
	a->model = effect_model(a->run, node_path(a->node),
	    a->session->model, in, a->session->max_tokens, agent_name(a),
	    body, &turn_answers, a);
	json_decref(body);
}

void
turn_begin(struct agent *a)
{
	struct transcript	 t;
	json_t			*messages;

	if (is_over(a))
		return;
	transcript_load(a->store, a->submission, &t);
	if (is_enough(a, &t)) {
		transcript_free(&t);
		return;
	}
	a->turn++;
	if (!journal_before_provider(a->store, a->submission, a->attempt,
	    a->turn, t.leaf)) {
		transcript_free(&t);
		agent_lost(a);
		return;
	}
	messages = conversation(a->session, transcript_messages(&t));
	transcript_free(&t);
	ask(a, messages);
}

static void
wait_over(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	turn_begin(arg);
}

void
turn_wait(struct agent *a, int64_t at)
{
	int64_t		left = at - store_now_ms();
	struct timeval	tv;

	if (left < 0)
		left = 0;
	tv.tv_sec = left / 1000;
	tv.tv_usec = left % 1000 * 1000;
	if (a->wait == NULL)
		a->wait = evtimer_new(run_base(a->run), wait_over, a);
	if (a->wait == NULL || evtimer_add(a->wait, &tv) == -1)
		fatalx("no timer");
}
