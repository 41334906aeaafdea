/*
 * The tools of one session.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"
#include "text.h"
#include "toolbind.h"

#define TOOLS_MAX	64

struct toolset {
	size_t		 ntools;
	struct tool	 tools[TOOLS_MAX];
	json_t		*advert;
	char		 names[512];
};

static int __attribute__((format(printf, 3, 4)))
refuse(char *why, size_t whylen, const char *fmt, ...)
{
	va_list	ap;

	va_start(ap, fmt);
	vsnprintf(why, whylen, fmt, ap);
	va_end(ap);
	text_trim(why);
	return (-1);
}

static int
is_listed(const json_t *names, const char *name)
{
	const json_t	*one;
	size_t		 i;

	json_array_foreach((json_t *)names, i, one)
		if (json_is_string(one) &&
		    strcmp(json_string_value(one), name) == 0)
			return (1);
	return (0);
}

/* Takes input. */
static int
add(struct toolset *set, const struct tooldef *def, json_t *input)
{
	json_t	*advert;
	size_t	 n;

	if (input == NULL || set->ntools == TOOLS_MAX) {
		json_decref(input);
		return (-1);
	}
	set->tools[set->ntools++] = (struct tool){ def, input };
	advert = json_pack("{s:s, s:s, s:O}", "name", def->name,
	    "description", def->description, "input", input);
	if (json_array_append_new(set->advert, advert) == -1)
		return (-1);
	n = strlen(set->names);
	snprintf(set->names + n, sizeof(set->names) - n, "%s%s",
	    n > 0 ? ", " : "", def->name);
	return (0);
}

static int
add_named(struct toolset *set, const char *name, const json_t *allowed,
    char *why, size_t whylen)
{
	const struct tooldef	*def;
	char			 list[128];

	if (tooldef_is_reserved(name))
		return (refuse(why, whylen, "the name \"%s\" is reserved: it "
		    "is there whenever a schema is given", name));
	if ((def = tooldef_find(name)) == NULL)
		return (refuse(why, whylen, "there is no tool \"%.64s\"; "
		    "there are: %s", name, tooldef_names(list, sizeof(list))));
	if (allowed != NULL && !is_listed(allowed, name))
		return (refuse(why, whylen, "the tool \"%s\" is not one of "
		    "this agent's tools", name));
	if (toolset_find(set, name) != NULL)
		return (refuse(why, whylen, "the tool \"%s\" is given twice",
		    name));
	if (add(set, def, json_loads(def->input, 0, NULL)) == -1)
		return (refuse(why, whylen, "out of memory"));
	return (0);
}

static int
add_list(struct toolset *set, const json_t *names, const json_t *allowed,
    char *why, size_t whylen)
{
	const json_t	*name;
	size_t		 i;

	if (!json_is_array(names))
		return (refuse(why, whylen, "tools must be a list of names"));
	json_array_foreach((json_t *)names, i, name) {
		if (!json_is_string(name))
			return (refuse(why, whylen, "tools[%zu] must be the "
			    "name of a tool", i));
		if (add_named(set, json_string_value(name), allowed, why,
		    whylen) == -1)
			return (-1);
	}
	return (0);
}

static int
add_all(struct toolset *set, char *why, size_t whylen)
{
	const struct tooldef	*def;
	size_t			 i;

	for (i = 0; (def = tooldef_at(i)) != NULL; i++)
		if (add_named(set, def->name, NULL, why, whylen) == -1)
			return (-1);
	return (0);
}

static int
is_object_schema(const json_t *schema)
{
	const char	*type;

	type = json_string_value(json_object_get(schema, "type"));
	return (type != NULL && strcmp(type, "object") == 0);
}

/* Definitions move to the new top, where "#/$defs/NAME" looks for them. */
static json_t *
wrap(const json_t *schema)
{
	static const char	*const places[] = { "$defs", "definitions" };
	json_t			*outer, *inner, *defs;
	size_t			 i;

	inner = json_is_boolean(schema) ? json_object() :
	    json_copy((json_t *)schema);
	outer = json_pack("{s:s, s:{s:o}, s:[s], s:b}", "type", "object",
	    "properties", "result", inner, "required", "result",
	    "additionalProperties", 0);
	if (outer == NULL)
		return (NULL);
	for (i = 0; i < 2; i++) {
		if ((defs = json_object_get(schema, places[i])) == NULL)
			continue;
		json_object_set(outer, places[i], defs);
		json_object_del(inner, places[i]);
	}
	return (outer);
}

static int
add_result(struct toolset *set, const json_t *schema, char *why,
    size_t whylen)
{
	json_t	*input;

	if (schema == NULL)
		return (0);
	input = is_object_schema(schema) ? json_deep_copy(schema) :
	    wrap(schema);
	if (add(set, &tooldef_finish, input) == -1 ||
	    add(set, &tooldef_give_up,
	    json_loads(tooldef_give_up.input, 0, NULL)) == -1)
		return (refuse(why, whylen, "out of memory"));
	return (0);
}

struct toolset *
toolset_bind(const json_t *wanted, const json_t *allowed,
    const json_t *schema, char *why, size_t whylen)
{
	struct toolset	*set;
	int		 error;

	if ((set = calloc(1, sizeof(*set))) == NULL ||
	    (set->advert = json_array()) == NULL) {
		(void)refuse(why, whylen, "out of memory");
		toolset_free(set);
		return (NULL);
	}
	if (wanted != NULL)
		error = add_list(set, wanted, allowed, why, whylen);
	else if (allowed != NULL)
		error = add_list(set, allowed, NULL, why, whylen);
	else
		error = add_all(set, why, whylen);
	if (error == -1 || add_result(set, schema, why, whylen) == -1) {
		toolset_free(set);
		return (NULL);
	}
	return (set);
}

void
toolset_free(struct toolset *set)
{
	size_t	i;

	if (set == NULL)
		return;
	for (i = 0; i < set->ntools; i++)
		json_decref(set->tools[i].input);
	json_decref(set->advert);
	free(set);
}

const struct tool *
toolset_find(const struct toolset *set, const char *name)
{
	size_t	i;

	for (i = 0; i < set->ntools; i++)
		if (strcmp(set->tools[i].def->name, name) == 0)
			return (&set->tools[i]);
	return (NULL);
}

const char *
toolset_names(const struct toolset *set)
{
	return (set->ntools == 0 ? "none" : set->names);
}

json_t *
toolset_advert(const struct toolset *set)
{
	return (set->advert);
}

json_t *
toolset_result(const json_t *schema, const json_t *arguments, char *why,
    size_t whylen)
{
	json_t	*result;

	if (is_object_schema(schema)) {
		if (schema_check(schema, arguments, "finish", why,
		    whylen) == -1)
			return (NULL);
		return (json_incref((json_t *)arguments));
	}
	result = json_object_get(arguments, "result");
	if (result == NULL || json_object_size(arguments) != 1) {
		(void)refuse(why, whylen,
		    "finish: expected an object with only \"result\"");
		return (NULL);
	}
	if (schema_check(schema, result, "finish.result", why, whylen) == -1)
		return (NULL);
	return (json_incref(result));
}
