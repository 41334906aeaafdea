/*
 * Agents: from the node to the attempt, and how an attempt ends. The verbs of
 * agent.h are here; the loop itself is in turn.c.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "agent_slots.h"
#include "log.h"
#include "quota.h"
#include "submission.h"
#include "text.h"
#include "turn.h"
#include "turn_decide.h"

/* ---- in memory ---- */

struct agent *
agent_new(struct run *run, struct node *node, const json_t *input)
{
	struct agent	*a;

	if ((a = calloc(1, sizeof(*a))) == NULL)
		fatal("calloc");
	a->run = run;
	a->node = node;
	a->store = run_store(run);
	a->input = json_incref((json_t *)input);
	node_set_agent(node, a);
	return (a);
}

/* Stop what runs. told: tell the broker that nobody waits. */
static void
agent_stop(struct agent *a, int told)
{
	if (a->model != NULL && told)
		effect_cancel(a->model);
	else
		effect_forget(a->model);
	a->model = NULL;
	batch_stop(a, told);
	stream_end(a);
	if (a->wait != NULL)
		event_free(a->wait);
	if (a->timeout != NULL)
		event_free(a->timeout);
	a->wait = a->timeout = NULL;
}

static void
agent_free(struct agent *a)
{
	slot_leave(a);
	node_set_agent(a->node, NULL);
	session_free(a->session);
	json_decref(a->input);
	free(a);
}

const char *
agent_name(const struct agent *a)
{
	return (a->session->agent == NULL ? "" : a->session->agent);
}

/* ---- ends ---- */

/* Everything stops, and a sandbox of its own has done its work. */
static struct node *
agent_end(struct agent *a)
{
	struct node	*node = a->node;

	agent_stop(a, 1);
	if (a->sandbox != 0 && a->session->sandbox == NULL)
		sandbox_close(a->run, a->sandbox);
	agent_free(a);
	return (node);
}

void
agent_succeed(struct agent *a, json_t *value)
{
	if (!submission_settle(a->store, a->submission, a->attempt, NULL)) {
		json_decref(value);
		agent_lost(a);
		return;
	}
	node_settle(agent_end(a), 1, value);
}

void
agent_lost(struct agent *a)
{
	log_warnx("%s: attempt %lld has lost its submission",
	    node_path(a->node), (long long)a->attempt);
	node_settle_error(agent_end(a), "AgentError", "internal", NULL,
	    "the journal of this agent is not as it must be");
}

static void	attempt_again(struct agent *);

/* Is another attempt of any use, and is there one? */
static int
may_retry(struct agent *a, const char *class)
{
	return (strcmp(class, "AgentError") == 0 && a->session != NULL &&
	    store_now_ms() < a->deadline &&
	    submission_use_retry(a->store, a->submission, a->attempt));
}

void
agent_fail(struct agent *a, const char *class, const char *cause,
    const char *rule, const char *fmt, ...)
{
	char	message[1024];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	text_trim(message);
	if (may_retry(a, class)) {
		run_event(a->run, "retry", json_pack("{s:s, s:s, s:s}",
		    "node", node_path(a->node), "class", cause, "message",
		    message));
		attempt_again(a);
		return;
	}
	if (!submission_settle(a->store, a->submission, a->attempt, cause))
		log_warnx("%s: settled before", node_path(a->node));
	node_settle_error(agent_end(a), class, cause, rule, "%s", message);
}

/* ---- attempts ---- */

static void
timed_out(int fd, short what, void *arg)
{
	struct agent	*a = arg;
	int64_t		 now = store_now_ms();

	(void)fd;
	(void)what;
	if (now >= a->deadline)
		agent_fail(a, "AgentError", "timeout", NULL, "all attempts "
		    "together took longer than they may");
	else
		agent_fail(a, "AgentError", "timeout", NULL, "no result "
		    "within %g seconds",
		    (double)(a->session->timeout_ms - 1) / 1000);
}

void
agent_arm_timeout(struct agent *a)
{
	int64_t		left, end = a->deadline;
	struct timeval	tv;

	if (a->due != 0 && a->due < end)
		end = a->due;
	if ((left = end - store_now_ms()) < 0)
		left = 0;
	tv.tv_sec = left / 1000;
	tv.tv_usec = left % 1000 * 1000;
	a->timeout = evtimer_new(run_base(a->run), timed_out, a);
	if (a->timeout == NULL || evtimer_add(a->timeout, &tv) == -1)
		fatalx("no timer");
}

