/*
 * The happy paths, with everybody else played: a run from submit to its
 * end, nodes, tools, models, followers, queries.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"
#include "log.h"
#include "test.h"

/* Submit, follow, run, end. */
static void
test_whole(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*client = rig_client(rig), *jail;
	struct got	*g;
	uint32_t	 follow;

	fake_send(client, IMSG_SUBMIT, 77, -1, json_pack("{s:s}", "name",
	    "first"), "{\"source\":\"return 1\",\"args\":{}}");
	g = fake_want(rig->keeper, IMSG_RUN_ADD);
	test_case(g != NULL && got_int(g, "uid") == geteuid() &&
	    strcmp(got_str(g, "profile"), "default") == 0 &&
	    strcmp(got_str(g, "name"), "first") == 0 &&
	    strcmp(g->body, "{\"source\":\"return 1\",\"args\":{}}") == 0,
	    "submit: the keeper is told who, with the body as it came");
	fake_send(rig->keeper, IMSG_RUN_ADDED, g->id, -1, json_pack("{s:s}",
	    "run", "r1"), NULL);
	g = fake_want(client, IMSG_SUBMITTED);
	test_case(g != NULL && g->id == 77 &&
	    strcmp(got_str(g, "run"), "r1") == 0,
	    "submit: the client is told the run under its own number");

	fake_send(client, IMSG_FOLLOW, 78, -1, json_pack("{s:s, s:i, s:b}",
	    "run", "r1", "after", 0, "live", 1), NULL);
	g = fake_want(rig->keeper, IMSG_RUN_FOLLOW);
	follow = g->id;
	test_case(got_int(g, "uid") == geteuid() &&
	    got_bool(g, "all") == 0,
	    "follow: with the uid, and only for its own runs");

	jail = rig_run(rig, "r1", 11);
	if (!test_case(jail != NULL, "start: a script jail is asked for"))
		return;
	g = fake_want(rig->keeper, IMSG_RUN_JAIL);
	test_case(got_int(g, "jail") == 11 &&
	    strcmp(got_str(g, "python"), "3.11.2") == 0,
	    "start: the keeper is told when the jail has said hello");
	fake_send(rig->keeper, IMSG_SCRIPT, 0, -1, json_pack(
	    "{s:s, s:s, s:i, s:i, s:i, s:i}", "run", "r1", "seed", "s",
	    "now", 5, "replay", 1, "tokens", 0, "spent", 0), "{\"source\":1}");
	fake_send(rig->keeper, IMSG_REPLAY, 0, -1, json_pack("{s:s, s:i}",
	    "run", "r1", "count", 1), "[[1]]");
	test_case((g = fake_want(jail, IMSG_SCRIPT)) != NULL &&
	    strcmp(g->body, "{\"source\":1}") == 0,
	    "script: reaches the jail");
	test_case((g = fake_want(jail, IMSG_REPLAY)) != NULL &&
	    strcmp(g->body, "[[1]]") == 0, "replay: reaches the jail");

	fake_send(jail, IMSG_SCRIPT_EVENT, 0, -1, json_pack("{s:s, s:i}",
	    "kind", "log", "n", 0), "{\"message\":\"hi\"}");
	g = fake_want(rig->keeper, IMSG_RUN_EVENT_ADD);
	test_case(g != NULL && strcmp(got_str(g, "run"), "r1") == 0 &&
	    strcmp(g->body, "{\"message\":\"hi\"}") == 0,
	    "event: reaches the keeper with its run");
	fake_send(rig->keeper, IMSG_EVENT, follow, -1, json_pack(
	    "{s:i, s:i, s:s}", "seq", 3, "at", 9, "kind", "log"), "{}");
	test_case((g = fake_want(client, IMSG_EVENT)) != NULL &&
	    g->id == 78 && got_int(g, "seq") == 3,
	    "event: reaches the follower");

	fake_send(jail, IMSG_SCRIPT_DONE, 0, -1, json_pack("{s:i}",
	    "failures", 0), "{\"result\":1,\"failures\":[]}");
	g = fake_want(rig->keeper, IMSG_RUN_DONE);
	test_case(g != NULL && strcmp(got_str(g, "run"), "r1") == 0,
	    "done: reaches the keeper");
	say_run_end(rig, "r1");
	fake_send(rig->keeper, IMSG_FOLLOW_END, follow, -1, json_pack(
	    "{s:b, s:s, s:i}", "ended", 1, "state", "completed", "exit", 0),
	    "{\"result\":1}");
	g = fake_want(rig->warden, IMSG_JAIL_KILL);
	test_case(got_int(g, "jail") == 11 &&
	    strcmp(got_str(g, "cause"), "done") == 0,
	    "end: the jail is killed");
	test_case((g = fake_want(client, IMSG_FOLLOW_END)) != NULL &&
	    g->id == 78 && strcmp(g->body, "{\"result\":1}") == 0,
	    "end: the follower is told");
	rig_exit(rig, 11, "done", 0);
	test_case(fake_none(rig->keeper, IMSG_RUN_JAIL_GONE),
	    "end: the keeper does not hear of a jail whose run has ended");
	test_case(TAILQ_EMPTY(&rig->broker->jails) &&
	    run_next(rig->broker, NULL) == NULL &&
	    pending_count(rig->broker->pendings) == 0,
	    "end: nothing is left of it");
	rig_free(rig);
}

