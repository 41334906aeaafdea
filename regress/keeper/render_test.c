/*
 * What the model sees of a tool's outcome.
 */
#include <stdlib.h>
#include <string.h>

#include "../../keeper/render.h"
#include "../test.h"

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

static const struct {
	const char	*tool, *input;
	int		 ok;
	const char	*value, *want;
} cases[] = {
	{ "read", "{'path':'a'}", 1, "'one\\ntwo\\n'", "one\ntwo\n" },
	{ "read", "{'path':'a'}", 1, "''", "(empty)" },
	{ "bash", "{}", 1, "{'exit':0,'stdout':'hi\\n','stderr':''}",
	    "hi\n" },
	{ "bash", "{}", 1, "{'exit':0,'stdout':'','stderr':''}",
	    "(no output)" },
	{ "bash", "{}", 1, "{'exit':3,'stdout':'a','stderr':'b\\n'}",
	    "a\nb\n[exit 3]" },
	{ "bash", "{}", 1, "{'exit':1,'stdout':'','stderr':''}",
	    "(no output)\n[exit 1]" },
	{ "bash", "{}", 1, "{'exit':124,'stdout':'a','stderr':''}",
	    "a\n[exit 124, out of time]" },
	{ "grep", "{}", 1, "[{'path':'a.c','line':3,'text':'int x;'}]",
	    "a.c:3: int x;\n" },
	{ "grep", "{}", 1, "[]", "(no matches)" },
	{ "grep", "{}", 1, "[3,{'text':1}]", "?:0: \n?:0: \n" },
	{ "glob", "{}", 1, "['a','b/c']", "a\nb/c\n" },
	{ "glob", "{}", 1, "[]", "(no matches)" },
	{ "write", "{'path':'a'}", 1, "{'bytes':12}",
	    "12 bytes written to a" },
	{ "edit", "{'path':'a'}", 1, "{'replaced':2}", "2 replaced in a" },
	{ "read", "{}", 1, "{'odd':[1,null]}", "{\"odd\":[1,null]}" },
	{ "other", "{}", 1, "null", "null" },
	{ "read", "{}", 0, "{'class':'ToolError','message':'no such file',"
	    "'cause':'ENOENT','rule':null}", "Error: no such file (ENOENT)" },
	{ "bash", "{}", 0, "{'class':'ScopeError','message':'denied',"
	    "'cause':null,'rule':'tools bash'}", "Error: denied [tools bash]" },
	{ "bash", "{}", 0, "{}", "Error: it failed" },
};

static void
test_cases(void)
{
	json_t	*input, *value;
	char	*text;
	size_t	 i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		input = json(cases[i].input);
		value = json(cases[i].value);
		text = render_outcome(cases[i].tool, input, cases[i].ok,
		    value);
		test_case(text != NULL && strcmp(text, cases[i].want) == 0,
		    "%s: %s", cases[i].tool, cases[i].value);
		free(text);
		json_decref(input);
		json_decref(value);
	}
}

/* n lines, the i-th "i\n". */
static char *
numbers(int n)
{
	char	*text, *to;
	int	 i;

	if ((text = malloc((size_t)n * 12)) == NULL)
		abort();
	for (to = text, i = 1; i <= n; i++)
		to += sprintf(to, "%d\n", i);
	return (text);
}

static int
ends(const char *text, const char *with)
{
	size_t	n = strlen(text), m = strlen(with);

	return (n >= m && strcmp(text + n - m, with) == 0);
}

static void
test_read(void)
{
	json_t	*input = json("{'path':'a','offset':11}"), *value;
	char	*lines = numbers(3000), *text;

	value = json_string(lines);
	text = render_outcome("read", input, 1, value);
	test_case(ends(text, "\n2000\n[lines 11-2010 shown, 1000 more. Use "
	    "offset=2011 to go on.]"), "read: 2,000 lines from the head");
	free(text);
	json_decref(value);
	free(lines);
	lines = calloc(1, 70001);
	memset(lines, 'x', 70000);
	memcpy(lines + 51199, "\xc3\xa9", 2);
	value = json_string(lines);
	text = render_outcome("read", input, 1, value);
	test_case(ends(text, "x\n[line 11 is longer than this: 51199 bytes "
	    "shown. Use bash with cut or head -c for the rest.]"),
	    "read: of one long line its head, not half a character");
	free(text);
	json_decref(value);
	lines[40000] = '\n';
	lines[100] = '\n';
	value = json_string(lines);
	text = render_outcome("read", input, 1, value);
	test_case(ends(text, "x\n[lines 11-12 shown, 1 more. Use offset=13 to "
	    "go on.]"), "read: 50 KiB from the head, whole lines");
	free(text);
	json_decref(value);
	free(lines);
	json_decref(input);
}

static void
test_bash(void)
{
	json_t	*value;
	char	*lines = numbers(3000), *text;

	value = json_pack("{s:i, s:s, s:s}", "exit", 2, "stdout", lines,
	    "stderr", "bad\n");
	text = render_outcome("bash", NULL, 1, value);
	test_case(strncmp(text, "[the first ", 11) == 0 &&
	    strstr(text, "]\n1002\n1003\n") != NULL &&
	    ends(text, "\n3000\nbad\n[exit 2]"),
	    "bash: 2,000 lines from the tail");
	free(text);
	json_decref(value);
	free(lines);
	lines = calloc(1, 70001);
	memset(lines, 'x', 70000);
	memcpy(lines + 70000 - 51201, "\xc3\xa9", 2);
	value = json_pack("{s:i, s:s, s:s}", "exit", 0, "stdout", lines,
	    "stderr", "");
	text = render_outcome("bash", NULL, 1, value);
	test_case(strstr(text, "]\nxxx") != NULL && strlen(text) < 51400,
	    "bash: of one long line its tail, not half a character");
	free(text);
	json_decref(value);
	free(lines);
}

static void
test_lists(void)
{
	json_t	*matches = json_array(), *paths = json_array();
	char	*line, *text;
	int	 i;

	line = calloc(1, 601);
	memset(line, 'y', 600);
	for (i = 0; i < 1200; i++) {
		json_array_append_new(matches, json_pack("{s:s, s:i, s:s}",
		    "path", "a", "line", i, "text", line));
		json_array_append_new(paths, json_string("p"));
	}
	text = render_outcome("grep", NULL, 1, matches);
	test_case(ends(text, "y...\n[100 of 1200 shown. Use a narrower "
	    "pattern or path for the rest.]") && strlen(text) < 52000,
	    "grep: 100 matches of 500 bytes");
	free(text);
	text = render_outcome("glob", NULL, 1, paths);
	test_case(ends(text, "p\n[1000 of 1200 shown. Use a narrower "
	    "pattern or path for the rest.]") && strlen(text) < 2100,
	    "glob: 1,000 paths");
	free(text);
	free(line);
	json_decref(matches);
	json_decref(paths);
}

int
main(void)
{
	test_cases();
	test_read();
	test_bash();
	test_lists();
	return (test_end());
}
