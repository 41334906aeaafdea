/*
 * What clients ask: questions, submissions and their workspaces, and what a
 * reload changes for them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"
#include "log.h"
#include "test.h"

/* What the broker knows itself. */
static void
queries_own(struct rig *rig, struct fake *client)
{
	struct got	*g;

	fake_send(rig->warden, IMSG_HOST_ROW, 0, -1, json_pack(
	    "{s:s, s:b, s:s}", "name", "cgroup", "ok", 1, "text", "v1"),
	    NULL);
	fake_send(rig->warden, IMSG_HOST_ROW, 0, -1, json_pack(
	    "{s:s, s:b, s:s}", "name", "cgroup", "ok", 1, "text", "v2"),
	    NULL);
	say_query(client, 1, "version", NULL, 0);
	g = fake_want(client, IMSG_ANSWER);
	test_case(g->id == 1 && strstr(g->body, "\"version\"") != NULL,
	    "version: %s", g->body);
	say_query(client, 2, "doctor", NULL, 0);
	g = fake_want(client, IMSG_ANSWER);
	test_case(strstr(g->body, "\"v2\"") != NULL &&
	    strstr(g->body, "\"v1\"") == NULL &&
	    strstr(g->body, "keeper") != NULL, "doctor: %s", g->body);
	test_case(strstr(g->body, "has not told yet") != NULL,
	    "doctor: before the warden has told of its canaries");
	fake_send(rig->warden, IMSG_ATTEMPT, 0, -1, json_pack(
	    "{s:s, s:s, s:s, s:s}", "jail", "tool", "name", "mount", "how",
	    "refused: EPERM", "layers", "filter, no capability"), NULL);
	fake_send(rig->warden, IMSG_HOST_ROW, 0, -1, json_pack(
	    "{s:s, s:b, s:s, s:b}", "name", "cgroup", "ok", 1, "text", "v2",
	    "last", 1), NULL);
	say_query(client, 2, "doctor", NULL, 0);
	g = fake_want(client, IMSG_ANSWER);
	test_case(strstr(g->body, "has not told yet") == NULL &&
	    strstr(g->body, "\"filter, no capability\"") != NULL,
	    "doctor: what was attempted: %s", g->body);
	say_query(client, 3, "scopes", NULL, 0);
	g = fake_want(client, IMSG_ANSWER);
	test_case(strstr(g->body, "\"run\":\"r1\"") != NULL,
	    "scopes: %s", g->body);
}

static void
queries_show(struct rig *rig, struct fake *client)
{
	struct got	*g;

	say_query(client, 4, "show", "r1", 0);
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
	say_query(client, 9, "show", "gone", 0);
	g = fake_want(rig->keeper, IMSG_RUN_QUERY);
	fake_send(rig->keeper, IMSG_ANSWER, g->id, -1, NULL, "{\"a\":1}");
	test_case(strcmp(fake_want(client, IMSG_ANSWER)->body, "{\"a\":1}")
	    == 0, "show: of a run that has ended there is none");
}

static void
queries_refused(struct fake *client)
{
	struct got	*g;

	say_query(client, 5, "list", NULL, 1);
	g = fake_want(client, IMSG_REFUSED);
	test_case(g->id == 5 && got_int(g, "exit") == 7 &&
	    strcmp(got_str(g, "class"), "DeniedError") == 0 &&
	    strstr(got_str(g, "message"), "verbs { all }") != NULL,
	    "list of all runs needs the verb: %s", got_str(g, "message"));
	say_query(client, 6, "secrets", NULL, 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 2,
	    "an unknown query is refused");
	say_query(client, 7, "show", NULL, 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 2,
	    "show without a run is refused");
}

static void
queries_cancel(struct rig *rig, struct fake *client)
{
	struct got	*g;

	fake_send(client, IMSG_CANCEL, 8, -1, json_pack("{s:s}", "run", "r1"),
	    NULL);
	g = fake_want(rig->keeper, IMSG_RUN_CANCEL);
	fake_send(rig->keeper, IMSG_OK, g->id, -1, NULL, NULL);
	test_case((g = fake_want(client, IMSG_OK)) != NULL && g->id == 8,
	    "cancel: answered");
}

static void
test_queries(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*client = rig_client(rig);

	test_case(rig_run(rig, "r1", 1) != NULL, "a run");
	queries_own(rig, client);
	queries_show(rig, client);
	queries_refused(client);
	queries_cancel(rig, client);
	rig_free(rig);
}

