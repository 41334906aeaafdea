/*
 * What the broker passes on for the keeper: calls of tools and of models.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "log.h"
#include "test.h"

/* Two calls to one sandbox. Returns its jail, which has been sent both: the
 * numbers are in calls. */
static struct fake *
tools_called(struct rig *rig, uint32_t calls[2])
{
	struct fake	*tool;
	struct got	*g;

	say_tool_call(rig, 100, "r1", 5, "bash");
	say_tool_call(rig, 101, "r1", 5, "read");
	tool = rig_jail(rig, TOOL, 2);
	if (!test_case(tool != NULL, "the first call starts a tool jail"))
		return (NULL);
	test_case(fake_none(tool, IMSG_SANDBOX_CALL),
	    "calls wait until it says hello");
	test_case(fake_none(rig->warden, IMSG_JAIL_START),
	    "two calls to one sandbox start one jail");
	fake_send(tool, IMSG_JAIL_HELLO, 0, -1, json_pack("{s:s, s:s}",
	    "version", "0.1.0", "python", ""), NULL);
	g = fake_want(tool, IMSG_SANDBOX_CALL);
	calls[0] = g->id;
	test_case(strcmp(got_str(g, "op"), "bash") == 0 &&
	    got_int(g, "timeout") == 5000 &&
	    strcmp(g->body, "{\"command\":\"true\"}") == 0,
	    "then the first one is sent");
	g = fake_want(tool, IMSG_SANDBOX_CALL);
	calls[1] = g->id;
	test_case(strcmp(got_str(g, "op"), "read") == 0, "and the second");
	return (tool);
}

static void
tools_answered(struct rig *rig, struct fake *tool, const uint32_t calls[2])
{
	struct got	*g;

	fake_send(tool, IMSG_SANDBOX_DONE, calls[1], -1, json_pack("{s:b}",
	    "ok", 1), "\"text\"");
	g = fake_want(rig->keeper, IMSG_TOOL_DONE);
	test_case(g->id == 101 && strcmp(g->body, "\"text\"") == 0 &&
	    strcmp(got_str(g, "run"), "r1") == 0 && got_bool(g, "jail") == 1,
	    "answers find their question, in any order, with whose they are");
	fake_send(rig->keeper, IMSG_TOOL_CANCEL, 100, -1, json_pack("{s:s}",
	    "run", "r1"), NULL);
	g = fake_want(tool, IMSG_SANDBOX_CANCEL);
	test_case(g != NULL && g->id == calls[0],
	    "a running call is cancelled");
	fake_send(tool, IMSG_SANDBOX_DONE, calls[0], -1, json_pack("{s:b}",
	    "ok", 0), "{}");
	test_case(fake_none(rig->keeper, IMSG_TOOL_DONE) &&
	    tool->peer != NULL, "nobody hears its late answer");
}

static void
tools_removed(struct rig *rig)
{
	struct fake	*tool;

	fake_send(rig->keeper, IMSG_SANDBOX_CLOSE, 0, -1, json_pack(
	    "{s:s, s:i}", "run", "r1", "sandbox", 5), NULL);
	test_case(got_int(fake_want(rig->warden, IMSG_JAIL_KILL),
	    "jail") == 2, "a closed sandbox loses its jail");
	fake_send(rig->keeper, IMSG_SANDBOX_REMOVE, 0, -1, json_pack("{s:i}",
	    "sandbox", 5), NULL);
	say_tool_call(rig, 102, "r1", 5, "read");
	test_case(fake_none(rig->warden, IMSG_SANDBOX_REMOVE),
	    "a layer is not removed under a dying jail");
	test_case(fake_none(rig->warden, IMSG_JAIL_START),
	    "nor does another jail start over it");
	rig_exit(rig, 2, "done", 0);
	test_case(fake_want(rig->warden, IMSG_SANDBOX_REMOVE) != NULL,
	    "it is removed when the jail is gone");
	fake_send(rig->warden, IMSG_SANDBOX_REMOVED, 0, -1, json_pack(
	    "{s:i, s:b}", "sandbox", 5, "ok", 1), NULL);
	test_case(fake_want(rig->keeper, IMSG_SANDBOX_REMOVED) != NULL,
	    "and the keeper is told");
	tool = rig_ready(rig, TOOL, 3);
	test_case(tool != NULL && fake_want(tool, IMSG_SANDBOX_CALL) != NULL,
	    "the call that waited runs in a new jail");
}

static void
test_tools(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*tool;
	uint32_t	 calls[2];

	test_case(rig_run(rig, "r1", 1) != NULL, "a run");
	if ((tool = tools_called(rig, calls)) != NULL) {
		tools_answered(rig, tool, calls);
		tools_removed(rig);
	}
	rig_free(rig);
}

