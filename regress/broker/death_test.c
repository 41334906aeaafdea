/*
 * Everybody dies once: what the others are told, and that nothing is left.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"
#include "log.h"
#include "test.h"

static int
is_empty(const struct rig *rig)
{
	return (TAILQ_EMPTY(&rig->broker->jails) &&
	    RB_EMPTY(&rig->broker->runs) &&
	    pending_count(rig->broker->pendings) == 0 &&
	    scope_next(rig->broker->scopes, 0) == NULL);
}

/* A script that ends its process, or is ended. */
static void
test_script_exit(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*jail = rig_run(rig, "r1", 1);
	struct got	*g;

	say_node_ask(jail, "/sleep#0", "sleep", NULL, NULL);
	fake_close(jail);
	test_case(fake_none(rig->warden, IMSG_JAIL_KILL) &&
	    fake_none(rig->keeper, IMSG_RUN_JAIL_GONE),
	    "a closed socket alone says nothing");
	rig_exit(rig, 1, "oom", 0);
	g = fake_want(rig->keeper, IMSG_RUN_JAIL_GONE);
	test_case(g != NULL && strcmp(got_str(g, "cause"), "oom") == 0 &&
	    got_int(g, "cpu_ms") == 12 && got_int(g, "peak") == 3456 &&
	    got_bool(g, "ours") == 0,
	    "the exit says it, and the keeper is told");
	say_run_end(rig, "r1");
	test_case(is_empty(rig), "nothing is left of the run");
	rig_free(rig);
}

/* A script that closes its socket and computes on. */
static void
test_script_mute(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*jail = rig_run(rig, "r1", 1);
	struct got	*g;

	fake_close(jail);
	g = fake_want(rig->warden, IMSG_JAIL_KILL);
	test_case(got_int(g, "jail") == 1 &&
	    strcmp(got_str(g, "cause"), "protocol") == 0,
	    "a jail that hangs up and lives on is killed after a moment");
	rig_exit(rig, 1, "protocol", 0);
	test_case(strcmp(got_str(fake_want(rig->keeper, IMSG_RUN_JAIL_GONE),
	    "cause"), "protocol") == 0, "and the keeper is told");
	rig_free(rig);
}

/* The starter of scripts dies: the run is asked for again. */
static void
test_starter(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*jail = rig_run(rig, "r1", 1);
	struct got	*g;

	say_node_ask(jail, "/agent#0", "agent", NULL, NULL);
	say_model_call(rig, 5, "r1", "m", 1);
	g = fake_want(rig->gateway, IMSG_MODEL_CALL);
	rig_exit(rig, 1, "restart", 1);
	test_case(got_bool(fake_want(rig->keeper, IMSG_RUN_JAIL_GONE), "ours")
	    == 1, "a lost jail is ours");
	jail = rig_run(rig, "r1", 2);
	test_case(jail != NULL && fake_want(rig->keeper, IMSG_RUN_JAIL) !=
	    NULL, "the run gets another jail");
	fake_send(rig->gateway, IMSG_MODEL_DONE, g->id, -1, json_pack(
	    "{s:s, s:s, s:i, s:i}", "run", "r1", "finish", "stop",
	    "tokens_in", 1, "tokens_out", 1), "{}");
	test_case(fake_want(rig->keeper, IMSG_MODEL_DONE) != NULL,
	    "calls on their way go on meanwhile");
	say_node_ask(jail, "/agent#0", "agent", NULL, NULL);
	test_case(fake_want(rig->keeper, IMSG_NODE_BEGIN) != NULL,
	    "the new jail may ask for the same node");
	fake_send(rig->warden, IMSG_JAIL_FAILED, 77, -1, json_pack(
	    "{s:s, s:s}", "step", "start", "error", "x"), NULL);
	test_case(jail->peer != NULL, "a failure of no jail does nothing");
	rig_free(rig);
}

static void
test_script_failed(void)
{
	struct rig	*rig = rig_new(NULL);
	struct got	*g;
	uint32_t	 id;

	test_case(rig_run(rig, "r0", 1) != NULL, "a run beside");
	fake_send(rig->keeper, IMSG_RUN_START, 0, -1, json_pack(
	    "{s:s, s:i, s:i, s:s, s:i, s:i}", "run", "r1", "uid", 5, "gid", 5,
	    "profile", "default", "tokens", 0, "spent", 0), NULL);
	id = fake_want(rig->warden, IMSG_JAIL_START)->id;
	fake_send(rig->warden, IMSG_JAIL_FAILED, id, -1, json_pack(
	    "{s:s, s:s}", "step", "cgroup", "error", "no\nspace"), NULL);
	g = fake_want(rig->keeper, IMSG_RUN_JAIL_GONE);
	test_case(strcmp(got_str(g, "cause"), "failed cgroup: no\\x0aspace")
	    == 0 && got_bool(g, "ours") == 0,
	    "a jail that can't be made: %s", got_str(g, "cause"));
	rig_free(rig);
}

