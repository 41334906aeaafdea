/*
 * A response. What it is shows in its status and its first byte, not in what
 * it calls itself: errors come as event streams, streams as plain text, and
 * proxies answer with pages.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "classify.h"
#include "json.h"
#include "response.h"

#define WHOLE_MAX	RESPONSE_EVENT_MAX
#define CONTEXT_MAX	200

static int
on_event(void *ctx, const char *name, const char *data, size_t n)
{
	struct response	*r = ctx;

	(void)name;	/* there are none in this API */
	return (openai_stream_chunk(&r->stream, data, n));
}

void
response_init(struct response *r, size_t calls_before)
{
	memset(r, 0, sizeof(*r));
	sse_init(&r->sse, RESPONSE_EVENT_MAX, on_event, r);
	openai_stream_init(&r->stream, calls_before);
}

void
response_free(struct response *r)
{
	sse_free(&r->sse);
	openai_stream_free(&r->stream);
	buffer_free(&r->body);
}

void
response_header(struct response *r, const char *name, const char *value)
{
	const struct {
		const char	*name;
		char		*dst;
		size_t		 size;
	} wanted[] = {
		{ "content-type", r->type, sizeof(r->type) },
		{ "content-encoding", r->encoding, sizeof(r->encoding) },
		{ "x-request-id", r->request, sizeof(r->request) },
		{ "request-id", r->request, sizeof(r->request) },
		{ "x-litellm-call-id", r->request, sizeof(r->request) },
		{ "retry-after", r->retry_after, sizeof(r->retry_after) },
		{ "retry-after-ms", r->retry_after_ms,
		    sizeof(r->retry_after_ms) },
		{ "x-should-retry", r->should_retry,
		    sizeof(r->should_retry) },
	};
	size_t	i;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (strcasecmp(name, wanted[i].name) == 0)
			text_line(wanted[i].dst, wanted[i].size, value,
			    strlen(value));
}

/* The response is not what it should be. Always -1. */
static int __attribute__((format(printf, 3, 4)))
fail(struct response *r, enum failure_class class, const char *fmt, ...)
{
	char	text[FAILURE_TEXT_MAX];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	failure_set(&r->failure, class, "%s", text);
	r->has_failed = 1;
	return (-1);
}

/* Keep the bytes up to max; beyond that, -1 with errno EFBIG. */
static int
keep(struct response *r, const char *data, size_t n, size_t max)
{
	return (buffer_add(&r->body, data, n, max));
}

/* ---- data ---- */

/* Decide by the first byte that is no blank. */
static int
form_find(struct response *r, int status, const char *data, size_t n)
{
	if (status < 200 || status > 299) {
		r->form = FORM_ERROR;
		return (0);
	}
	if (*r->encoding != '\0' && strcasecmp(r->encoding, "identity") != 0)
		return (fail(r, FAIL_PROTOCOL, "the response is compressed "
		    "(%s), which was not asked for", r->encoding));
	if (*data == '{')
		r->form = FORM_WHOLE;
	else if (*data == ':' || strchr("deir\xef", *data) != NULL)
		r->form = FORM_EVENTS;
	else
		return (fail(r, FAIL_PROTOCOL, "the response is neither events "
		    "nor JSON but %s: %.*s", *r->type == '\0' ?
		    "of no known type" : r->type, n < CONTEXT_MAX ? (int)n :
		    CONTEXT_MAX, data));
	return (0);
}

static int
events(struct response *r, const char *data, size_t n)
{
	switch (sse_feed(&r->sse, data, n)) {
	case SSE_OK:
		return (0);
	case SSE_STOPPED:
		return (-1);
	case SSE_TOO_LONG:
		return (fail(r, FAIL_PROTOCOL, "an event is longer than %d "
		    "bytes", RESPONSE_EVENT_MAX));
	case SSE_MEMORY:
		return (fail(r, FAIL_TRANSIENT, "out of memory"));
	}
	return (-1);
}

int
response_data(struct response *r, int status, const char *data, size_t n)
{
	if (r->form == FORM_UNKNOWN) {
		for (; n > 0 && strchr(" \t\r\n", *data) != NULL &&
		    *data != '\0'; n--)
			data++;
		if (n > 0 && form_find(r, status, data, n) == -1)
			return (-1);
	}
	switch (r->form) {
	case FORM_UNKNOWN:
		return (0);
	case FORM_EVENTS:
		return (events(r, data, n));
	case FORM_WHOLE:
		if (keep(r, data, n, WHOLE_MAX) == 0)
			return (0);
		return (fail(r, FAIL_PROTOCOL, "the response is too long"));
	case FORM_ERROR:
		/* Its first bytes say enough. */
		if (n > RESPONSE_ERROR_MAX - r->body.len)
			n = RESPONSE_ERROR_MAX - r->body.len;
		return (keep(r, data, n, RESPONSE_ERROR_MAX));
	}
	return (-1);
}

