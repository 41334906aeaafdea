/*
 * Does a rule of the canned model fit the conversation, and what do the
 * names in its answer stand for?
 */
#include <sys/types.h>

#include <bsd/stdlib.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "canned_rule.h"

static int
in_range(int64_t n, const struct range *r)
{
	return (n >= r->min && n <= r->max);
}

static const char *
field(const json_t *message, const char *key)
{
	const char	*s;

	s = json_string_value(json_object_get(message, key));
	return (s == NULL ? "" : s);
}

/* How often the model has spoken. */
static int64_t
turns(const json_t *messages)
{
	int64_t	 n = 0;
	json_t	*m;
	size_t	 i;

	json_array_foreach(messages, i, m)
		n += strcmp(field(m, "role"), "assistant") == 0;
	return (n);
}

static int
is_offered(const json_t *tools, const char *name)
{
	json_t	*tool;
	size_t	 i;

	json_array_foreach(tools, i, tool)
		if (strcmp(field(tool, "name"), name) == 0)
			return (1);
	return (0);
}

static int
all_offered(const json_t *tools, const json_t *names)
{
	json_t	*name;
	size_t	 i;

	json_array_foreach(names, i, name)
		if (!is_offered(tools, json_string_value(name)))
			return (0);
	return (1);
}

/* Text as a JSON string. A regex may have cut a character in two. */
static json_t *
string_of(const char *s, size_t n)
{
	json_t	*v;
	char	*copy;
	size_t	 i;

	if ((v = json_stringn(s, n)) != NULL || n == 0)
		return (v);
	if ((copy = malloc(n)) == NULL)
		return (NULL);
	for (i = 0; i < n; i++)
		copy[i] = (s[i] & 0x80) != 0 ? '?' : s[i];
	v = json_stringn(copy, n);
	free(copy);
	return (v);
}

static json_t *
string_of_group(const struct search_match *m, const regmatch_t *g)
{
	if (g->rm_so == -1)
		return (json_string(""));
	return (string_of(m->line + g->rm_so, (size_t)(g->rm_eo - g->rm_so)));
}

static int
pattern_fits(const struct pattern *p, const json_t *m, json_t *env)
{
	struct search_match	match;
	const char		*content = field(m, "content");
	size_t			 i;

	if (p->role != NULL && strcmp(field(m, "role"), p->role) != 0)
		return (0);
	if (p->tool != NULL && strcmp(field(m, "name"), p->tool) != 0)
		return (0);
	if (p->contains != NULL && strstr(content, p->contains) == NULL)
		return (0);
	if (!p->has_regex)
		return (1);
	if (!search_text(&p->regex, content, &match))
		return (0);
	for (i = 0; i < p->nas; i++)
		if (json_object_set_new(env, p->as[i],
		    string_of_group(&match, &match.groups[i + 1])) == -1)
			return (0);
	return (1);
}

/* The newest message that fits, or NULL. Captures go into env. */
static const json_t *
pattern_find(const struct pattern *p, const json_t *messages, json_t *env)
{
	const json_t	*m;
	size_t		 i;

	for (i = json_array_size(messages); i > 0; i--) {
		m = json_array_get(messages, i - 1);
		if (pattern_fits(p, m, env))
			return (m);
		if (p->last)
			break;
	}
	return (NULL);
}

/* ---- values ---- */

struct counting {
	const struct value	*value;
	int64_t			 lines, sum, most;
	int			 numbers;
	json_t			*list;
};

/* Take the number of a match into account, if it is one. */
static void
count_number(struct counting *c, const char *digits)
{
	const char	*error;
	int64_t		 n;

	n = strtonum(digits, INT32_MIN, INT32_MAX, &error);
	if (error != NULL)
		return;
	if (!c->numbers || n > c->most)
		c->most = n;
	c->numbers = 1;
	if (__builtin_add_overflow(c->sum, n, &c->sum))
		c->sum = INT64_MAX;
}

/* Keep the text of a match. Returns 1 when no more are wanted. */
static int
count_text(struct counting *c, const json_t *text)
{
	if (c->value->op == OP_LAST)
		(void)json_array_clear(c->list);	/* never fails */
	if (json_array_append(c->list, (json_t *)(uintptr_t)text) == -1)
		return (1);
	return (c->value->op == OP_FIRST ||
	    json_array_size(c->list) >= CANNED_LIST_MAX);
}

