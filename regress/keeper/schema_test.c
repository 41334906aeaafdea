/*
 * JSON Schema: what is a definition, what fits it, and what the errors say.
 */
#include <stdlib.h>
#include <string.h>

#include "../../keeper/schema.h"
#include "../../keeper/text.h"
#include "../test.h"

static const struct {
	const char	*schema, *value;
	const char	*why;		/* NULL: it fits */
} values[] = {
	{ "{}", "1", NULL },
	{ "true", "null", NULL },
	{ "false", "1", "input: nothing is allowed here" },
	{ "{'type':'string'}", "'x'", NULL },
	{ "{'type':'string'}", "1", "input: expected string, got integer" },
	{ "{'type':'integer'}", "2.0", NULL },
	{ "{'type':'integer'}", "2.5",
	    "input: expected integer, got number" },
	{ "{'type':'number'}", "2", NULL },
	{ "{'type':['string','null']}", "null", NULL },
	{ "{'type':['string','null']}", "[]",
	    "input: expected string or null, got array" },
	{ "{'type':'object','properties':{'a':{'type':'array','items':"
	    "{'type':'object','properties':{'when':{'type':'string'}}}}}}",
	    "{'a':[{},{'when':3}]}",
	    "input.a[1].when: expected string, got integer" },
	{ "{'properties':{'a b':{'type':'null'}}}", "{'a b':1}",
	    "input[\"a b\"]: expected null, got integer" },
	{ "{'required':['a','b']}", "{'a':1}", "input: \"b\" is missing" },
	{ "{'required':['a']}", "3", NULL },
	{ "{'properties':{'a':{},'b':{}},'additionalProperties':false}",
	    "{'c':1}", "input: \"c\" is not known here; there are: a, b" },
	{ "{'properties':{'a':{}},'additionalProperties':{'type':'null'}}",
	    "{'a':1,'c':1}", "input.c: expected null, got integer" },
	{ "{'minProperties':1}", "{}",
	    "input: has 0 properties, the least is 1" },
	{ "{'maxProperties':1}", "{'a':1,'b':2}",
	    "input: has 2 properties, the most is 1" },
	{ "{'items':{'type':'null'}}", "[null,1]",
	    "input[1]: expected null, got integer" },
	{ "{'prefixItems':[{'type':'string'}],'items':false}", "['a']", NULL },
	{ "{'prefixItems':[{'type':'string'}],'items':false}", "['a',1]",
	    "input[1]: nothing is allowed here" },
	{ "{'prefixItems':[{'type':'string'}]}", "[1]",
	    "input[0]: expected string, got integer" },
	{ "{'minItems':2}", "[1]", "input: has 1 items, the least is 2" },
	{ "{'maxItems':1}", "[1,2]", "input: has 2 items, the most is 1" },
	{ "{'uniqueItems':true}", "[1,2,3]", NULL },
	{ "{'uniqueItems':true}", "[1,{'a':1,'b':2},{'b':2,'a':1}]",
	    "input: items 1 and 2 are equal" },
	{ "{'uniqueItems':true}", "[1,1.0]",
	    "input: items 0 and 1 are equal" },
	{ "{'uniqueItems':true}", "[1,'1']", NULL },
	{ "{'enum':['a',1,null]}", "1.0", NULL },
	{ "{'enum':['a','b']}", "'c'",
	    "input: \"c\" is none of [\"a\",\"b\"]" },
	{ "{'const':{'a':1}}", "{'a':1}", NULL },
	{ "{'const':'x'}", "'y'", "input: expected \"x\"" },
	{ "{'minimum':3}", "3", NULL },
	{ "{'minimum':3}", "2", "input: 2 is not at least 3" },
	{ "{'maximum':3}", "3.5", "input: 3.5 is not at most 3" },
	{ "{'maximum':9007199254740992}", "9007199254740993",
	    "input: 9007199254740993 is not at most 9007199254740992" },
	{ "{'exclusiveMinimum':0}", "0", "input: 0 is not above 0" },
	{ "{'exclusiveMaximum':1}", "1", "input: 1 is not below 1" },
	{ "{'multipleOf':3}", "9", NULL },
	{ "{'multipleOf':0.1}", "0.3", NULL },
	{ "{'multipleOf':3}", "10", "input: 10 is not a multiple of 3" },
	{ "{'minimum':3}", "'not a number'", NULL },
	{ "{'minLength':2}", "'\xc3\xa9'",
	    "input: has 1 characters, the least is 2" },
	{ "{'maxLength':1}", "'\xc3\xa9'", NULL },
	{ "{'maxLength':1}", "'ab'",
	    "input: has 2 characters, the most is 1" },
	{ "{'pattern':'^[a-z]+$'}", "'abc'", NULL },
	{ "{'pattern':'^[a-z]+$'}", "'Abc'",
	    "input: \"Abc\" does not match /^[a-z]+$/" },
	{ "{'anyOf':[{'type':'string'},{'type':'null'}]}", "null", NULL },
	{ "{'anyOf':[{'type':'string'},{'properties':{'a':{'type':'null'}}}]}",
	    "{'a':1}", "input.a: expected null, got integer" },
	{ "{'anyOf':[{'type':'string'},{'type':'array'}]}", "5",
	    "input: expected string or array, got integer" },
	{ "{'anyOf':[{'type':['string','null']},{'type':'array','maxItems':"
	    "0}]}", "[1]", "input: has 1 items, the most is 0" },
	{ "{'anyOf':[{'type':['string','null']},{'type':'array'}]}", "5",
	    "input: fits none of the 2 alternatives (input: expected string "
	    "or null, got integer)" },
	{ "{'oneOf':[{'minimum':1},{'minimum':5}]}", "3", NULL },
	{ "{'oneOf':[{'minimum':1},{'minimum':5}]}", "7",
	    "input: fits more than one of the alternatives" },
	{ "{'oneOf':[{'minimum':1},{'minimum':5}]}", "0",
	    "input: fits none of the 2 alternatives (input: 0 is not at "
	    "least 1)" },
	{ "{'allOf':[{'minimum':1},{'maximum':5}]}", "3", NULL },
	{ "{'allOf':[{'minimum':1},{'maximum':5}]}", "7",
	    "input: 7 is not at most 5" },
	{ "{'not':{'type':'null'}}", "1", NULL },
	{ "{'not':{'type':'null'}}", "null",
	    "input: is what it must not be" },
	{ "{'$defs':{'n':{'type':'null'}},'items':{'$ref':'#/$defs/n'}}",
	    "[1]", "input[0]: expected null, got integer" },
	{ "{'definitions':{'a/b':{'type':'null'}},"
	    "'$ref':'#/definitions/a~1b'}", "null", NULL },
	{ "{'properties':{'next':{'$ref':'#'},'v':{'type':'integer'}}}",
	    "{'next':{'next':{'v':'x'}}}",
	    "input.next.next.v: expected integer, got string" },
	{ "{'$defs':{'a':{'$ref':'#/$defs/a'}},'$ref':'#/$defs/a'}", "1",
	    "input: checking this takes too much work" },
	{ "{'$defs':{'a':{'anyOf':[{'$ref':'#/$defs/a'},"
	    "{'$ref':'#/$defs/a'}]}},'$ref':'#/$defs/a'}", "1",
	    "input: checking this takes too much work" },
	{ "{'not':{'$ref':'#'}}", "1",
	    "input: checking this takes too much work" },
};