static void
workspace_refused(struct fake *client)
{
	say_submit(client, 1, "/", open("/etc/passwd",
	    O_RDONLY | O_CLOEXEC), 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 2,
	    "a workspace that is a file is refused");
	say_submit(client, 2, "/", open("/", O_PATH | O_CLOEXEC), 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 2,
	    "one that was not opened for reading too");
	say_submit(client, 3, "/", -1, 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 2,
	    "a path without a descriptor too");
	say_submit(client, 4, "etc", open("/", O_RDONLY | O_DIRECTORY), 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 2,
	    "a relative path too");
}

/* From the client's hand to the tool jail's start. Returns the RUN_START. */
static json_t *
workspace_taken(struct rig *rig, struct fake *client)
{
	struct got	*g;
	json_t		*env;

	say_submit(client, 5, "/", open("/", O_RDONLY | O_DIRECTORY), 0);
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
	return (env);
}

/* Takes start, the RUN_START of a run that the broker has not seen begin. */
static void
workspace_again(struct rig *rig, json_t *start)
{
	struct got	*g;

	json_object_set_new(start, "run", json_string("r2"));
	fake_send(rig->keeper, IMSG_RUN_START, 0, -1, start, NULL);
	g = fake_want(rig->warden, IMSG_WORKSPACE_OPEN);
	test_case(g != NULL && strcmp(got_str(g, "path"), "/") == 0 &&
	    fake_none(rig->warden, IMSG_JAIL_START),
	    "after a restart the supervisor is asked for it, first of all");
	fake_send(rig->warden, IMSG_WORKSPACE_LOST, g->id, -1, json_pack(
	    "{s:s, s:s}", "run", "r2", "error", "another directory"), NULL);
	g = fake_want(rig->keeper, IMSG_RUN_WAIT);
	test_case(g != NULL && strstr(got_str(g, "on"), "another directory")
	    != NULL, "the run says what it waits for: %s", got_str(g, "on"));
}

static void
test_workspace(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*client = rig_client(rig);

	workspace_refused(client);
	workspace_again(rig, workspace_taken(rig, client));
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
	say_submit(client, 1, NULL, -1, 101);
	g = fake_want(client, IMSG_REFUSED);
	test_case(got_int(g, "exit") == 7 && strstr(got_str(g, "message"),
	    "tokens 101 would allow it") != NULL,
	    "more tokens than the profile grants are denied");
	for (i = 0; i < 4; i++) {
		say_submit(client, 2, NULL, -1, i == 0 ? 50 : 0);
		g = fake_want(rig->keeper, IMSG_RUN_ADD);
		test_case(got_int(g, "tokens") == (i == 0 ? 50 : 100),
		    "a run's budget is what was wished, else the profile's");
		(void)snprintf(run, sizeof(run), "r%d", i);
		fake_send(rig->keeper, IMSG_RUN_ADDED, g->id, -1,
		    json_pack("{s:s}", "run", run), NULL);
		(void)fake_want(client, IMSG_SUBMITTED);
	}
	say_submit(client, 3, NULL, -1, 0);
	g = fake_want(client, IMSG_REFUSED);
	test_case(got_int(g, "exit") == 6, "the fifth of four runs is "
	    "refused: %s", got_str(g, "message"));
	say_run_end(rig, "r0");
	say_submit(client, 4, NULL, -1, 0);
	test_case(fake_want(rig->keeper, IMSG_RUN_ADD) != NULL,
	    "until one has ended");
	say_query(client, 5, "list", NULL, 0);
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

	say_query(client, 1, "list", NULL, 0);
	test_case(fake_want(rig->keeper, IMSG_RUN_QUERY) != NULL,
	    "list is granted");
	fake_send(rig->supervisor, IMSG_ROOM_CONFIG, 0, -1, NULL,
	    "{\"profiles\":{}}");
	say_query(client, 2, "list", NULL, 0);
	test_case(fake_want(rig->keeper, IMSG_RUN_QUERY) != NULL,
	    "a bad configuration leaves the old one in force");
	config = rig_config("\"run\"", "", "", 0, 8);
	fake_send(rig->supervisor, IMSG_ROOM_CONFIG, 0, -1, NULL, config);
	free(config);
	say_query(client, 3, "list", NULL, 0);
	test_case(got_int(fake_want(client, IMSG_REFUSED), "exit") == 7,
	    "a good one counts from the next question on");
	fake_send(rig->supervisor, IMSG_ROOM_CONFIG, 0, -1, NULL,
	    "{\"profiles\":{},\"allow\":[],\"jails\":1}");
	say_submit(client, 4, NULL, -1, 0);
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

	log_init("client_test", 0);
	before = rig_descriptors();
	test_queries();
	test_workspace();
	test_submit_limits();
	test_reload();
	test_profile_gone();
	test_case(rig_descriptors() == before, "no descriptor is left");
	return (test_end());
}
