/*
 * Tool calls: from the keeper to the tool jail of the run's sandbox, which
 * is started at the first call. A call that has not been sent yet has done
 * nothing; one that has been sent may have done anything.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "broker.h"
#include "clock.h"
#include "env.h"
#include "grant.h"
#include "log.h"

static void
call_answer(struct broker *b, const struct pending *p, int ok,
    json_t *body)
{
	if (p->asker == NULL || b->keeper == NULL) {
		json_decref(body);
		return;
	}
	peer_send_json(b->keeper, IMSG_TOOL_DONE, p->asker_id, -1,
	    env_new("{s:s, s:b}", "run", p->run, "ok", ok), body);
}

static void
call_free(struct jail *jail, struct pending *p)
{
	TAILQ_REMOVE(&jail->calls, p, u.tool.entry);
	pending_free(jail->broker->pendings, p);
}

void
tool_fail_calls(struct jail *jail, const char *cause, const char *text)
{
	struct pending	*p;

	while ((p = TAILQ_FIRST(&jail->calls)) != NULL) {
		call_answer(jail->broker, p, 0, env_error("ToolError", cause,
		    NULL, "%s%s", text, p->u.tool.sent ?
		    ": whether the call took effect is unknown" : ""));
		call_free(jail, p);
	}
}

void
tool_move_calls(struct jail *from, struct jail *to)
{
	struct pending	*p, *next;

	for (p = TAILQ_FIRST(&from->calls); p != NULL; p = next) {
		next = TAILQ_NEXT(p, u.tool.entry);
		if (p->u.tool.sent)
			continue;
		TAILQ_REMOVE(&from->calls, p, u.tool.entry);
		TAILQ_INSERT_TAIL(&to->calls, p, u.tool.entry);
		p->u.tool.jail = to;
	}
}

void
tool_forget_calls(struct jail *jail)
{
	struct pending	*p;

	while ((p = TAILQ_FIRST(&jail->calls)) != NULL)
		call_free(jail, p);
}

static void
call_send(struct jail *jail, struct pending *p)
{
	peer_send(jail->peer, IMSG_SANDBOX_CALL, p->id, -1,
	    json_incref(p->u.tool.env), p->u.tool.body, p->u.tool.bodylen);
	p->u.tool.sent = 1;
	free(p->u.tool.body);
	p->u.tool.body = NULL;
	jail->used = clock_ms();
}

void
tool_flush(struct jail *jail)
{
	struct pending	*p;

	TAILQ_FOREACH(p, &jail->calls, u.tool.entry)
		if (!p->u.tool.sent)
			call_send(jail, p);
}

/* ---- from the keeper ---- */

static void
call_denied(struct broker *b, const struct msg *m, const char *rule)
{
	peer_send_json(b->keeper, IMSG_TOOL_DONE, m->id, -1,
	    env_new("{s:s, s:b}", "run", msg_str(m->env, "run"), "ok", 0),
	    env_error("ScopeError", NULL, rule, "%s", rule));
}

static void
call_queue(struct run *run, struct jail *jail, const struct msg *m)
{
	struct broker	*b = run->broker;
	struct pending	*p;

	p = pending_new(b->pendings, ASK_TOOL, b->keeper, m->id);
	memcpy(p->run, run->id, sizeof(p->run));
	p->u.tool.jail = jail;
	p->u.tool.env = env_new("{s:s, s:I, s:I}", "op", msg_str(m->env, "tool"),
	    "timeout", (json_int_t)msg_int(m->env, "timeout"), "output",
	    (json_int_t)run->limits.output);
	if ((p->u.tool.body = malloc(m->bodylen + 1)) == NULL)
		fatal("call_queue");
	memcpy(p->u.tool.body, m->body == NULL ? "" : m->body, m->bodylen);
	p->u.tool.bodylen = m->bodylen;
	TAILQ_INSERT_TAIL(&jail->calls, p, u.tool.entry);
}

static void
call_dispatch(struct run *run, const struct msg *m)
{
	int64_t		 sandbox = msg_int(m->env, "sandbox");
	struct jail	*jail;

	if ((jail = jail_of_sandbox(run, sandbox)) == NULL)
		jail = jail_new(run, TOOL, sandbox);
	call_queue(run, jail, m);
	if (jail->state == JAIL_READY)
		tool_flush(jail);
	else
		jail_schedule(run->broker);
}

