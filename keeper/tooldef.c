/*
 * The built-in tools, as data.
 */
#include <stdio.h>
#include <string.h>

#include "schema.h"
#include "text.h"
#include "tooldef.h"

#define SECOND	1000

#define OBJECT(properties, required)					\
	"{\"type\":\"object\",\"additionalProperties\":false,"		\
	"\"properties\":{" properties "},\"required\":[" required "]}"
#define TEXT(name, words)						\
	"\"" name "\":{\"type\":\"string\",\"description\":\"" words "\"}"
#define NAME(name, words)						\
	"\"" name "\":{\"type\":\"string\",\"minLength\":1,"		\
	"\"maxLength\":4096,\"description\":\"" words "\"}"
/* One argument of execve(2) has at most 128 KiB. */
#define COMMAND(words)							\
	"\"command\":{\"anyOf\":[{\"type\":\"string\",\"minLength\":1,"	\
	"\"maxLength\":131000},{\"type\":\"array\",\"minItems\":1,"	\
	"\"maxItems\":4096,\"items\":{\"type\":\"string\"}}],"		\
	"\"description\":\"" words "\"}"
#define COUNT(name, words)						\
	"\"" name "\":{\"type\":\"integer\",\"minimum\":1,"		\
	"\"maximum\":1000000000,\"description\":\"" words "\"}"
#define BOOL(name, words)						\
	"\"" name "\":{\"type\":\"boolean\",\"description\":\"" words "\"}"

static const struct tooldef builtin[] = {
	{
		.name = "bash",
		.description = "Run a command in a shell, in the workspace. "
		    "Its value is the exit status, standard output and "
		    "standard error.",
		.input = OBJECT(
		    COMMAND("what a shell runs, or a list: program and "
		    "arguments, without a shell") ","
		    "\"timeout\":{\"type\":\"number\","
		    "\"exclusiveMinimum\":0,\"maximum\":3600,"
		    "\"description\":\"seconds, 120 if not given\"},"
		    NAME("cwd", "directory to run it in"),
		    "\"command\""),
		.output = "{\"type\":\"object\",\"required\":[\"exit\","
		    "\"stdout\",\"stderr\"]}",
		.effect = TOOL_ONCE,
		.timeout_ms = 120 * SECOND,
	},
	{
		.name = "edit",
		.description = "Replace text in a file. The old text must be "
		    "in the file exactly once, unless all is true.",
		.input = OBJECT(
		    NAME("path", "the file, relative to the workspace") ","
		    "\"old\":{\"type\":\"string\",\"minLength\":1,"
		    "\"description\":\"the text to replace, literally\"},"
		    TEXT("new", "what to put in its place") ","
		    BOOL("all", "replace every occurrence"),
		    "\"path\",\"old\",\"new\""),
		.output = "{\"type\":\"object\",\"required\":[\"replaced\"]}",
		.effect = TOOL_ONCE,
		.timeout_ms = 60 * SECOND,
	},
	{
		.name = "glob",
		.description = "List the files whose path fits a pattern with "
		    "*, ** and ?.",
		.input = OBJECT(
		    NAME("pattern", "such as **/*.c") ","
		    NAME("path", "directory to look in"),
		    "\"pattern\""),
		.output = "{\"type\":\"array\",\"items\":"
		    "{\"type\":\"string\"}}",
		.effect = TOOL_READ,
		.timeout_ms = 120 * SECOND,
	},
	{
		.name = "grep",
		.description = "Search files for a regular expression. Its "
		    "value is a list of path, line and text.",
		.input = OBJECT(
		    NAME("pattern", "the regular expression") ","
		    NAME("path", "file or directory to search") ","
		    NAME("glob", "only files whose name fits, such as *.c") ","
		    BOOL("ignore_case", "upper and lower case are the same"),
		    "\"pattern\""),
		.output = "{\"type\":\"array\",\"items\":"
		    "{\"type\":\"object\"}}",
		.effect = TOOL_READ,
		.timeout_ms = 120 * SECOND,
	},
	{
		.name = "read",
		.description = "Read a text file.",
		.input = OBJECT(
		    NAME("path", "the file, relative to the workspace") ","
		    COUNT("offset", "first line to read, counted from 1") ","
		    COUNT("limit", "how many lines to read"),
		    "\"path\""),
		.output = "{\"type\":\"string\"}",
		.effect = TOOL_READ,
		.timeout_ms = 60 * SECOND,
	},
	{
		.name = "write",
		.description = "Write a text file. What was there before is "
		    "replaced; missing directories are made.",
		.input = OBJECT(
		    NAME("path", "the file, relative to the workspace") ","
		    TEXT("content", "the whole new content"),
		    "\"path\",\"content\""),
		.output = "{\"type\":\"object\",\"required\":[\"bytes\"]}",
		.effect = TOOL_ONCE,
		.timeout_ms = 60 * SECOND,
	},
};

