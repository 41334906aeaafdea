/*
 * The happy path, with everybody else played: a run from submit to its end,
 * and its nodes.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"
#include "log.h"
#include "test.h"

/* A run on its way from submit to its end. */
struct whole {
	struct rig	*rig;
	struct fake	*client, *jail;
	uint32_t	 follow;		/* the keeper's number for it */
};

static void
whole_submit(struct whole *w)
{
	struct got	*g;

	fake_send(w->client, IMSG_SUBMIT, 77, -1, json_pack("{s:s}", "name",
	    "first"), "{\"source\":\"return 1\",\"args\":{}}");
	g = fake_want(w->rig->keeper, IMSG_RUN_ADD);
	test_case(g != NULL && got_int(g, "uid") == geteuid() &&
	    strcmp(got_str(g, "profile"), "default") == 0 &&
	    strcmp(got_str(g, "name"), "first") == 0 &&
	    strcmp(g->body, "{\"source\":\"return 1\",\"args\":{}}") == 0,
	    "submit: the keeper is told who, with the body as it came");
	fake_send(w->rig->keeper, IMSG_RUN_ADDED, g->id, -1, json_pack(
	    "{s:s}", "run", "r1"), NULL);
	g = fake_want(w->client, IMSG_SUBMITTED);
	test_case(g != NULL && g->id == 77 &&
	    strcmp(got_str(g, "run"), "r1") == 0,
	    "submit: the client is told the run under its own number");
}

static void
whole_follow(struct whole *w)
{
	struct got	*g;

	fake_send(w->client, IMSG_FOLLOW, 78, -1, json_pack("{s:s, s:i, s:b}",
	    "run", "r1", "after", 0, "live", 1), NULL);
	g = fake_want(w->rig->keeper, IMSG_RUN_FOLLOW);
	w->follow = g->id;
	test_case(got_int(g, "uid") == geteuid() &&
	    got_bool(g, "all") == 0,
	    "follow: with the uid, and only for its own runs");
}

/* Returns whether there is a jail to go on with. */
static int
whole_start(struct whole *w)
{
	struct got	*g;

	w->jail = rig_run(w->rig, "r1", 11);
	if (!test_case(w->jail != NULL, "start: a script jail is asked for"))
		return (0);
	g = fake_want(w->rig->keeper, IMSG_RUN_JAIL);
	test_case(got_int(g, "jail") == 11 &&
	    strcmp(got_str(g, "python"), "3.11.2") == 0,
	    "start: the keeper is told when the jail has said hello");
	return (1);
}

static void
whole_script(struct whole *w)
{
	struct fake	*keeper = w->rig->keeper;
	struct got	*g;

	fake_send(keeper, IMSG_SCRIPT, 0, -1, json_pack(
	    "{s:s, s:s, s:i, s:i, s:i, s:i}", "run", "r1", "seed", "s",
	    "now", 5, "replay", 1, "tokens", 0, "spent", 0), "{\"source\":1}");
	fake_send(keeper, IMSG_REPLAY, 0, -1, json_pack("{s:s, s:i}",
	    "run", "r1", "count", 1), "[[1]]");
	test_case((g = fake_want(w->jail, IMSG_SCRIPT)) != NULL &&
	    strcmp(g->body, "{\"source\":1}") == 0,
	    "script: reaches the jail");
	test_case((g = fake_want(w->jail, IMSG_REPLAY)) != NULL &&
	    strcmp(g->body, "[[1]]") == 0, "replay: reaches the jail");
}

static void
whole_event(struct whole *w)
{
	struct got	*g;

	fake_send(w->jail, IMSG_SCRIPT_EVENT, 0, -1, json_pack("{s:s, s:i}",
	    "kind", "log", "n", 0), "{\"message\":\"hi\"}");
	g = fake_want(w->rig->keeper, IMSG_RUN_EVENT_ADD);
	test_case(g != NULL && strcmp(got_str(g, "run"), "r1") == 0 &&
	    strcmp(g->body, "{\"message\":\"hi\"}") == 0,
	    "event: reaches the keeper with its run");
	fake_send(w->rig->keeper, IMSG_EVENT, w->follow, -1, json_pack(
	    "{s:i, s:i, s:s}", "seq", 3, "at", 9, "kind", "log"), "{}");
	test_case((g = fake_want(w->client, IMSG_EVENT)) != NULL &&
	    g->id == 78 && got_int(g, "seq") == 3,
	    "event: reaches the follower");
}

