/*
 * show: all that is known about one run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "json_out.h"
#include "query.h"
#include "result.h"
#include "text.h"

enum show_as { AS_TEXT, AS_DATE, AS_NODES, AS_COUNT, AS_USER, AS_RUNNING };

/* The members in the order in which people ask for them. */
static const struct {
	const char	*key;
	const char	*title;
	enum show_as	 as;
} rows[] = {
	{ "run",	"Run",		AS_TEXT },
	{ "name",	"Name",		AS_TEXT },
	{ "state",	"State",	AS_TEXT },
	{ "waiting",	"Waiting for",	AS_TEXT },
	{ "exit",	"Exit code",	AS_TEXT },
	{ "uid",	"User",		AS_USER },
	{ "gid",	"Group",	AS_TEXT },
	{ "profile",	"Profile",	AS_TEXT },
	{ "created",	"Submitted",	AS_DATE },
	{ "started",	"Started",	AS_DATE },
	{ "ended",	"Ended",	AS_DATE },
	{ "nodes",	"Nodes",	AS_NODES },
	{ "running",	"Running",	AS_RUNNING },
	{ "tokens_in",	"Tokens in",	AS_COUNT },
	{ "tokens_out",	"Tokens out",	AS_COUNT },
	{ "budget",	"Token budget",	AS_COUNT },
	{ "workspace",	"Workspace",	AS_TEXT },
	{ "python",	"Python",	AS_TEXT },
};
#define NROWS	(sizeof(rows) / sizeof(rows[0]))

/* Lines but the first stand in the second column. */
#define INDENT	"               "

static void
put_nodes(const json_t *nodes)
{
	static const char *const	keys[] = { "running", "done", "failed",
					    "cancelled" };
	size_t				i;

	printf("%" PRId64, member_int(nodes, "total"));
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (member_int(nodes, keys[i]) > 0)
			printf(", %" PRId64 " %s", member_int(nodes, keys[i]),
			    keys[i]);
}

static void
put_text(const json_t *v)
{
	char	*text;

	text = member_text(v);
	text_put(stdout, text, INDENT);
	free(text);
}

/* The nodes that run: where, since when, and what they are about. */
static void
put_running(const json_t *nodes)
{
	const char	*about;
	char		 span[32];
	json_t		*node;
	size_t		 i;

	if (json_array_size(nodes) == 0)
		putchar('-');
	json_array_foreach(nodes, i, node) {
		fputs(i > 0 ? "\n" INDENT : "", stdout);
		text_put(stdout, member_str(node, "node"), INDENT);
		printf("  %s  ", text_span(span, sizeof(span), clock_now() -
		    member_int(node, "started")));
		about = member_str(node, "label");
		text_put(stdout, *about != '\0' ? about :
		    member_str(node, "what"), INDENT);
	}
}

static void
put_row(const json_t *body, const char *key, const char *title,
    enum show_as as)
{
	const json_t	*v = json_object_get(body, key);
	char		 buf[64];

	printf("%-14s ", title);
	switch (as) {
	case AS_TEXT:
		put_text(v);
		break;
	case AS_DATE:
		fputs(text_date(buf, sizeof(buf), json_integer_value(v)),
		    stdout);
		break;
	case AS_NODES:
		put_nodes(v);
		break;
	case AS_COUNT:
		printf("%" PRId64, (int64_t)json_integer_value(v));
		break;
	case AS_USER:
		fputs(member_user(body, key, buf, sizeof(buf)), stdout);
		break;
	case AS_RUNNING:
		put_running(v);
		break;
	}
	putchar('\n');
}

static int
is_row(const char *key)
{
	size_t	i;

	for (i = 0; i < NROWS; i++)
		if (strcmp(rows[i].key, key) == 0)
			return (1);
	return (0);
}

/* Members that are not in the table above, objects one level down. */
static void
put_rest(const json_t *body)
{
	const char	*key, *sub;
	json_t		*v, *w;
	char		 title[80];

	json_object_foreach((json_t *)(uintptr_t)body, key, v) {
		if (is_row(key) || json_is_null(v))
			continue;
		text_vis(title, sizeof(title), key, strlen(key));
		if (!json_is_object(v)) {
			put_row(body, key, title, AS_TEXT);
			continue;
		}
		json_object_foreach(v, sub, w)
			put_row(v, sub, text_vis(title, sizeof(title), sub,
			    strlen(sub)), AS_TEXT);
	}
}

static void
show_print(const json_t *body)
{
	const json_t	*v;
	size_t		 i;

	for (i = 0; i < NROWS; i++) {
		v = json_object_get(body, rows[i].key);
		if (v != NULL && !json_is_null(v))
			put_row(body, rows[i].key, rows[i].title, rows[i].as);
	}
	put_rest(body);
}

int
cmd_show(const struct options *o)
{
	struct failure	f;
	struct answer	a;

	if (query(o, "show", o->operands[0], &a, &f) == -1)
		return (answer_failed(o, &f));
	if (o->json)
		json_out_text(stdout, a.text);
	else
		show_print(a.body);
	answer_free(&a);
	return (EXIT_COMPLETED);
}
