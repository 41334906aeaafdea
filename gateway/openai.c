/*
 * A server that speaks the Chat Completions API, as a provider. Nothing is
 * tried twice here: the keeper retries, and only the keeper.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "log.h"
#include "openai_request.h"
#include "provider.h"
#include "question.h"
#include "response.h"
#include "room.h"

#define RESPONSE_MAX	(64 * 1024 * 1024)

struct openai_work {
	struct call		*call;
	struct http_request	*request;
	struct response		 response;
	struct secret		 key;	/* to find it in what comes back */
};

static void
work_free(struct openai_work *w)
{
	response_free(&w->response);
	secret_wipe(&w->key);
	free(w);
}

/* ---- the response ---- */

static void
on_header(void *ctx, const char *name, const char *value)
{
	struct openai_work	*w = ctx;

	response_header(&w->response, name, value);
}

/* Pass on the text that has come since the last time. */
static void
send_delta(struct openai_work *w)
{
	struct response	*r = &w->response;

	call_delta(w->call, buffer_text(&r->stream.content) + r->sent,
	    r->stream.content.len - r->sent);
	r->sent = r->stream.content.len;
}

static int
on_data(void *ctx, const char *data, size_t n)
{
	struct openai_work	*w = ctx;
	int			 ret;

	ret = response_data(&w->response, http_status(w->request), data, n);
	send_delta(w);
	return (ret);
}

/* What the call cost: as the server says, else estimated. */
static void
usage_of(const struct openai_work *w, int64_t out, struct usage *u)
{
	const struct openai_stream	*s = &w->response.stream;

	u->in = s->tokens_in > 0 ? s->tokens_in :
	    question_tokens(w->call->body);
	u->out = s->tokens_out > 0 ? s->tokens_out : out;
}

static void
done(struct openai_work *w, json_t *message, const char *finish)
{
	const struct response	*r = &w->response;
	struct usage		 usage;

	if (!r->stream.done)
		log_debug("call %u: the stream ended without [DONE]",
		    w->call->id);
	usage_of(w, message_tokens(message), &usage);
	call_done(w->call, message, finish, &usage,
	    *r->request != '\0' ? r->request : r->stream.id);
}

static void
failed(struct openai_work *w)
{
	struct response	*r = &w->response;
	struct usage	 usage;

	/* Once the model has begun, it has cost something. */
	if (r->stream.begun) {
		usage_of(w, (int64_t)(r->stream.content.len + 3) / 4, &usage);
		r->failure.tokens_in = usage.in;
		r->failure.tokens_out = usage.out;
	}
	secret_scrub(&w->key, r->failure.text);
	call_fail(w->call, &r->failure);
}

static void
on_end(void *ctx, enum http_end end, int status, const char *why)
{
	struct openai_work	*w = ctx;
	const char		*finish;
	json_t			*message;

	message = response_end(&w->response, end, status, why, time(NULL),
	    &finish);
	send_delta(w);
	if (message != NULL)
		done(w, message, finish);
	else
		failed(w);
	work_free(w);
}

static const struct http_ops ops = { on_header, on_data, on_end };

/* ---- the request ---- */

/* OpenAI's own servers have a new name for the limit, others the old one. */
static const char *
limit_key(const char *url)
{
	return (strncasecmp(url, "https://api.openai.com/", 23) == 0 ?
	    "max_completion_tokens" : "max_tokens");
}

/* The request's body as text, or NULL without memory. */
static char *
request_text(const struct provider *p, const struct call *call)
{
	json_t	*v;
	char	*text;

	v = openai_request(call->body, call->upstream,
	    limit_key(p->config->url), call->max_tokens);
	if (v == NULL)
		return (NULL);
	text = json_dumps(v, JSON_COMPACT);
	json_decref(v);
	return (text);
}

static void
url_make(char *dst, size_t dstlen, const char *base)
{
	size_t	n = strlen(base);

	while (n > 0 && base[n - 1] == '/')
		n--;
	(void)snprintf(dst, dstlen, "%.*s/chat/completions", (int)n, base);
}

/* Ask. Returns NULL if it can't even be tried. */
static struct http_request *
request_start(struct provider *p, struct openai_work *w, const char *body)
{
	char		 url[2048], bearer[SECRET_MAX + 32];
	const char	*headers[] = {
		"Content-Type: application/json",
		"Accept: text/event-stream, application/json",
		"User-Agent: wfsup/" WFSUP_VERSION,
		"Expect:",
		p->key.text == NULL ? NULL : bearer,
		NULL,
	};
	const struct http_ask	 ask = {
		.url		 = url,
		.headers	 = headers,
		.body		 = body,
		.bodylen	 = strlen(body),
		.connect_timeout = p->config->connect_timeout,
		.idle_timeout	 = p->config->idle_timeout,
		.total_timeout	 = p->config->total_timeout,
		.most		 = RESPONSE_MAX,
	};
	struct http_request	*request;

	url_make(url, sizeof(url), p->config->url);
	(void)snprintf(bearer, sizeof(bearer), "Authorization: Bearer %s",
	    p->key.text == NULL ? "" : p->key.text);
	request = http_start(p->http, &ask, &ops, w);
	explicit_bzero(bearer, sizeof(bearer));
	return (request);
}

static size_t
calls_before(const json_t *body)
{
	size_t	 i, n = 0;
	json_t	*m;

	json_array_foreach(json_object_get(body, "messages"), i, m)
		n += json_array_size(json_object_get(m, "tool_calls"));
	return (n);
}

static struct openai_work *
work_new(struct provider *p, struct call *call)
{
	struct openai_work	*w;

	if ((w = calloc(1, sizeof(*w))) == NULL)
		return (NULL);
	w->call = call;
	response_init(&w->response, calls_before(call->body));
	if (secret_copy(&w->key, &p->key) == 0)
		return (w);
	work_free(w);
	return (NULL);
}

static void
openai_start(struct provider *p, struct call *call)
{
	struct openai_work	*w;
	struct failure		 failure;
	char			*body;

	if (p->config->has_key && p->key.text == NULL) {
		failure_set(&failure, FAIL_AUTH, "provider %s: its key could "
		    "not be read", p->config->name);
		call_fail(call, &failure);
		return;
	}
	body = request_text(p, call);
	if ((w = work_new(p, call)) != NULL && body != NULL)
		w->request = request_start(p, w, body);
	free(body);
	if (w != NULL && w->request != NULL) {
		call->work = w;
		return;
	}
	if (w != NULL)
		work_free(w);
	failure_set(&failure, FAIL_TRANSIENT, "out of memory");
	call_fail(call, &failure);
}

static void
openai_cancel(struct call *call)
{
	struct openai_work	*w = call->work;

	http_cancel(w->request);
	work_free(w);
}

const struct provider_ops openai_ops = { openai_start, openai_cancel };