/* More sandboxes than jails: whoever is idle gives up its place. */
static void
test_room(void)
{
	char		*config = rig_config(RIG_VERBS, "\"*\"", "\"*\"", 0, 2);
	struct rig	*rig = rig_new(config);
	struct fake	*script = rig_run(rig, "r1", 1), *tool;
	struct got	*g;

	free(config);
	test_case(script != NULL, "a run");
	say_tool_call(rig, 1, "r1", 1, "read");
	tool = rig_ready(rig, TOOL, 2);
	g = fake_want(tool, IMSG_SANDBOX_CALL);
	say_tool_call(rig, 2, "r1", 2, "read");
	test_case(fake_none(rig->warden, IMSG_JAIL_START) &&
	    fake_none(rig->warden, IMSG_JAIL_KILL),
	    "with all places taken and busy a call waits");
	fake_send(tool, IMSG_SANDBOX_DONE, g->id, -1, json_pack("{s:b}",
	    "ok", 1), "1");
	test_case(got_int(fake_want(rig->warden, IMSG_JAIL_KILL),
	    "jail") == 2, "an idle jail gives up its place");
	rig_exit(rig, 2, "done", 0);
	test_case(rig_ready(rig, TOOL, 3) != NULL,
	    "which the next one takes");
	rig_free(rig);
}

static void
models_answered(struct rig *rig)
{
	struct got	*g;
	uint32_t	 call;

	say_model_call(rig, 9, "r1", "small", 60);
	g = fake_want(rig->gateway, IMSG_MODEL_CALL);
	call = g->id;
	test_case(strcmp(g->body, "{\"messages\":[]}") == 0 &&
	    strcmp(got_str(g, "model"), "small") == 0,
	    "a model call reaches the gateway");
	say_model_call(rig, 10, "r1", "small", 101);
	g = fake_want(rig->keeper, IMSG_MODEL_FAIL);
	test_case(g->id == 10 && strcmp(got_str(g, "class"), "budget") == 0,
	    "what the budget does not cover is refused: %s",
	    got_str(g, "message"));
	fake_send(rig->gateway, IMSG_MODEL_DELTA, call, -1, json_pack("{s:s}",
	    "run", "r1"), "{\"text\":\"a\"}");
	test_case((g = fake_want(rig->keeper, IMSG_MODEL_DELTA)) != NULL &&
	    g->id == 9, "streamed text reaches the keeper");
	fake_send(rig->gateway, IMSG_MODEL_DONE, call, -1, json_pack(
	    "{s:s, s:s, s:i, s:i}", "run", "r1", "finish", "stop",
	    "tokens_in", 10, "tokens_out", 15), "{\"role\":\"assistant\"}");
	test_case((g = fake_want(rig->keeper, IMSG_MODEL_DONE)) != NULL &&
	    g->id == 9 && got_int(g, "tokens_out") == 15,
	    "the answer reaches the keeper");
}

static void
models_cancelled(struct rig *rig)
{
	struct got	*g;
	uint32_t	 call;

	say_model_call(rig, 11, "r1", "small", 75);
	g = fake_want(rig->gateway, IMSG_MODEL_CALL);
	call = g == NULL ? 0 : g->id;
	test_case(g != NULL, "settled: 25 of 100 are spent, 75 are free");
	fake_send(rig->keeper, IMSG_MODEL_CANCEL, 11, -1, json_pack("{s:s}",
	    "run", "r1"), NULL);
	test_case((g = fake_want(rig->gateway, IMSG_MODEL_CANCEL)) != NULL &&
	    g->id == call,
	    "a cancelled call is cancelled at the gateway");
	test_case((g = fake_want(rig->keeper, IMSG_MODEL_FAIL)) != NULL &&
	    g->id == 11 && strcmp(got_str(g, "class"), "cancelled") == 0 &&
	    got_int(g, "tokens_in") == 75,
	    "and the keeper is told what it has cost");
}

static void
models_denied(struct rig *rig)
{
	struct got	*g;

	say_model_call(rig, 12, "r1", "big", 1);
	g = fake_want(rig->keeper, IMSG_MODEL_FAIL);
	test_case(g->id == 12 && strcmp(got_str(g, "class"), "denied") == 0,
	    "a model outside of the profile is denied");
	say_model_call(rig, 13, "nobody", "small", 1);
	g = fake_want(rig->keeper, IMSG_MODEL_FAIL);
	test_case(g->id == 13 && strcmp(got_str(g, "class"), "denied") == 0,
	    "a run that is not there has no scope");
	say_tool_call(rig, 14, "nobody", 1, "read");
	g = fake_want(rig->keeper, IMSG_TOOL_DONE);
	test_case(g->id == 14 && strstr(g->body, "ScopeError") != NULL,
	    "nor may it call a tool");
}

static void
test_models(void)
{
	char		*config = rig_config(RIG_VERBS, "\"*\"", "\"small\"",
			    100, 8);
	struct rig	*rig = rig_new(config);

	free(config);
	test_case(rig_run(rig, "r1", 1) != NULL, "a run");
	models_answered(rig);
	models_cancelled(rig);
	models_denied(rig);
	rig_free(rig);
}

int
main(void)
{
	size_t	before;

	log_init("effect_test", 0);
	before = rig_descriptors();
	test_tools();
	test_room();
	test_models();
	test_case(rig_descriptors() == before, "no descriptor is left");
	return (test_end());
}
