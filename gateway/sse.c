/*
 * Server-sent events, as the HTML standard has them: lines end with LF, CR
 * or CRLF, wherever the network has cut them; comments and unknown fields
 * are skipped; a blank line ends an event.
 */
#include <errno.h>
#include <string.h>

#include "sse.h"

void
sse_init(struct sse *s, size_t max, sse_event event, void *ctx)
{
	memset(s, 0, sizeof(*s));
	s->max = max;
	s->event = event;
	s->ctx = ctx;
}

void
sse_free(struct sse *s)
{
	buffer_free(&s->line);
	buffer_free(&s->data);
	buffer_free(&s->name);
}

static enum sse_result
add(struct sse *s, struct buffer *b, const char *data, size_t n)
{
	if (buffer_add(b, data, n, s->max) == 0)
		return (SSE_OK);
	return (errno == EFBIG ? SSE_TOO_LONG : SSE_MEMORY);
}

/* A blank line: an event, if there were data. */
static enum sse_result
dispatch(struct sse *s)
{
	enum sse_result	result = SSE_OK;

	if (s->has_data && s->event(s->ctx, s->name.len == 0 ? "message" :
	    buffer_text(&s->name), buffer_text(&s->data), s->data.len) == -1)
		result = SSE_STOPPED;
	s->has_data = 0;
	buffer_empty(&s->data);
	buffer_empty(&s->name);
	return (result);
}

static enum sse_result
field(struct sse *s, const char *name, size_t namelen, const char *value,
    size_t len)
{
	enum sse_result	result;

	if (namelen == 4 && memcmp(name, "data", 4) == 0) {
		result = s->has_data ? add(s, &s->data, "\n", 1) : SSE_OK;
		s->has_data = 1;
		return (result != SSE_OK ? result :
		    add(s, &s->data, value, len));
	}
	if (namelen == 5 && memcmp(name, "event", 5) == 0) {
		buffer_empty(&s->name);
		return (add(s, &s->name, value, len));
	}
	return (SSE_OK);	/* id, retry, or none of ours */
}

static enum sse_result
line(struct sse *s)
{
	const char	*text = buffer_text(&s->line), *colon, *value;
	size_t		 n = s->line.len, skip;

	if (!s->begun && n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		n -= 3;
	}
	s->begun = 1;
	if (n == 0)
		return (dispatch(s));
	if ((colon = memchr(text, ':', n)) == NULL)
		return (field(s, text, n, "", 0));
	if (colon == text)
		return (SSE_OK);	/* a comment */
	skip = (size_t)(colon - text) + 1;
	value = text + skip;
	if (skip < n && *value == ' ') {
		value++;
		skip++;
	}
	return (field(s, text, (size_t)(colon - text), value, n - skip));
}

/* The bytes before the next end of line. */
static size_t
line_length(const char *data, size_t n)
{
	size_t	i;

	for (i = 0; i < n; i++)
		if (data[i] == '\n' || data[i] == '\r')
			break;
	return (i);
}

enum sse_result
sse_feed(struct sse *s, const char *data, size_t n)
{
	enum sse_result	result;
	size_t		len;

	while (n > 0) {
		if (s->after_cr && *data == '\n') {
			data++;
			n--;
		}
		s->after_cr = 0;
		len = line_length(data, n);
		if ((result = add(s, &s->line, data, len)) != SSE_OK)
			return (result);
		if (len == n)
			return (SSE_OK);
		s->after_cr = data[len] == '\r';
		data += len + 1;
		n -= len + 1;
		result = line(s);
		buffer_empty(&s->line);
		if (result != SSE_OK)
			return (result);
	}
	return (SSE_OK);
}
