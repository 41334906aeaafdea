/*
 * Model calls are paid for from the run's budget: set aside before they are
 * sent, settled when they end, and in between they wait in their order.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "broker.h"
#include "env.h"
#include "log.h"

/* What a call wants: reserve is all of it, output the most of its answer. */
static void
call_wants(const json_t *env, int64_t *input, int64_t *output)
{
	int64_t	reserve = msg_int(env, "reserve");

	*output = msg_int(env, "output");
	if (*output == -1)
		*output = 0;
	if (*output > reserve)
		*output = reserve;
	*input = reserve - *output;
}

static void
call_refuse(struct broker *b, struct run *run, uint32_t id,
    const json_t *env)
{
	const struct budget	*budget = &run_scope(run)->budget;
	int64_t			 input, output;
	char			 text[200];

	call_wants(env, &input, &output);
	(void)snprintf(text, sizeof(text), "the run's budget of %" PRId64
	    " tokens does not cover this call: %" PRId64 " are spent, and it "
	    "needs %" PRId64 " at the least", budget->tokens, budget->spent,
	    budget_least(input, output));
	model_fail(b, run->id, id, "budget", 0, text);
	audit("cap.use", "deny", "run", run->id, "node",
	    msg_str(env, "node"), "model", msg_str(env, "model"), "rule",
	    text, NULL);
}

/* Set aside what it may use, and send it. Takes env. */
static void
call_send(struct broker *b, struct run *run, struct pending *p, json_t *env,
    int64_t output, const char *body, size_t bodylen)
{
	int64_t	input, wanted;

	call_wants(env, &input, &wanted);
	p->u.model.reserved = input + output;
	p->u.model.input = input;
	if (budget_reserve(&run_scope(run)->budget, input + output) == -1)
		fatalx("a call was granted more than there is");
	if (output < wanted && (json_object_set_new(env, "output",
	    json_integer(output)) == -1 || json_object_set_new(env, "reserve",
	    json_integer(input + output)) == -1))
		fatalx("call_send");
	audit("cap.use", "grant", "run", run->id, "node",
	    msg_str(env, "node"), "model", msg_str(env, "model"), "agent",
	    msg_str(env, "agent"), "reserve", audit_int(input + output),
	    NULL);
	peer_send(b->gateway, IMSG_MODEL_CALL, p->id, -1, env, body, bodylen);
}

static void
call_wait(struct run *run, struct pending *p, const struct msg *m)
{
	p->u.model.env = env_of(m);
	if ((p->u.model.body = malloc(m->bodylen + 1)) == NULL)
		fatal("call_wait");
	if (m->bodylen > 0)
		memcpy(p->u.model.body, m->body, m->bodylen);
	p->u.model.bodylen = m->bodylen;
	TAILQ_INSERT_TAIL(&run->unpaid, p, u.model.entry);
}

static enum budget_verdict
call_decide(struct run *run, const json_t *env, int64_t *output)
{
	int64_t	input;

	call_wants(env, &input, output);
	return (budget_decide(&run_scope(run)->budget, input, output));
}

static struct pending *
call_new(struct broker *b, struct run *run, uint32_t id)
{
	struct pending	*p;

	p = pending_new(b->pendings, ASK_MODEL, b->keeper, id);
	memcpy(p->run, run->id, sizeof(p->run));
	return (p);
}

void
model_pay(struct broker *b, struct run *run, const struct msg *m)
{
	enum budget_verdict	 v;
	int64_t			 output;

	if (b->gateway == NULL) {
		model_fail_away(b, run->id, m->id, "the gateway is not there");
		return;
	}
	v = call_decide(run, m->env, &output);
	if (v == BUDGET_GRANT && !TAILQ_EMPTY(&run->unpaid))
		v = BUDGET_WAIT;
	switch (v) {
	case BUDGET_GRANT:
		call_send(b, run, call_new(b, run, m->id), env_of(m),
		    output, m->body, m->bodylen);
		return;
	case BUDGET_WAIT:
		call_wait(run, call_new(b, run, m->id), m);
		return;
	case BUDGET_REFUSE:
		call_refuse(b, run, m->id, m->env);
		return;
	}
	fatalx("model_pay: %d", (int)v);
}

/* ---- those that wait ---- */

static void
call_unqueue(struct run *run, struct pending *p)
{
	TAILQ_REMOVE(&run->unpaid, p, u.model.entry);
	json_decref(p->u.model.env);
	free(p->u.model.body);
	p->u.model.env = NULL;
	p->u.model.body = NULL;
}

/* The first that waits. Returns 0 if it waits on. */
static int
call_next(struct broker *b, struct run *run, struct pending *p)
{
	int64_t	output;

	if (b->gateway == NULL) {
		model_fail_away(b, run->id, p->asker_id,
		    "the gateway restarted");
		call_unqueue(run, p);
		pending_free(b->pendings, p);
		return (1);
	}
	switch (call_decide(run, p->u.model.env, &output)) {
	case BUDGET_GRANT:
		call_send(b, run, p, json_incref(p->u.model.env), output,
		    p->u.model.body, p->u.model.bodylen);
		call_unqueue(run, p);
		return (1);
	case BUDGET_WAIT:
		return (0);
	case BUDGET_REFUSE:
		call_refuse(b, run, p->asker_id, p->u.model.env);
		call_unqueue(run, p);
		pending_free(b->pendings, p);
		return (1);
	}
	fatalx("call_next: run %s", run->id);
}

void
model_forget_unpaid(struct run *run)
{
	struct pending	*p;

	while ((p = TAILQ_FIRST(&run->unpaid)) != NULL) {
		call_unqueue(run, p);
		pending_free(run->broker->pendings, p);
	}
}

void
model_settle(struct broker *b, struct pending *p, int64_t used)
{
	struct run	*run = run_find(b, p->run);
	struct scope	*scope = run_scope(run);

	if (p->u.model.env != NULL)
		call_unqueue(run, p);
	else if (scope != NULL)
		budget_settle(&scope->budget, p->u.model.reserved, used);
	pending_free(b->pendings, p);
	while (scope != NULL && (p = TAILQ_FIRST(&run->unpaid)) != NULL)
		if (!call_next(b, run, p))
			return;
}