/* What this host was short of may be there again: the run is not to blame. */
static void
test_short(void)
{
	static const struct {
		const char	*step, *error;
		int		 ours;
	} cases[] = {
		{ "cgroup",		"Interrupted system call",	1 },
		{ "socket",		"Too many open files",		1 },
		{ "layer",		"Cannot allocate memory",	1 },
		{ "layer mount",	"Too many open files in system", 1 },
		{ "layers",		"Too many open files",		0 },
		{ "cgroup",		"Permission denied",		0 },
		{ "seccomp",		"Cannot allocate memory",	0 },
	};
	struct rig	*rig = rig_new(NULL);
	size_t		 i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_send(rig->keeper, IMSG_RUN_START, 0, -1, json_pack(
		    "{s:s, s:i, s:i, s:s, s:i, s:i}", "run", "r1", "uid", 5,
		    "gid", 5, "profile", "default", "tokens", 0, "spent", 0),
		    NULL);
		fake_send(rig->warden, IMSG_JAIL_FAILED,
		    fake_want(rig->warden, IMSG_JAIL_START)->id, -1,
		    json_pack("{s:s, s:s}", "step", cases[i].step, "error",
		    cases[i].error), NULL);
		test_case(got_bool(fake_want(rig->keeper, IMSG_RUN_JAIL_GONE),
		    "ours") == cases[i].ours, "%s: %s: %s", cases[i].step,
		    cases[i].error, cases[i].ours ? "tried again" : "failed");
	}
	rig_free(rig);
}

/* A run that ends while its jail is being made. */
static void
test_late_start(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*jail;

	fake_send(rig->keeper, IMSG_RUN_START, 0, -1, json_pack(
	    "{s:s, s:i, s:i, s:s, s:i, s:i}", "run", "r1", "uid", 5, "gid", 5,
	    "profile", "default", "tokens", 0, "spent", 0), NULL);
	say_run_end(rig, "r1");
	jail = rig_jail(rig, SCRIPT, 9);
	test_case(got_int(fake_want(rig->warden, IMSG_JAIL_KILL), "jail")
	    == 9 && jail->peer == NULL, "a jail that comes too late is "
	    "killed and hung up on");
	rig_exit(rig, 9, "cancel", 0);
	test_case(is_empty(rig), "and nothing is left of it");
	rig_free(rig);
}

/* What only the keeper reads is bad: it has failed the run for it. */
static void
test_offence(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*script = rig_run(rig, "r1", 1);
	struct got	*g;

	say_tool_call(rig, 1, "r1", 7, "bash");
	test_case(script != NULL && rig_ready(rig, TOOL, 2) != NULL, "a run");
	fake_send(rig->keeper, IMSG_RUN_END, 0, -1, json_pack(
	    "{s:s, s:s, s:i, s:s}", "run", "r1", "state", "failed", "exit", 9,
	    "offence", "its result: not an object"), NULL);
	g = fake_want(rig->warden, IMSG_JAIL_KILL);
	test_case(got_int(g, "jail") == 1 &&
	    strcmp(got_str(g, "cause"), "protocol") == 0,
	    "a script that the keeper can't use dies of its protocol");
	g = fake_want(rig->warden, IMSG_JAIL_KILL);
	test_case(got_int(g, "jail") == 2 &&
	    strcmp(got_str(g, "cause"), "done") == 0,
	    "the sandboxes of its run do not");
	rig_exit(rig, 1, "protocol", 0);
	rig_exit(rig, 2, "done", 0);
	test_case(is_empty(rig), "and nothing is left of them");
	rig_free(rig);
}