static void
whole_end(struct whole *w)
{
	struct got	*g;

	fake_send(w->jail, IMSG_SCRIPT_DONE, 0, -1, json_pack("{s:i}",
	    "failures", 0), "{\"result\":1,\"failures\":[]}");
	g = fake_want(w->rig->keeper, IMSG_RUN_DONE);
	test_case(g != NULL && strcmp(got_str(g, "run"), "r1") == 0,
	    "done: reaches the keeper");
	say_run_end(w->rig, "r1");
	fake_send(w->rig->keeper, IMSG_FOLLOW_END, w->follow, -1, json_pack(
	    "{s:b, s:s, s:i}", "ended", 1, "state", "completed", "exit", 0),
	    "{\"result\":1}");
	g = fake_want(w->rig->warden, IMSG_JAIL_KILL);
	test_case(got_int(g, "jail") == 11 &&
	    strcmp(got_str(g, "cause"), "done") == 0,
	    "end: the jail is killed");
	test_case((g = fake_want(w->client, IMSG_FOLLOW_END)) != NULL &&
	    g->id == 78 && strcmp(g->body, "{\"result\":1}") == 0,
	    "end: the follower is told");
}

static void
whole_left(struct whole *w)
{
	rig_exit(w->rig, 11, "done", 0);
	test_case(fake_none(w->rig->keeper, IMSG_RUN_JAIL_GONE),
	    "end: the keeper does not hear of a jail whose run has ended");
	test_case(TAILQ_EMPTY(&w->rig->broker->jails) &&
	    run_next(w->rig->broker, NULL) == NULL &&
	    pending_count(w->rig->broker->pendings) == 0,
	    "end: nothing is left of it");
}

/* Submit, follow, run, end. */
static void
test_whole(void)
{
	struct whole	w = { .rig = rig_new(NULL) };

	w.client = rig_client(w.rig);
	whole_submit(&w);
	whole_follow(&w);
	if (whole_start(&w)) {
		whole_script(&w);
		whole_event(&w);
		whole_end(&w);
		whole_left(&w);
	}
	rig_free(w.rig);
}

static void
nodes_done(struct rig *rig, const char *path, const char *value)
{
	fake_send(rig->keeper, IMSG_NODE_DONE, 0, -1, json_pack(
	    "{s:s, s:s, s:b, s:i, s:i}", "run", "r1", "path", path,
	    "ok", 1, "now", 42, "spent", 7), value);
}

static void
nodes_granted(struct rig *rig, struct fake *jail)
{
	struct got	*g;

	say_node_ask(jail, "/tool#0", "tool", "read", NULL);
	g = fake_want(rig->keeper, IMSG_NODE_BEGIN);
	test_case(g != NULL && strcmp(got_str(g, "path"), "/tool#0") == 0 &&
	    strcmp(got_str(g, "run"), "r1") == 0 &&
	    *got_str(g, "denied") == '\0' &&
	    strcmp(g->body, "{\"x\":1}") == 0,
	    "a node that is granted reaches the keeper");
	nodes_done(rig, "/tool#0", "\"text\"");
	g = fake_want(jail, IMSG_NODE_ANSWER);
	test_case(got_int(g, "now") == 42 && got_int(g, "spent") == 7 &&
	    strcmp(g->body, "\"text\"") == 0, "its outcome reaches the jail");
}

static void
nodes_denied(struct rig *rig, struct fake *jail)
{
	struct got	*g;

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
}

static void
nodes_cancelled(struct rig *rig, struct fake *jail)
{
	struct got	*g;

	fake_send(jail, IMSG_NODE_CANCEL, 0, -1, json_pack("{s:s}", "path",
	    "/sleep#0"), NULL);
	g = fake_want(rig->keeper, IMSG_NODE_DROP);
	test_case(strcmp(got_str(g, "path"), "/sleep#0") == 0,
	    "a cancelled node is dropped");
	nodes_done(rig, "/sleep#0", "null");
	test_case(fake_none(jail, IMSG_NODE_ANSWER),
	    "an outcome that crosses the cancel is not passed on");
	fake_send(jail, IMSG_NODE_CANCEL, 0, -1, json_pack("{s:s}", "path",
	    "/agent#5"), NULL);
	g = fake_want(rig->keeper, IMSG_NODE_DROP);
	test_case(g != NULL && strcmp(got_str(g, "path"), "/agent#5") == 0 &&
	    jail->peer != NULL, "so is one that only an earlier jail asked");
}

static void
test_nodes(void)
{
	char		*config = rig_config(RIG_VERBS, "\"read\"",
			    "\"small\"", 0, 8);
	struct rig	*rig = rig_new(config);
	struct fake	*jail = rig_run(rig, "r1", 1);

	free(config);
	nodes_granted(rig, jail);
	nodes_denied(rig, jail);
	nodes_cancelled(rig, jail);
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
	test_case(rig_descriptors() == before, "no descriptor is left");
	return (test_end());
}