const struct tooldef tooldef_finish = {
	.name = "finish",
	.description = "Give the final answer. Call it alone, once, when the "
	    "work is done.",
	.input = OBJECT("", ""),	/* the agent's own schema instead */
	.effect = TOOL_READ,
	.place = TOOL_KEEPER,
};

const struct tooldef tooldef_give_up = {
	.name = "give_up",
	.description = "Say that the task can't be done, and why. Call it "
	    "alone, instead of finish.",
	.input = OBJECT(NAME("reason", "why it can't be done"),
	    "\"reason\""),
	.effect = TOOL_READ,
	.place = TOOL_KEEPER,
};

const struct tooldef *
tooldef_at(size_t n)
{
	return (n < sizeof(builtin) / sizeof(builtin[0]) ? &builtin[n] : NULL);
}

const struct tooldef *
tooldef_find(const char *name)
{
	const struct tooldef	*def;
	size_t			 i;

	for (i = 0; (def = tooldef_at(i)) != NULL; i++)
		if (strcmp(def->name, name) == 0)
			return (def);
	return (NULL);
}

int
tooldef_is_reserved(const char *name)
{
	return (strcmp(name, tooldef_finish.name) == 0 ||
	    strcmp(name, tooldef_give_up.name) == 0);
}

const char *
tooldef_names(char *buf, size_t buflen)
{
	const struct tooldef	*def;
	size_t			 i, n = 0;

	buf[0] = '\0';
	for (i = 0; (def = tooldef_at(i)) != NULL && n < buflen; i++)
		n += (size_t)snprintf(buf + n, buflen - n, "%s%s",
		    i > 0 ? ", " : "", def->name);
	return (buf);
}

int
tooldef_repeatable(const struct tooldef *def)
{
	switch (def->effect) {
	case TOOL_READ:
	case TOOL_IDEMPOTENT:
	case TOOL_DURABLE:
		return (1);
	case TOOL_ONCE:
		return (0);
	}
	return (0);
}

int64_t
tooldef_timeout(const struct tooldef *def, const json_t *input)
{
	const json_t	*seconds;

	seconds = json_object_get(input, "timeout");
	if (strcmp(def->name, "bash") != 0 || !json_is_number(seconds))
		return (def->timeout_ms);
	return ((int64_t)(json_number_value(seconds) * SECOND) + 1);
}

/* What is misspelt is missing, too: the former says more. */
static int
check_input(json_t *schema, const json_t *input, const char *name, char *why,
    size_t whylen)
{
	int	error = schema_check(schema, input, name, why, whylen);

	/* Where nothing is wrong but that, the text stays as it is. */
	if (error == -1 && json_object_del(schema, "required") == 0)
		error += schema_check(schema, input, name, why, whylen);
	return (error == 0 ? 0 : -1);
}

int
tooldef_check(const char *name, const json_t *input, char *why,
    size_t whylen)
{
	const struct tooldef	*def;
	json_t			*schema;
	char			 list[128];
	int			 error;

	if ((def = tooldef_find(name)) == NULL) {
		snprintf(why, whylen, "there is no tool \"%.64s\"; there are: "
		    "%s", name, tooldef_names(list, sizeof(list)));
		text_trim(why);
		return (-1);
	}
	if ((schema = json_loads(def->input, 0, NULL)) == NULL) {
		snprintf(why, whylen, "out of memory");
		return (-1);
	}
	error = check_input(schema, input, name, why, whylen);
	json_decref(schema);
	return (error);
}
