/*
 * The model's side of the turn: what it answers, and how it fails.
 */
#include <bsd/stdlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "turn.h"
#include "turn_decide.h"
#include "turn_journal.h"

static const char	reminder[] =
    "You have not given a result. Call finish with it, or give_up with the "
    "reason why there is none.";

static void
delta(void *arg, const char *text)
{
	struct agent	*a = arg;

	stream_add(a, text);
	run_text(a->run, node_path(a->node), text);
}

/* The key of this turn's entry of a kind. */
static const char *
turn_key(const struct agent *a, char kind, char *buf, size_t buflen)
{
	(void)snprintf(buf, buflen, "%c%lld", kind, (long long)a->turn);
	return (buf);
}

static int64_t
append(struct agent *a, enum entry_kind kind, char letter, json_t *body)
{
	char	key[32];

	if (body == NULL)
		fatalx("json: an entry");
	return (turn_append(a, kind, turn_key(a, letter, key, sizeof(key)),
	    body));
}

/* The assistant's entry of an answer. calls is lent. */
static json_t *
answer_entry(const struct model_done *d, enum stop stop, json_t *calls)
{
	json_t	*content, *body;

	content = json_object_get(d->message, "content");
	if (!json_is_string(content))
		content = json_null();
	body = json_pack("{s:s, s:O, s:[I,I], s:s*}", "stop",
	    stop_name(stop), "content", content, "tokens",
	    (json_int_t)d->tokens_in, (json_int_t)d->tokens_out, "request",
	    d->request);
	if (calls != NULL)
		json_object_set(body, "tool_calls", calls);
	return (body);
}

/* Takes calls. */
static void
answer_calls(struct agent *a, const struct model_done *d, json_t *calls)
{
	int64_t	entry;

	entry = append(a, ENTRY_ASSISTANT, 'a', answer_entry(d, STOP_TOOLS,
	    calls));
	if (entry == 0 || !journal_tools_recorded(a->store, a->submission,
	    a->attempt, entry)) {
		json_decref(calls);
		agent_lost(a);
		return;
	}
	batch_start(a, entry, calls, strcmp(d->finish, "length") == 0, 0);
	json_decref(calls);
}

/* The chain of partial answers that the last one goes on with, and it. */
json_t *
turn_text(const struct transcript *t)
{
	const char	*text;
	char		*all = NULL, *joined;
	json_t		*value;
	size_t		 i, first;

	for (first = t->n; first > 0; first--)
		if (t->entries[first - 1].view.kind == ENTRY_USER ||
		    t->entries[first - 1].view.kind == ENTRY_TOOL)
			break;
	for (i = first; i < t->n; i++) {
		text = json_string_value(json_object_get(t->entries[i].body,
		    "content"));
		if (t->entries[i].view.kind != ENTRY_ASSISTANT || text == NULL)
			continue;
		if (t->entries[i].view.stop == STOP_ABORTED && (i + 1 == t->n
		    || t->entries[i + 1].view.kind != ENTRY_SIGNAL))
			continue;
		if (asprintf(&joined, "%s%s", all == NULL ? "" : all, text) ==
		    -1)
			fatal("asprintf");
		free(all);
		all = joined;
	}
	value = json_string(all == NULL ? "" : all);
	free(all);
	if (value == NULL)
		fatalx("json: a text");
	return (value);
}

static void
answer_text(struct agent *a, const struct model_done *d)
{
	struct transcript	 t;
	json_t			*text;
	int64_t			 leaf;

	leaf = append(a, ENTRY_ASSISTANT, 'a', answer_entry(d,
	    strcmp(d->finish, "length") == 0 ? STOP_LENGTH : STOP_END, NULL));
	if (leaf == 0) {
		agent_lost(a);
		return;
	}
	if (a->session->schema != NULL) {
		turn_remind(a);
		return;
	}
	if (!journal_commit(a->store, a->submission, a->attempt, leaf)) {
		agent_lost(a);
		return;
	}
	transcript_load(a->store, a->submission, &t);
	text = turn_text(&t);
	transcript_free(&t);
	agent_succeed(a, text);
}

void
turn_remind(struct agent *a)
{
	struct transcript	t;
	size_t			i, reminders = 0;

	transcript_load(a->store, a->submission, &t);
	for (i = 0; i < t.n; i++)
		if (json_is_true(json_object_get(t.entries[i].body,
		    "reminder")))
			reminders++;
	transcript_free(&t);
	if (reminders >= TURN_REMINDERS_MAX) {
		agent_fail(a, "AgentError", "no_result", NULL, "the model "
		    "did not call finish, though reminded %d times",
		    TURN_REMINDERS_MAX);
		return;
	}
	if (append(a, ENTRY_USER, 'r', json_pack("{s:s, s:I, s:b}", "text",
	    reminder, "submission", (json_int_t)a->submission, "reminder",
	    1)) == 0)
		agent_lost(a);
	else
		turn_begin(a);
}