static const struct {
	const char	*schema;
	const char	*why;		/* NULL: it is one */
} definitions[] = {
	{ "{'title':'t','description':'d','default':3,'format':'date',"
	    "'examples':[1],'$schema':'s','deprecated':false}", NULL },
	{ "3", "schema: expected a schema, an object" },
	{ "{'typ':'string'}",
	    "schema: the keyword \"typ\" is not supported" },
	{ "{'properties':{'age':{'minimun':3}}}",
	    "schema.properties.age: the keyword \"minimun\" is not "
	    "supported" },
	{ "{'properties':{'age':{'minimum':'3'}}}",
	    "schema.properties.age.minimum: expected a number" },
	{ "{'type':'text'}", "schema.type: expected array, boolean, integer, "
	    "null, number, object, string or a list of these" },
	{ "{'type':[]}", "schema.type: expected array, boolean, integer, "
	    "null, number, object, string or a list of these" },
	{ "{'type':['string',3]}", "schema.type: expected the names of types" },
	{ "{'anyOf':[]}",
	    "schema.anyOf: expected a list of schemas that is not empty" },
	{ "{'anyOf':[{},4]}",
	    "schema.anyOf[1]: expected a schema, an object" },
	{ "{'required':'a'}", "schema.required: expected a list of names" },
	{ "{'required':[1]}", "schema.required: expected a list of names" },
	{ "{'minLength':-1}", "schema.minLength: expected an integer from 0" },
	{ "{'multipleOf':0}", "schema.multipleOf: expected a number above 0" },
	{ "{'enum':[]}",
	    "schema.enum: expected a list of values that is not empty" },
	{ "{'uniqueItems':1}", "schema.uniqueItems: expected true or false" },
	{ "{'pattern':'('}", "schema.pattern: a group is not closed" },
	{ "{'$ref':'http://x'}", "schema.$ref: there is no \"http://x\"; "
	    "only # and #/$defs/NAME can be referred to" },
	{ "{'items':{'$ref':'#/$defs/x'}}", "schema.items.$ref: there is "
	    "no \"#/$defs/x\"; only # and #/$defs/NAME can be referred to" },
	{ "{'items':[{}]}", "schema.items: expected a schema, an object" },
};