static void
test_tool_exit(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*script = rig_run(rig, "r1", 1), *tool;
	struct got	*g;

	test_case(script != NULL, "a run");
	say_tool_call(rig, 1, "r1", 7, "bash");
	tool = rig_ready(rig, TOOL, 2);
	test_case(fake_want(tool, IMSG_SANDBOX_CALL) != NULL, "a call runs");
	fake_close(tool);
	say_tool_call(rig, 2, "r1", 7, "bash");
	rig_exit(rig, 2, "oom", 0);
	g = fake_want(rig->keeper, IMSG_TOOL_DONE);
	test_case(g->id == 1 && got_bool(g, "ok") == 0
	    && strstr(g->body, "\"message\":\"the sandbox used more memory "
	    "than its limit: whether the call took effect is unknown\"") !=
	    NULL && strstr(g->body, "\"cause\":\"oom\"") != NULL,
	    "the call that ran fails with the jail's cause: %s", g->body);
	test_case(fake_none(rig->keeper, IMSG_TOOL_DONE),
	    "a call that came later does not");
	tool = rig_ready(rig, TOOL, 3);
	test_case(tool != NULL && fake_want(tool, IMSG_SANDBOX_CALL) != NULL,
	    "it runs in a new jail");
	rig_exit(rig, 3, "signal KILL", 1);
	g = fake_want(rig->keeper, IMSG_TOOL_DONE);
	test_case(g->id == 2 && strstr(g->body, "\"cause\":\"restart\"") !=
	    NULL, "one that was running when we killed it: %s", g->body);
	rig_free(rig);
}

/* The starter of tool jails dies before a jail is made: nothing has run. */
static void
test_tool_retry(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*script = rig_run(rig, "r1", 1), *tool;
	struct got	*g;

	test_case(script != NULL, "a run");
	say_tool_call(rig, 1, "r1", 7, "bash");
	g = fake_want(rig->warden, IMSG_JAIL_START);
	fake_send(rig->warden, IMSG_JAIL_FAILED, g->id, -1, json_pack(
	    "{s:s, s:s}", "step", "starter", "error", "has died"), NULL);
	test_case(fake_none(rig->keeper, IMSG_TOOL_DONE),
	    "a call whose jail could not start for our fault waits");
	tool = rig_ready(rig, TOOL, 2);
	test_case(tool != NULL && fake_want(tool, IMSG_SANDBOX_CALL) != NULL,
	    "and runs in the next one");
	say_tool_call(rig, 2, "r1", 8, "bash");
	g = fake_want(rig->warden, IMSG_JAIL_START);
	fake_send(rig->warden, IMSG_JAIL_FAILED, g->id, -1, json_pack(
	    "{s:s, s:s}", "step", "layer", "error", "no space"), NULL);
	g = fake_want(rig->keeper, IMSG_TOOL_DONE);
	test_case(g->id == 2 && strstr(g->body, "\"message\":\"no sandbox "
	    "could be made: layer: no space\"") != NULL &&
	    strstr(g->body, "\"cause\":\"jail\"") != NULL,
	    "one that can't be made fails: %s", g->body);
	rig_free(rig);
}

static void
test_gateway(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*script = rig_run(rig, "r1", 1);
	struct got	*g;

	test_case(script != NULL, "a run");
	say_model_call(rig, 1, "r1", "m", 10);
	fake_close(rig->gateway);
	g = fake_want(rig->keeper, IMSG_MODEL_FAIL);
	test_case(g->id == 1 && strcmp(got_str(g, "class"), "transient") == 0
	    && strcmp(got_str(g, "message"), "the gateway restarted") == 0,
	    "the gateway dies: its calls are worth another try");
	say_model_call(rig, 2, "r1", "m", 10);
	g = fake_want(rig->keeper, IMSG_MODEL_FAIL);
	test_case(g->id == 2 && got_int(g, "after") > 0,
	    "a call while it is away too, after a moment");
	test_case(run_scope(run_find(rig->broker, "r1"))->budget.reserved ==
	    0, "nothing stays set aside");
	rig_channel(rig, "gateway", GATEWAY, &rig->gateway);
	say_model_call(rig, 3, "r1", "m", 10);
	test_case(fake_want(rig->gateway, IMSG_MODEL_CALL) != NULL,
	    "a new gateway gets the next call");
	rig_free(rig);
}