/* A call that the broker or gateway took back, or that went wrong. */
static json_t *
error_entry(const char *class, const char *message, int64_t retry_at)
{
	json_t	*body;

	body = json_pack("{s:s, s:n, s:{s:s, s:s}}", "stop",
	    stop_name(STOP_ERROR), "content", "error", "class", class,
	    "message", message == NULL ? "" : message);
	if (body != NULL && retry_at != 0)
		json_object_set_new(body, "retry_at", json_integer(retry_at));
	return (body);
}

static void	fail(void *, const struct model_fail *);

static void
done(void *arg, const struct model_done *d)
{
	struct agent		*a = arg;
	struct model_fail	 f = { .class = "fatal" };
	json_t			*calls;

	a->model = NULL;
	if (strcmp(d->finish, "content_filter") == 0) {
		f.message = "the provider's filter kept the answer back";
		f.tokens_in = d->tokens_in;
		f.tokens_out = d->tokens_out;
		fail(a, &f);
		return;
	}
	stream_end(a);
	node_charge(a->node, d->tokens_in, d->tokens_out);
	if ((calls = message_calls(d->message, a->turn)) != NULL)
		answer_calls(a, d, calls);
	else
		answer_text(a, d);
}

/* ---- its failure ---- */

/* What is left of the attempt's time. */
static int64_t
time_left(const struct agent *a)
{
	int64_t	end = a->deadline;

	if (a->due != 0 && a->due < end)
		end = a->due;
	return (end - store_now_ms());
}

/* When to try again, or 0 for never. */
static int64_t
retry_at(struct agent *a, const struct model_fail *f)
{
	struct transcript	 t;
	struct entry_view	*views;
	unsigned		 errors;
	int64_t			 delay;
	size_t			 i;

	if (turn_fault(f->class) != FAULT_TRANSIENT)
		return (0);
	transcript_load(a->store, a->submission, &t);
	if ((views = calloc(t.n + 1, sizeof(*views))) == NULL)
		fatal("calloc");
	for (i = 0; i < t.n; i++)
		views[i] = t.entries[i].view;
	errors = classify_errors(views, t.n) + 1;
	free(views);
	transcript_free(&t);
	delay = turn_retry_delay(errors, arc4random_uniform(1001), f->after,
	    time_left(a));
	return (delay == -1 ? 0 : store_now_ms() + delay);
}

void
turn_fail(struct agent *a, const json_t *error)
{
	const char	*class, *message;

	class = json_string_value(json_object_get(error, "class"));
	message = json_string_value(json_object_get(error, "message"));
	if (class == NULL || message == NULL)
		class = message = "unknown";
	switch (turn_fault(class)) {
	case FAULT_DENIED:
		agent_fail(a, "ScopeError", "denied", message, "%s", message);
		return;
	case FAULT_BUDGET:
		agent_fail(a, "BudgetError", "budget", NULL, "%s", message);
		return;
	case FAULT_OVERFLOW:
		agent_fail(a, "AgentError", "overflow", NULL, "%s", message);
		return;
	case FAULT_NONE:
	case FAULT_TRANSIENT:
	case FAULT_PROVIDER:
		agent_fail(a, "AgentError", "provider", NULL, "%s: %s", class,
		    message);
		return;
	}
	fatalx("turn_fail: %s", class);
}

static void
fail(void *arg, const struct model_fail *f)
{
	struct agent	*a = arg;
	json_t		*body;
	int64_t		 at, leaf;

	a->model = NULL;
	stream_end(a);
	node_charge(a->node, f->tokens_in, f->tokens_out);
	at = retry_at(a, f);
	body = error_entry(f->class, f->message, at);
	leaf = append(a, ENTRY_ASSISTANT, 'a', json_incref(body));
	if (leaf == 0)
		agent_lost(a);
	else if (at == 0)
		turn_fail(a, json_object_get(body, "error"));
	else if (!journal_before_provider(a->store, a->submission,
	    a->attempt, a->turn, leaf))
		agent_lost(a);
	else {
		run_event(a->run, "retry", json_pack("{s:s, s:s, s:s, s:I}",
		    "node", node_path(a->node), "class", f->class, "message",
		    f->message == NULL ? "" : f->message, "at",
		    (json_int_t)at));
		turn_wait(a, at);
	}
	json_decref(body);
}

const struct model_ops	turn_answers = {
	.delta = delta,
	.done = done,
	.fail = fail,
};
