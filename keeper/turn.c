/*
 * The model's side of the turn: asking it.
 */
#include <string.h>

#include "log.h"
#include "turn.h"
#include "turn_decide.h"
#include "turn_journal.h"

/* The longest conversation that is sent: a message has to carry it. */
#define CONVERSATION_MAX	(960 * 1024)
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

static json_t *
conversation(const struct agent *a, const struct transcript *t)
{
	json_t	*messages, *system;

	messages = transcript_messages(t);
	system = json_pack("{s:s, s:s}", "role", "system", "content",
	    a->session->system);
	if (json_array_insert_new(messages, 0, system) == -1)
		fatalx("json: the system message");
	return (messages);
}

/* Takes messages. */
static void
ask(struct agent *a, json_t *messages)
{
	json_t	*body;
	size_t	 size;
	int64_t	 in;

	size = json_dumpb(messages, NULL, 0, JSON_COMPACT) +
	    json_dumpb(toolset_advert(a->session->tools), NULL, 0,
	    JSON_COMPACT);
	if (size > CONVERSATION_MAX) {
		json_decref(messages);
		agent_fail(a, "AgentError", "overflow", NULL, "the "
		    "conversation has %zu bytes, more than %d", size,
		    CONVERSATION_MAX);
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
	messages = conversation(a, &t);
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
