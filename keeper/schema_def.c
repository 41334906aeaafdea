/*
 * Is a JSON Schema one that we understand? Everything that schema.c relies on
 * is established here, once, when the schema comes in.
 */
#include <string.h>

#include "pattern.h"
#include "schema.h"
#include "schema_path.h"

/* What the argument of a keyword must look like. */
enum form {
	FORM_ANY,
	FORM_BOOL,
	FORM_COUNT,		/* an integer from 0 */
	FORM_NAMES,		/* an array of strings */
	FORM_NUMBER,
	FORM_PATTERN,
	FORM_POSITIVE,		/* a number above 0 */
	FORM_REF,
	FORM_SCHEMA,
	FORM_SCHEMAS,		/* a non-empty array of schemas */
	FORM_SCHEMA_MAP,	/* an object whose values are schemas */
	FORM_TEXT,
	FORM_TYPE,		/* the name of a type, or an array of such */
	FORM_VALUES		/* a non-empty array */
};

static const struct {
	const char	*name;
	enum form	 form;
} keywords[] = {
	{ "$comment",			FORM_TEXT },
	{ "$defs",			FORM_SCHEMA_MAP },
	{ "$id",			FORM_TEXT },
	{ "$ref",			FORM_REF },
	{ "$schema",			FORM_TEXT },
	{ "additionalProperties",	FORM_SCHEMA },
	{ "allOf",			FORM_SCHEMAS },
	{ "anyOf",			FORM_SCHEMAS },
	{ "const",			FORM_ANY },
	{ "default",			FORM_ANY },
	{ "definitions",		FORM_SCHEMA_MAP },
	{ "deprecated",			FORM_BOOL },
	{ "description",		FORM_TEXT },
	{ "enum",			FORM_VALUES },
	{ "examples",			FORM_ANY },
	{ "exclusiveMaximum",		FORM_NUMBER },
	{ "exclusiveMinimum",		FORM_NUMBER },
	{ "format",			FORM_TEXT },
	{ "items",			FORM_SCHEMA },
	{ "maxItems",			FORM_COUNT },
	{ "maxLength",			FORM_COUNT },
	{ "maxProperties",		FORM_COUNT },
	{ "maximum",			FORM_NUMBER },
	{ "minItems",			FORM_COUNT },
	{ "minLength",			FORM_COUNT },
	{ "minProperties",		FORM_COUNT },
	{ "minimum",			FORM_NUMBER },
	{ "multipleOf",			FORM_POSITIVE },
	{ "not",			FORM_SCHEMA },
	{ "oneOf",			FORM_SCHEMAS },
	{ "pattern",			FORM_PATTERN },
	{ "prefixItems",		FORM_SCHEMAS },
	{ "properties",			FORM_SCHEMA_MAP },
	{ "readOnly",			FORM_BOOL },
	{ "required",			FORM_NAMES },
	{ "title",			FORM_TEXT },
	{ "type",			FORM_TYPE },
	{ "uniqueItems",		FORM_BOOL },
	{ "writeOnly",			FORM_BOOL },
};

struct defcheck {
	const json_t	*root;
	struct path	 path;
	int		 depth;
	char		*why;
	size_t		 whylen;
};

static int	check_schema(struct defcheck *, const json_t *);

static int
expected(struct defcheck *c, const char *what)
{
	return (path_error(&c->path, c->why, c->whylen, "expected %s", what));
}

static int
is_type_name(const json_t *name)
{
	static const char	*const types[] = { "array", "boolean",
		"integer", "null", "number", "object", "string" };
	size_t			 i;

	if (!json_is_string(name))
		return (0);
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i], json_string_value(name)) == 0)
			return (1);
	return (0);
}

static int
check_type(struct defcheck *c, const json_t *arg)
{
	const json_t	*name;
	size_t		 i;

	if (is_type_name(arg))
		return (0);
	if (!json_is_array(arg) || json_array_size(arg) == 0)
		return (expected(c, "array, boolean, integer, null, number, "
		    "object, string or a list of these"));
	json_array_foreach((json_t *)arg, i, name)
		if (!is_type_name(name))
			return (expected(c, "the names of types"));
	return (0);
}

static int
check_schemas(struct defcheck *c, const json_t *arg)
{
	const json_t	*schema;
	size_t		 i, at;
	int		 error;

	if (!json_is_array(arg) || json_array_size(arg) == 0)
		return (expected(c, "a list of schemas that is not empty"));
	json_array_foreach((json_t *)arg, i, schema) {
		at = path_index(&c->path, i);
		error = check_schema(c, schema);
		path_leave(&c->path, at);
		if (error == -1)
			return (-1);
	}
	return (0);
}