/* ---- the end ---- */

/* A response with an error status. */
static void
error_end(struct response *r, int status, time_t now)
{
	struct complaint	 c = { .status = status };
	char			 why[128];
	json_t			*v;

	v = json_parse(buffer_text(&r->body), r->body.len, JSON_DEPTH_MAX,
	    why, sizeof(why));
	(void)complaint_read(&c, v);
	c.empty = r->body.len == 0;
	if (c.message == NULL && c.type == NULL && c.code == NULL)
		c.message = buffer_text(&r->body);
	if (*r->should_retry != '\0')
		c.should_retry = r->should_retry;
	if (status >= 300 && status < 400)
		(void)fail(r, FAIL_PROTOCOL, "the server redirects (%d): "
		    "correct the url", status);
	else
		(void)fail(r, classify(&c), "the provider says %d: %.300s",
		    status, c.message != NULL && *c.message != '\0' ?
		    c.message : c.type != NULL ? c.type : "nothing more");
	r->failure.after = retry_after(
	    *r->retry_after != '\0' ? r->retry_after : NULL,
	    *r->retry_after_ms != '\0' ? r->retry_after_ms : NULL, now);
	json_decref(v);
}

/* How a transport fails, and whether it has more to say about it. */
static const struct {
	enum failure_class	 class;
	const char		*text;
	int			 says;
} ends[] = {
	[HTTP_DONE]		= { FAIL_TRANSIENT,
	    "the answer was cut short", 0 },
	[HTTP_STOPPED]		= { FAIL_TRANSIENT,
	    "the answer was cut short", 0 },
	[HTTP_UNREACHABLE]	= { FAIL_TRANSIENT,
	    "can't reach the provider", 1 },
	[HTTP_UNTRUSTED]	= { FAIL_FATAL, "can't trust the provider", 1 },
	[HTTP_CONNECT_TIMEOUT]	= { FAIL_TRANSIENT,
	    "timeout: no connection in time", 0 },
	[HTTP_IDLE_TIMEOUT]	= { FAIL_TRANSIENT,
	    "timeout: the provider went silent", 0 },
	[HTTP_TOTAL_TIMEOUT]	= { FAIL_TRANSIENT,
	    "timeout: the answer took too long", 0 },
	[HTTP_BROKEN]		= { FAIL_TRANSIENT, "the connection broke", 1 },
	[HTTP_NONSENSE]		= { FAIL_PROTOCOL,
	    "the server does not speak HTTP", 1 },
	[HTTP_TOO_LONG]		= { FAIL_PROTOCOL,
	    "the response is too long", 0 },
	[HTTP_MEMORY]		= { FAIL_TRANSIENT, "out of memory", 0 },
};

/* The transport ended before the response was whole. */
static void
transport_end(struct response *r, enum http_end end, const char *why)
{
	if (r->form == FORM_UNKNOWN &&
	    (end == HTTP_DONE || end == HTTP_STOPPED))
		(void)fail(r, FAIL_TRANSIENT, "the response is empty");
	else
		(void)fail(r, ends[end].class, "%s%s%s", ends[end].text,
		    ends[end].says ? ": " : "", ends[end].says ? why : "");
}

json_t *
response_end(struct response *r, enum http_end end, int status,
    const char *why, time_t now, const char **finish)
{
	json_t	*message;

	if (r->form == FORM_WHOLE && !r->has_failed && end == HTTP_DONE)
		(void)openai_stream_chunk(&r->stream, buffer_text(&r->body),
		    r->body.len);
	if (openai_stream_complete(&r->stream) && !r->has_failed) {
		message = openai_stream_message(&r->stream, finish);
		if (message == NULL)
			r->failure = r->stream.failure;
		return (message);
	}
	if (r->stream.failed)
		r->failure = r->stream.failure;
	else if (!r->has_failed && (r->form == FORM_ERROR || status >= 300))
		error_end(r, status, now);
	else if (!r->has_failed)
		transport_end(r, end, why);
	if (r->failure.status == 0)
		r->failure.status = status;
	return (NULL);
}
