/*
 * Tools: the definitions, their binding to a session, and the answer of an
 * agent with a schema.
 */
#include <stdlib.h>
#include <string.h>

#include "../../keeper/schema.h"
#include "../../keeper/toolbind.h"
#include "../test.h"

/* JSON with ' for ", so that it can be read here. */
static json_t *
json(const char *text)
{
	json_t	*value;
	char	*copy, *p;

	if (text == NULL || (copy = strdup(text)) == NULL)
		return (NULL);
	for (p = copy; (p = strchr(p, '\'')) != NULL; p++)
		*p = '"';
	value = json_loads(copy, JSON_DECODE_ANY, NULL);
	free(copy);
	return (value);
}

static void
test_definitions(void)
{
	const struct tooldef	*def;
	json_t			*schema;
	char			 why[256] = "";
	size_t			 i;
	int			 good;

	for (i = 0; (def = tooldef_at(i)) != NULL; i++) {
		schema = json_loads(def->input, 0, NULL);
		good = schema != NULL && schema_check_definition(schema, why,
		    sizeof(why)) == 0;
		test_case(good, "%s: its input is a schema%s", def->name, why);
		json_decref(schema);
		schema = json_loads(def->output, 0, NULL);
		good = schema != NULL && schema_check_definition(schema, why,
		    sizeof(why)) == 0;
		test_case(good, "%s: its output is a schema%s", def->name,
		    why);
		json_decref(schema);
		test_case(def->timeout_ms > 0 && def->description[0] != '\0',
		    "%s: it has a limit and says what it does", def->name);
	}
	test_case(i == 6, "there are six");
}

static const struct {
	const char	*tool, *input;
	const char	*why;		/* NULL: it is right */
} inputs[] = {
	{ "read", "{'path':'a.c'}", NULL },
	{ "read", "{'path':'a.c','offset':10,'limit':5}", NULL },
	{ "read", "{}", "read: \"path\" is missing" },
	{ "read", "{'path':''}",
	    "read.path: has 0 characters, the least is 1" },
	{ "read", "{'path':'a','offset':0}",
	    "read.offset: 0 is not at least 1" },
	{ "read", "{'file':'a','path':'a'}", "read: \"file\" is not known "
	    "here; there are: path, offset, limit" },
	{ "bash", "{'command':'true','timeout':0.5}", NULL },
	{ "bash", "{'command':['true']}", NULL },
	{ "bash", "{'command':[]}",
	    "bash.command: has 0 items, the least is 1" },
	{ "bash", "{'command':''}",
	    "bash.command: has 0 characters, the least is 1" },
	{ "bash", "{'command':['ls',1]}",
	    "bash.command[1]: expected string, got integer" },
	{ "bash", "{'command':5}",
	    "bash.command: expected string or array, got integer" },
	{ "bash", "{'command':null}",
	    "bash.command: expected string or array, got null" },
	{ "bash", "{}", "bash: \"command\" is missing" },
	{ "bash", "{'comand':'ls'}", "bash: \"comand\" is not known here; "
	    "there are: command, timeout, cwd" },
	{ "bash", "{'command':'ls','timeout':'5'}",
	    "bash.timeout: expected number, got string" },
	{ "bash", "{'command':'ls','timeout':0}",
	    "bash.timeout: 0 is not above 0" },
	{ "bash", "{'command':'ls','cwd':3}",
	    "bash.cwd: expected string, got integer" },
	{ "read", "{'path':5}", "read.path: expected string, got integer" },
	{ "read", "{'pth':'x'}", "read: \"pth\" is not known here; there "
	    "are: path, offset, limit" },
	{ "write", "{'path':'a'}", "write: \"content\" is missing" },
	{ "write", "{'path':'a','text':'b'}", "write: \"text\" is not known "
	    "here; there are: path, content" },
	{ "write", "{'path':'a','content':['b']}",
	    "write.content: expected string, got array" },
	{ "edit", "{'path':'a','old':'b'}", "edit: \"new\" is missing" },
	{ "edit", "{'path':'a','old':'b','new':'c','all':'yes'}",
	    "edit.all: expected boolean, got string" },
	{ "grep", "{'path':'a'}", "grep: \"pattern\" is missing" },
	{ "grep", "{'pattern':'a','ignorecase':true}", "grep: "
	    "\"ignorecase\" is not known here; there are: pattern, path, "
	    "glob, ignore_case" },
	{ "glob", "{'pattern':['*.c']}",
	    "glob.pattern: expected string, got array" },
	{ "edit", "{'path':'a','old':'','new':'x'}",
	    "edit.old: has 0 characters, the least is 1" },
	{ "edit", "{'path':'a','old':'y','new':'','all':true}", NULL },
	{ "write", "{'path':'a','content':''}", NULL },
	{ "grep", "{'pattern':'x','glob':'*.c','ignore_case':true}", NULL },
	{ "glob", "{'pattern':'**/*.c'}", NULL },
	{ "fetch", "{}", "there is no tool \"fetch\"; there are: bash, edit, "
	    "glob, grep, read, write" },
	{ "finish", "{}", "there is no tool \"finish\"; there are: bash, "
	    "edit, glob, grep, read, write" },
};

static void
test_inputs(void)
{
	json_t	*input;
	char	 why[256];
	size_t	 i;
	int	 got;

	for (i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		input = json(inputs[i].input);
		why[0] = '\0';
		got = tooldef_check(inputs[i].tool, input, why, sizeof(why));
		test_case(inputs[i].why == NULL ? got == 0 : got == -1 &&
		    strcmp(why, inputs[i].why) == 0, "%s %s: %s",
		    inputs[i].tool, inputs[i].input,
		    got == 0 ? "is right" : why);
		json_decref(input);
	}
}

