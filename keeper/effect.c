/*
 * Effects on their way: what was asked of the broker and not yet answered.
 * The peerid of the question is the effect's number.
 */
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "effect.h"
#include "handlers.h"
#include "json.h"
#include "keeper.h"
#include "log.h"
#include "runs.h"

struct effect {
	RB_ENTRY(effect)	 entry;
	uint32_t		 id;
	struct run		*run;
	effect_cb		 tool;		/* NULL for a model call */
	const struct model_ops	*model;		/* NULL for a tool call */
	void			*arg;
	json_t			*env, *body;	/* not sent: the disk is full */
};

static int
effect_cmp(const struct effect *a, const struct effect *b)
{
	return (a->id < b->id ? -1 : a->id > b->id);
}

RB_PROTOTYPE(effect_tree, effect, entry, effect_cmp)
RB_GENERATE(effect_tree, effect, entry, effect_cmp)

static struct effect *
effect_new(struct run *run, void *arg)
{
	struct keeper	*k = run->keeper;
	struct effect	*e;

	if ((e = calloc(1, sizeof(*e))) == NULL)
		fatal("calloc");
	e->run = run;
	e->arg = arg;
	do
		e->id = ++k->effect_id;
	while (e->id == 0 || RB_INSERT(effect_tree, &k->effects, e) != NULL);
	/* What goes out must not overtake the row that says it has begun. */
	store_begin(k->store);
	return (e);
}

/* Send body, lent, as it is. */
static void
effect_send(struct effect *e, uint32_t type, json_t *env, const json_t *body)
{
	char	*text = dump_json(body);

	keeper_send(e->run->keeper, type, e->id, env, text, strlen(text));
	free(text);
}

/* A sandbox writes to the disk: its call may have to wait for room. */
static void
tool_send(struct effect *e)
{
	effect_send(e, IMSG_TOOL_CALL, e->env, e->body);
	json_decref(e->body);
	e->env = e->body = NULL;
}

struct effect *
effect_tool(struct run *run, const char *node, const char *tool,
    int64_t sandbox, int64_t timeout_ms, const char *agent,
    const json_t *input, effect_cb cb, void *arg)
{
	struct effect	*e = effect_new(run, arg);

	e->tool = cb;
	e->env = keeper_pack("{s:s, s:s, s:s, s:I, s:I, s:s*}", "run",
	    run->id, "node", node, "tool", tool, "sandbox",
	    (json_int_t)sandbox, "timeout", (json_int_t)timeout_ms, "agent",
	    agent);
	e->body = json_incref((json_t *)(uintptr_t)input);
	if (run->keeper->space == SPACE_GOOD)
		tool_send(e);
	return (e);
}

void
effect_unpark_all(struct keeper *k)
{
	struct effect	*e;

	RB_FOREACH(e, effect_tree, &k->effects)
		if (e->env != NULL)
			tool_send(e);
}

struct effect *
effect_model(struct run *run, const char *node, const char *model,
    int64_t input, int64_t output, const char *agent, const json_t *body,
    const struct model_ops *ops, void *arg)
{
	struct effect	*e = effect_new(run, arg);

	e->model = ops;
	effect_send(e, IMSG_MODEL_CALL, keeper_pack(
	    "{s:s, s:s, s:s, s:I, s:I, s:s*}", "run", run->id, "node", node,
	    "model", model, "reserve", (json_int_t)(input + output),
	    "output", (json_int_t)output, "agent", agent), body);
	return (e);
}

void
effect_forget(struct effect *e)
{
	if (e == NULL)
		return;
	RB_REMOVE(effect_tree, &e->run->keeper->effects, e);
	json_decref(e->env);
	json_decref(e->body);
	free(e);
}

void
effect_cancel(struct effect *e)
{
	if (e->env == NULL)
		keeper_send(e->run->keeper, e->tool != NULL ?
		    IMSG_TOOL_CANCEL : IMSG_MODEL_CANCEL, e->id,
		    keeper_pack("{s:s}", "run", e->run->id), NULL, 0);
	effect_forget(e);
}

/*
 * The effect that a message answers. NULL if nobody waits for it any more,
 * or if it is not an answer to what was asked.
 */
static struct effect *
effect_find(struct keeper *k, const struct msg *m, int is_tool)
{
	struct effect	*e, key = { .id = m->id };

	if ((e = RB_FIND(effect_tree, &k->effects, &key)) == NULL)
		return (NULL);
	if ((e->tool != NULL) != is_tool ||
	    strcmp(e->run->id, msg_str(m->env, "run")) != 0) {
		log_warnx("%s answers another question", m->def->name);
		return (NULL);
	}
	return (e);
}

/* Take e out, so that its call back may do what it likes. */
static struct effect
effect_take(struct effect *e)
{
	struct effect	copy = *e;

	effect_forget(e);
	return (copy);
}

