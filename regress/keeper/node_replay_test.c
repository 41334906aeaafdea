/*
 * Nodes after a restart: what is told again, and what runs again.
 */
#include <stdlib.h>
#include <string.h>

#include "fake_node.h"

static void
test_replay(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;
	uint32_t	 first, second;

	fake_tool(f, run, "/tool#0", READ_INPUT);
	first = fake_wait(f, IMSG_TOOL_CALL)->id;
	fake_tool(f, run, "/tool#1", READ_INPUT);
	second = fake_wait(f, IMSG_TOOL_CALL)->id;
	fake_tool_done(f, run, second, "true", "\"second\"");
	(void)fake_wait(f, IMSG_NODE_DONE);
	fake_tool_done(f, run, first, "true", "\"first\"");
	(void)fake_wait(f, IMSG_NODE_DONE);
	fake_again(f, run);
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
	struct fake	*f = fake_begun(run);
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
		fake_tool(f, run, path, READ_INPUT);
		fake_tool_done(f, run, fake_wait(f, IMSG_TOOL_CALL)->id,
		    "true", value);
		(void)fake_wait(f, IMSG_NODE_DONE);
	}
	free(value);
	fake_again(f, run);
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
	struct fake	*f = fake_begun(run);
	struct got	*g;

	fake_tool(f, run, "/read", READ_INPUT);
	fake_tool(f, run, "/bash", BASH_INPUT);
	(void)fake_wait(f, IMSG_TOOL_CALL);
	(void)fake_wait(f, IMSG_TOOL_CALL);
	fake_again(f, run);
	g = fake_wait(f, IMSG_REPLAY);
	test_case(g != NULL && json_array_size(g->body) == 1 &&
	    strcmp(json_string_value(json_object_get(json_array_get(
	    json_array_get(g->body, 0), 5), "cause")), "interrupted") == 0,
	    "a command that was running is not repeated: outcome unknown");
	fake_turn(f, 10);
	test_case(fake_count(f, IMSG_TOOL_CALL) == 0 &&
	    fake_count(f, IMSG_NODE_DONE) == 0,
	    "nothing happens before the script asks");
	fake_tool(f, run, "/read", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	test_case(g != NULL && strcmp(got_str(g, "tool"), "read") == 0,
	    "a read that was running is made again");
	fake_tool_done(f, run, g->id, "true", "\"text\"");
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && got_int(g, "ok") == 1, "and answered");
	fake_free(f);
}

/* What is said has been written: cut off at every message. */
static void
test_kill(void)
{
	char		 run[32], path[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;
	int		 i, kept = 1;

	for (i = 0; i < 6; i++) {
		(void)snprintf(path, sizeof(path), "/tool#%d", i);
		fake_tool(f, run, path, READ_INPUT);
		fake_tool_done(f, run, fake_wait(f, IMSG_TOOL_CALL)->id,
		    "true", "1");
		(void)fake_wait(f, IMSG_NODE_DONE);
		fake_again(f, run);
		g = fake_wait(f, IMSG_REPLAY);
		kept = kept && g != NULL && got_int(g, "count") == i + 1;
	}
	test_case(kept, "no outcome that the script has seen is ever lost");
	fake_free(f);
}

/* A script may say any digest: what does it gain? */
static void
test_lie_record(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;

	fake_tool(f, run, "/tool#0", READ_INPUT);
	fake_tool_done(f, run, fake_wait(f, IMSG_TOOL_CALL)->id, "true",
	    "\"past\"");
	(void)fake_wait(f, IMSG_NODE_DONE);
	fake_again(f, run);
	fake_tool(f, run, "/tool#0", BASH_INPUT);
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && json_is_string(g->body) && strcmp(
	    json_string_value(g->body), "past") == 0 &&
	    fake_count(f, IMSG_TOOL_CALL) == 0, "another input with a "
	    "recorded digest: the run's own past, and nothing runs");
	fake_free(f);
}

static void
test_lie_other(void)
{
	char		 run[32], other[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;

	(void)snprintf(other, sizeof(other), "%s", fake_run(f, "x"));
	fake_jail(f, other);
	fake_tool(f, run, "/tool#0", READ_INPUT);
	fake_tool_done(f, run, fake_wait(f, IMSG_TOOL_CALL)->id, "true",
	    "\"secret\"");
	(void)fake_wait(f, IMSG_NODE_DONE);
	fake_restart(f, NULL);
	fake_jail(f, other);
	g = fake_wait(f, IMSG_SCRIPT);
	test_case(g != NULL && got_int(g, "replay") == 0,
	    "another run is not told of it");
	fake_tool(f, other, "/tool#0", READ_INPUT);
	test_case(fake_wait(f, IMSG_TOOL_CALL) != NULL &&
	    fake_count(f, IMSG_NODE_DONE) == 0,
	    "nor served it for its path and digest");
	fake_free(f);
}

/* Is this what the row of the only node says? */
static int
is_recorded(struct fake *f, const char *kind, const char *what,
    const char *input)
{
	return (store_int(f->keeper.store, 0, "SELECT count(*) FROM nodes"
	    " WHERE kind = ? AND what = ? AND input = ?", "sss", kind, what,
	    input) == 1);
}

#define GREP_INPUT							\
    "{\"name\": \"grep\", \"input\": {\"pattern\": \"password\"}}"

static void
test_lie_again(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;
	struct run	*r;

	fake_node(f, run, "/x", "sleep", DIGEST_A, "{\"seconds\": 60}");
	fake_say(f, IMSG_NODE_DROP, 0, NULL, "{\"run\": \"%s\", "
	    "\"path\": \"/x\"}", run);
	fake_tool(f, run, "/x", GREP_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	r = RB_MIN(run_tree, &f->keeper.runs);
	test_case(g != NULL && is_recorded(f, "tool", "grep", GREP_INPUT),
	    "a cancelled node that becomes another one is recorded as what "
	    "it does");
	test_case(r->bytes == store_int(f->keeper.store, 0, store_weigh, "i",
	    r->num), "and counted");
	fake_again(f, run);
	fake_tool(f, run, "/x", READ_INPUT);
	g = fake_wait(f, IMSG_TOOL_CALL);
	test_case(g != NULL && strcmp(got_str(g, "tool"), "grep") == 0,
	    "and what runs again is what is recorded");
	fake_free(f);
}

int
main(void)
{
	test_lie_record();
	test_lie_other();
	test_lie_again();
	test_replay();
	test_batches();
	test_recover_tools();
	test_kill();
	return (test_end());
}
