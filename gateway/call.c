/*
 * The pending calls, and the messages that answer them.
 */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "clock.h"
#include "log.h"
#include "provider.h"

#define REQUEST_ID_MAX	128

void
calls_init(struct calls *calls)
{
	TAILQ_INIT(&calls->list);
	calls->n = 0;
	calls->broker = NULL;
}

/* One line a call: how it ended, what it cost, and the provider's own id of
 * it, by which the provider can be asked about it. */
static void
call_audit(const struct call *c, const char *class, int status,
    const struct usage *usage, const char *request)
{
	audit("model.call", class == NULL ? "ok" : "fail", "run", c->run,
	    "node", c->node, "model", c->model, "upstream", c->upstream,
	    "class", class, "status", status == 0 ? NULL : audit_int(status),
	    "request", request, "tokens_in", audit_int(usage->in),
	    "tokens_out", audit_int(usage->out), "ms",
	    audit_int(clock_ms() - c->began), NULL);
}

struct call *
call_find(const struct calls *calls, uint32_t id)
{
	struct call	*c;

	TAILQ_FOREACH(c, &calls->list, entry)
		if (c->id == id)
			return (c);
	return (NULL);
}

static void
call_free(struct call *c)
{
	TAILQ_REMOVE(&c->calls->list, c, entry);
	c->calls->n--;
	free(c->run);
	free(c->node);
	free(c->model);
	free(c->upstream);
	json_decref(c->body);
	free(c);
}

/* The smaller of two limits, where 0 is none. */
static int64_t
tighter(int64_t a, int64_t b)
{
	if (a == 0 || b == 0)
		return (a == 0 ? b : a);
	return (a < b ? a : b);
}

/* The limit of a call: what was asked for, within what the run's budget has
 * left and what the config allows. */
static int64_t
tokens_limit(const json_t *env, const json_t *body, int64_t most)
{
	int64_t	asked, paid = msg_int(env, "output");

	asked = json_integer_value(json_object_get(body, "max_tokens"));
	return (tighter(most, tighter(asked, paid == -1 ? 0 : paid)));
}

struct call *
call_new(struct calls *calls, uint32_t id, const json_t *env,
    const struct model_config *model, json_t *body)
{
	struct call	*c;

	if ((c = calloc(1, sizeof(*c))) == NULL) {
		json_decref(body);
		return (NULL);
	}
	c->calls = calls;
	c->id = id;
	c->body = body;
	c->began = clock_ms();
	c->max_tokens = tokens_limit(env, body, model->max_tokens);
	TAILQ_INSERT_TAIL(&calls->list, c, entry);
	calls->n++;
	c->run = strdup(msg_str(env, "run"));
	c->node = strdup(msg_str(env, "node"));
	c->model = strdup(model->name);
	c->upstream = strdup(model->upstream);
	if (c->run == NULL || c->node == NULL || c->model == NULL ||
	    c->upstream == NULL) {
		call_free(c);
		return (NULL);
	}
	return (c);
}

void
call_cancel(struct call *c)
{
	const struct usage	none = { 0, 0 };

	call_audit(c, "cancelled", 0, &none, NULL);
	if (c->work != NULL)
		c->ops->cancel(c);
	call_free(c);
}

void
calls_cancel(struct calls *calls)
{
	struct call	*c;

	while ((c = TAILQ_FIRST(&calls->list)) != NULL)
		call_cancel(c);
}

/* How much of a text of n bytes is one delta: whole characters. */
static size_t
delta_length(const char *text, size_t n)
{
	if (n <= DELTA_MAX)
		return (n);
	for (n = DELTA_MAX; n > DELTA_MAX - 4; n--)
		if ((text[n] & 0xc0) != 0x80)
			break;
	return (n);
}

void
call_delta(struct call *c, const char *text, size_t n)
{
	json_t	*body;
	size_t	 len;

	for (; n > 0 && c->calls->broker != NULL; text += len, n -= len) {
		len = delta_length(text, n);
		if ((body = json_pack("{s:s%}", "text", text, len)) == NULL)
			fatalx("call_delta: text is not UTF-8");
		peer_send_json(c->calls->broker, IMSG_MODEL_DELTA, c->id, -1,
		    json_pack("{s:s}", "run", c->run), body);
	}
}

/* The broker would take a longer body as an attack. */
static int
too_long(struct call *c, json_t *message, const struct usage *usage)
{
	struct failure	f;

	if (json_dumpb(message, NULL, 0, JSON_COMPACT) <= ANSWER_MAX)
		return (0);
	json_decref(message);
	failure_set(&f, FAIL_PROTOCOL, "the answer is longer than %d bytes",
	    ANSWER_MAX);
	f.tokens_in = usage->in;
	f.tokens_out = usage->out;
	call_fail(c, &f);
	return (1);
}

void
call_done(struct call *c, json_t *message, const char *finish,
    const struct usage *usage, const char *request)
{
	char	 id[REQUEST_ID_MAX + 1];
	json_t	*env;

	if (too_long(c, message, usage))
		return;
	if (request != NULL && *request != '\0')
		request = text_line(id, sizeof(id), request, strlen(request));
	else
		request = NULL;
	call_audit(c, NULL, 0, usage, request);
	env = json_pack("{s:s, s:s, s:I, s:I, s:s*}", "run", c->run,
	    "finish", finish, "tokens_in", (json_int_t)usage->in,
	    "tokens_out", (json_int_t)usage->out, "request", request);
	if (c->calls->broker != NULL)
		peer_send_json(c->calls->broker, IMSG_MODEL_DONE, c->id, -1,
		    env, message);
	else {
		json_decref(env);
		json_decref(message);
	}
	call_free(c);
}

void
refuse(struct peer *broker, uint32_t id, const char *run,
    const struct failure *f)
{
	peer_send(broker, IMSG_MODEL_FAIL, id, -1, json_pack("{s:s, s:s, s:s, "
	    "s:i, s:I, s:I, s:I}", "run", run, "class",
	    failure_name(f->class), "message", f->text, "status", f->status,
	    "after", (json_int_t)f->after, "tokens_in",
	    (json_int_t)f->tokens_in, "tokens_out",
	    (json_int_t)f->tokens_out), NULL, 0);
}

void
call_fail(struct call *c, const struct failure *f)
{
	const struct usage	usage = { f->tokens_in, f->tokens_out };

	call_audit(c, failure_name(f->class), f->status, &usage, NULL);
	if (c->calls->broker != NULL)
		refuse(c->calls->broker, c->id, c->run, f);
	call_free(c);
}