int
tool_call(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);
	struct run	*run = run_find(b, msg_str(m->env, "run"));
	struct request	 r = { .want = WANT_TOOL };
	struct verdict	 v;

	r.tool = msg_str(m->env, "tool");
	r.agent = msg_str(m->env, "agent");
	v = run_judge(b, run, &r);
	audit("cap.use", v.reason == GRANTED ? "grant" : "deny",
	    "run", msg_str(m->env, "run"), "node", msg_str(m->env, "node"),
	    "tool", r.tool, "agent", r.agent, "sandbox",
	    audit_int(msg_int(m->env, "sandbox")),
	    "rule", v.reason == GRANTED ? NULL : v.rule, NULL);
	if (v.reason == GRANTED)
		call_dispatch(run, m);
	else
		call_denied(b, m, v.rule);
	return (0);
}

/* A call that has not started never runs. The jail still answers one that
 * has; nobody hears it. */
int
tool_cancel(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);
	struct pending	*p = pending_of(b->pendings, peer, ASK_TOOL, m->id);
	struct jail	*jail;

	if (p == NULL)
		return (0);
	jail = p->u.tool.jail;
	if (!p->u.tool.sent) {
		call_free(jail, p);
		return (0);
	}
	pending_orphan(b->pendings, p);
	if (jail->peer != NULL)
		peer_send(jail->peer, IMSG_SANDBOX_CANCEL, p->id, -1, NULL,
		    NULL, 0);
	return (0);
}

int
tool_close(struct peer *peer, struct msg *m)
{
	struct run	*run = run_find(peer_ctx(peer), msg_str(m->env, "run"));
	struct jail	*jail;

	if (run == NULL)
		return (0);
	jail = jail_of_sandbox(run, msg_int(m->env, "sandbox"));
	if (jail == NULL)
		return (0);
	tool_fail_calls(jail, "cancel", "the sandbox has been closed");
	jail_forget(jail, "done");
	jail_schedule(run->broker);
	return (0);
}

/* ---- layers ---- */

static void
layer_remove(struct broker *b, int64_t sandbox)
{
	peer_send(b->warden, IMSG_SANDBOX_REMOVE, 0, -1,
	    env_new("{s:I}", "sandbox", (json_int_t)sandbox), NULL, 0);
}

int
tool_remove(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);
	struct removal	*r;

	if ((r = calloc(1, sizeof(*r))) == NULL)
		fatal("tool_remove");
	r->sandbox = msg_int(m->env, "sandbox");
	TAILQ_INSERT_TAIL(&b->removals, r, entry);
	tool_layers(b);
	return (0);
}

void
tool_layers(struct broker *b)
{
	struct removal	*r, *next;

	for (r = TAILQ_FIRST(&b->removals); r != NULL; r = next) {
		next = TAILQ_NEXT(r, entry);
		if (jail_has_layer(b, r->sandbox))
			continue;
		layer_remove(b, r->sandbox);
		TAILQ_REMOVE(&b->removals, r, entry);
		free(r);
	}
}

void
tool_forget_layers(struct broker *b)
{
	struct removal	*r;

	while ((r = TAILQ_FIRST(&b->removals)) != NULL) {
		TAILQ_REMOVE(&b->removals, r, entry);
		free(r);
	}
}

int
tool_removed(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);

	if (b->keeper != NULL)
		env_forward(b->keeper, IMSG_SANDBOX_REMOVED, 0, env_of(m),
		    m);
	return (0);
}

/* ---- from the tool jail ---- */

static int
tool_hello(struct peer *peer, struct msg *m)
{
	struct jail	*jail = peer_ctx(peer);

	if (jail_hello(jail, m) == -1)
		return (-1);
	tool_flush(jail);
	return (0);
}

/* An answer to a question that this jail was asked, and to no other. */
static int
tool_done(struct peer *peer, struct msg *m)
{
	struct jail	*jail = peer_ctx(peer);
	struct broker	*b = jail->broker;
	struct pending	*p = pending_find(b->pendings, m->id);

	if (p == NULL || p->ask != ASK_TOOL || p->u.tool.jail != jail ||
	    !p->u.tool.sent)
		return (-1);
	if (p->asker != NULL && b->keeper != NULL) {
		env_forward(b->keeper, IMSG_TOOL_DONE, p->asker_id,
		    env_new("{s:s, s:b, s:b}", "run", p->run, "ok",
		    msg_bool(m->env, "ok"), "jail", 1), m);
		throttle_sink(b->throttles, &jail->throttle, b->keeper);
	}
	call_free(jail, p);
	jail->used = clock_ms();
	if (TAILQ_EMPTY(&jail->calls))
		jail_schedule(b);
	return (0);
}

const struct handler tool_handlers[] = {
	{ IMSG_JAIL_HELLO,	tool_hello },
	{ IMSG_SANDBOX_DONE,	tool_done },
	{ 0,			NULL },
};