static int
count_match(void *ctx, const struct search_match *m, int newline)
{
	struct counting	*c = ctx;
	json_t		*text;
	int		 enough = 0;

	c->lines += newline;
	if (c->value->op == OP_COUNT)
		return (0);
	text = string_of_group(m, search_about(&c->value->regex, m));
	if (text == NULL)
		return (1);
	if (c->value->op == OP_SUM || c->value->op == OP_MAX)
		count_number(c, json_string_value(text));
	else
		enough = count_text(c, text);
	json_decref(text);
	return (enough);
}

static int64_t
line_count(const char *text)
{
	int64_t	n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n' || text[1] == '\0';
	return (n);
}

/* The result of a search, or NULL if nothing was found where that matters. */
static json_t *
counting_result(const struct counting *c)
{
	switch (c->value->op) {
	case OP_LINES:
	case OP_COUNT:
		return (json_integer(c->lines));
	case OP_FIRST:
	case OP_LAST:
		return (json_incref(json_array_get(c->list, 0)));
	case OP_ALL:
		return (json_incref(c->list));
	case OP_SUM:
		return (json_integer(c->sum));
	case OP_MAX:
		return (c->numbers ? json_integer(c->most) : NULL);
	}
	return (NULL);
}

static json_t *
value_compute(const struct value *v, const char *text)
{
	struct counting	 c = { .value = v, .list = json_array() };
	json_t		*result;

	if (c.list == NULL)
		return (NULL);
	if (v->op == OP_LINES)
		c.lines = line_count(text);
	else
		search_each(&v->regex, text, count_match, &c);
	result = counting_result(&c);
	json_decref(c.list);
	if (result == NULL)
		result = v->otherwise == NULL ? json_null() :
		    json_deep_copy(v->otherwise);
	return (result);
}

/* What a condition compares: a number itself, or how long a value is. */
static int64_t
size_of(const json_t *v)
{
	if (json_is_integer(v))
		return (json_integer_value(v));
	if (json_is_array(v))
		return ((int64_t)json_array_size(v));
	return ((int64_t)json_string_length(v));
}

/* ---- rules ---- */

static int
head_fits(const struct rule *r, const char *model, int64_t attempt,
    const json_t *body)
{
	return ((r->model == NULL || strcmp(r->model, model) == 0) &&
	    in_range(attempt, &r->attempt) &&
	    in_range(turns(json_object_get(body, "messages")), &r->turn) &&
	    all_offered(json_object_get(body, "tools"), r->offers));
}

static int
patterns_fit(const struct rule *r, const json_t *messages, json_t *env,
    const json_t **found)
{
	size_t	i;

	for (i = 0; i < r->npatterns; i++)
		if ((found[i] = pattern_find(&r->patterns[i], messages,
		    env)) == NULL)
			return (0);
	return (1);
}

static int
values_fit(const struct rule *r, const json_t *messages, json_t *env,
    const json_t *const *found)
{
	const struct value	*v;
	const json_t		*m;
	size_t			 i;

	for (i = 0; i < r->nvalues; i++) {
		v = &r->values[i];
		m = v->source >= 0 ? found[v->source] : json_array_get(
		    messages, json_array_size(messages) - 1);
		if (json_object_set_new(env, v->name,
		    value_compute(v, field(m, "content"))) == -1)
			return (0);
	}
	for (i = 0; i < r->nconditions; i++)
		if (!in_range(size_of(json_object_get(env,
		    r->conditions[i].name)), &r->conditions[i].range))
			return (0);
	return (1);
}

json_t *
rule_match(const struct rule *r, const char *model, int64_t attempt,
    const json_t *body)
{
	const json_t	*messages = json_object_get(body, "messages");
	const json_t	*found[CANNED_PATTERNS_MAX];
	json_t		*env;

	if (!head_fits(r, model, attempt, body))
		return (NULL);
	env = json_pack("{s:s, s:I, s:I}", "model", model, "turn",
	    (json_int_t)turns(messages), "attempt", (json_int_t)attempt);
	if (env == NULL)
		return (NULL);
	if (patterns_fit(r, messages, env, found) &&
	    values_fit(r, messages, env, found))
		return (env);
	json_decref(env);
	return (NULL);
}
