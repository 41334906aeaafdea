#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "event.h"
#include "failure.h"
#include "text.h"

/* Lines of one event after its first: no text can pass for a new event. */
#define INDENT	"         | "

const char *
event_str(const struct event *ev, const char *key)
{
	const char	*s;

	s = json_string_value(json_object_get(ev->body, key));
	return (s != NULL ? s : "");
}

int64_t
event_int(const struct event *ev, const char *key)
{
	return (json_integer_value(json_object_get(ev->body, key)));
}

int
event_true(const struct event *ev, const char *key)
{
	return (json_is_true(json_object_get(ev->body, key)));
}

/* Append text from a script. */
static void
put_text(FILE *out, const char *text)
{
	text_put(out, text, INDENT);
}

static void
put_json(FILE *out, const json_t *value)
{
	char	*text = dump_json(value);

	put_text(out, text);
	free(text);
}

static const struct {
	const char	*state, *words;
} states[] = {
	{ "queued",			"is queued" },
	{ "running",			"is running" },
	{ "waiting",			"waits" },
	{ "completed",			"completed" },
	{ "completed_with_failures",	"completed with failures" },
	{ "failed",			"failed" },
	{ "cancelled",			"was cancelled" },
};

static void
words_state(FILE *out, const struct event *ev)
{
	const char	*on = event_str(ev, "on");
	size_t		 i, n = sizeof(states) / sizeof(states[0]);

	fputs("run ", out);
	for (i = 0; i < n; i++)
		if (strcmp(states[i].state, event_str(ev, "state")) == 0)
			break;
	put_text(out, i < n ? states[i].words : event_str(ev, "state"));
	if (*on != '\0') {
		fputs(" for ", out);
		put_text(out, on);
	}
}

static void
words_phase(FILE *out, const struct event *ev)
{
	fputs("phase ", out);
	put_text(out, event_str(ev, "title"));
}

static void
words_log(FILE *out, const struct event *ev)
{
	const json_t	*data = json_object_get(ev->body, "data");

	fputs("log ", out);
	put_text(out, event_str(ev, "message"));
	if (json_object_size(data) > 0 || json_array_size(data) > 0) {
		fputc(' ', out);
		put_json(out, data);
	}
}

/* What a node is about, for people: its label, or else what it calls. */
static const char *
node_about(const struct event *ev)
{
	static const char *const	keys[] = { "label", "tool", "agent",
					    "model" };
	size_t				i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (*event_str(ev, keys[i]) != '\0')
			return (event_str(ev, keys[i]));
	return ("");
}

static void
words_node_start(FILE *out, const struct event *ev)
{
	fputs("node ", out);
	put_text(out, event_str(ev, "node"));
	fputs(" started", out);
	if (*node_about(ev) != '\0') {
		fputs(" (", out);
		put_text(out, node_about(ev));
		fputc(')', out);
	}
}

static void
put_failure(FILE *out, const struct event *ev)
{
	put_text(out, *event_str(ev, "class") != '\0' ?
	    event_str(ev, "class") : "Error");
	if (*event_str(ev, "message") != '\0') {
		fputs(": ", out);
		put_text(out, event_str(ev, "message"));
	}
}

int
event_cancelled(const struct event *ev)
{
	return (strcmp(event_str(ev, "class"), "CancelledError") == 0);
}

static const char *
node_end(const struct event *ev)
{
	if (event_true(ev, "ok"))
		return ("done in");
	return (event_cancelled(ev) ? "cancelled after" : "failed after");
}

static void
words_node_end(FILE *out, const struct event *ev)
{
	char	span[32], in[16], outn[16];

	fputs("node ", out);
	put_text(out, event_str(ev, "node"));
	fprintf(out, " %s %s", node_end(ev), text_span(span, sizeof(span),
	    event_int(ev, "ms")));
	if (event_int(ev, "tokens_in") > 0 || event_int(ev, "tokens_out") > 0)
		fprintf(out, ", %s tokens in, %s out",
		    text_count(in, sizeof(in), event_int(ev, "tokens_in")),
		    text_count(outn, sizeof(outn),
		    event_int(ev, "tokens_out")));
	if (!event_true(ev, "ok") && !event_cancelled(ev)) {
		fputs(": ", out);
		put_failure(out, ev);
	}
}

static void
words_tool(FILE *out, const struct event *ev)
{
	fputs("node ", out);
	put_text(out, event_str(ev, "node"));
	fputs(" used tool ", out);
	put_text(out, event_str(ev, "tool"));
	if (json_is_false(json_object_get(ev->body, "ok")))
		fputs(", which failed", out);
}

static void
words_hole(FILE *out, const struct event *ev)
{
	fputs("hole", out);
	if (*event_str(ev, "node") != '\0') {
		fputs(" at ", out);
		put_text(out, event_str(ev, "node"));
	}
	fputs(": ", out);
	put_failure(out, ev);
}

/* A try that failed, and that there is another. */
static void
words_retry(FILE *out, const struct event *ev)
{
	fputs("node ", out);
	put_text(out, event_str(ev, "node"));
	fputs(" tries again after ", out);
	put_failure(out, ev);
}

static const struct {
	const char	*kind;
	void		(*words)(FILE *, const struct event *);
} kinds[] = {
	{ "state",	words_state },
	{ "phase",	words_phase },
	{ "log",	words_log },
	{ "node.start",	words_node_start },
	{ "node.end",	words_node_end },
	{ "tool",	words_tool },
	{ "hole",	words_hole },
	{ "retry",	words_retry },
	{ "text",	NULL },		/* streamed pieces: only in --json */
};

static void
words_unknown(FILE *out, const struct event *ev)
{
	put_text(out, ev->kind);
	fputc(' ', out);
	put_json(out, ev->body);
}

static char *
event_words(const struct event *ev)
{
	void	(*words)(FILE *, const struct event *) = words_unknown;
	char	*buf;
	FILE	*out;
	size_t	 i, len;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].kind, ev->kind) == 0)
			words = kinds[i].words;
	if (words == NULL)
		return (NULL);
	if ((out = open_memstream(&buf, &len)) == NULL)
		oom();
	words(out, ev);
	if (fclose(out) == EOF)
		oom();
	return (buf);
}

char *
event_line(const struct event *ev)
{
	char	 clock[16], *line, *words;

	if ((words = event_words(ev)) == NULL)
		return (NULL);
	if (asprintf(&line, "%s %s", text_clock(clock, sizeof(clock), ev->at),
	    words) == -1)
		oom();
	free(words);
	return (line);
}

json_t *
event_object(const struct event *ev)
{
	json_t	*obj;

	obj = json_pack("{s:I, s:I, s:s, s:O}", "seq", (json_int_t)ev->seq,
	    "at", (json_int_t)ev->at, "kind", ev->kind, "body", ev->body);
	if (obj == NULL)
		oom();
	return (obj);
}
