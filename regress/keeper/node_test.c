/*
 * Nodes: begun, answered, replayed, cancelled, and taken up after a restart.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define READ_INPUT \
    "{\"name\": \"read\", \"input\": {\"path\": \"a.c\"}}"
#define BASH_INPUT \
    "{\"name\": \"bash\", \"input\": {\"command\": \"make\"}}"

static void
say_jail(struct fake *f, const char *run)
{
	fake_say(f, IMSG_RUN_JAIL, 0, NULL,
	    "{\"run\": \"%s\", \"jail\": 1, \"python\": \"\"}", run);
}

/* A run whose jail has been told its script. The id is copied to run. */
static struct fake *
begin(char run[32])
{
	struct fake	*f = fake_new(NULL);

	(void)snprintf(run, 32, "%s", fake_run(f, "x"));
	say_jail(f, run);
	(void)fake_wait(f, IMSG_SCRIPT);
	fake_clear(f);
	return (f);
}

static void
say_node(struct fake *f, const char *run, const char *path, const char *kind,
    const char *digest, const char *input)
{
	json_t		*body = json_loads(input, 0, NULL);
	const char	*tool = json_string_value(json_object_get(body,
	    "name"));

	fake_say(f, IMSG_NODE_BEGIN, 0, input, "{\"run\": \"%s\", "
	    "\"path\": \"%s\", \"kind\": \"%s\", \"digest\": \"%s\"%s%s%s}",
	    run, path, kind, digest, tool == NULL ? "" : ", \"tool\": \"",
	    tool == NULL ? "" : tool, tool == NULL ? "" : "\"");
	json_decref(body);
}

static void
say_tool(struct fake *f, const char *run, const char *path,
    const char *input)
{
	say_node(f, run, path, "tool", DIGEST_A, input);
}

static void
say_tool_done(struct fake *f, const char *run, uint32_t id, const char *ok,
    const char *value)
{
	fake_say(f, IMSG_TOOL_DONE, id, value,
	    "{\"run\": \"%s\", \"ok\": %s}", run, ok);
}

/* Kill the keeper, start it, and let the run's jail be told again. */
static void
restart(struct fake *f, const char *run)
{
	fake_restart(f, NULL);
	(void)fake_wait(f, IMSG_RUN_START);
	say_jail(f, run);
}

static const char *
cause_of(const struct got *g)
{
	return (g == NULL ? "nothing came" : body_str(g, "cause"));
}

static void
test_tool(void)
{
	char		 run[32];
	struct fake	*f = begin(run);
	struct got	*g;
	uint32_t	 id;

	say_tool(f, run, "/tool#0", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	test_case(g != NULL && strcmp(got_str(g, "tool"), "read") == 0 &&
	    strcmp(got_str(g, "node"), "/tool#0") == 0 &&
	    got_int(g, "sandbox") >= 1 && strcmp(body_str(g, "path"),
	    "a.c") == 0, "a tool node calls its tool");
	id = g->id;
	say_tool_done(f, run, id, "true", "\"text\"");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && got_int(g, "ok") == 1 &&
	    strcmp(json_string_value(g->body), "text") == 0 &&
	    got_int(g, "now") > 0, "its value is the node's");
	say_tool_done(f, run, id, "true", "\"twice\"");
	say_tool(f, run, "/tool#0", READ_INPUT);
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && strcmp(json_string_value(g->body), "text") ==
	    0 && fake_count(f, IMSG_TOOL_CALL) == 0,
	    "asked for again, it is answered from the record");
	say_tool(f, run, "/tool#1", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	say_tool_done(f, run, g->id, "false", "{\"class\": \"ToolError\", "
	    "\"message\": \"gone\", \"cause\": \"oom\", \"more\": 1}");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && got_int(g, "ok") == 0 &&
	    strcmp(cause_of(g), "oom") == 0 && body_get(g, "more") == NULL,
	    "a tool's error is the node's");
	say_tool(f, run, "/tool#2", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	say_tool_done(f, run, g->id, "true", "{nonsense");
	test_case(strcmp(cause_of(fake_wait(f, IMSG_NODE_DONE)), "protocol")
	    == 0, "an answer that is no JSON is an error");
	fake_free(f);
}