static void
test_keeper(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*client = rig_client(rig), *jail;
	struct got	*g;
	uint32_t	 id;

	jail = rig_run(rig, "r1", 1);
	say_tool_call(rig, 1, "r1", 7, "bash");
	test_case(rig_ready(rig, TOOL, 2) != NULL, "a run with a tool jail");
	say_model_call(rig, 2, "r1", "m", 10);
	fake_send(client, IMSG_FOLLOW, 50, -1, json_pack("{s:s, s:i, s:b}",
	    "run", "r1", "after", 0, "live", 1), NULL);
	id = fake_want(rig->keeper, IMSG_RUN_FOLLOW)->id;
	fake_send(rig->keeper, IMSG_EVENT, id, -1, json_pack(
	    "{s:i, s:i, s:s}", "seq", 17, "at", 9, "kind", "log"), "{}");
	fake_send(client, IMSG_QUERY, 51, -1, json_pack("{s:s}", "what",
	    "list"), NULL);
	fake_send(client, IMSG_SUBMIT, 52, -1, NULL, "{}");

	fake_close(rig->keeper);
	test_case(got_int(fake_want(rig->warden, IMSG_JAIL_KILL),
	    "jail") != 0 && jail->peer == NULL, "the keeper dies: jails are "
	    "hung up on");
	test_case(fake_want(rig->gateway, IMSG_MODEL_CANCEL) != NULL,
	    "model calls are cancelled");
	g = fake_want(client, IMSG_REFUSED);
	test_case(g->id == 51 && got_int(g, "exit") == 10 &&
	    strcmp(got_str(g, "class"), "UnavailableError") == 0,
	    "open questions are refused");
	g = fake_want(client, IMSG_REFUSED);
	test_case(g->id == 52 && client->peer != NULL,
	    "all of them, but the client stays");
	test_case(fake_none(client, IMSG_FOLLOW_END), "a follower waits");
	test_case(RB_EMPTY(&rig->broker->runs), "runs and scopes are "
	    "forgotten");
	fake_send(client, IMSG_SUBMIT, 53, -1, NULL, "{}");
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 10,
	    "a submit while it is away is refused");
	fake_send(client, IMSG_FOLLOW, 54, -1, json_pack("{s:s, s:i, s:b}",
	    "run", "r2", "after", 3, "live", 1), NULL);

	rig_channel(rig, "keeper", KEEPER, &rig->keeper);
	g = fake_want(rig->keeper, IMSG_RUN_FOLLOW);
	test_case(g->id == id && got_int(g, "after") == 17,
	    "it is back: a follower goes on after the last event");
	g = fake_want(rig->keeper, IMSG_RUN_FOLLOW);
	test_case(got_int(g, "after") == 3 &&
	    strcmp(got_str(g, "run"), "r2") == 0,
	    "and one that came meanwhile begins");
	rig_exit(rig, 1, "restart", 1);
	test_case(fake_none(rig->keeper, IMSG_RUN_JAIL_GONE),
	    "the new keeper does not hear of the old jails");
	jail = rig_run(rig, "r1", 3);
	test_case(jail != NULL && fake_want(rig->keeper, IMSG_RUN_JAIL) !=
	    NULL, "and its runs start again");
	fake_send(rig->keeper, IMSG_EVENT, id, -1, json_pack(
	    "{s:i, s:i, s:s}", "seq", 18, "at", 9, "kind", "log"), "{}");
	test_case(fake_want(client, IMSG_EVENT) != NULL &&
	    got_int(fake_want(client, IMSG_EVENT), "seq") == 18,
	    "followers hear of them");
	rig_free(rig);
}

static void
test_client(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*client = rig_client(rig);
	struct got	*g;
	uint32_t	 follow, submit;

	fake_send(client, IMSG_FOLLOW, 1, -1, json_pack("{s:s, s:i, s:b}",
	    "run", "r1", "after", 0, "live", 1), NULL);
	follow = fake_want(rig->keeper, IMSG_RUN_FOLLOW)->id;
	fake_send(client, IMSG_SUBMIT, 2, -1, NULL, "{}");
	submit = fake_want(rig->keeper, IMSG_RUN_ADD)->id;
	fake_close(client);
	g = fake_want(rig->keeper, IMSG_RUN_UNFOLLOW);
	test_case(g != NULL && g->id == follow,
	    "a client goes: the keeper no longer tells it");
	fake_send(rig->keeper, IMSG_RUN_ADDED, submit, -1, json_pack(
	    "{s:s}", "run", "r1"), NULL);
	fake_send(rig->keeper, IMSG_EVENT, follow, -1, json_pack(
	    "{s:i, s:i, s:s}", "seq", 1, "at", 9, "kind", "log"), "{}");
	test_case(rig->keeper->peer != NULL &&
	    pending_count(rig->broker->pendings) == 0,
	    "answers that cross its going are dropped");
	test_case(rig_run(rig, "r1", 1) != NULL, "what it submitted runs");
	say_run_end(rig, "r1");
	rig_exit(rig, 1, "done", 0);
	test_case(is_empty(rig), "and nothing is left at its end");
	rig_free(rig);
}