/* JSON with ' for ", so that it can be read here. */
static json_t *
json(const char *text)
{
	json_t	*value;
	char	*copy, *p;

	if ((copy = strdup(text)) == NULL)
		return (NULL);
	for (p = copy; (p = strchr(p, '\'')) != NULL; p++)
		*p = '"';
	value = json_loads(copy, JSON_DECODE_ANY, NULL);
	free(copy);
	return (value);
}

static void
test_values(void)
{
	json_t	*schema, *value;
	char	 why[512];
	size_t	 i;
	int	 got;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		schema = json(values[i].schema);
		value = json(values[i].value);
		why[0] = '\0';
		got = schema_check_definition(schema, why, sizeof(why));
		test_case(got == 0, "%s is a schema %s", values[i].schema,
		    why);
		got = schema_check(schema, value, "input", why, sizeof(why));
		test_case(values[i].why == NULL ? got == 0 : got == -1 &&
		    strcmp(why, values[i].why) == 0, "%s: %s: %s",
		    values[i].schema, values[i].value,
		    got == 0 ? "fits" : why);
		json_decref(schema);
		json_decref(value);
	}
}

static void
test_definitions(void)
{
	json_t	*schema;
	char	 why[512];
	size_t	 i;
	int	 got;

	for (i = 0; i < sizeof(definitions) / sizeof(definitions[0]); i++) {
		schema = json(definitions[i].schema);
		why[0] = '\0';
		got = schema_check_definition(schema, why, sizeof(why));
		test_case(definitions[i].why == NULL ? got == 0 : got == -1 &&
		    strcmp(why, definitions[i].why) == 0, "%s: %s",
		    definitions[i].schema, got == 0 ? "is a schema" : why);
		json_decref(schema);
	}
}

/* Errors end at whole characters, however short the buffer. */
static void
test_errors(void)
{
	json_t	*schema, *value, *text;
	char	 why[128];
	size_t	 n;
	int	 bad = 0;

	schema = json("{'additionalProperties':{'enum':['\xe2\x82\xac']}}");
	value = json("{'\xc3\xa9\xc3\xa9\xc3\xa9':'\xf0\x9f\x98\x80'}");
	for (n = 1; n < sizeof(why); n++) {
		if (schema_check(schema, value, "input", why, n) != -1)
			bad++;
		if ((text = json_string(why)) == NULL)
			bad++;
		json_decref(text);
	}
	test_case(bad == 0, "an error that is cut stays valid UTF-8");
	json_decref(schema);
	json_decref(value);
}

static void
test_hostile(void)
{
	json_t	*schema, *value, *outer;
	char	 why[512];
	int	 i;

	schema = json("{'items':{'pattern':'^(a?){500}$'}}");
	value = json_array();
	for (i = 0; i < 100000; i++)
		json_array_append_new(value, json_string("aaaaaaaa"));
	test_case(schema_check(schema, value, "input", why, sizeof(why)) ==
	    -1 && strstr(why, "work") != NULL, "slow patterns: %s", why);
	json_decref(schema);
	json_decref(value);
	schema = json("{}");
	for (i = 0; i < 1000; i++) {
		outer = json_object();
		json_object_set_new(outer, "not", schema);
		schema = outer;
	}
	test_case(schema_check_definition(schema, why, sizeof(why)) == -1 &&
	    strstr(why, "too deeply") != NULL, "a thousand levels: %s",
	    strrchr(why, ':'));
	json_decref(schema);
}

int
main(void)
{
	test_values();
	test_definitions();
	test_errors();
	test_hostile();
	return (test_end());
}
