/*
 * show: all that is known about one run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_out.h"
#include "query.h"
#include "result.h"
#include "text.h"

enum show_as { AS_TEXT, AS_DATE, AS_NODES, AS_COUNT };

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
	{ "uid",	"User",		AS_TEXT },
	{ "gid",	"Group",	AS_TEXT },
	{ "profile",	"Profile",	AS_TEXT },
	{ "created",	"Submitted",	AS_DATE },
	{ "started",	"Started",	AS_DATE },
	{ "ended",	"Ended",	AS_DATE },
	{ "nodes",	"Nodes",	AS_NODES },
	{ "tokens_in",	"Tokens in",	AS_COUNT },
	{ "tokens_out",	"Tokens out",	AS_COUNT },
	{ "workspace",	"Workspace",	AS_TEXT },
	{ "python",	"Python",	AS_TEXT },
};
#define NROWS	(sizeof(rows) / sizeof(rows[0]))

static void
put_nodes(const json_t *nodes)
{
	if (!json_is_object(nodes)) {
		printf("%" PRId64, (int64_t)json_integer_value(nodes));
		return;
	}
	printf("%" PRId64 ": %" PRId64 " running, %" PRId64 " done, %" PRId64
	    " failed", member_int(nodes, "total"),
	    member_int(nodes, "running"), member_int(nodes, "done"),
	    member_int(nodes, "failed"));
}

static void
put_text(const json_t *v)
{
	char	*text;

	text = member_text(v);
	text_put(stdout, text, "               ");
	free(text);
}

static void
put_row(const char *title, enum show_as as, const json_t *v)
{
	char	buf[64];

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
	}
	fputc('\n', stdout);
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
	char		 title[160];

	json_object_foreach((json_t *)(uintptr_t)body, key, v) {
		if (is_row(key) || json_is_null(v))
			continue;
		if (!json_is_object(v)) {
			text_vis(title, sizeof(title), key, strlen(key));
			put_row(title, AS_TEXT, v);
			continue;
		}
		json_object_foreach(v, sub, w) {
			text_vis(title, sizeof(title) / 2, key, strlen(key));
			strcat(title, " ");
			text_vis(title + strlen(title), sizeof(title) / 2 - 1,
			    sub, strlen(sub));
			put_row(title, AS_TEXT, w);
		}
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
			put_row(rows[i].title, rows[i].as, v);
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