/* What a jail says of its failure: all but the message is a lie. */
static void
test_lying_jail(void)
{
	char		 run[32];
	struct fake	*f = begin(run);
	struct got	*g;
	int		 calls;

	say_tool(f, run, "/tool#0", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	fake_say(f, IMSG_TOOL_DONE, g->id, "{\"class\": \"ScopeError\", "
	    "\"message\": \"m\", \"cause\": \"restart\", \"rule\": \"r\"}",
	    "{\"run\": \"%s\", \"ok\": false, \"jail\": true}", run);
	g = fake_wait(f, IMSG_NODE_DONE);
	calls = fake_count(f, IMSG_TOOL_CALL);
	test_case(g != NULL && strcmp(body_str(g, "class"), "ToolError") == 0
	    && strcmp(body_str(g, "message"), "m") == 0,
	    "a jail can't forge a ScopeError");
	test_case(g != NULL && json_is_null(body_get(g, "rule")) &&
	    json_is_null(body_get(g, "cause")) && calls == 0,
	    "nor a rule, nor that we are to blame");
	say_tool(f, run, "/tool#1", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	fake_say(f, IMSG_TOOL_DONE, g->id, "{\"class\": 1, \"cause\": []}",
	    "{\"run\": \"%s\", \"ok\": false, \"jail\": true}", run);
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && strcmp(body_str(g, "class"), "ToolError") == 0
	    && strcmp(body_str(g, "message"), "") == 0,
	    "an error of other types is still a ToolError");
	fake_free(f);
}

static void
say_restart(struct fake *f, const char *run, uint32_t id)
{
	say_tool_done(f, run, id, "false", "{\"class\": \"ToolError\", "
	    "\"message\": \"m\", \"cause\": \"restart\", \"rule\": null}");
}

/* The sandbox is lost under a call: what is harmless is made again. */
static void
test_restart(void)
{
	char		 run[32];
	struct fake	*f = begin(run);
	struct got	*g;
	int		 n;

	say_tool(f, run, "/tool#0", BASH_INPUT);
	say_restart(f, run, fake_wait(f, IMSG_TOOL_CALL)->id);
	test_case(strcmp(cause_of(fake_wait(f, IMSG_NODE_DONE)), "restart")
	    == 0 && fake_count(f, IMSG_TOOL_CALL) == 0,
	    "a command whose sandbox was lost is not run again");
	say_tool(f, run, "/tool#1", READ_INPUT);
	say_restart(f, run, fake_wait(f, IMSG_TOOL_CALL)->id);
	g = fake_wait(f, IMSG_TOOL_CALL);
	test_case(g != NULL && strcmp(body_str(g, "path"), "a.c") == 0 &&
	    fake_count(f, IMSG_NODE_DONE) == 0, "a read is made again");
	say_tool_done(f, run, g->id, "true", "\"text\"");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && got_int(g, "ok") == 1, "and answered once");
	say_tool(f, run, "/tool#2", READ_INPUT);
	for (n = 0; (g = fake_wait(f, IMSG_TOOL_CALL)) != NULL && n < 6; n++)
		say_restart(f, run, g->id);
	test_case(n == 6 && strcmp(cause_of(fake_wait(f, IMSG_NODE_DONE)),
	    "restart") == 0, "but only so often");
	fake_free(f);
}

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
	struct fake	*f = begin(run);
	struct got	*g;
	size_t		 i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		(void)snprintf(path, sizeof(path), "/x#%zu", i);
		say_node(f, run, path, bad[i].kind, DIGEST_A, bad[i].input);
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
	say_node(f, run, "/p", "tool", DIGEST_A, "[");
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
		f = begin(run);
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
	struct fake	*f = begin(run);
	struct got	*g;

	say_tool(f, run, "/tool#0", READ_INPUT);
	(void)fake_wait(f, IMSG_TOOL_CALL);
	say_node(f, run, "/tool#0", "tool", DIGEST_B, READ_INPUT);
	g = fake_wait(f, IMSG_RUN_END);
	test_case(g != NULL && got_int(g, "exit") == 5,
	    "same path, other digest: the run ends with exit 5");
	test_case(fake_wait(f, IMSG_TOOL_CANCEL) != NULL,
	    "and what was running is cancelled");
	test_case(fake_wait(f, IMSG_SANDBOX_REMOVE) != NULL,
	    "and its sandbox is removed");
	fake_free(f);
}

