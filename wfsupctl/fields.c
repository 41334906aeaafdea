#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "fields.h"
#include "query.h"
#include "text.h"

/* Lines but the first stand in the second column. */
#define INDENT	"               "

static void
put_nodes(const json_t *nodes)
{
	static const char *const	keys[] = { "running", "done", "failed",
					    "cancelled" };
	size_t				 i, sep = 0;

	printf("%" PRId64, member_int(nodes, "total"));
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (member_int(nodes, keys[i]) > 0)
			printf("%s%" PRId64 " %s", sep++ > 0 ? ", " : ": ",
			    member_int(nodes, keys[i]), keys[i]);
}

static void
put_text(const json_t *v)
{
	char	*text;

	text = member_text(v);
	text_put(stdout, text, INDENT);
	free(text);
}

static void
put_error(const json_t *error)
{
	text_put(stdout, member_str(error, "class"), INDENT);
	fputs(": ", stdout);
	text_put(stdout, member_str(error, "message"), INDENT);
	if (member_int(error, "line") > 0)
		printf(" (line %" PRId64 ")", member_int(error, "line"));
}

/* The nodes that run: where, since when, and what they are about. */
static void
put_running(const json_t *nodes)
{
	const char	*about;
	char		 span[32];
	json_t		*node;
	size_t		 i;

	json_array_foreach(nodes, i, node) {
		fputs(i > 0 ? "\n" INDENT : "", stdout);
		text_put(stdout, member_str(node, "node"), INDENT);
		printf("  %s", text_span(span, sizeof(span), clock_now() -
		    member_int(node, "started")));
		about = member_str(node, "label");
		if (*about == '\0')
			about = member_str(node, "what");
		fputs(*about != '\0' ? "  " : "", stdout);
		text_put(stdout, about, INDENT);
	}
}

/* The nodes that failed: where, what about, and with what. */
static void
put_failed(const json_t *nodes, int64_t all)
{
	const char	*label, *cause;
	json_t		*node;
	size_t		 i;

	json_array_foreach(nodes, i, node) {
		fputs(i > 0 ? "\n" INDENT : "", stdout);
		text_put(stdout, member_str(node, "node"), INDENT);
		label = member_str(node, "label");
		fputs(*label != '\0' ? "  " : "", stdout);
		text_put_first(stdout, label);
		fputs("  ", stdout);
		text_put_first(stdout, member_str(node, "class"));
		fputs(": ", stdout);
		text_put_first(stdout, member_str(node, "message"));
		cause = member_str(node, "cause");
		fputs(*cause != '\0' ? " (" : "", stdout);
		text_put_first(stdout, cause);
		fputs(*cause != '\0' ? ")" : "", stdout);
	}
	if (all > (int64_t)i)
		printf("\n" INDENT "and %" PRId64 " more: see wfsupctl log",
		    all - (int64_t)i);
}

static void
put_names(const json_t *names)
{
	json_t	*name;
	size_t	 i;

	if (json_array_size(names) == 0)
		fputs("nothing", stdout);
	json_array_foreach(names, i, name) {
		fputs(i > 0 ? ", " : "", stdout);
		put_text(name);
	}
}

static void
put_date(const json_t *v)
{
	char	buf[64];

	fputs(text_date(buf, sizeof(buf), json_integer_value(v)), stdout);
}

static void
put_count(const json_t *v)
{
	printf("%" PRId64, (int64_t)json_integer_value(v));
}

static void
put_size(const json_t *v)
{
	int64_t	n = json_integer_value(v);

	if (n > 0 && n % (1024 * 1024) == 0)
		printf("%" PRId64 "M", n / (1024 * 1024));
	else
		put_count(v);
}

static void
put_field(const json_t *body, const struct field *field)
{
	const json_t	*v = json_object_get(body, field->key);
	char		 buf[64];

	printf("%-14s ", field->title);
	switch (field->as) {
	case AS_TEXT:
		put_text(v);
		break;
	case AS_NAMES:
		put_names(v);
		break;
	case AS_EXPIRY:
		if (json_integer_value(v) == 0)
			fputs("never", stdout);
		else
			put_date(v);
		break;
	case AS_DATE:
		put_date(v);
		break;
	case AS_USER:
		fputs(member_user(body, field->key, buf, sizeof(buf)), stdout);
		break;
	case AS_LIMIT:
		if (json_integer_value(v) == 0)
			fputs("none", stdout);
		else
			put_count(v);
		break;
	case AS_COUNT:
		put_count(v);
		break;
	case AS_SIZE:
		put_size(v);
		break;
	case AS_ERROR:
		put_error(v);
		break;
	case AS_TABLE:
		break;
	case AS_NODES:
		put_nodes(v);
		break;
	case AS_RUNNING:
		put_running(v);
		break;
	case AS_FAILED:
		put_failed(v, member_int(json_object_get(body, "nodes"),
		    "failed"));
		break;
	}
	putchar('\n');
}

static int
is_field(const struct field *fields, const char *key)
{
	for (; fields->key != NULL; fields++)
		if (strcmp(fields->key, key) == 0)
			return (1);
	return (0);
}

/* Members that are in no table: objects one level down. */
static void
put_others(const struct field *fields, const json_t *body)
{
	struct field	 field = { .as = AS_TEXT };
	const char	*key;
	char		 title[80];
	json_t		*v;

	json_object_foreach((json_t *)(uintptr_t)body, key, v) {
		if (json_is_null(v) || is_field(fields, key))
			continue;
		if (json_is_object(v)) {
			put_others(&field, v);
			continue;
		}
		field.key = key;
		field.title = text_vis(title, sizeof(title), key, strlen(key));
		put_field(body, &field);
		field.key = NULL;
	}
}

/* Is there something to say? No list of nodes is shown empty. */
static int
is_shown(const json_t *v, enum field_as as)
{
	return (v != NULL && !json_is_null(v) && as != AS_TABLE &&
	    ((as != AS_RUNNING && as != AS_FAILED) ||
	    json_array_size(v) > 0));
}

void
fields_print(const struct field *fields, const json_t *body)
{
	size_t	i;

	for (i = 0; fields[i].key != NULL; i++)
		if (is_shown(json_object_get(body, fields[i].key),
		    fields[i].as))
			put_field(body, &fields[i]);
	put_others(fields, body);
}
