/*
 * A stream's chunks, put together.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"
#include "json.h"
#include "openai_stream.h"

#define CONTEXT_MAX	200
#define NAME_LENGTH_MAX	256

void
openai_stream_init(struct openai_stream *s, size_t calls_before)
{
	memset(s, 0, sizeof(*s));
	s->calls_before = calls_before;
	s->tokens_in = s->tokens_out = -1;
}

void
openai_stream_free(struct openai_stream *s)
{
	size_t	i;

	for (i = 0; i < s->ncalls; i++) {
		free(s->calls[i].id);
		free(s->calls[i].name);
		buffer_free(&s->calls[i].arguments);
	}
	s->ncalls = 0;
	buffer_free(&s->content);
}

/* The stream has failed. Always -1. */
static int __attribute__((format(printf, 3, 4)))
fail(struct openai_stream *s, enum failure_class class, const char *fmt, ...)
{
	char	text[FAILURE_TEXT_MAX];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	failure_set(&s->failure, class, "%s", text);
	s->failed = 1;
	return (-1);
}

static int
append(struct openai_stream *s, struct buffer *b, const char *text, size_t n)
{
	if (buffer_add(b, text, n, OPENAI_TEXT_MAX) == 0)
		return (0);
	if (errno == EFBIG)
		return (fail(s, FAIL_PROTOCOL, "the answer is too long"));
	return (fail(s, FAIL_TRANSIENT, "out of memory"));
}

/* Text of the answer: a string, or nothing yet. */
static int
content(struct openai_stream *s, const json_t *v)
{
	if (v == NULL || json_is_null(v))
		return (0);
	if (!json_is_string(v))
		return (fail(s, FAIL_PROTOCOL, "content is not a string"));
	return (append(s, &s->content, json_string_value(v),
	    json_string_length(v)));
}

/* ---- tool calls ---- */

static int
is_whole(const struct openai_call *c)
{
	json_t	*v;
	char	 why[128];

	if (c->arguments.len == 0)
		return (0);
	v = json_parse(c->arguments.data, c->arguments.len, JSON_DEPTH_MAX,
	    why, sizeof(why));
	json_decref(v);
	return (v != NULL);
}

static int
has_text(const json_t *v)
{
	return (json_string_length(v) > 0 || json_object_size(v) > 0);
}

/* Some servers give every call the same index, or none at all. */
static int
begins_another(const struct openai_call *c, const json_t *id,
    const json_t *function)
{
	if (json_string_length(id) > 0 && c->id != NULL)
		return (strcmp(json_string_value(id), c->id) != 0);
	return (has_text(json_object_get(function, "name")) &&
	    has_text(json_object_get(function, "arguments")) && is_whole(c));
}

/* The call that a fragment goes on with, or NULL if it begins one. */
static struct openai_call *
call_of(struct openai_stream *s, int64_t index, const json_t *id,
    const json_t *function)
{
	struct openai_call	*c;
	size_t			 i;

	for (i = s->ncalls; i > 0; i--) {
		c = &s->calls[i - 1];
		if (index == -1 && c->id != NULL && json_is_string(id) &&
		    strcmp(json_string_value(id), c->id) == 0)
			return (c);
		if (c->index == index)
			return (begins_another(c, id, function) ? NULL : c);
	}
	return (NULL);
}

static struct openai_call *
call_add(struct openai_stream *s, int64_t index)
{
	struct openai_call	*c;

	if (s->ncalls >= OPENAI_CALLS_MAX) {
		(void)fail(s, FAIL_PROTOCOL, "more than %d tool calls",
		    OPENAI_CALLS_MAX);
		return (NULL);
	}
	c = &s->calls[s->ncalls++];
	c->index = index;
	return (c);
}

/* Keep the first text that comes; it may be repeated in each fragment. */
static int
keep_first(struct openai_stream *s, char **kept, const json_t *v)
{
	if (*kept != NULL || json_string_length(v) == 0)
		return (0);
	if (json_string_length(v) > NAME_LENGTH_MAX)
		return (fail(s, FAIL_PROTOCOL, "a tool call's name or id is "
		    "longer than %d bytes", NAME_LENGTH_MAX));
	if ((*kept = strdup(json_string_value(v))) == NULL)
		return (fail(s, FAIL_TRANSIENT, "out of memory"));
	return (0);
}

static int
arguments(struct openai_stream *s, struct openai_call *c, const json_t *v)
{
	char	*text;
	int	 ret;

	if (v == NULL || json_is_null(v))
		return (0);
	if (json_is_string(v))
		return (append(s, &c->arguments, json_string_value(v),
		    json_string_length(v)));
	if ((text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY)) == NULL)
		return (fail(s, FAIL_TRANSIENT, "out of memory"));
	buffer_empty(&c->arguments);
	ret = append(s, &c->arguments, text, strlen(text));
	free(text);
	return (ret);
}