static int
check_schema_map(struct defcheck *c, const json_t *arg)
{
	const char	*key;
	json_t		*schema;
	size_t		 at;
	int		 error;

	if (!json_is_object(arg))
		return (expected(c, "an object of schemas"));
	json_object_foreach((json_t *)arg, key, schema) {
		at = path_key(&c->path, key);
		error = check_schema(c, schema);
		path_leave(&c->path, at);
		if (error == -1)
			return (-1);
	}
	return (0);
}

static int
check_names(struct defcheck *c, const json_t *arg)
{
	const json_t	*name;
	size_t		 i;

	if (!json_is_array(arg))
		return (expected(c, "a list of names"));
	json_array_foreach((json_t *)arg, i, name)
		if (!json_is_string(name))
			return (expected(c, "a list of names"));
	return (0);
}

static int
check_pattern(struct defcheck *c, const json_t *arg)
{
	struct pattern	*pattern;
	char		 why[128];

	if (!json_is_string(arg))
		return (expected(c, "a regular expression"));
	pattern = pattern_new(json_string_value(arg), why, sizeof(why));
	if (pattern == NULL)
		return (path_error(&c->path, c->why, c->whylen, "%s", why));
	pattern_free(pattern);
	return (0);
}

static int
check_ref(struct defcheck *c, const json_t *arg)
{
	if (!json_is_string(arg))
		return (expected(c, "a reference such as #/$defs/NAME"));
	if (schema_ref(c->root, json_string_value(arg)) == NULL)
		return (path_error(&c->path, c->why, c->whylen,
		    "there is no \"%.100s\"; only # and #/$defs/NAME can be "
		    "referred to", json_string_value(arg)));
	return (0);
}

static int
check_argument(struct defcheck *c, enum form form, const json_t *arg)
{
	switch (form) {
	case FORM_ANY:
		return (0);
	case FORM_BOOL:
		return (json_is_boolean(arg) ? 0 :
		    expected(c, "true or false"));
	case FORM_COUNT:
		return (json_is_integer(arg) && json_integer_value(arg) >= 0 ?
		    0 : expected(c, "an integer from 0"));
	case FORM_NAMES:
		return (check_names(c, arg));
	case FORM_NUMBER:
		return (json_is_number(arg) ? 0 : expected(c, "a number"));
	case FORM_PATTERN:
		return (check_pattern(c, arg));
	case FORM_POSITIVE:
		return (json_is_number(arg) && json_number_value(arg) > 0 ? 0 :
		    expected(c, "a number above 0"));
	case FORM_REF:
		return (check_ref(c, arg));
	case FORM_SCHEMA:
		return (check_schema(c, arg));
	case FORM_SCHEMAS:
		return (check_schemas(c, arg));
	case FORM_SCHEMA_MAP:
		return (check_schema_map(c, arg));
	case FORM_TEXT:
		return (json_is_string(arg) ? 0 : expected(c, "a string"));
	case FORM_TYPE:
		return (check_type(c, arg));
	case FORM_VALUES:
		return (json_is_array(arg) && json_array_size(arg) > 0 ? 0 :
		    expected(c, "a list of values that is not empty"));
	}
	return (-1);
}

static int
check_keyword(struct defcheck *c, const char *name, const json_t *arg)
{
	size_t	i, at;
	int	error;

	for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		if (strcmp(keywords[i].name, name) != 0)
			continue;
		at = path_key(&c->path, name);
		error = check_argument(c, keywords[i].form, arg);
		path_leave(&c->path, at);
		return (error);
	}
	return (path_error(&c->path, c->why, c->whylen,
	    "the keyword \"%.64s\" is not supported", name));
}

static int
check_schema(struct defcheck *c, const json_t *schema)
{
	const char	*name;
	json_t		*arg;

	if (json_is_boolean(schema))
		return (0);
	if (!json_is_object(schema))
		return (expected(c, "a schema, an object"));
	if (++c->depth > SCHEMA_DEPTH_MAX)
		return (path_error(&c->path, c->why, c->whylen,
		    "schemas are nested too deeply"));
	json_object_foreach((json_t *)schema, name, arg)
		if (check_keyword(c, name, arg) == -1)
			return (-1);
	c->depth--;
	return (0);
}

int
schema_check_definition(const json_t *schema, char *why, size_t whylen)
{
	struct defcheck	c = { .root = schema, .why = why, .whylen = whylen };

	path_start(&c.path, "schema");
	return (check_schema(&c, schema));
}
