/*
 * What a model answers goes to the keeper unread. A call that is cancelled or
 * lost with the gateway has cost what is known: its question, and of the
 * answer what was streamed. It may not be free, or a script would withdraw
 * each call just before its end and have no budget at all.
 */
#include <string.h>

#include "broker.h"
#include "env.h"
#include "grant.h"
#include "log.h"

/* A token is about so many bytes; a delta is {"text":""} and what it says. */
#define TOKEN_BYTES	4
#define DELTA_BYTES	11
/* Milliseconds until a call is worth another try after the gateway's end. */
#define RETRY_AFTER	500

/* What a call that will have no end has cost, about. */
struct cost {
	int64_t	in, out;
};

static void
fail_with(struct broker *b, const char *run, uint32_t id, const char *class,
    int64_t after, const char *message, const struct cost *cost)
{
	if (b->keeper == NULL)
		return;
	peer_send(b->keeper, IMSG_MODEL_FAIL, id, -1,
	    env_new("{s:s, s:s, s:s, s:i, s:I, s:I, s:I}", "run", run,
	    "class", class, "message", message, "status", 0,
	    "after", (json_int_t)after, "tokens_in", (json_int_t)cost->in,
	    "tokens_out", (json_int_t)cost->out), NULL, 0);
}

void
model_fail(struct broker *b, const char *run, uint32_t id, const char *class,
    int64_t after, const char *message)
{
	const struct cost	none = { 0, 0 };

	fail_with(b, run, id, class, after, message, &none);
}

void
model_fail_away(struct broker *b, const char *run, uint32_t id,
    const char *message)
{
	model_fail(b, run, id, "transient", RETRY_AFTER, message);
}

/* A call that was not sent has cost nothing. */
static struct cost
cost_now(const struct pending *p)
{
	struct cost	cost = { 0, 0 };
	int64_t		most = p->u.model.reserved - p->u.model.input;

	if (p->u.model.env != NULL)
		return (cost);
	cost.in = p->u.model.input;
	cost.out = (p->u.model.streamed + TOKEN_BYTES - 1) / TOKEN_BYTES;
	if (cost.out > most)
		cost.out = most;
	return (cost);
}

/* Nobody waits for this call any more: cancel, settle and free it. */
static void
model_forget(struct broker *b, struct pending *p)
{
	struct cost	cost = cost_now(p);

	if (b->gateway != NULL && p->u.model.env == NULL)
		peer_send(b->gateway, IMSG_MODEL_CANCEL, p->id, -1,
		    env_new("{s:s}", "run", p->run), NULL, 0);
	model_settle(b, p, cost.in + cost.out);
}

void
model_forget_run(struct run *run)
{
	struct broker	*b = run->broker;
	struct pending	*p;
	uint32_t	 last = 0;

	/* First what waits, or it would be sent as the others settle. */
	model_forget_unpaid(run);
	while ((p = pending_next(b->pendings, last)) != NULL) {
		last = p->id;
		if (p->ask == ASK_MODEL && strcmp(p->run, run->id) == 0)
			model_forget(b, p);
	}
}

/* ---- from the keeper ---- */

int
model_call(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);
	const char	*id = msg_str(m->env, "run");
	struct run	*run = run_find(b, id);
	struct request	 r = { .want = WANT_MODEL };
	struct verdict	 v;

	r.model = msg_str(m->env, "model");
	r.agent = msg_str(m->env, "agent");
	v = run_judge(b, run, &r);
	if (v.reason == GRANTED) {
		model_pay(b, run, m);
		return (0);
	}
	audit("cap.use", "deny", "run", id, "node", msg_str(m->env, "node"),
	    "model", r.model, "agent", r.agent, "rule", v.rule, NULL);
	model_fail(b, id, m->id, "denied", 0, v.rule);
	return (0);
}