static void
test_replay(void)
{
	char		 run[32];
	struct fake	*f = begin(run);
	struct got	*g;
	uint32_t	 first, second;

	say_tool(f, run, "/tool#0", READ_INPUT);
	first = fake_wait(f, IMSG_TOOL_CALL)->id;
	say_tool(f, run, "/tool#1", READ_INPUT);
	second = fake_wait(f, IMSG_TOOL_CALL)->id;
	say_tool_done(f, run, second, "true", "\"second\"");
	(void)fake_wait(f, IMSG_NODE_DONE);
	say_tool_done(f, run, first, "true", "\"first\"");
	(void)fake_wait(f, IMSG_NODE_DONE);
	restart(f, run);
	g = fake_wait(f, IMSG_SCRIPT);
	test_case(g != NULL && got_int(g, "replay") == 1,
	    "after a restart the jail is told of one batch");
	g = fake_wait(f, IMSG_REPLAY);
	test_case(g != NULL && got_int(g, "count") == 2 &&
	    json_array_size(g->body) == 2 && strcmp(json_string_value(
	    json_array_get(json_array_get(g->body, 0), 0)), "/tool#1") == 0 &&
	    strcmp(json_string_value(json_array_get(json_array_get(g->body,
	    1), 5)), "first") == 0, "outcomes come in the order they came");
	test_case(fake_count(f, IMSG_TOOL_CALL) == 0, "and nothing runs again");
	fake_free(f);
}

/* Outcomes too long for one batch. */
static void
test_batches(void)
{
	char		 run[32], path[32], *value;
	struct fake	*f = begin(run);
	struct got	*g;
	int64_t		 batches;
	int		 i, n = 0;

	if ((value = malloc(300 * 1024 + 1)) == NULL)
		return;
	memset(value, 'x', 300 * 1024);
	value[0] = value[300 * 1024 - 1] = '"';
	value[300 * 1024] = '\0';
	for (i = 0; i < 6; i++) {
		(void)snprintf(path, sizeof(path), "/tool#%d", i);
		say_tool(f, run, path, READ_INPUT);
		say_tool_done(f, run, fake_wait(f, IMSG_TOOL_CALL)->id,
		    "true", value);
		(void)fake_wait(f, IMSG_NODE_DONE);
	}
	free(value);
	restart(f, run);
	batches = got_int(fake_wait(f, IMSG_SCRIPT), "replay");
	for (i = 0; i < batches && (g = fake_wait(f, IMSG_REPLAY)) != NULL;
	    i++)
		n += (int)json_array_size(g->body);
	test_case(batches == 3 && n == 6,
	    "long outcomes come in several batches");
	fake_free(f);
}

static void
test_recover_tools(void)
{
	char		 run[32];
	struct fake	*f = begin(run);
	struct got	*g;

	say_tool(f, run, "/read", READ_INPUT);
	say_tool(f, run, "/bash", BASH_INPUT);
	(void)fake_wait(f, IMSG_TOOL_CALL);
	(void)fake_wait(f, IMSG_TOOL_CALL);
	restart(f, run);
	g = fake_wait(f, IMSG_REPLAY);
	test_case(g != NULL && json_array_size(g->body) == 1 &&
	    strcmp(json_string_value(json_object_get(json_array_get(
	    json_array_get(g->body, 0), 5), "cause")), "interrupted") == 0,
	    "a command that was running is not repeated: outcome unknown");
	fake_turn(f, 10);
	test_case(fake_count(f, IMSG_TOOL_CALL) == 0 &&
	    fake_count(f, IMSG_NODE_DONE) == 0,
	    "nothing happens before the script asks");
	say_tool(f, run, "/read", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	test_case(g != NULL && strcmp(got_str(g, "tool"), "read") == 0,
	    "a read that was running is made again");
	say_tool_done(f, run, g->id, "true", "\"text\"");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && got_int(g, "ok") == 1, "and answered");
	fake_free(f);
}

