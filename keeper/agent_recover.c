/*
 * Agents after a restart. What is complete settles first; then an end that
 * was asked for, attempts and time are looked at; then a new attempt takes
 * over, and only that one repairs and goes on.
 */
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "agent_slots.h"
#include "log.h"
#include "submission.h"
#include "turn.h"
#include "turn_decide.h"
#include "turn_journal.h"

/* The error of the path's last entry. */
static const json_t *
last_error(const struct transcript *t)
{
	if (t->n == 0)
		return (NULL);
	return (json_object_get(t->entries[t->n - 1].body, "error"));
}

/* The last assistant entry; there is one in the states that ask. */
static const struct entry *
last_answer(const struct transcript *t)
{
	size_t	i;

	for (i = t->n; i > 0; i--)
		if (t->entries[i - 1].view.kind == ENTRY_ASSISTANT)
			return (&t->entries[i - 1]);
	fatalx("no assistant entry");
}

static void
resume_batch(struct agent *a, const struct transcript *t)
{
	const struct entry	*e = last_answer(t);

	batch_start(a, e->num, json_object_get(e->body, "tool_calls"), 0, 1);
}

/* Go on from where the transcript ends, in a new attempt. */
static void
resume(struct agent *a, enum submission_state state,
    const struct transcript *t)
{
	if (stream_recover(a, t)) {
		turn_begin(a);
		return;
	}
	switch (state) {
	case SUBMISSION_INPUT_ONLY:
	case SUBMISSION_CONTINUE:
	case SUBMISSION_ABORTED:
		turn_begin(a);
		return;
	case SUBMISSION_RETRY:
		turn_wait(a, json_integer_value(json_object_get(
		    last_answer(t)->body, "retry_at")));
		return;
	case SUBMISSION_TOOLS_PARTIAL:
	case SUBMISSION_TOOLS_DONE:
	case SUBMISSION_TOOLS_ENDED:
	case SUBMISSION_TOOLS_UNKNOWN:
		resume_batch(a, t);
		return;
	case SUBMISSION_COMPLETED:
		turn_remind(a);		/* only if a schema wants more */
		return;
	case SUBMISSION_ABSENT:
	case SUBMISSION_ADVANCED:
	case SUBMISSION_OVERFLOW:
	case SUBMISSION_FAILED:
		break;
	}
	fatalx("resume: %s", submission_state_name(state));
}

/* A compare-and-set to a new attempt comes before any other write. */
static void
resume_attempt(struct agent *a, const struct submission *sub,
    enum submission_state state, const struct transcript *t)
{
	struct journal	j;

	if (!submission_replace(a->store, a->submission, a->attempt,
	    sub->due, &a->attempt)) {
		agent_lost(a);
		return;
	}
	slot_hold(a);
	journal_load(a->store, a->submission, &j);
	a->turn = j.turn;
	agent_arm_timeout(a);
	log_info("%s: goes on as %s, attempt %lld", node_path(a->node),
	    submission_state_name(state), (long long)a->attempt);
	resume(a, state, t);
}

static enum submission_state
classify(const struct transcript *t)
{
	struct entry_view	*views;
	enum submission_state	 state;
	size_t			 i;

	if ((views = calloc(t->n + 1, sizeof(*views))) == NULL)
		fatal("calloc");
	for (i = 1; i < t->n; i++)
		views[i - 1] = t->entries[i].view;
	state = submission_classify(t->n > 0, views,
	    t->n > 0 ? t->n - 1 : 0);
	free(views);
	return (state);
}

static enum resume
decide(const struct agent *a, const struct submission *sub,
    enum submission_state state)
{
	struct resume_facts	 f;
	enum resume		 what;

	memset(&f, 0, sizeof(f));
	f.state = state;
	f.abort_requested = sub->abort_requested;
	f.attempts = sub->attempt;
	f.attempts_max = sub->attempts_max;
	f.now = store_now_ms();
	f.deadline = sub->deadline;
	if (sub->due != 0 && sub->due < f.deadline)
		f.deadline = sub->due;
	what = turn_resume(&f);
	/* Text is no answer, and a batch may have ended in give_up. */
	if (what == RESUME_SETTLE && a->session->schema != NULL)
		return (RESUME_GO_ON);
	return (what);
}

static void
recover(struct agent *a, const struct submission *sub,
    const struct transcript *t)
{
	enum submission_state	state = classify(t);

	switch (decide(a, sub, state)) {
	case RESUME_SETTLE:
		agent_succeed(a, turn_text(t));
		return;
	case RESUME_ABORT:
		agent_fail(a, "CancelledError", "cancelled", NULL,
		    "its end was asked for");
		return;
	case RESUME_EXHAUSTED:
		agent_fail(a, "AgentError", "attempts", NULL, "interrupted "
		    "%lld times", (long long)sub->attempt);
		return;
	case RESUME_TIMEOUT:
		agent_fail(a, "AgentError", "timeout", NULL, "its time was "
		    "over before it could go on");
		return;
	case RESUME_FAIL:
		turn_fail(a, last_error(t));
		return;
	case RESUME_REQUEUE:
		if (!submission_requeue(a->store, a->submission, a->attempt))
			agent_lost(a);
		else
			agent_claim(a);
		return;
	case RESUME_GO_ON:
		resume_attempt(a, sub, state, t);
		return;
	}
	fatalx("recover: %s", submission_state_name(state));
}

void
agent_recover(struct run *run, struct node *node, const json_t *input)
{
	struct agent		*a;
	struct submission	 sub;
	struct transcript	 t;
	char			 why[512];

	if (!submission_load(run_store(run), node_num(node), &sub)) {
		agent_start(run, node, input);
		return;
	}
	a = agent_new(run, node, input);
	a->submission = sub.num;
	a->attempt = sub.attempt;
	a->due = sub.due;
	a->deadline = sub.deadline;
	if (agent_build(a, why, sizeof(why)) == -1) {
		agent_fail(a, BAD_INPUT, "%s", why);
		return;
	}
	if (sub.status == STATUS_QUEUED) {
		slot_wait(a);
		return;
	}
	transcript_load(a->store, a->submission, &t);
	recover(a, &sub, &t);
	transcript_free(&t);
}
