/*
 * Nodes that are none, or not those that were judged.
 */
#include <string.h>

#include "fake_node.h"

static const struct {
	const char	*what, *kind, *input, *class;
} bad[] = {
	{ "an unknown tool", "tool",
	    "{\"name\": \"fly\", \"input\": {}}", "ToolError" },
	{ "a tool without a name", "tool", "{\"input\": {}}", "ToolError" },
	{ "a tool without an input", "tool", "{\"name\": \"read\"}",
	    "ToolError" },
	{ "an input without what is required", "tool",
	    "{\"name\": \"read\", \"input\": {}}", "ToolError" },
	{ "an input of the wrong type", "tool",
	    "{\"name\": \"read\", \"input\": {\"path\": 1}}", "ToolError" },
	{ "an unknown kind", "dance", "{}", "NodeError" },
	{ "a sleep for a text", "sleep", "{\"seconds\": \"1\"}",
	    "NodeError" },
	{ "a sleep for ever", "sleep", "{\"seconds\": 1e300}", "NodeError" },
};

static void
test_bad(void)
{
	char		 run[32], path[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;
	size_t		 i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		(void)snprintf(path, sizeof(path), "/x#%zu", i);
		fake_node(f, run, path, bad[i].kind, DIGEST_A, bad[i].input);
		g = fake_wait(f, IMSG_NODE_DONE);
		test_case(g != NULL && got_int(g, "ok") == 0 &&
		    strcmp(body_str(g, "class"), bad[i].class) == 0,
		    "%s is a %s", bad[i].what, bad[i].class);
	}
	fake_say(f, IMSG_NODE_BEGIN, 0, READ_INPUT, "{\"run\": \"%s\", "
	    "\"path\": \"/d\", \"kind\": \"tool\", \"digest\": \"%s\", "
	    "\"tool\": \"read\", \"denied\": \"tools read\"}", run, DIGEST_A);
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && strcmp(body_str(g, "class"), "ScopeError") ==
	    0 && strcmp(body_str(g, "rule"), "tools read") == 0,
	    "what the broker denies is recorded as a ScopeError");
	fake_node(f, run, "/p", "tool", DIGEST_A, "[");
	g = fake_wait(f, IMSG_RUN_END);
	test_case(g != NULL && got_int(g, "exit") == 9,
	    "an input that is no JSON ends the run");
	fake_free(f);
}

/* What the broker judged must be what we do. */
static const struct {
	const char	*what, *words, *input;
} unjudged[] = {
	{ "another tool", "\"kind\": \"tool\", \"tool\": \"read\"",
	    BASH_INPUT },
	{ "a tool that was not named", "\"kind\": \"tool\"", BASH_INPUT },
	{ "another agent", "\"kind\": \"agent\", \"agent\": \"a\"",
	    "{\"prompt\": \"p\", \"agent\": \"b\"}" },
	{ "an agent that was not named", "\"kind\": \"agent\"",
	    "{\"prompt\": \"p\", \"agent\": \"b\"}" },
	{ "another model", "\"kind\": \"agent\", \"model\": \"m\"",
	    "{\"prompt\": \"p\", \"model\": \"n\"}" },
	{ "another tool of an agent",
	    "\"kind\": \"agent\", \"tools\": \"read\"",
	    "{\"prompt\": \"p\", \"tools\": [\"bash\"]}" },
	{ "a tool more of an agent",
	    "\"kind\": \"agent\", \"tools\": \"read\"",
	    "{\"prompt\": \"p\", \"tools\": [\"read\", \"bash\"]}" },
	{ "a tool less of an agent",
	    "\"kind\": \"agent\", \"tools\": \"read,bash\"",
	    "{\"prompt\": \"p\", \"tools\": [\"read\"]}" },
	{ "tools of an agent that were not named", "\"kind\": \"agent\"",
	    "{\"prompt\": \"p\", \"tools\": [\"read\"]}" },
	{ "tools of an agent that are no names",
	    "\"kind\": \"agent\", \"tools\": \"\"",
	    "{\"prompt\": \"p\", \"tools\": [7]}" },
};

static void
test_unjudged(void)
{
	char		 run[32];
	struct fake	*f;
	struct got	*g;
	size_t		 i;

	for (i = 0; i < sizeof(unjudged) / sizeof(unjudged[0]); i++) {
		f = fake_begun(run);
		fake_say(f, IMSG_NODE_BEGIN, 0, unjudged[i].input,
		    "{\"run\": \"%s\", \"path\": \"/n\", \"digest\": "
		    "\"%s\", %s}", run, DIGEST_A, unjudged[i].words);
		g = fake_wait(f, IMSG_RUN_END);
		test_case(g != NULL && got_int(g, "exit") == 9 &&
		    fake_count(f, IMSG_TOOL_CALL) == 0 &&
		    fake_count(f, IMSG_MODEL_CALL) == 0,
		    "%s than what was judged ends the run",
		    unjudged[i].what);
		fake_free(f);
	}
}

static void
test_differs(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;

	fake_tool(f, run, "/tool#0", READ_INPUT);
	(void)fake_wait(f, IMSG_TOOL_CALL);
	fake_node(f, run, "/tool#0", "tool", DIGEST_B, READ_INPUT);
	g = fake_wait(f, IMSG_RUN_END);
	test_case(g != NULL && got_int(g, "exit") == 5,
	    "same path, other digest: the run ends with exit 5");
	test_case(fake_wait(f, IMSG_TOOL_CANCEL) != NULL,
	    "and what was running is cancelled");
	test_case(fake_wait(f, IMSG_SANDBOX_REMOVE) != NULL,
	    "and its sandbox is removed");
	fake_free(f);
}

int
main(void)
{
	test_bad();
	test_unjudged();
	test_differs();
	return (test_end());
}