static void
test_nodes(void)
{
	char		*config = rig_config(RIG_VERBS, "\"read\"",
			    "\"small\"", 0, 8);
	struct rig	*rig = rig_new(config);
	struct fake	*jail = rig_run(rig, "r1", 1);
	struct got	*g;

	free(config);
	say_node_ask(jail, "/tool#0", "tool", "read", NULL);
	g = fake_want(rig->keeper, IMSG_NODE_BEGIN);
	test_case(g != NULL && strcmp(got_str(g, "path"), "/tool#0") == 0 &&
	    strcmp(got_str(g, "run"), "r1") == 0 &&
	    *got_str(g, "denied") == '\0' &&
	    strcmp(g->body, "{\"x\":1}") == 0,
	    "a node that is granted reaches the keeper");
	fake_send(rig->keeper, IMSG_NODE_DONE, 0, -1, json_pack(
	    "{s:s, s:s, s:b, s:i, s:i}", "run", "r1", "path", "/tool#0",
	    "ok", 1, "now", 42, "spent", 7), "\"text\"");
	g = fake_want(jail, IMSG_NODE_ANSWER);
	test_case(got_int(g, "now") == 42 && got_int(g, "spent") == 7 &&
	    strcmp(g->body, "\"text\"") == 0, "its outcome reaches the jail");

	say_node_ask(jail, "/tool#1", "tool", "bash", NULL);
	g = fake_want(rig->keeper, IMSG_NODE_BEGIN);
	test_case(strstr(got_str(g, "denied"), "tools { \"bash\" }") != NULL,
	    "a denied tool reaches the keeper with its rule");
	say_node_ask(jail, "/agent#0", "agent", NULL, "big");
	g = fake_want(rig->keeper, IMSG_NODE_BEGIN);
	test_case(strstr(got_str(g, "denied"), "models { \"big\" }") != NULL,
	    "a denied model too");
	say_node_ask(jail, "/sleep#0", "sleep", NULL, NULL);
	g = fake_want(rig->keeper, IMSG_NODE_BEGIN);
	test_case(*got_str(g, "denied") == '\0', "sleep needs no right");

	fake_send(jail, IMSG_NODE_CANCEL, 0, -1, json_pack("{s:s}", "path",
	    "/sleep#0"), NULL);
	g = fake_want(rig->keeper, IMSG_NODE_DROP);
	test_case(strcmp(got_str(g, "path"), "/sleep#0") == 0,
	    "a cancelled node is dropped");
	fake_send(rig->keeper, IMSG_NODE_DONE, 0, -1, json_pack(
	    "{s:s, s:s, s:b, s:i, s:i}", "run", "r1", "path", "/sleep#0",
	    "ok", 1, "now", 42, "spent", 7), "null");
	test_case(fake_none(jail, IMSG_NODE_ANSWER),
	    "an outcome that crosses the cancel is not passed on");
	fake_send(jail, IMSG_NODE_CANCEL, 0, -1, json_pack("{s:s}", "path",
	    "/agent#5"), NULL);
	g = fake_want(rig->keeper, IMSG_NODE_DROP);
	test_case(g != NULL && strcmp(got_str(g, "path"), "/agent#5") == 0 &&
	    jail->peer != NULL, "so is one that only an earlier jail asked");
	rig_free(rig);
}

