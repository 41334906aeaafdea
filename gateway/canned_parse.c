/*
 * The rules file of the canned model: JSON to rules. Everything that can be
 * wrong with a file is found here, and said with the key it is about.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canned.h"
#include "canned_parse.h"
#include "json.h"

#define FILE_DEPTH_MAX	32

static const char *const file_keys[] = { "rules", NULL };
static const char *const rule_keys[] = { "name", "when", "let", "where",
	"delay", "text", "calls", "finish", "fail", NULL };
static const char *const call_keys[] = { "name", "arguments", NULL };
static const char *const fail_keys[] = { "class", "status", "after",
	"message", NULL };

static const char *const finishes[] = { "stop", "length", "tool_calls",
	"content_filter", "unknown" };
#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

int
parse_no_memory(struct shape *s, const char *path)
{
	return (shape_bad(s, path, "out of memory"));
}

void *
parse_array(size_t n, size_t size)
{
	return (calloc(n + 1, size));
}

int
parse_word(struct shape *s, const char *path, const char **word,
    const char *const *words, size_t n)
{
	char	list[128] = "";
	size_t	i, used = 0;

	for (i = 0; *word != NULL && i < n; i++) {
		if (strcmp(words[i], *word) == 0) {
			*word = words[i];
			return (0);
		}
		used += (size_t)snprintf(list + used, sizeof(list) - used,
		    "%s%s", i == 0 ? "" : ", ", words[i]);
	}
	return (*word == NULL ? 0 : shape_bad(s, path, "must be one of %s",
	    list));
}

/* ---- the answer ---- */

static int
fail_parse(struct shape *s, const char *path, const json_t *v, struct rule *r)
{
	const char		*class = NULL, *message = "a canned failure";
	int64_t			 status = 0, after = 0;
	enum failure_class	 which;
	char			 below[SHAPE_PATH_MAX];

	if (shape_object(s, path, v, fail_keys) == -1 ||
	    shape_str(s, path, v, "class", CANNED_NAME_MAX, &class) == -1 ||
	    shape_str(s, path, v, "message", FAILURE_TEXT_MAX - 1,
	    &message) == -1 ||
	    shape_int(s, path, v, "status", 0, 999, &status) == -1 ||
	    shape_int(s, path, v, "after", 0, 86400000, &after) == -1)
		return (-1);
	shape_key(below, path, "class");
	if (class == NULL)
		return (shape_bad(s, below, "is missing"));
	if (failure_find(class, &which) == -1)
		return (shape_bad(s, below, "there is no failure \"%s\"",
		    class));
	failure_set(&r->failure, which, "%s", message);
	r->failure.status = (int)status;
	r->failure.after = after;
	r->fails = 1;
	return (0);
}

static int
call_parse(struct shape *s, const char *path, const json_t *v,
    const json_t *env)
{
	const char	*name = NULL;
	char		 below[SHAPE_PATH_MAX];
	const json_t	*arguments;

	if (shape_object(s, path, v, call_keys) == -1 ||
	    shape_str(s, path, v, "name", CANNED_NAME_MAX, &name) == -1)
		return (-1);
	if (name == NULL)
		return (shape_bad(s, shape_key(below, path, "name"),
		    "is missing"));
	arguments = json_object_get(v, "arguments");
	shape_key(below, path, "arguments");
	if (arguments == NULL)
		return (shape_bad(s, below, "is missing"));
	return (template_check(s, below, arguments, env));
}

static int
calls_parse(struct shape *s, const char *path, const json_t *v,
    struct rule *r, const json_t *env)
{
	char	 list_path[SHAPE_PATH_MAX], below[SHAPE_PATH_MAX];
	json_t	*item;
	size_t	 i;

	if (shape_array(s, path, v, "calls", CANNED_CALLS_MAX,
	    &r->calls) == -1)
		return (-1);
	shape_key(list_path, path, "calls");
	if (r->calls != NULL && json_array_size(r->calls) == 0)
		return (shape_bad(s, list_path, "must not be empty"));
	json_array_foreach(r->calls, i, item)
		if (call_parse(s, shape_item(below, list_path, i), item,
		    env) == -1)
			return (-1);
	return (0);
}

static int
text_parse(struct shape *s, const char *path, const json_t *v,
    struct rule *r, const json_t *env)
{
	char	below[SHAPE_PATH_MAX];