/* ---- answers ---- */

int
effect_was_ours(int ok, const json_t *error)
{
	const char	*cause;

	cause = json_string_value(json_object_get(error, "cause"));
	return (!ok && cause != NULL && strcmp(cause, CAUSE_RESTART) == 0);
}

static json_t *
tool_error(const char *message, const char *cause)
{
	return (keeper_pack("{s:s, s:s, s:s?, s:n}", "class", "ToolError",
	    "message", message, "cause", cause, "rule"));
}

/*
 * A jail may say that its tool has failed. That a scope forbids it, or that
 * we took the jail away, is not for the jail to say. Takes said.
 */
static json_t *
jail_error(json_t *said)
{
	const char	*message, *cause;
	json_t		*error;

	message = json_string_value(json_object_get(said, "message"));
	cause = json_string_value(json_object_get(said, "cause"));
	if (effect_was_ours(0, said))
		cause = NULL;
	error = tool_error(message == NULL ? "" : message, cause);
	json_decref(said);
	return (error);
}

int
msg_tool_done(struct peer *p, struct msg *m)
{
	struct effect	*found, e;
	json_t		*value;
	char		 why[160];
	int		 ok = msg_bool(m->env, "ok");

	if ((found = effect_find(peer_ctx(p), m, 1)) == NULL)
		return (0);
	value = msg_body(m, why, sizeof(why));
	if (value == NULL || json_is_deep(value) ||
	    (!ok && !json_is_object(value))) {
		json_decref(value);
		ok = 0;
		value = tool_error("the tool's answer is malformed",
		    "protocol");
	} else if (!ok && msg_bool(m->env, "jail"))
		value = jail_error(value);
	e = effect_take(found);
	e.tool(e.arg, ok, value);
	json_decref(value);
	return (0);
}

int
msg_model_delta(struct peer *p, struct msg *m)
{
	struct effect	*e;
	const char	*text;
	json_t		*body;
	char		 why[160];

	if ((e = effect_find(peer_ctx(p), m, 0)) == NULL ||
	    e->model->delta == NULL)
		return (0);
	/* Deltas are for show: a bad one is left out. */
	if ((body = msg_body(m, why, sizeof(why))) == NULL)
		return (0);
	if ((text = json_string_value(json_object_get(body, "text"))) != NULL)
		e->model->delta(e->arg, text);
	json_decref(body);
	return (0);
}

static void
model_failed(struct effect *found, const struct model_fail *fail)
{
	struct effect	e = effect_take(found);

	e.model->fail(e.arg, fail);
}

/* Whom a model's end is for. What nobody waits for any more has cost the run
 * something all the same. */
static struct effect *
model_ended(struct keeper *k, const struct msg *m)
{
	struct effect	*e, key = { .id = m->id };
	struct run	*run;

	if ((e = effect_find(k, m, 0)) != NULL)
		return (e);
	if (RB_FIND(effect_tree, &k->effects, &key) == NULL &&
	    (run = run_find(k, msg_str(m->env, "run"))) != NULL)
		run_charge(run, msg_int(m->env, "tokens_in"),
		    msg_int(m->env, "tokens_out"));
	return (NULL);
}

int
msg_model_done(struct peer *p, struct msg *m)
{
	struct effect		*found, e;
	struct model_done	 done;
	struct model_fail	 fail;
	char			 why[160];

	if ((found = model_ended(peer_ctx(p), m)) == NULL)
		return (0);
	memset(&done, 0, sizeof(done));
	done.finish = msg_str(m->env, "finish");
	done.request = msg_str(m->env, "request");
	done.tokens_in = msg_int(m->env, "tokens_in");
	done.tokens_out = msg_int(m->env, "tokens_out");
	done.message = msg_body(m, why, sizeof(why));
	if (json_is_object(done.message)) {
		e = effect_take(found);
		e.model->done(e.arg, &done);
	} else {
		memset(&fail, 0, sizeof(fail));
		fail.class = "protocol";
		fail.message = "the model's message is malformed";
		fail.tokens_in = done.tokens_in;
		fail.tokens_out = done.tokens_out;
		model_failed(found, &fail);
	}
	json_decref(done.message);
	return (0);
}

int
msg_model_fail(struct peer *p, struct msg *m)
{
	struct effect		*found;
	struct model_fail	 fail;

	if ((found = model_ended(peer_ctx(p), m)) == NULL)
		return (0);
	fail.class = msg_str(m->env, "class");
	fail.message = msg_str(m->env, "message");
	fail.status = (int)msg_int(m->env, "status");
	fail.after = msg_int(m->env, "after");
	fail.tokens_in = msg_int(m->env, "tokens_in");
	fail.tokens_out = msg_int(m->env, "tokens_out");
	model_failed(found, &fail);
	return (0);
}
