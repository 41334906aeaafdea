/*
 * The part of a rule that says when it fits: "when", "let" and "where".
 */
#include <stdlib.h>
#include <string.h>

#include "canned.h"
#include "canned_parse.h"

static const char *const when_keys[] = { "model", "turn", "attempt", "offers",
	"messages", NULL };
static const char *const pattern_keys[] = { "name", "role", "tool",
	"contains", "regex", "as", "last", NULL };
static const char *const value_keys[] = { "lines", "count", "first", "last",
	"all", "sum", "max", "in", "else", NULL };
static const char *const range_keys[] = { "min", "max", NULL };
static const struct {
	const char	*name;
	enum op		 op;
} ops[] = {
	{ "lines",	OP_LINES },
	{ "count",	OP_COUNT },
	{ "first",	OP_FIRST },
	{ "last",	OP_LAST },
	{ "all",	OP_ALL },
	{ "sum",	OP_SUM },
	{ "max",	OP_MAX },
};
#define NOPS	(sizeof(ops) / sizeof(ops[0]))

static const char *const roles[] = { "system", "user", "assistant", "tool" };

/* A name that ${...} can hold: letters, digits, "_". */
static int
identifier_check(struct shape *s, const char *path, const char *name)
{
	size_t	n = strlen(name);

	if (n == 0 || n > CANNED_NAME_MAX || strspn(name, "abcdefghijklmnopq"
	    "rstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != n)
		return (shape_bad(s, path, "a name has 1 to %d letters, "
		    "digits or \"_\"", CANNED_NAME_MAX));
	return (0);
}

/* Make a name known. What it stands for is not known yet. */
static int
name_add(struct shape *s, const char *path, const char *name, json_t *env)
{
	if (identifier_check(s, path, name) == -1)
		return (-1);
	if (json_object_get(env, name) != NULL)
		return (shape_bad(s, path, "\"%s\" is taken", name));
	if (json_object_set_new(env, name, json_true()) == -1)
		return (parse_no_memory(s, path));
	return (0);
}

/* An integer, or an object with min and max. */
static int
range_value_parse(struct shape *s, const char *path, const json_t *v,
    struct range *r)
{
	r->min = r->max = json_integer_value(v);
	if (json_is_integer(v))
		return (0);
	r->min = INT64_MIN;
	r->max = INT64_MAX;
	if (!json_is_object(v))
		return (shape_bad(s, path, "must be an integer or an object "
		    "with \"min\" and \"max\""));
	if (shape_object(s, path, v, range_keys) == -1 ||
	    shape_int(s, path, v, "min", INT64_MIN, INT64_MAX, &r->min) == -1)
		return (-1);
	return (shape_int(s, path, v, "max", INT64_MIN, INT64_MAX, &r->max));
}

static int
range_parse(struct shape *s, const char *path, const json_t *obj,
    const char *key, struct range *r)
{
	const json_t	*v;
	char		 below[SHAPE_PATH_MAX];

	r->min = INT64_MIN;
	r->max = INT64_MAX;
	if ((v = json_object_get(obj, key)) == NULL)
		return (0);
	return (range_value_parse(s, shape_key(below, path, key), v, r));
}

static int
regex_parse(struct shape *s, const char *path, const char *text,
    struct search *search)
{
	char	why[128];

	if (search_compile(search, text, why, sizeof(why)) == -1)
		return (shape_bad(s, path, "%s", why));
	return (0);
}

static int
strings_check(struct shape *s, const char *path, const json_t *list)
{
	char	below[SHAPE_PATH_MAX];
	json_t	*item;
	size_t	 i;

	json_array_foreach(list, i, item)
		if (!json_is_string(item))
			return (shape_bad(s, shape_item(below, path, i),
			    "must be a string"));
	return (0);
}

static int
as_parse(struct shape *s, const char *path, const json_t *v,
    struct pattern *p, json_t *env)
{
	char	 list_path[SHAPE_PATH_MAX], below[SHAPE_PATH_MAX];
	json_t	*list, *item;
	size_t	 i;

	if (shape_array(s, path, v, "as", SEARCH_GROUPS_MAX, &list) == -1)
		return (-1);
	shape_key(list_path, path, "as");
	if (list != NULL && !p->has_regex)
		return (shape_bad(s, list_path, "needs a \"regex\""));
	if (strings_check(s, list_path, list) == -1)
		return (-1);
	if (json_array_size(list) > p->regex.re.re_nsub && list != NULL)
		return (shape_bad(s, list_path, "has %zu names, the regex has "
		    "%zu groups", json_array_size(list), p->regex.re.re_nsub));
	json_array_foreach(list, i, item) {
		p->as[p->nas++] = json_string_value(item);
		if (name_add(s, shape_item(below, list_path, i),
		    json_string_value(item), env) == -1)
			return (-1);
	}
	return (0);
}

static int
pattern_regex_parse(struct shape *s, const char *path, const json_t *v,
    struct pattern *p)
{
	const char	*regex = NULL;
	char		 below[SHAPE_PATH_MAX];

	if (shape_str(s, path, v, "regex", CANNED_FILE_MAX, &regex) == -1)
		return (-1);
	if (regex == NULL)
		return (0);
	p->has_regex = 1;
	return (regex_parse(s, shape_key(below, path, "regex"), regex,
	    &p->regex));
}

static int
pattern_parse(struct shape *s, const char *path, const json_t *v,
    struct pattern *p, json_t *env)
{
	char	below[SHAPE_PATH_MAX];

	if (shape_object(s, path, v, pattern_keys) == -1 ||
	    shape_str(s, path, v, "name", CANNED_NAME_MAX, &p->name) == -1 ||
	    shape_str(s, path, v, "role", CANNED_NAME_MAX, &p->role) == -1 ||
	    parse_word(s, shape_key(below, path, "role"), &p->role, roles,
	    sizeof(roles) / sizeof(roles[0])) == -1 ||
	    shape_str(s, path, v, "tool", CANNED_NAME_MAX, &p->tool) == -1 ||
	    shape_str(s, path, v, "contains", CANNED_FILE_MAX,
	    &p->contains) == -1 ||
	    shape_bool(s, path, v, "last", &p->last) == -1 ||
	    pattern_regex_parse(s, path, v, p) == -1)
		return (-1);
	return (as_parse(s, path, v, p, env));
}

static int
patterns_parse(struct shape *s, const char *path, const json_t *when,
    struct rule *r, json_t *env)
{
	char	 list_path[SHAPE_PATH_MAX], below[SHAPE_PATH_MAX];
	json_t	*list, *item;
	size_t	 i;

	if (shape_array(s, path, when, "messages", CANNED_PATTERNS_MAX,
	    &list) == -1)
		return (-1);
	shape_key(list_path, path, "messages");
	r->patterns = parse_array(json_array_size(list), sizeof(*r->patterns));
	if (r->patterns == NULL)
		return (parse_no_memory(s, list_path));
	json_array_foreach(list, i, item) {
		r->npatterns++;
		if (pattern_parse(s, shape_item(below, list_path, i), item,
		    &r->patterns[i], env) == -1)
			return (-1);
	}
	return (0);
}

int
parse_when(struct shape *s, const char *path, const json_t *v,
    struct rule *r, json_t *env)
{
	char		 below[SHAPE_PATH_MAX];
	const json_t	*when;
	json_t		*none = NULL;
	int		 ret = -1;

	if ((when = json_object_get(v, "when")) == NULL)
		when = none = json_object();
	shape_key(below, path, "when");
	if (shape_object(s, below, when, when_keys) == 0 &&
	    shape_str(s, below, when, "model", 128, &r->model) == 0 &&
	    range_parse(s, below, when, "turn", &r->turn) == 0 &&
	    range_parse(s, below, when, "attempt", &r->attempt) == 0 &&
	    shape_array(s, below, when, "offers", CANNED_CALLS_MAX,
	    &r->offers) == 0)
		ret = patterns_parse(s, below, when, r, env);
	json_decref(none);
	if (ret == 0) {
		shape_key(below, path, "when.offers");
		ret = strings_check(s, below, r->offers);
	}
	return (ret);
}

/* ---- let and where ---- */

/* The one operation of a value. */
static int
op_parse(struct shape *s, const char *path, const json_t *v, struct value *val)
{
	const json_t	*regex = NULL, *found;
	size_t		 i;
	int		 n = 0;
	char		 below[SHAPE_PATH_MAX];

	for (i = 0; i < NOPS; i++)
		if ((found = json_object_get(v, ops[i].name)) != NULL) {
			n++;
			regex = found;
			val->op = ops[i].op;
			shape_key(below, path, ops[i].name);
		}
	if (n != 1)
		return (shape_bad(s, path, "must have exactly one of lines, "
		    "count, first, last, all, sum, max"));
	if (val->op == OP_LINES)
		return (json_is_true(regex) ? 0 :
		    shape_bad(s, below, "must be true"));
	if (!json_is_string(regex))
		return (shape_bad(s, below, "must be a string, a regex"));
	return (regex_parse(s, below, json_string_value(regex), &val->regex));
}

static int
source_parse(struct shape *s, const char *path, const json_t *v,
    const struct rule *r, struct value *val)
{
	const char	*name = NULL;
	char		 below[SHAPE_PATH_MAX];
	size_t		 i;

	val->source = -1;
	if (shape_str(s, path, v, "in", CANNED_NAME_MAX, &name) == -1)
		return (-1);
	if (name == NULL)
		return (0);
	for (i = 0; i < r->npatterns; i++)
		if (r->patterns[i].name != NULL &&
		    strcmp(r->patterns[i].name, name) == 0) {
			val->source = (int)i;
			return (0);
		}
	return (shape_bad(s, shape_key(below, path, "in"), "no message of "
	    "\"when\" has the name \"%s\"", name));
}

int
parse_let(struct shape *s, const char *path, const json_t *v,
    struct rule *r, json_t *env)
{
	char		 let_path[SHAPE_PATH_MAX], below[SHAPE_PATH_MAX];
	json_t		*let, *item;
	const char	*name;
	struct value	*val;

	let = json_object_get(v, "let");
	shape_key(let_path, path, "let");
	if (let != NULL && !json_is_object(let))
		return (shape_bad(s, let_path, "must be an object"));
	if (json_object_size(let) > CANNED_VALUES_MAX)
		return (shape_bad(s, let_path, "at most %d are allowed",
		    CANNED_VALUES_MAX));
	r->values = parse_array(json_object_size(let), sizeof(*r->values));
	if (r->values == NULL)
		return (parse_no_memory(s, let_path));
	json_object_foreach(let, name, item) {
		val = &r->values[r->nvalues++];
		val->name = name;
		val->otherwise = json_object_get(item, "else");
		shape_key(below, let_path, name);
		if (name_add(s, below, name, env) == -1 ||
		    shape_object(s, below, item, value_keys) == -1 ||
		    op_parse(s, below, item, val) == -1 ||
		    source_parse(s, below, item, r, val) == -1)
			return (-1);
	}
	return (0);
}

int
parse_where(struct shape *s, const char *path, const json_t *v,
    struct rule *r, const json_t *env)
{
	char			 list[SHAPE_PATH_MAX], below[SHAPE_PATH_MAX];
	json_t			*where, *item;
	const char		*name;
	struct condition	*c;

	where = json_object_get(v, "where");
	shape_key(list, path, "where");
	if (where != NULL && !json_is_object(where))
		return (shape_bad(s, list, "must be an object"));
	r->conditions = parse_array(json_object_size(where),
	    sizeof(*r->conditions));
	if (r->conditions == NULL)
		return (parse_no_memory(s, list));
	json_object_foreach(where, name, item) {
		c = &r->conditions[r->nconditions++];
		c->name = name;
		shape_key(below, list, name);
		if (json_object_get(env, name) == NULL)
			return (shape_bad(s, below, "nothing is called "
			    "\"%.64s\"", name));
		if (range_value_parse(s, below, item, &c->range) == -1)
			return (-1);
	}
	return (0);
}