	if ((r->text = json_object_get(v, "text")) == NULL)
		return (0);
	shape_key(below, path, "text");
	if (!json_is_string(r->text))
		return (shape_bad(s, below, "must be a string"));
	return (template_check(s, below, r->text, env));
}

static int
answer_parse(struct shape *s, const char *path, const json_t *v,
    struct rule *r, const json_t *env)
{
	const json_t	*fail = json_object_get(v, "fail");
	char		 below[SHAPE_PATH_MAX];

	if (shape_int(s, path, v, "delay", 0, CANNED_DELAY_MAX,
	    &r->delay) == -1 ||
	    text_parse(s, path, v, r, env) == -1 ||
	    calls_parse(s, path, v, r, env) == -1 ||
	    shape_str(s, path, v, "finish", CANNED_NAME_MAX,
	    &r->finish) == -1 ||
	    parse_word(s, shape_key(below, path, "finish"), &r->finish,
	    finishes, COUNT(finishes)) == -1)
		return (-1);
	if (fail == NULL && r->text == NULL && r->calls == NULL)
		return (shape_bad(s, path, "must have \"text\", \"calls\" or "
		    "\"fail\""));
	if (fail == NULL)
		return (0);
	if (r->calls != NULL || r->finish != NULL)
		return (shape_bad(s, path, "\"fail\" goes with \"text\" "
		    "only"));
	return (fail_parse(s, shape_key(below, path, "fail"), fail, r));
}

static int
rule_parse(struct shape *s, const char *path, const json_t *v, struct rule *r)
{
	json_t	*env;
	int	 ret = -1;

	env = json_pack("{s:b, s:b, s:b}", "model", 1, "turn", 1,
	    "attempt", 1);
	if (env == NULL)
		return (parse_no_memory(s, path));
	if (shape_object(s, path, v, rule_keys) == 0 &&
	    shape_str(s, path, v, "name", 128, &r->name) == 0 &&
	    parse_when(s, path, v, r, env) == 0 &&
	    parse_let(s, path, v, r, env) == 0 &&
	    parse_where(s, path, v, r, env) == 0)
		ret = answer_parse(s, path, v, r, env);
	json_decref(env);
	return (ret);
}

static int
rules_parse(struct shape *s, struct canned *c)
{
	char	 path[SHAPE_PATH_MAX];
	json_t	*list, *item;
	size_t	 i;

	if (shape_object(s, "", c->file, file_keys) == -1 ||
	    shape_array(s, "", c->file, "rules", CANNED_RULES_MAX,
	    &list) == -1)
		return (-1);
	if (list == NULL)
		return (shape_bad(s, "rules", "is missing"));
	c->rules = parse_array(json_array_size(list), sizeof(*c->rules));
	if (c->rules == NULL)
		return (parse_no_memory(s, "rules"));
	json_array_foreach(list, i, item) {
		c->nrules++;
		if (rule_parse(s, shape_item(path, "rules", i), item,
		    &c->rules[i]) == -1)
			return (-1);
	}
	return (0);
}

struct canned *
canned_parse(const char *text, size_t len, char *why, size_t whylen)
{
	struct shape	 s = { why, whylen };
	struct canned	*c;

	if ((c = calloc(1, sizeof(*c))) == NULL) {
		(void)parse_no_memory(&s, "");
		return (NULL);
	}
	c->file = json_parse(text, len, FILE_DEPTH_MAX, why, whylen);
	if (c->file == NULL || rules_parse(&s, c) == -1) {
		canned_free(c);
		return (NULL);
	}
	return (c);
}

static void
rule_free(struct rule *r)
{
	size_t	i;

	for (i = 0; i < r->npatterns; i++)
		search_free(&r->patterns[i].regex);
	for (i = 0; i < r->nvalues; i++)
		search_free(&r->values[i].regex);
	free(r->patterns);
	free(r->values);
	free(r->conditions);
}

void
canned_free(struct canned *c)
{
	size_t	i;

	if (c == NULL)
		return;
	for (i = 0; i < c->nrules; i++)
		rule_free(&c->rules[i]);
	free(c->rules);
	json_decref(c->file);
	free(c);
}

size_t
canned_count(const struct canned *c)
{
	return (c->nrules);
}