/* A jail that says what it may not. */
static void
test_violations(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*a = rig_run(rig, "r1", 1), *b, *c, *d;
	struct got	*g;

	say_node_ask(a, "/sleep#0", "sleep", NULL, NULL);
	say_node_ask(a, "/sleep#0", "sleep", NULL, NULL);
	g = fake_want(rig->warden, IMSG_JAIL_KILL);
	test_case(a->peer == NULL && got_int(g, "jail") == 1 &&
	    strcmp(got_str(g, "cause"), "protocol") == 0,
	    "the same node twice: killed for protocol");
	b = rig_run(rig, "r2", 2);
	say_node_ask(b, "/fly#0", "fly", NULL, NULL);
	test_case(b->peer == NULL && got_int(fake_want(rig->warden,
	    IMSG_JAIL_KILL), "jail") == 2, "an unknown kind of node: too");
	c = rig_run(rig, "r3", 3);
	fake_send(c, IMSG_JAIL_HELLO, 0, -1, json_pack("{s:s, s:s}",
	    "version", "0.1.0", "python", ""), NULL);
	test_case(c->peer == NULL, "a second hello: too");
	fake_send(rig->keeper, IMSG_RUN_START, 0, -1, json_pack(
	    "{s:s, s:i, s:i, s:s, s:i, s:i}", "run", "r4", "uid", 5, "gid", 5,
	    "profile", "default", "tokens", 0, "spent", 0), NULL);
	d = rig_jail(rig, SCRIPT, 4);
	say_node_ask(d, "/sleep#0", "sleep", NULL, NULL);
	test_case(d->peer == NULL, "a node before hello: too");
	rig_free(rig);
}

/* A tool jail can't answer for another. */
static void
test_tool_forges(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*script = rig_run(rig, "r1", 1), *good, *bad;
	struct got	*g;

	test_case(script != NULL, "a run");
	say_tool_call(rig, 1, "r1", 1, "read");
	good = rig_ready(rig, TOOL, 2);
	say_tool_call(rig, 2, "r1", 2, "read");
	bad = rig_ready(rig, TOOL, 3);
	g = fake_want(good, IMSG_SANDBOX_CALL);
	fake_send(bad, IMSG_SANDBOX_DONE, g->id, -1, json_pack("{s:b}", "ok",
	    1), "\"forged\"");
	test_case(bad->peer == NULL && fake_none(rig->keeper,
	    IMSG_TOOL_DONE), "a forged answer is not passed on");
	fake_send(good, IMSG_SANDBOX_DONE, g->id, -1, json_pack("{s:b}", "ok",
	    1), "\"true\"");
	test_case(strcmp(fake_want(rig->keeper, IMSG_TOOL_DONE)->body,
	    "\"true\"") == 0, "the true one is");
	rig_free(rig);
}

/* Nothing that a script says after its last word counts. */
static void
test_last_word(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*jail = rig_run(rig, "r1", 1);

	fake_send(jail, IMSG_SCRIPT_FAIL, 0, -1, json_pack("{s:s, s:i}",
	    "class", "ValueError", "failures", 0), "{}");
	fake_send(jail, IMSG_SCRIPT_DONE, 0, -1, json_pack("{s:i}",
	    "failures", 0), "{}");
	test_case(fake_want(rig->keeper, IMSG_RUN_FAIL) != NULL &&
	    fake_none(rig->keeper, IMSG_RUN_DONE),
	    "only the first end of a script is heard");
	fake_close(jail);
	rig_exit(rig, 1, "exit 0", 0);
	test_case(fake_want(rig->keeper, IMSG_RUN_JAIL_GONE) != NULL,
	    "its exit is told, whatever it said");
	rig_free(rig);
}

int
main(void)
{
	size_t	before;

	log_init("death_test", 0);
	before = rig_descriptors();
	test_script_exit();
	test_script_mute();
	test_starter();
	test_script_failed();
	test_short();
	test_late_start();
	test_offence();
	test_tool_exit();
	test_tool_retry();
	test_gateway();
	test_keeper();
	test_client();
	test_violations();
	test_tool_forges();
	test_last_word();
	test_case(rig_descriptors() == before, "no descriptor is left");
	return (test_end());
}
