/*
 * Is a JSON value as a schema says? One function a keyword, each with its
 * argument, the schema around it and the value. Here are those that go on
 * into the value or into other schemas; schema_words.c has the rest.
 */
#include <stdio.h>
#include <string.h>

#include "schema.h"
#include "schema_check.h"
#include "text.h"

static enum answer	check_value(struct check *, const json_t *schema,
			    const json_t *value);

/* ---- arrays ---- */

static enum answer
check_item(struct check *c, const json_t *schema, const json_t *array,
    size_t i)
{
	size_t		at = path_index(&c->path, i);
	enum answer	answer;

	answer = check_value(c, schema, json_array_get(array, i));
	path_leave(&c->path, at);
	return (answer);
}

static enum answer
check_prefix_items(struct check *c, const struct site *s)
{
	size_t		i;
	enum answer	answer = YES;

	for (i = 0; answer == YES && i < json_array_size(s->arg) &&
	    i < json_array_size(s->value); i++)
		answer = check_item(c, json_array_get(s->arg, i), s->value, i);
	return (answer);
}

static enum answer
check_items(struct check *c, const struct site *s)
{
	size_t		i;
	enum answer	answer = YES;

	i = json_array_size(json_object_get(s->schema, "prefixItems"));
	for (; answer == YES && i < json_array_size(s->value); i++)
		answer = check_item(c, s->arg, s->value, i);
	return (answer);
}

/* ---- objects ---- */

static enum answer
check_property(struct check *c, const json_t *schema, const char *key,
    const json_t *value)
{
	size_t		at = path_key(&c->path, key);
	enum answer	answer;

	answer = check_value(c, schema, value);
	path_leave(&c->path, at);
	return (answer);
}

static enum answer
check_properties(struct check *c, const struct site *s)
{
	const char	*key;
	json_t		*schema, *value;
	enum answer	 answer;

	if ((answer = schema_spend(c, json_object_size(s->arg))) != YES)
		return (answer);
	json_object_foreach((json_t *)s->arg, key, schema) {
		if ((value = json_object_get(s->value, key)) == NULL)
			continue;
		answer = check_property(c, schema, key, value);
		if (answer != YES)
			return (answer);
	}
	return (YES);
}

/* The names of properties, for an error: "path, offset, limit". */
static const char *
names(char *buf, size_t buflen, const json_t *properties)
{
	const char	*key;
	json_t		*schema;
	size_t		 n = 0;

	buf[0] = '\0';
	json_object_foreach((json_t *)properties, key, schema)
		if (n < buflen)
			n += (size_t)snprintf(buf + n, buflen - n, "%s%s",
			    n > 0 ? ", " : "", key);
	text_trim(buf);
	return (buf[0] == '\0' ? "none" : buf);
}

static enum answer
check_additional(struct check *c, const struct site *s)
{
	const json_t	*known = json_object_get(s->schema, "properties");
	const char	*key;
	json_t		*value;
	char		 list[200];
	enum answer	 answer;

	json_object_foreach((json_t *)s->value, key, value) {
		if (json_object_get(known, key) != NULL)
			continue;
		if (json_is_false(s->arg))
			return (refuse(c, "\"%.100s\" is not known here; "
			    "there are: %s", key,
			    names(list, sizeof(list), known)));
		answer = check_property(c, s->arg, key, value);
		if (answer != YES)
			return (answer);
	}
	return (YES);
}

/* ---- schemas of schemas ---- */

/* If each of the alternatives names a type: is the value's one of these? */
static enum answer
check_types(struct check *c, const struct site *s)
{
	struct site	 all = *s;
	json_t		*types = json_array(), *schema, *type;
	enum answer	 answer = YES;
	size_t		 i;

	json_array_foreach((json_t *)s->arg, i, schema) {
		type = json_object_get(schema, "type");
		if (!json_is_string(type) ||
		    json_array_append(types, type) == -1)
			break;
	}
	all.arg = types;
	if (i > 0 && i == json_array_size(s->arg))
		answer = schema_type(c, &all);
	json_decref(types);
	return (answer);
}

/* One alternative. In typed is left whether it is at least of the type. */
static enum answer
try_one(struct check *c, const json_t *schema, const json_t *value,
    int *typed)
{
	struct site	s = { .schema = schema, .value = value };

	s.arg = json_object_get(schema, "type");
	*typed = s.arg == NULL || schema_type(c, &s) == YES;
	return (*typed ? check_value(c, schema, value) : NO);
}

/* What trying the alternatives has come to. */
struct tries {
	size_t	fit, typed;
	char	best[256];	/* of those that don't fit, the best error */
};

/*
 * Try value against each of the schemas, stopping after `enough` that fit.
 * The best error is that of the one that came farthest into the value: not of
 * one of another type, if there is any other.
 */
static enum answer
try_each(struct check *c, const struct site *s, size_t enough,
    struct tries *t)
{
	const json_t	*schema;
	char		*why = c->why, error[256], *colon;
	size_t		 i, whylen = c->whylen, far, farthest = 0;
	enum answer	 answer = YES;
	int		 typed;

	memset(t, 0, sizeof(*t));
	c->why = error;
	c->whylen = sizeof(error);
	json_array_foreach((json_t *)s->arg, i, schema) {
		answer = try_one(c, schema, s->value, &typed);
		t->typed += (size_t)typed;
		if (answer == TOO_MUCH)
			break;
		if (answer == YES && ++t->fit == enough)
			break;
		if (answer == YES)
			continue;
		colon = strstr(error, ": ");
		far = colon == NULL ? 0 : (size_t)(colon - error);
		if ((typed && far >= farthest && far > 0) || *t->best == '\0') {
			farthest = typed ? far + 1 : 0;
			snprintf(t->best, sizeof(t->best), "%s", error);
			text_trim(t->best);
		}
	}
	c->why = why;
	c->whylen = whylen;
	if (answer != TOO_MUCH)
		return (YES);
	(void)schema_spend(c, c->work + 1);
	return (TOO_MUCH);
}