static int
fragment(struct openai_stream *s, const json_t *v)
{
	const json_t		*id = json_object_get(v, "id");
	const json_t		*at = json_object_get(v, "index");
	const json_t		*function = json_object_get(v, "function");
	int64_t			 index;
	struct openai_call	*c;

	if (!json_is_object(v))
		return (fail(s, FAIL_PROTOCOL, "a tool call is not an "
		    "object"));
	index = json_is_integer(at) ? json_integer_value(at) : -1;
	if ((c = call_of(s, index, id, function)) == NULL &&
	    (c = call_add(s, index)) == NULL)
		return (-1);
	if (keep_first(s, &c->id, id) == -1 ||
	    keep_first(s, &c->name, json_object_get(function, "name")) == -1)
		return (-1);
	return (arguments(s, c, json_object_get(function, "arguments")));
}

static int
fragments(struct openai_stream *s, const json_t *list)
{
	json_t	*v;
	size_t	 i;

	json_array_foreach(list, i, v)
		if (fragment(s, v) == -1)
			return (-1);
	return (0);
}

/* ---- chunks ---- */

static void
keep(char *dst, size_t dstlen, const json_t *v)
{
	if (json_string_length(v) > 0)
		text_line(dst, dstlen, json_string_value(v),
		    json_string_length(v));
}

/* The one choice that we asked for. */
static int
choice(struct openai_stream *s, const json_t *v)
{
	const json_t	*delta = json_object_get(v, "delta");

	if (json_integer_value(json_object_get(v, "index")) != 0)
		return (0);
	/* A whole response has a message, a chunk a delta. */
	if (!json_is_object(delta))
		delta = json_object_get(v, "message");
	keep(s->finish, sizeof(s->finish), json_object_get(v, "finish_reason"));
	if (content(s, json_object_get(delta, "content")) == -1 ||
	    content(s, json_object_get(delta, "refusal")) == -1)
		return (-1);
	return (fragments(s, json_object_get(delta, "tool_calls")));
}

static void
usage(struct openai_stream *s, const json_t *v)
{
	const json_t	*in = json_object_get(v, "prompt_tokens");
	const json_t	*out = json_object_get(v, "completion_tokens");

	if (json_is_integer(in) && json_integer_value(in) >= 0)
		s->tokens_in = json_integer_value(in);
	if (json_is_integer(out) && json_integer_value(out) >= 0)
		s->tokens_out = json_integer_value(out);
}

static int
error(struct openai_stream *s, const json_t *v)
{
	struct complaint	c = { .status = 200 };

	(void)complaint_read(&c, v);
	(void)fail(s, classify(&c), "the provider broke off: %s",
	    c.message != NULL ? c.message : c.type != NULL ? c.type :
	    "it does not say why");
	s->failure.status = c.status == 200 ? 0 : c.status;
	return (-1);
}

static int
chunk(struct openai_stream *s, const json_t *v)
{
	const json_t	*choices, *e = json_object_get(v, "error");
	json_t		*item;
	size_t		 i;

	if (e != NULL && !json_is_null(e))
		return (error(s, v));
	choices = json_object_get(v, "choices");
	if (!json_is_object(v) || (choices != NULL &&
	    !json_is_null(choices) && !json_is_array(choices)))
		return (fail(s, FAIL_PROTOCOL, "a chunk is not a completion"));
	s->begun = 1;
	keep(s->id, sizeof(s->id), json_object_get(v, "id"));
	usage(s, json_object_get(v, "usage"));
	json_array_foreach(choices, i, item)
		if (choice(s, item) == -1)
			return (-1);
	return (0);
}

static void
trim(const char **data, size_t *n)
{
	static const char	blanks[] = " \t\r\n";

	while (*n > 0 && memchr(blanks, **data, 4) != NULL) {
		(*data)++;
		(*n)--;
	}
	while (*n > 0 && memchr(blanks, (*data)[*n - 1], 4) != NULL)
		(*n)--;
}

int
openai_stream_chunk(struct openai_stream *s, const char *data, size_t n)
{
	char	 why[128];
	json_t	*v;
	int	 ret;

	trim(&data, &n);
	if (n == 0)
		return (0);
	if (n == 6 && memcmp(data, "[DONE]", 6) == 0) {
		s->done = 1;
		return (-1);
	}
	if ((v = json_parse(data, n, JSON_DEPTH_MAX, why, sizeof(why))) ==
	    NULL)
		return (fail(s, FAIL_PROTOCOL, "a chunk is not JSON (%s): "
		    "%.*s", why, n < CONTEXT_MAX ? (int)n : CONTEXT_MAX,
		    data));
	ret = chunk(s, v);
	json_decref(v);
	return (ret);
}

int
openai_stream_complete(const struct openai_stream *s)
{
	return (!s->failed && s->begun && (s->done || *s->finish != '\0'));
}
