/*
 * A script that says why it has failed: the exit code follows only from what
 * the keeper has recorded itself.
 */
#include <string.h>

#include "fake.h"

#define NODE	"/tool#0"

/* What the node came to, null for none that failed; what the script then
 * says; and the exit code. past: the outcome is of an earlier jail. */
static const struct {
	const char	*what;
	const char	*outcome;
	const char	*class, *error;
	int		 past, exit;
} cases[] = {
	{ "a provider that has failed",
	    "{\"class\": \"AgentError\", \"cause\": \"provider\"}",
	    "AgentError", "{\"cause\": \"provider\", \"node\": \"" NODE "\"}",
	    0, 8 },
	{ "a denial",
	    "{\"class\": \"ScopeError\", \"cause\": \"denied\"}",
	    "ScopeError", "{\"cause\": \"denied\", \"node\": \"" NODE "\"}",
	    0, 7 },
	{ "an empty budget",
	    "{\"class\": \"BudgetError\", \"cause\": \"budget\"}",
	    "BudgetError", "{\"cause\": \"budget\", \"node\": \"" NODE "\"}",
	    0, 6 },
	{ "an earlier jail's empty budget",
	    "{\"class\": \"BudgetError\", \"cause\": \"budget\"}",
	    "BudgetError", "{\"cause\": \"budget\", \"node\": \"" NODE "\"}",
	    1, 6 },
	{ "a class of its own of this name", NULL,
	    "BudgetError", "{}", 0, 1 },
	{ "a class and node of its own choice", NULL,
	    "BudgetError", "{\"cause\": \"budget\", \"node\": \"" NODE "\"}",
	    0, 1 },
	{ "another node than the one that failed",
	    "{\"class\": \"BudgetError\", \"cause\": \"budget\"}",
	    "BudgetError", "{\"cause\": \"budget\", \"node\": \"/x#0\"}",
	    0, 1 },
	{ "another cause than the node's",
	    "{\"class\": \"AgentError\", \"cause\": \"timeout\"}",
	    "AgentError", "{\"cause\": \"provider\", \"node\": \"" NODE "\"}",
	    0, 1 },
	{ "another class than the node's",
	    "{\"class\": \"ToolError\", \"cause\": null}",
	    "ScopeError", "{\"cause\": null, \"node\": \"" NODE "\"}", 0, 1 },
	{ "not deterministic, in its first jail",
	    "{\"class\": \"ToolError\", \"cause\": null}",
	    "NondeterminismError", "{\"node\": \"" NODE "\"}", 0, 1 },
	{ "not deterministic, in a replay", NULL,
	    "NondeterminismError", "{\"node\": \"" NODE "\"}", 1, 5 },
	{ "not deterministic, but at a node that is not there", NULL,
	    "NondeterminismError", "{\"node\": \"/x#0\"}", 1, 1 },
	{ "not deterministic, but nowhere", NULL,
	    "NondeterminismError", "{}", 1, 1 },
};

static void
say_jail(struct fake *f, const char *run)
{
	fake_jail(f, run);
	(void)fake_wait(f, IMSG_SCRIPT);
}

/* A node whose outcome is this error, or a value. */
static void
play_node(struct fake *f, const char *run, const char *error)
{
	struct got	*g;

	fake_say(f, IMSG_NODE_BEGIN, 0, "{\"name\": \"read\", \"input\": "
	    "{\"path\": \"a\"}}", "{\"run\": \"%s\", \"path\": \"" NODE "\", "
	    "\"kind\": \"tool\", \"digest\": \"" DIGEST_A "\", "
	    "\"tool\": \"read\"}", run);
	if ((g = fake_wait(f, IMSG_TOOL_CALL)) == NULL)
		return;
	fake_say(f, IMSG_TOOL_DONE, g->id, error == NULL ? "1" : error,
	    "{\"run\": \"%s\", \"ok\": %s}", run,
	    error == NULL ? "true" : "false");
	(void)fake_wait(f, IMSG_NODE_DONE);
}

static void
test_one(size_t i)
{
	struct fake	*f = fake_new(NULL);
	struct got	*g;
	char		 run[32];

	(void)snprintf(run, sizeof(run), "%s", fake_run(f, "x"));
	say_jail(f, run);
	play_node(f, run, cases[i].outcome);
	if (cases[i].past) {
		fake_restart(f, NULL);
		(void)fake_wait(f, IMSG_RUN_START);
		say_jail(f, run);
	}
	fake_say(f, IMSG_RUN_FAIL, 0, cases[i].error, "{\"run\": \"%s\", "
	    "\"class\": \"%s\", \"failures\": 0}", run, cases[i].class);
	g = fake_wait(f, IMSG_RUN_END);
	test_case(g != NULL && got_int(g, "exit") == cases[i].exit,
	    "a script says %s: exit %d", cases[i].what, cases[i].exit);
	fake_free(f);
}

int
main(void)
{
	size_t	i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_one(i);
	return (test_end());
}
