/*
 * What show says of nodes that failed.
 */
#include <string.h>

#include "fake_node.h"

#define FAILED	23
#define NAMED	20

/* One tool whose error is long and has a cause, one that is well, and
 * others that fail at once. */
static void
nodes_fail(struct fake *f, const char *run)
{
	static char	 value[4000];
	struct got	*g;
	char		 path[32], long_text[3001];
	int		 i;

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	memcpy(long_text + 999, "\303\274", 2);
	fake_tool(f, run, "/tool#0", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	(void)snprintf(value, sizeof(value), "{\"class\": \"ToolError\", "
	    "\"message\": \"%s\", \"cause\": \"oom\"}", long_text);
	fake_tool_done(f, run, g->id, "false", value);
	(void)fake_wait(f, IMSG_NODE_DONE);
	fake_tool(f, run, "/tool#1", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	fake_tool_done(f, run, g->id, "true", "\"text\"");
	(void)fake_wait(f, IMSG_NODE_DONE);
	for (i = 1; i < FAILED; i++) {
		(void)snprintf(path, sizeof(path), "/p0.%d/sleep#0", i);
		fake_node(f, run, path, "sleep", DIGEST_A,
		    "{\"seconds\": \"1\"}");
		(void)fake_wait(f, IMSG_NODE_DONE);
	}
}

static const char *
text(const json_t *row, const char *key)
{
	const char	*s = json_string_value(json_object_get(row, key));

	return (s != NULL ? s : "");
}

int
main(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;
	const json_t	*failed, *row;

	nodes_fail(f, run);
	fake_say(f, IMSG_RUN_QUERY, 3, NULL, "{\"what\": \"show\", "
	    "\"run\": \"%s\", \"uid\": 1000, \"all\": false}", run);
	g = fake_wait(f, IMSG_ANSWER);
	failed = g == NULL ? NULL : body_get(g, "failed");
	test_case(json_array_size(failed) == NAMED &&
	    json_integer_value(json_object_get(body_get(g, "nodes"),
	    "failed")) == FAILED, "of %d nodes that failed %d are named",
	    FAILED, NAMED);
	row = json_array_get(failed, 0);
	test_case(strcmp(text(row, "node"), "/tool#0") == 0 &&
	    strcmp(text(row, "class"), "ToolError") == 0 &&
	    strcmp(text(row, "cause"), "oom") == 0,
	    "the first is the one that failed first, with class and cause");
	test_case(strlen(text(row, "message")) == 999,
	    "a long message is cut, between characters");
	row = json_array_get(failed, NAMED - 1);
	test_case(strcmp(text(row, "node"), "/p0.19/sleep#0") == 0 &&
	    strcmp(text(row, "class"), "NodeError") == 0 &&
	    strncmp(text(row, "message"), "sleep: ", 7) == 0 &&
	    strcmp(text(row, "cause"), "input") == 0,
	    "the last is the twentieth");
	fake_free(f);
	return (test_end());
}