static void
test_tools(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*script = rig_run(rig, "r1", 1), *tool;
	struct got	*g;
	uint32_t	 first, second;

	test_case(script != NULL, "a run");
	say_tool_call(rig, 100, "r1", 5, "bash");
	say_tool_call(rig, 101, "r1", 5, "read");
	tool = rig_jail(rig, TOOL, 2);
	if (!test_case(tool != NULL, "the first call starts a tool jail"))
		return;
	test_case(fake_none(tool, IMSG_SANDBOX_CALL),
	    "calls wait until it says hello");
	test_case(fake_none(rig->warden, IMSG_JAIL_START),
	    "two calls to one sandbox start one jail");
	fake_send(tool, IMSG_JAIL_HELLO, 0, -1, json_pack("{s:s, s:s}",
	    "version", "0.1.0", "python", ""), NULL);
	g = fake_want(tool, IMSG_SANDBOX_CALL);
	first = g->id;
	test_case(strcmp(got_str(g, "op"), "bash") == 0 &&
	    got_int(g, "timeout") == 5000 &&
	    strcmp(g->body, "{\"command\":\"true\"}") == 0,
	    "then the first one is sent");
	g = fake_want(tool, IMSG_SANDBOX_CALL);
	second = g->id;
	test_case(strcmp(got_str(g, "op"), "read") == 0, "and the second");
	fake_send(tool, IMSG_SANDBOX_DONE, second, -1, json_pack("{s:b}",
	    "ok", 1), "\"text\"");
	g = fake_want(rig->keeper, IMSG_TOOL_DONE);
	test_case(g->id == 101 && strcmp(g->body, "\"text\"") == 0 &&
	    strcmp(got_str(g, "run"), "r1") == 0 && got_bool(g, "jail") == 1,
	    "answers find their question, in any order, with whose they are");
	fake_send(rig->keeper, IMSG_TOOL_CANCEL, 100, -1, json_pack("{s:s}",
	    "run", "r1"), NULL);
	g = fake_want(tool, IMSG_SANDBOX_CANCEL);
	test_case(g != NULL && g->id == first, "a running call is cancelled");
	fake_send(tool, IMSG_SANDBOX_DONE, first, -1, json_pack("{s:b}",
	    "ok", 0), "{}");
	test_case(fake_none(rig->keeper, IMSG_TOOL_DONE) &&
	    tool->peer != NULL, "nobody hears its late answer");
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
test_models(void)
{
	char		*config = rig_config(RIG_VERBS, "\"*\"", "\"small\"",
			    100, 8);
	struct rig	*rig = rig_new(config);
	struct fake	*script = rig_run(rig, "r1", 1);
	struct got	*g;
	uint32_t	 call;

	free(config);
	test_case(script != NULL, "a run");
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
	rig_free(rig);
}

static void
query(struct fake *client, uint32_t id, const char *what, const char *run,
    int all)
{
	fake_send(client, IMSG_QUERY, id, -1, json_pack("{s:s, s:s*, s:b}",
	    "what", what, "run", run, "all", all), NULL);
}

static void
test_queries(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*client = rig_client(rig);
	struct got	*g;

	test_case(rig_run(rig, "r1", 1) != NULL, "a run");
	fake_send(rig->warden, IMSG_HOST_ROW, 0, -1, json_pack(
	    "{s:s, s:b, s:s}", "name", "cgroup", "ok", 1, "text", "v1"),
	    NULL);
	fake_send(rig->warden, IMSG_HOST_ROW, 0, -1, json_pack(
	    "{s:s, s:b, s:s}", "name", "cgroup", "ok", 1, "text", "v2"),
	    NULL);
	query(client, 1, "version", NULL, 0);
	g = fake_want(client, IMSG_ANSWER);
	test_case(g->id == 1 && strstr(g->body, "\"version\"") != NULL,
	    "version: %s", g->body);
	query(client, 2, "doctor", NULL, 0);
	g = fake_want(client, IMSG_ANSWER);
	test_case(strstr(g->body, "\"v2\"") != NULL &&
	    strstr(g->body, "\"v1\"") == NULL &&
	    strstr(g->body, "keeper") != NULL, "doctor: %s", g->body);
	query(client, 3, "scopes", NULL, 0);
	g = fake_want(client, IMSG_ANSWER);
	test_case(strstr(g->body, "\"run\":\"r1\"") != NULL,
	    "scopes: %s", g->body);
	query(client, 4, "show", "r1", 0);
	g = fake_want(rig->keeper, IMSG_RUN_QUERY);
	test_case(g != NULL && got_int(g, "uid") == geteuid() &&
	    got_bool(g, "all") == 0,
	    "show: for its own runs only");
	fake_send(rig->keeper, IMSG_ANSWER, g->id, -1, NULL, "{\"a\":1}");
	g = fake_want(client, IMSG_ANSWER);
	test_case(g->id == 4 && strncmp(g->body, "{\"a\":1,\"policy\":"
	    "{\"profile\":\"default\",\"tools\":[", 43) == 0 &&
	    strstr(g->body, "\"limits\":{\"memory\":") != NULL,
	    "show: answered, with the policy in force: %s", g->body);
	query(client, 9, "show", "gone", 0);
	g = fake_want(rig->keeper, IMSG_RUN_QUERY);
	fake_send(rig->keeper, IMSG_ANSWER, g->id, -1, NULL, "{\"a\":1}");
	test_case(strcmp(fake_want(client, IMSG_ANSWER)->body, "{\"a\":1}")
	    == 0, "show: of a run that has ended there is none");
	query(client, 5, "list", NULL, 1);
	g = fake_want(client, IMSG_REFUSED);
	test_case(g->id == 5 && got_int(g, "exit") == 7 &&
	    strcmp(got_str(g, "class"), "DeniedError") == 0 &&
	    strstr(got_str(g, "message"), "verbs { all }") != NULL,
	    "list of all runs needs the verb: %s", got_str(g, "message"));
	query(client, 6, "secrets", NULL, 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 2,
	    "an unknown query is refused");
	query(client, 7, "show", NULL, 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 2,
	    "show without a run is refused");
	fake_send(client, IMSG_CANCEL, 8, -1, json_pack("{s:s}", "run", "r1"),
	    NULL);
	g = fake_want(rig->keeper, IMSG_RUN_CANCEL);
	fake_send(rig->keeper, IMSG_OK, g->id, -1, NULL, NULL);
	test_case((g = fake_want(client, IMSG_OK)) != NULL && g->id == 8,
	    "cancel: answered");
	rig_free(rig);
}

static void
submit(struct fake *client, uint32_t id, const char *workspace, int fd,
    int64_t tokens)
{
	json_t	*env = json_pack("{s:s*}", "workspace", workspace);

	if (tokens > 0)
		json_object_set_new(env, "tokens", json_integer(tokens));
	fake_send(client, IMSG_SUBMIT, id, fd, env, "{}");
}

/* The workspace goes from the client's hand to the tool jail's start. */
static void
test_workspace(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*client = rig_client(rig);
	struct got	*g;
	json_t		*env;

	submit(client, 1, "/", open("/etc/passwd", O_RDONLY | O_CLOEXEC), 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 2,
	    "a workspace that is a file is refused");
	submit(client, 2, "/", open("/", O_PATH | O_CLOEXEC), 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 2,
	    "one that was not opened for reading too");
	submit(client, 3, "/", -1, 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 2,
	    "a path without a descriptor too");
	submit(client, 4, "etc", open("/", O_RDONLY | O_DIRECTORY), 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 2,
	    "a relative path too");
	submit(client, 5, "/", open("/", O_RDONLY | O_DIRECTORY), 0);
	g = fake_want(rig->keeper, IMSG_RUN_ADD);
	test_case(g != NULL && got_int(g, "ino") > 0 &&
	    strcmp(got_str(g, "workspace"), "/") == 0,
	    "a directory goes to the keeper as path, device and inode");
	env = json_pack("{s:s, s:i, s:i, s:s, s:i, s:i, s:s, s:O, s:O}",
	    "run", "r1", "uid", (int)geteuid(), "gid", 0, "profile",
	    "default", "tokens", 0, "spent", 0, "workspace", "/",
	    "dev", json_object_get(g->env, "dev"),
	    "ino", json_object_get(g->env, "ino"));
	fake_send(rig->keeper, IMSG_RUN_ADDED, g->id, -1, json_pack("{s:s}",
	    "run", "r1"), NULL);
	fake_send(rig->keeper, IMSG_RUN_START, 0, -1, json_incref(env), NULL);
	test_case(rig_ready(rig, SCRIPT, 1) != NULL &&
	    fake_none(rig->warden, IMSG_WORKSPACE_OPEN),
	    "the run starts with it");
	say_tool_call(rig, 1, "r1", 1, "read");
	g = fake_want(rig->warden, IMSG_JAIL_START);
	test_case(g != NULL && g->fd != -1 && got_int(g, "sandbox") == 1,
	    "its tool jail gets a copy of the descriptor");
	say_run_end(rig, "r1");

	json_object_set_new(env, "run", json_string("r2"));
	fake_send(rig->keeper, IMSG_RUN_START, 0, -1, env, NULL);
	g = fake_want(rig->warden, IMSG_WORKSPACE_OPEN);
	test_case(g != NULL && strcmp(got_str(g, "path"), "/") == 0 &&
	    fake_none(rig->warden, IMSG_JAIL_START),
	    "after a restart the supervisor is asked for it, first of all");
	fake_send(rig->warden, IMSG_WORKSPACE_LOST, g->id, -1, json_pack(
	    "{s:s, s:s}", "run", "r2", "error", "another directory"), NULL);
	g = fake_want(rig->keeper, IMSG_RUN_WAIT);
	test_case(g != NULL && strstr(got_str(g, "on"), "another directory")
	    != NULL, "the run says what it waits for: %s", got_str(g, "on"));
	rig_free(rig);
}

static void
test_submit_limits(void)
{
	char		*config = rig_config("\"run\"", "\"*\"", "\"*\"", 100,
			    8);
	struct rig	*rig = rig_new(config);
	struct fake	*client = rig_client(rig);
	struct got	*g;
	char		 run[16];
	int		 i;

	free(config);
	submit(client, 1, NULL, -1, 101);
	g = fake_want(client, IMSG_REFUSED);
	test_case(got_int(g, "exit") == 7 && strstr(got_str(g, "message"),
	    "tokens 101 would allow it") != NULL,
	    "more tokens than the profile grants are denied");
	for (i = 0; i < 4; i++) {
		submit(client, 2, NULL, -1, i == 0 ? 50 : 0);
		g = fake_want(rig->keeper, IMSG_RUN_ADD);
		test_case(got_int(g, "tokens") == (i == 0 ? 50 : 100),
		    "a run's budget is what was wished, else the profile's");
		(void)snprintf(run, sizeof(run), "r%d", i);
		fake_send(rig->keeper, IMSG_RUN_ADDED, g->id, -1,
		    json_pack("{s:s}", "run", run), NULL);
		(void)fake_want(client, IMSG_SUBMITTED);
	}
	submit(client, 3, NULL, -1, 0);
	g = fake_want(client, IMSG_REFUSED);
	test_case(got_int(g, "exit") == 6, "the fifth of four runs is "
	    "refused: %s", got_str(g, "message"));
	say_run_end(rig, "r0");
	submit(client, 4, NULL, -1, 0);
	test_case(fake_want(rig->keeper, IMSG_RUN_ADD) != NULL,
	    "until one has ended");
	query(client, 5, "list", NULL, 0);
	g = fake_want(client, IMSG_REFUSED);
	test_case(got_int(g, "exit") == 7, "a verb that is not granted is "
	    "denied: %s", got_str(g, "message"));
	rig_free(rig);
}

/* A reload changes what clients may do from their next question on. */
static void
test_reload(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*client = rig_client(rig);
	char		*config;

	query(client, 1, "list", NULL, 0);
	test_case(fake_want(rig->keeper, IMSG_RUN_QUERY) != NULL,
	    "list is granted");
	fake_send(rig->supervisor, IMSG_ROOM_CONFIG, 0, -1, NULL,
	    "{\"profiles\":{}}");
	query(client, 2, "list", NULL, 0);
	test_case(fake_want(rig->keeper, IMSG_RUN_QUERY) != NULL,
	    "a bad configuration leaves the old one in force");
	config = rig_config("\"run\"", "", "", 0, 8);
	fake_send(rig->supervisor, IMSG_ROOM_CONFIG, 0, -1, NULL, config);
	free(config);
	query(client, 3, "list", NULL, 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 7,
	    "a good one counts from the next question on");
	fake_send(rig->supervisor, IMSG_ROOM_CONFIG, 0, -1, NULL,
	    "{\"profiles\":{},\"allow\":[],\"jails\":1}");
	submit(client, 4, NULL, -1, 0);
	test_case(strstr(got_str(fake_want(client, IMSG_REFUSED), "message"),
	    "has no profile") != NULL, "a user without a profile is told so");
	rig_free(rig);
}

/* A run whose profile is gone waits until it is back. */
static void
test_profile_gone(void)
{
	char		*config = rig_config("\"run\"", "", "", 0, 8);
	struct rig	*rig = rig_new(
	    "{\"profiles\":{},\"allow\":[],\"jails\":1}");
	struct got	*g;

	fake_send(rig->keeper, IMSG_RUN_START, 0, -1, json_pack(
	    "{s:s, s:i, s:i, s:s, s:i, s:i}", "run", "r1", "uid", 5, "gid", 5,
	    "profile", "default", "tokens", 0, "spent", 0), NULL);
	g = fake_want(rig->keeper, IMSG_RUN_WAIT);
	test_case(strstr(got_str(g, "on"), "profile default") != NULL,
	    "a run without its profile waits: %s", got_str(g, "on"));
	fake_send(rig->supervisor, IMSG_ROOM_CONFIG, 0, -1, NULL, config);
	test_case(rig_ready(rig, SCRIPT, 1) != NULL,
	    "and starts when it is back");
	free(config);
	rig_free(rig);
}

int
main(void)
{
	size_t	before;

	log_init("route_test", 0);
	before = rig_descriptors();
	test_whole();
	test_nodes();
	test_tools();
	test_room();
	test_models();
	test_queries();
	test_workspace();
	test_submit_limits();
	test_reload();
	test_profile_gone();
	test_case(rig_descriptors() == before, "no descriptor is left");
	return (test_end());
}
