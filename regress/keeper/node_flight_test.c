/*
 * Nodes in flight: sleeping, dropped, and asked for by another jail.
 */
#include <string.h>

#include "fake_node.h"

static void
test_sleep(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;

	fake_node(f, run, "/sleep#0", "sleep", DIGEST_A, "{\"seconds\": 0}");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && json_is_null(g->body), "a sleep gives null");
	fake_node(f, run, "/sleep#1", "sleep", DIGEST_A,
	    "{\"seconds\": 0.15}");
	fake_turn(f, 20);
	fake_again(f, run);
	test_case(fake_wait(f, IMSG_SCRIPT) != NULL, "restarted in a sleep");
	fake_node(f, run, "/sleep#1", "sleep", DIGEST_A,
	    "{\"seconds\": 0.15}");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && strcmp(got_str(g, "path"), "/sleep#1") == 0,
	    "a sleep goes on after a restart");
	fake_node(f, run, "/sleep#2", "sleep", DIGEST_A,
	    "{\"seconds\": 0.03}");
	fake_turn(f, 5);
	fake_again(f, run);
	(void)fake_wait(f, IMSG_SCRIPT);
	fake_turn(f, 60);
	test_case(fake_count(f, IMSG_NODE_DONE) == 0,
	    "what ends before a new jail asks is not told yet");
	fake_node(f, run, "/sleep#2", "sleep", DIGEST_A,
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
	struct fake	*f = fake_begun(run);
	struct got	*g;
	uint32_t	 id;

	fake_tool(f, run, "/bash", BASH_INPUT);
	id = fake_wait(f, IMSG_TOOL_CALL)->id;
	say_drop(f, run, "/bash");
	g = fake_wait(f, IMSG_TOOL_CANCEL);
	test_case(g != NULL && g->id == id, "a dropped call is cancelled");
	fake_tool_done(f, run, id, "true", "1");
	fake_turn(f, 10);
	test_case(fake_count(f, IMSG_NODE_DONE) == 0,
	    "its late answer is nobody's");
	fake_tool(f, run, "/read", READ_INPUT);
	(void)fake_wait(f, IMSG_TOOL_CALL);
	say_drop(f, run, "/read");
	(void)fake_wait(f, IMSG_TOOL_CANCEL);
	fake_again(f, run);
	g = fake_wait(f, IMSG_SCRIPT);
	test_case(g != NULL && got_int(g, "replay") == 0,
	    "a replay does not know of cancelled nodes");
	fake_tool(f, run, "/read", READ_INPUT);
	test_case(fake_wait(f, IMSG_TOOL_CALL) != NULL,
	    "a cancelled read runs anew if it is asked for");
	fake_tool(f, run, "/bash", BASH_INPUT);
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(strcmp(got_cause(g), "interrupted") == 0 &&
	    fake_count(f, IMSG_TOOL_CALL) == 0, "a cancelled command does not");
	fake_free(f);
}

/* The jail is lost, the keeper is not: a node in flight goes on. */
static void
test_attach(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;
	uint32_t	 id;

	fake_tool(f, run, "/bash", BASH_INPUT);
	id = fake_wait(f, IMSG_TOOL_CALL)->id;
	fake_say(f, IMSG_RUN_JAIL_GONE, 0, NULL, "{\"run\": \"%s\", "
	    "\"cause\": \"restart\", \"ours\": true, \"cpu_ms\": 0, "
	    "\"peak\": 0}", run);
	test_case(fake_wait(f, IMSG_RUN_START) != NULL, "a lost jail");
	fake_jail(f, run);
	(void)fake_wait(f, IMSG_SCRIPT);
	fake_tool(f, run, "/bash", BASH_INPUT);
	fake_turn(f, 10);
	test_case(fake_count(f, IMSG_TOOL_CALL) == 0,
	    "the new jail's ask does not run the node again");
	fake_tool_done(f, run, id, "true", "{\"exit\": 0}");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && got_int(g, "ok") == 1,
	    "it gets the answer of the first");
	fake_free(f);
}

/* What a long input costs is not paid again for an answer that is there: who
 * asks with no JSON at all is answered, and only the digest is looked at. */
static void
test_recorded(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;

	fake_tool(f, run, "/read", READ_INPUT);
	fake_tool_done(f, run, fake_wait(f, IMSG_TOOL_CALL)->id, "true",
	    "\"text\"");
	(void)fake_wait(f, IMSG_NODE_DONE);
	fake_node(f, run, "/read", "tool", DIGEST_A, "no JSON");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && strcmp(json_string_value(g->body), "text") == 0,
	    "a recorded node is answered, and its input not read again");
	fake_node(f, run, "/read", "tool", DIGEST_B, "no JSON");
	g = fake_wait(f, IMSG_RUN_END);
	test_case(g != NULL && got_int(g, "exit") == 5,
	    "one with another digest ends the run");
	fake_free(f);
}

int
main(void)
{
	test_sleep();
	test_recorded();
	test_drop();
	test_attach();
	return (test_end());
}