static void
test_sleep(void)
{
	char		 run[32];
	struct fake	*f = begin(run);
	struct got	*g;

	say_node(f, run, "/sleep#0", "sleep", DIGEST_A, "{\"seconds\": 0}");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && json_is_null(g->body), "a sleep gives null");
	say_node(f, run, "/sleep#1", "sleep", DIGEST_A,
	    "{\"seconds\": 0.15}");
	fake_turn(f, 20);
	restart(f, run);
	test_case(fake_wait(f, IMSG_SCRIPT) != NULL, "restarted in a sleep");
	say_node(f, run, "/sleep#1", "sleep", DIGEST_A,
	    "{\"seconds\": 0.15}");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && strcmp(got_str(g, "path"), "/sleep#1") == 0,
	    "a sleep goes on after a restart");
	say_node(f, run, "/sleep#2", "sleep", DIGEST_A,
	    "{\"seconds\": 0.03}");
	fake_turn(f, 5);
	restart(f, run);
	(void)fake_wait(f, IMSG_SCRIPT);
	fake_turn(f, 60);
	test_case(fake_count(f, IMSG_NODE_DONE) == 0,
	    "what ends before a new jail asks is not told yet");
	say_node(f, run, "/sleep#2", "sleep", DIGEST_A,
	    "{\"seconds\": 0.03}");
	test_case(fake_wait(f, IMSG_NODE_DONE) != NULL,
	    "but when it is asked for");
	fake_free(f);
}

static void
say_drop(struct fake *f, const char *run, const char *path)
{
	fake_say(f, IMSG_NODE_DROP, 0, NULL,
	    "{\"run\": \"%s\", \"path\": \"%s\"}", run, path);
}

static void
test_drop(void)
{
	char		 run[32];
	struct fake	*f = begin(run);
	struct got	*g;
	uint32_t	 id;

	say_tool(f, run, "/bash", BASH_INPUT);
	id = fake_wait(f, IMSG_TOOL_CALL)->id;
	say_drop(f, run, "/bash");
	g = fake_wait(f, IMSG_TOOL_CANCEL);
	test_case(g != NULL && g->id == id, "a dropped call is cancelled");
	say_tool_done(f, run, id, "true", "1");
	fake_turn(f, 10);
	test_case(fake_count(f, IMSG_NODE_DONE) == 0,
	    "its late answer is nobody's");
	say_tool(f, run, "/read", READ_INPUT);
	(void)fake_wait(f, IMSG_TOOL_CALL);
	say_drop(f, run, "/read");
	(void)fake_wait(f, IMSG_TOOL_CANCEL);
	restart(f, run);
	g = fake_wait(f, IMSG_SCRIPT);
	test_case(g != NULL && got_int(g, "replay") == 0,
	    "a replay does not know of cancelled nodes");
	say_tool(f, run, "/read", READ_INPUT);
	test_case(fake_wait(f, IMSG_TOOL_CALL) != NULL,
	    "a cancelled read runs anew if it is asked for");
	say_tool(f, run, "/bash", BASH_INPUT);
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(strcmp(cause_of(g), "interrupted") == 0 &&
	    fake_count(f, IMSG_TOOL_CALL) == 0, "a cancelled command does not");
	fake_free(f);
}

/* The jail is lost, the keeper is not: a node in flight goes on. */
static void
test_attach(void)
{
	char		 run[32];
	struct fake	*f = begin(run);
	struct got	*g;
	uint32_t	 id;

	say_tool(f, run, "/bash", BASH_INPUT);
	id = fake_wait(f, IMSG_TOOL_CALL)->id;
	fake_say(f, IMSG_RUN_JAIL_GONE, 0, NULL, "{\"run\": \"%s\", "
	    "\"cause\": \"restart\", \"ours\": true, \"cpu_ms\": 0, "
	    "\"peak\": 0}", run);
	test_case(fake_wait(f, IMSG_RUN_START) != NULL, "a lost jail");
	say_jail(f, run);
	(void)fake_wait(f, IMSG_SCRIPT);
	say_tool(f, run, "/bash", BASH_INPUT);
	fake_turn(f, 10);
	test_case(fake_count(f, IMSG_TOOL_CALL) == 0,
	    "the new jail's ask does not run the node again");
	say_tool_done(f, run, id, "true", "{\"exit\": 0}");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && got_int(g, "ok") == 1,
	    "it gets the answer of the first");
	fake_free(f);
}