int
model_cancel(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);
	struct pending	*p = pending_of(b->pendings, peer, ASK_MODEL, m->id);
	struct cost	 cost;

	if (p == NULL)
		return (0);
	if (p->u.model.env == NULL) {
		cost = cost_now(p);
		fail_with(b, p->run, m->id, "cancelled", 0, "", &cost);
	}
	model_forget(b, p);
	return (0);
}

/* ---- from the gateway ---- */

/* The call that an answer is for. An answer that crosses a cancel is for
 * none: *p is NULL. -1 if it names another run than its call did, or a call
 * that has not been sent. */
static int
model_answered(struct broker *b, const struct msg *m, struct pending **p)
{
	*p = pending_find(b->pendings, m->id);
	if (*p != NULL && ((*p)->ask != ASK_MODEL ||
	    (*p)->u.model.env != NULL))
		return (-1);
	if (*p != NULL && strcmp((*p)->run, msg_str(m->env, "run")) != 0)
		return (-1);
	return (0);
}

static void
model_pass(struct broker *b, const struct pending *p, const struct msg *m)
{
	if (b->keeper == NULL)
		return;
	env_forward(b->keeper, m->def->type, p->asker_id, env_of(m), m);
	throttle_sink(b->throttles, &b->gateway_throttle, b->keeper);
}

static int
model_delta(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);
	struct pending	*p;

	if (model_answered(b, m, &p) == -1)
		return (-1);
	if (p == NULL)
		return (0);
	if (m->bodylen > DELTA_BYTES)
		p->u.model.streamed += (int64_t)m->bodylen - DELTA_BYTES;
	model_pass(b, p, m);
	return (0);
}

static int64_t
tokens_used(const json_t *env)
{
	int64_t	sum;

	if (__builtin_add_overflow(msg_int(env, "tokens_in"),
	    msg_int(env, "tokens_out"), &sum))
		return (INT64_MAX);
	return (sum);
}

/* MODEL_DONE or MODEL_FAIL. */
static int
model_end(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);
	struct pending	*p;

	if (model_answered(b, m, &p) == -1)
		return (-1);
	if (p == NULL)
		return (0);
	model_pass(b, p, m);
	model_settle(b, p, tokens_used(m->env));
	return (0);
}

static void
gateway_gone(struct peer *peer, const char *why)
{
	struct broker	*b = peer_ctx(peer);
	struct pending	*p;
	struct cost	 cost;
	uint32_t	 last = 0;

	log_warnx("gateway: %s", why);
	b->gateway = NULL;
	throttle_end(b->throttles, &b->gateway_throttle);
	while ((p = pending_next(b->pendings, last)) != NULL) {
		last = p->id;
		if (p->ask != ASK_MODEL)
			continue;
		cost = cost_now(p);
		fail_with(b, p->run, p->asker_id, "transient", RETRY_AFTER,
		    "the gateway restarted", &cost);
		model_settle(b, p, cost.in + cost.out);
	}
}

static const struct handler gateway_handlers[] = {
	{ IMSG_MODEL_DELTA,	model_delta },
	{ IMSG_MODEL_DONE,	model_end },
	{ IMSG_MODEL_FAIL,	model_end },
	{ 0,			NULL },
};

static const struct peer_ops gateway_ops = {
	.self = BROKER,
	.handlers = gateway_handlers,
	.gone = gateway_gone,
};

void
model_connect(struct broker *b, int fd)
{
	peer_check_handlers(BROKER, GATEWAY, gateway_handlers);
	if (b->gateway != NULL) {
		peer_close(b->gateway);
		gateway_gone(b->gateway, "replaced");
	}
	b->gateway = peer_new(b->base, fd, GATEWAY, "gateway", &gateway_ops,
	    b);
	if (b->gateway == NULL)
		fatal("peer_new: gateway");
	peer_set_body_max(b->gateway, BODY_MAX);
	throttle_init(&b->gateway_throttle, b->gateway);
}
