/*
 * Tool nodes: begun, answered, lied about, lost with their sandbox.
 */
#include <stdlib.h>
#include <string.h>

#include "fake_node.h"

static void
test_tool(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;
	uint32_t	 id;

	fake_tool(f, run, "/tool#0", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	test_case(g != NULL && strcmp(got_str(g, "tool"), "read") == 0 &&
	    strcmp(got_str(g, "node"), "/tool#0") == 0 &&
	    got_int(g, "sandbox") >= 1 && strcmp(body_str(g, "path"),
	    "a.c") == 0, "a tool node calls its tool");
	id = g->id;
	fake_tool_done(f, run, id, "true", "\"text\"");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && got_int(g, "ok") == 1 &&
	    strcmp(json_string_value(g->body), "text") == 0 &&
	    got_int(g, "now") > 0, "its value is the node's");
	fake_tool_done(f, run, id, "true", "\"twice\"");
	fake_tool(f, run, "/tool#0", READ_INPUT);
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && strcmp(json_string_value(g->body), "text") ==
	    0 && fake_count(f, IMSG_TOOL_CALL) == 0,
	    "asked for again, it is answered from the record");
	fake_tool(f, run, "/tool#1", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	fake_tool_done(f, run, g->id, "false", "{\"class\": \"ToolError\", "
	    "\"message\": \"gone\", \"cause\": \"oom\", \"more\": 1}");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && got_int(g, "ok") == 0 &&
	    strcmp(got_cause(g), "oom") == 0 && body_get(g, "more") == NULL,
	    "a tool's error is the node's");
	fake_tool(f, run, "/tool#2", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	fake_tool_done(f, run, g->id, "true", "{nonsense");
	test_case(strcmp(got_cause(fake_wait(f, IMSG_NODE_DONE)), "protocol")
	    == 0, "an answer that is no JSON is an error");
	fake_free(f);
}

/* What a jail says of its failure: all but the message is a lie. */
static void
test_lying_jail(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;
	int		 calls;

	fake_tool(f, run, "/tool#0", READ_INPUT);
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
	fake_tool(f, run, "/tool#1", READ_INPUT);
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
	fake_tool_done(f, run, id, "false", "{\"class\": \"ToolError\", "
	    "\"message\": \"m\", \"cause\": \"restart\", \"rule\": null}");
}

/* The sandbox is lost under a call: what is harmless is made again. */
static void
test_restart(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;
	int		 n;

	fake_tool(f, run, "/tool#0", BASH_INPUT);
	say_restart(f, run, fake_wait(f, IMSG_TOOL_CALL)->id);
	test_case(strcmp(got_cause(fake_wait(f, IMSG_NODE_DONE)), "restart")
	    == 0 && fake_count(f, IMSG_TOOL_CALL) == 0,
	    "a command whose sandbox was lost is not run again");
	fake_tool(f, run, "/tool#1", READ_INPUT);
	say_restart(f, run, fake_wait(f, IMSG_TOOL_CALL)->id);
	g = fake_wait(f, IMSG_TOOL_CALL);
	test_case(g != NULL && strcmp(body_str(g, "path"), "a.c") == 0 &&
	    fake_count(f, IMSG_NODE_DONE) == 0, "a read is made again");
	fake_tool_done(f, run, g->id, "true", "\"text\"");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && got_int(g, "ok") == 1, "and answered once");
	fake_tool(f, run, "/tool#2", READ_INPUT);
	for (n = 0; (g = fake_wait(f, IMSG_TOOL_CALL)) != NULL && n < 6; n++)
		say_restart(f, run, g->id);
	test_case(n == 6 && strcmp(got_cause(fake_wait(f, IMSG_NODE_DONE)),
	    "restart") == 0, "but only so often");
	fake_free(f);
}

static void
test_sandboxes(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;
	int64_t		 first, again;

	fake_tool(f, run, "/tool#0", READ_INPUT);
	first = got_int(fake_wait(f, IMSG_TOOL_CALL), "sandbox");
	fake_tool(f, run, "/tool#1", READ_INPUT);
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
	fake_jail(f, run);
	fake_tool(f, run, "/tool#0", READ_INPUT);
	test_case(got_int(fake_wait(f, IMSG_TOOL_CALL), "sandbox") > first,
	    "a sandbox's number is never given twice");
	fake_free(f);
}

/* An outcome at the limit, and one byte longer. */
static void
test_size(void)
{
	char		 run[32], *value;
	struct fake	*f = fake_begun(run);
	struct got	*g;
	int		 more;

	if ((value = malloc(VALUE_MAX + 2)) == NULL)
		return;
	for (more = 0; more < 2; more++) {
		fake_tool(f, run, more ? "/tool#1" : "/tool#0", READ_INPUT);
		g = fake_wait(f, IMSG_TOOL_CALL);
		memset(value, 'x', VALUE_MAX + 1);
		value[0] = value[VALUE_MAX - 1 + more] = '"';
		value[VALUE_MAX + more] = '\0';
		fake_tool_done(f, run, g->id, "true", value);
		g = fake_wait(f, IMSG_NODE_DONE);
		test_case(g != NULL && got_int(g, "ok") == !more && (!more ||
		    (strcmp(body_str(g, "class"), "ToolError") == 0 &&
		    strcmp(got_cause(g), "size") == 0)), more ?
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
	test_sandboxes();
	test_size();
	return (test_end());
}