static void
test_sandboxes(void)
{
	char		 run[32];
	struct fake	*f = begin(run);
	struct got	*g;
	int64_t		 first, again;

	say_tool(f, run, "/tool#0", READ_INPUT);
	first = got_int(fake_wait(f, IMSG_TOOL_CALL), "sandbox");
	say_tool(f, run, "/tool#1", READ_INPUT);
	again = got_int(fake_wait(f, IMSG_TOOL_CALL), "sandbox");
	test_case(first == again, "tool() calls share the run's sandbox");
	fake_say(f, IMSG_RUN_DONE, 0, "{\"result\": 1, \"failures\": []}",
	    "{\"run\": \"%s\", \"failures\": 0}", run);
	g = fake_wait(f, IMSG_SANDBOX_REMOVE);
	test_case(g != NULL && got_int(g, "sandbox") == first,
	    "the run's end removes it");
	fake_restart(f, NULL);
	g = fake_wait(f, IMSG_SANDBOX_REMOVE);
	test_case(g != NULL && got_int(g, "sandbox") == first,
	    "asked for again until it is confirmed");
	fake_say(f, IMSG_SANDBOX_REMOVED, 0, NULL,
	    "{\"sandbox\": %lld, \"ok\": true}", (long long)first);
	fake_turn(f, 10);
	fake_restart(f, NULL);
	fake_turn(f, 10);
	test_case(fake_count(f, IMSG_SANDBOX_REMOVE) == 0,
	    "and no more after that");
	(void)snprintf(run, sizeof(run), "%s", fake_run(f, "x"));
	say_jail(f, run);
	say_tool(f, run, "/tool#0", READ_INPUT);
	test_case(got_int(fake_wait(f, IMSG_TOOL_CALL), "sandbox") > first,
	    "a sandbox's number is never given twice");
	fake_free(f);
}

/* What is said has been written: cut off at every message. */
static void
test_kill(void)
{
	char		 run[32], path[32];
	struct fake	*f = begin(run);
	struct got	*g;
	int		 i, kept = 1;

	for (i = 0; i < 6; i++) {
		(void)snprintf(path, sizeof(path), "/tool#%d", i);
		say_tool(f, run, path, READ_INPUT);
		say_tool_done(f, run, fake_wait(f, IMSG_TOOL_CALL)->id,
		    "true", "1");
		(void)fake_wait(f, IMSG_NODE_DONE);
		restart(f, run);
		g = fake_wait(f, IMSG_REPLAY);
		kept = kept && g != NULL && got_int(g, "count") == i + 1;
	}
	test_case(kept, "no outcome that the script has seen is ever lost");
	fake_free(f);
}

/* An outcome at the limit, and one byte longer. */
static void
test_size(void)
{
	char		 run[32], *value;
	struct fake	*f = begin(run);
	struct got	*g;
	int		 more;

	if ((value = malloc(VALUE_MAX + 2)) == NULL)
		return;
	for (more = 0; more < 2; more++) {
		say_tool(f, run, more ? "/tool#1" : "/tool#0", READ_INPUT);
		g = fake_wait(f, IMSG_TOOL_CALL);
		memset(value, 'x', VALUE_MAX + 1);
		value[0] = value[VALUE_MAX - 1 + more] = '"';
		value[VALUE_MAX + more] = '\0';
		say_tool_done(f, run, g->id, "true", value);
		g = fake_wait(f, IMSG_NODE_DONE);
		test_case(g != NULL && got_int(g, "ok") == !more && (!more ||
		    (strcmp(body_str(g, "class"), "ToolError") == 0 &&
		    strcmp(cause_of(g), "size") == 0)), more ?
		    "one byte more is a ToolError with cause size" :
		    "an outcome of as many bytes as there may be is kept");
	}
	free(value);
	fake_free(f);
}

int
main(void)
{
	test_tool();
	test_lying_jail();
	test_restart();
	test_bad();
	test_unjudged();
	test_differs();
	test_replay();
	test_batches();
	test_recover_tools();
	test_sleep();
	test_drop();
	test_attach();
	test_sandboxes();
	test_kill();
	test_size();
	return (test_end());
}