int
agent_build(struct agent *a, char *why, size_t whylen)
{
	session_free(a->session);
	a->session = session_new(a->input, run_config(a->run), why, whylen);
	return (a->session == NULL ? -1 : 0);
}

static int64_t
due_from_now(const struct agent *a)
{
	if (a->session->timeout_ms == 0)
		return (0);
	return (store_now_ms() + a->session->timeout_ms);
}

/* The least is an hour; who asks for more time for each attempt gets it. */
static int64_t
deadline_from_now(const struct agent *a)
{
	int64_t	asked, budget = TURN_BUDGET_MS;

	asked = a->session->timeout_ms * (a->session->retries + 1);
	return (store_now_ms() + (asked > budget ? asked : budget));
}

static int
append_input(struct agent *a)
{
	json_t	*body;

	body = json_pack("{s:s, s:I}", "text", a->session->prompt,
	    "submission", (json_int_t)a->submission);
	if (body == NULL)
		fatalx("json: the prompt");
	return (turn_append(a, ENTRY_USER, "u0", body) != 0 &&
	    submission_apply(a->store, a->submission, a->attempt));
}

static void
attempt_begin(struct agent *a)
{
	agent_arm_timeout(a);
	if (!append_input(a))
		agent_lost(a);
	else
		turn_begin(a);
}

void
agent_claim(struct agent *a)
{
	if (slot_take(a))
		agent_run(a);
}

void
agent_run(struct agent *a)
{
	a->due = due_from_now(a);
	a->deadline = deadline_from_now(a);
	if (!submission_claim(a->store, a->submission, a->due, a->deadline,
	    &a->attempt))
		agent_lost(a);
	else
		attempt_begin(a);
}

/* A retry: a new branch of the transcript from the input on. */
static void
attempt_again(struct agent *a)
{
	struct transcript	t;
	char			why[512];
	int			held;

	agent_stop(a, 1);
	if (agent_build(a, why, sizeof(why)) == -1) {
		agent_fail(a, BAD_INPUT, "%s", why);
		return;
	}
	a->due = due_from_now(a);
	transcript_load(a->store, a->submission, &t);
	held = t.n > 0 && submission_replace(a->store, a->submission,
	    a->attempt, a->due, &a->attempt) && transcript_rewind(a->store,
	    a->submission, a->attempt, t.entries[0].num);
	transcript_free(&t);
	if (held)
		attempt_begin(a);
	else
		agent_lost(a);
}

/* ---- the verbs of agent.h ---- */

const char *
agent_refuses(struct run *run, const json_t *input, size_t len, char *why,
    size_t whylen)
{
	struct session	*session;
	int		 is_long;

	if (turn_is_long(len, why, whylen))
		return ("overflow");
	session = session_new(input, run_config(run), why, whylen);
	if (session == NULL)
		return ("input");
	is_long = turn_is_long(turn_first_size(session), why, whylen);
	session_free(session);
	return (is_long ? "overflow" : NULL);
}

void
agent_start(struct run *run, struct node *node, const json_t *input)
{
	struct agent	*a = agent_new(run, node, input);
	char		 why[512];

	if (agent_build(a, why, sizeof(why)) == -1) {
		agent_free(a);
		node_settle_error(node, BAD_INPUT, "%s", why);
		return;
	}
	a->submission = submission_admit(a->store, run_num(run),
	    node_num(node), a->session->retries, TURN_ATTEMPTS_MAX);
	run_grow(run, WEIGH_AGENT);
	agent_claim(a);
}

void
agent_cancel(struct node *node)
{
	struct store		*s = run_store(node_run(node));
	struct agent		*a = node_agent(node);
	struct submission	 sub;

	if (submission_load(s, node_num(node), &sub)) {
		(void)submission_abort(s, sub.num);	/* the first is kept */
		(void)submission_settle(s, sub.num, sub.attempt, "cancelled");
	}
	if (a != NULL)
		(void)agent_end(a);	/* the node is the caller's */
}

void
agent_forget(struct node *node)
{
	struct agent	*a = node_agent(node);

	if (a == NULL)
		return;
	agent_stop(a, 0);
	agent_free(a);
}
