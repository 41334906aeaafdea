#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_out.h"
#include "query.h"
#include "result.h"
#include "text.h"

/* More failures than this are counted, not listed. */
#define FAILURES_SHOWN	20

void
outcome_free(struct outcome *out)
{
	free(out->text);
	json_decref(out->body);
	memset(out, 0, sizeof(*out));
}

/*
 * "AgentError: message (cause)", the message's own lines indented, or
 * without indent only its first.
 */
static void
print_what(const json_t *error, const char *indent)
{
	const char	*class = member_str(error, "class");
	const char	*message = member_str(error, "message");
	const char	*cause = member_str(error, "cause");

	/* A script chooses it: more lines would look like ours. */
	text_put_first(stderr, *class != '\0' ? class : "Error");
	if (*message != '\0')
		fputs(": ", stderr);
	if (indent != NULL)
		text_put(stderr, message, indent);
	else
		text_put_first(stderr, message);
	if (*cause != '\0') {
		fputs(" (", stderr);
		text_put_first(stderr, cause);
		fputc(')', stderr);
	}
	fputc('\n', stderr);
}

static void
print_where(const json_t *error)
{
	const char	*node = member_str(error, "node");
	int64_t		 line = member_int(error, "line");

	if (line > 0)
		fprintf(stderr, "  line %lld\n", (long long)line);
	if (*node != '\0') {
		fputs("  node ", stderr);
		text_put(stderr, node, "  ");
		fputc('\n', stderr);
	}
}

/*
 * The traceback without its last lines, if they only repeat class and
 * message.
 */
static void
print_traceback(const json_t *error)
{
	const char	*text = member_str(error, "traceback");
	char		*copy, *head;
	size_t		 headlen, len = strlen(text);

	while (len > 0 && text[len - 1] == '\n')
		len--;
	if (asprintf(&head, "%s: %s", member_str(error, "class"),
	    member_str(error, "message")) == -1)
		oom();
	headlen = strlen(head);
	if (len >= headlen && memcmp(text + len - headlen, head, headlen) ==
	    0) {
		len -= headlen;
		/* "json.decoder." may stand before the class. */
		while (len > 0 && text[len - 1] != '\n')
			len--;
	}
	free(head);
	if (len == 0)
		return;
	if ((copy = strndup(text, len)) == NULL)
		oom();
	fputs("  ", stderr);
	text_put(stderr, copy, "  ");
	fputc('\n', stderr);
	free(copy);
}

static void
print_error(const json_t *error)
{
	if (!json_is_object(error))
		return;
	print_what(error, "  ");
	print_where(error);
	print_traceback(error);
}

static void
print_failures(const json_t *failures, json_int_t left_out)
{
	json_int_t	 n = (json_int_t)json_array_size(failures) + left_out;
	json_t		*one;
	size_t		 i;

	if (n == 0)
		return;
	fprintf(stderr, "%" JSON_INTEGER_FORMAT " %s failed and left a hole "
	    "in the result:\n", n, n == 1 ? "branch" : "branches");
	json_array_foreach(failures, i, one) {
		if (i == FAILURES_SHOWN)
			break;
		fputs("  ", stderr);
		if (*member_str(one, "node") != '\0') {
			text_put(stderr, member_str(one, "node"), "    ");
			fputs("  ", stderr);
		}
		print_what(one, NULL);
	}
	n -= (json_int_t)i;
	if (n > left_out)
		fprintf(stderr, "  and %" JSON_INTEGER_FORMAT " more: see "
		    "--json\n", n);
	if (left_out > 0)
		fprintf(stderr, "  of which %" JSON_INTEGER_FORMAT " are not "
		    "in the list\n", left_out);
}

/* "completed_with_failures" in words. */
static void
put_state(const char *state)
{
	char	words[64], *s;

	text_vis(words, sizeof(words), state, strlen(state));
	for (s = words; *s != '\0'; s++)
		if (*s == '_')
			*s = ' ';
	fputs(words, stderr);
}