static void
test_timeouts(void)
{
	json_t	*input = json("{'timeout':2}");

	test_case(tooldef_timeout(tooldef_find("bash"), NULL) == 120000,
	    "bash without a timeout has two minutes");
	test_case(tooldef_timeout(tooldef_find("bash"), input) == 2001,
	    "bash with a timeout has that");
	test_case(tooldef_timeout(tooldef_find("read"), input) == 60000,
	    "read has its own");
	test_case(tooldef_repeatable(tooldef_find("read")) &&
	    !tooldef_repeatable(tooldef_find("bash")),
	    "read can be repeated, bash can't");
	json_decref(input);
}

static const struct {
	const char	*what, *wanted, *allowed, *schema;
	const char	*names;		/* NULL: refused */
	const char	*why;
} binds[] = {
	{ "all there is", NULL, NULL, NULL,
	    "bash, edit, glob, grep, read, write", NULL },
	{ "a list", "['read','bash']", NULL, NULL, "read, bash", NULL },
	{ "an empty list", "[]", NULL, NULL, "none", NULL },
	{ "the agent's own list", NULL, "['grep']", NULL, "grep", NULL },
	{ "less than the agent's own", "['grep']", "['grep','read']", NULL,
	    "grep", NULL },
	{ "more than the agent's own", "['bash']", "['grep','read']", NULL,
	    NULL, "the tool \"bash\" is not one of this agent's tools" },
	{ "with a schema", "['read']", NULL, "{'type':'object'}",
	    "read, finish, give_up", NULL },
	{ "an unknown name", "['fetch']", NULL, NULL, NULL,
	    "there is no tool \"fetch\"; there are: bash, edit, glob, grep, "
	    "read, write" },
	{ "a name twice", "['read','read']", NULL, NULL, NULL,
	    "the tool \"read\" is given twice" },
	{ "a reserved name", "['finish']", NULL, NULL, NULL,
	    "the name \"finish\" is reserved: it is there whenever a schema "
	    "is given" },
	{ "not a name", "[3]", NULL, NULL, NULL,
	    "tools[0] must be the name of a tool" },
	{ "not a list", "'read'", NULL, NULL, NULL,
	    "tools must be a list of names" },
};

static void
test_bind(void)
{
	struct toolset	*set;
	json_t		*wanted, *allowed, *schema;
	char		 why[256];
	size_t		 i;

	for (i = 0; i < sizeof(binds) / sizeof(binds[0]); i++) {
		wanted = json(binds[i].wanted);
		allowed = json(binds[i].allowed);
		schema = json(binds[i].schema);
		why[0] = '\0';
		set = toolset_bind(wanted, allowed, schema, why, sizeof(why));
		if (binds[i].names == NULL)
			test_case(set == NULL && strcmp(why, binds[i].why) ==
			    0, "%s: %s", binds[i].what, why);
		else
			test_case(set != NULL && strcmp(toolset_names(set),
			    binds[i].names) == 0, "%s: %s%s", binds[i].what,
			    set != NULL ? toolset_names(set) : "", why);
		toolset_free(set);
		json_decref(wanted);
		json_decref(allowed);
		json_decref(schema);
	}
}

static const struct {
	const char	*schema, *arguments;
	const char	*result;	/* NULL: refused */
	const char	*why;
} results[] = {
	{ "{'type':'object','required':['a']}", "{'a':1}", "{'a':1}", NULL },
	{ "{'type':'object','required':['a']}", "{}", NULL,
	    "finish: \"a\" is missing" },
	{ "{'type':'array','items':{'type':'integer'}}", "{'result':[1,2]}",
	    "[1,2]", NULL },
	{ "{'type':'array','items':{'type':'integer'}}", "{'result':['x']}",
	    NULL, "finish.result[0]: expected integer, got string" },
	{ "{'type':'string'}", "{'result':'x','more':1}", NULL,
	    "finish: expected an object with only \"result\"" },
	{ "{'type':'string'}", "{}", NULL,
	    "finish: expected an object with only \"result\"" },
	{ "{'$defs':{'n':{'type':'null'}},'$ref':'#/$defs/n'}",
	    "{'result':null}", "null", NULL },
	{ "true", "{'result':3}", "3", NULL },
};

static void
test_results(void)
{
	json_t		*schema, *arguments, *result, *want;
	struct toolset	*set;
	char		 why[256];
	size_t		 i;
	int		 good;

	for (i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		schema = json(results[i].schema);
		arguments = json(results[i].arguments);
		want = json(results[i].result);
		why[0] = '\0';
		result = toolset_result(schema, arguments, why, sizeof(why));
		good = want == NULL ? result == NULL && strcmp(why,
		    results[i].why) == 0 : json_equal(result, want);
		test_case(good, "finish of %s with %s: %s", results[i].schema,
		    results[i].arguments, result == NULL ? why : "taken");
		set = toolset_bind(NULL, NULL, schema, why, sizeof(why));
		good = set != NULL && schema_check_definition(
		    toolset_find(set, "finish")->input, why, sizeof(why)) == 0;
		if (good && want != NULL)
			good = schema_check(toolset_find(set, "finish")->input,
			    arguments, "finish", why, sizeof(why)) == 0;
		test_case(good, "what the model is shown for %s fits too",
		    results[i].schema);
		toolset_free(set);
		json_decref(schema);
		json_decref(arguments);
		json_decref(result);
		json_decref(want);
	}
}

int
main(void)
{
	test_definitions();
	test_inputs();
	test_timeouts();
	test_bind();
	test_results();
	return (test_end());
}