/* If it is of the type of one only, that is the one that was meant. */
static enum answer
none_fits(struct check *c, const struct site *s, const struct tries *t)
{
	if (t->typed != 1)
		return (refuse(c, "fits none of the %zu alternatives (%s)",
		    json_array_size(s->arg), t->best));
	snprintf(c->why, c->whylen, "%s", t->best);
	text_trim(c->why);
	return (NO);
}

static enum answer
check_any_of(struct check *c, const struct site *s)
{
	struct tries	t;
	enum answer	answer;

	if ((answer = check_types(c, s)) != YES)
		return (answer);
	answer = try_each(c, s, 1, &t);
	if (answer != YES || t.fit > 0)
		return (answer);
	return (none_fits(c, s, &t));
}

static enum answer
check_one_of(struct check *c, const struct site *s)
{
	struct tries	t;
	enum answer	answer;

	if ((answer = check_types(c, s)) != YES)
		return (answer);
	answer = try_each(c, s, 2, &t);
	if (answer != YES || t.fit == 1)
		return (answer);
	if (t.fit > 1)
		return (refuse(c, "fits more than one of the alternatives"));
	return (none_fits(c, s, &t));
}

static enum answer
check_all_of(struct check *c, const struct site *s)
{
	const json_t	*schema;
	size_t		 i;
	enum answer	 answer;

	json_array_foreach((json_t *)s->arg, i, schema)
		if ((answer = check_value(c, schema, s->value)) != YES)
			return (answer);
	return (YES);
}

static enum answer
check_not(struct check *c, const struct site *s)
{
	enum answer	answer;

	answer = check_value(c, s->arg, s->value);
	if (answer == NO)
		return (YES);
	if (answer == TOO_MUCH)
		return (TOO_MUCH);
	return (refuse(c, "is what it must not be"));
}

/* "#/$defs/NAME": NAME has "~1" for "/" and "~0" for "~". */
const json_t *
schema_ref(const json_t *root, const char *ref)
{
	static const char	*const places[] = { "$defs", "definitions" };
	char			 name[256], *to = name;
	const char		*from;
	size_t			 i, n;

	if (strcmp(ref, "#") == 0)
		return (root);
	for (i = 0; i < 2; i++) {
		n = strlen(places[i]);
		if (strncmp(ref, "#/", 2) != 0 ||
		    strncmp(ref + 2, places[i], n) != 0 || ref[n + 2] != '/')
			continue;
		for (from = ref + n + 3; *from != '\0'; from++) {
			if (to == name + sizeof(name) - 1 || *from == '/')
				return (NULL);
			*to = *from;
			if (from[0] == '~' && (from[1] == '0' ||
			    from[1] == '1'))
				*to = *++from == '0' ? '~' : '/';
			to++;
		}
		*to = '\0';
		return (json_object_get(json_object_get(root, places[i]),
		    name));
	}
	return (NULL);
}

static enum answer
check_ref(struct check *c, const struct site *s)
{
	return (check_value(c, schema_ref(c->root, json_string_value(s->arg)),
	    s->value));
}

/* In the order in which they are tried: what says most comes first. */
static const struct {
	const char	*name;
	enum answer	(*check)(struct check *, const struct site *);
} keywords[] = {
	{ "type",			schema_type },
	{ "const",			schema_const },
	{ "enum",			schema_enum },
	{ "required",			schema_required },
	{ "properties",			check_properties },
	{ "additionalProperties",	check_additional },
	{ "minProperties",		schema_min_properties },
	{ "maxProperties",		schema_max_properties },
	{ "minItems",			schema_min_items },
	{ "maxItems",			schema_max_items },
	{ "prefixItems",		check_prefix_items },
	{ "items",			check_items },
	{ "uniqueItems",		schema_unique },
	{ "minLength",			schema_min_length },
	{ "maxLength",			schema_max_length },
	{ "pattern",			schema_pattern },
	{ "minimum",			schema_minimum },
	{ "maximum",			schema_maximum },
	{ "exclusiveMinimum",		schema_above },
	{ "exclusiveMaximum",		schema_below },
	{ "multipleOf",			schema_multiple },
	{ "$ref",			check_ref },
	{ "allOf",			check_all_of },
	{ "anyOf",			check_any_of },
	{ "oneOf",			check_one_of },
	{ "not",			check_not },
};

static enum answer
check_value(struct check *c, const json_t *schema, const json_t *value)
{
	struct site	s = { .schema = schema, .value = value };
	size_t		i;
	enum answer	answer;

	if (json_is_true(schema))
		return (YES);
	if (json_is_false(schema))
		return (refuse(c, "nothing is allowed here"));
	if (c->depth == SCHEMA_DEPTH_MAX)
		return (schema_spend(c, c->work + 1));
	if ((answer = schema_spend(c, 1)) != YES)
		return (answer);
	c->depth++;
	for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		s.arg = json_object_get(schema, keywords[i].name);
		if (s.arg == NULL)
			continue;
		if ((answer = keywords[i].check(c, &s)) != YES)
			break;
	}
	c->depth--;
	return (answer);
}

int
schema_check(const json_t *schema, const json_t *value, const char *name,
    char *why, size_t whylen)
{
	struct check	c = { .root = schema, .work = SCHEMA_WORK_MAX,
			    .why = why, .whylen = whylen };

	path_start(&c.path, name);
	return (check_value(&c, schema, value) == YES ? 0 : -1);
}