static void
print_summary(const struct outcome *out)
{
	const json_t	*usage = json_object_get(out->body, "usage");
	char		 span[32], in[16], outn[16];
	long long	 nodes = member_int(usage, "nodes");

	fputs("run ", stderr);
	text_put(stderr, member_str(out->body, "run"), "");
	fputc(' ', stderr);
	put_state(out->state);
	fprintf(stderr, "%s %s", out->ended ? " after" : ", so far",
	    text_span(span, sizeof(span), member_int(usage, "wall_ms")));
	fprintf(stderr, ", %lld %s", nodes, nodes == 1 ? "node" : "nodes");
	if (member_int(usage, "tokens_in") > 0 ||
	    member_int(usage, "tokens_out") > 0)
		fprintf(stderr, ", %s tokens in, %s out",
		    text_count(in, sizeof(in), member_int(usage, "tokens_in")),
		    text_count(outn, sizeof(outn),
		    member_int(usage, "tokens_out")));
	fputc('\n', stderr);
}

/* A text as text, anything else as JSON that is easy to read. */
static void
print_value(const json_t *value)
{
	if (!json_is_string(value))
		json_out_pretty(stdout, value);
	else if (isatty(STDOUT_FILENO))
		text_put(stdout, json_string_value(value), "");
	else
		fputs(json_string_value(value), stdout);
	fputc('\n', stdout);
}

int
result_print(const struct options *o, const struct outcome *out)
{
	const json_t	*error = json_object_get(out->body, "error");

	if (!o->quiet && (!out->brief || out->exit != EXIT_COMPLETED))
		print_summary(out);
	print_failures(json_object_get(out->body, "failures"),
	    json_integer_value(json_object_get(out->body,
	    "failures_left_out")));
	print_error(error);
	if (out->exit == EXIT_FAULT)
		fputs("This is a fault of wfsup, not of the script: please "
		    "report it.\n", stderr);
	if (o->json)
		json_out_text(stdout, out->text);
	else if (out->exit == EXIT_COMPLETED || out->exit == EXIT_HOLES)
		print_value(json_object_get(out->body, "result"));
	return (out->exit);
}

static void
say(const struct failure *f)
{
	fputs("wfsupctl: ", stderr);
	if (f->exit != EXIT_USAGE && f->exit != EXIT_UNREACHABLE &&
	    f->exit < EXIT_RUNNING) {
		text_put(stderr, f->class, "  ");
		fputs(": ", stderr);
	}
	text_put(stderr, f->message, "  ");
	fputc('\n', stderr);
}

/* Text that may have been cut in the middle of a character. */
static json_t *
whole_string(const char *text)
{
	json_t	*s;
	size_t	 len;

	for (len = strlen(text); (s = json_stringn(text, len)) == NULL; len--)
		if (len == 0)
			oom();
	return (s);
}

int
result_failed(const struct options *o, const char *run, const char *state,
    const struct failure *f)
{
	json_t	*obj;

	say(f);
	if (!o->json)
		return (f->exit);
	obj = json_pack("{s:s?, s:s, s:n, s:{s:o, s:o, s:n, s:n, s:n, s:n},"
	    " s:[], s:i, s:{s:i, s:i, s:i, s:i, s:n, s:i}}", "run", run,
	    "state", state != NULL && *state != '\0' ? state : "failed",
	    "result", "error", "class", whole_string(f->class), "message",
	    whole_string(f->message), "cause", "node", "line", "traceback",
	    "failures", "failures_left_out", 0, "usage", "nodes", 0, "agents", 0, "tokens_in", 0,
	    "tokens_out", 0, "cost", "wall_ms", 0);
	if (obj == NULL)
		oom();
	json_out_line(stdout, obj);
	json_decref(obj);
	return (f->exit);
}

int
answer_failed(const struct options *o, const struct failure *f)
{
	json_t	*obj;

	say(f);
	if (!o->json)
		return (f->exit);
	obj = json_pack("{s:{s:o, s:o}}", "error", "class",
	    whole_string(f->class), "message", whole_string(f->message));
	if (obj == NULL)
		oom();
	json_out_line(stdout, obj);
	json_decref(obj);
	return (f->exit);
}
