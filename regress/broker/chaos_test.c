/*
 * Everything at once, at random: each room, jail and client says what it may
 * say, to questions open, answered and never asked, and dies in between. The
 * broker stays, and when all have gone nothing is left of them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"
#include "log.h"
#include "room.h"
#include "test.h"

#define SEEDS	24
#define STEPS	1500
#define RUNS	5
#define JAILS	64
#define CLIENTS	4

struct chaos {
	struct rig	*rig;
	unsigned	 seed;
	struct fake	*jails[JAILS];
	enum role	 roles[JAILS];
	int64_t		 numbers[JAILS];
	size_t		 njails;
	int64_t		 number;	/* the last jail's */
	struct fake	*clients[CLIENTS];
};

static unsigned
chance(struct chaos *c, unsigned n)
{
	c->seed = c->seed * 1103515245 + 12345;
	return ((c->seed >> 16) % n);
}

static const char *
run_name(struct chaos *c)
{
	static const char *const	names[RUNS] = { "a", "b", "c", "d",
	    "e" };

	return (names[chance(c, RUNS)]);
}

static const char *
path_name(struct chaos *c)
{
	static const char *const	paths[] = { "/tool#0", "/tool#1",
	    "/agent#0", "/sleep#0" };

	return (paths[chance(c, 4)]);
}

/* A message that f has been sent, of this type, or NULL. */
static struct got *
got_any(struct fake *f, uint32_t type)
{
	struct got	*g;

	TAILQ_FOREACH(g, &f->got, entry)
		if (g->type == type)
			return (g);
	return (NULL);
}

/* The number of a question of this type; now and then one never asked. */
static uint32_t
question(struct chaos *c, struct fake *f, uint32_t type)
{
	struct got	*g = got_any(f, type);

	if (g == NULL || chance(c, 10) == 0)
		return (chance(c, 50) + 100000);
	/* fake_want() takes it, unless it shall be answered twice. */
	return (chance(c, 8) == 0 ? g->id : fake_want(f, type)->id);
}

/* ---- the keeper ---- */

static void
keeper_start(struct chaos *c)
{
	json_t	*env = json_pack("{s:s, s:i, s:i, s:s, s:i, s:i}", "run",
		    run_name(c), "uid", (int)geteuid(), "gid", 0, "profile",
		    chance(c, 9) == 0 ? "nobody's" : "default", "tokens",
		    (int)chance(c, 200), "spent", 0);

	if (chance(c, 3) == 0) {
		json_object_set_new(env, "workspace", json_string("/w"));
		json_object_set_new(env, "dev", json_integer(1));
		json_object_set_new(env, "ino", json_integer(2));
	}
	fake_send(c->rig->keeper, IMSG_RUN_START, 0, -1, env, NULL);
}

static void
keeper_runs(struct chaos *c)
{
	struct fake	*k = c->rig->keeper;

	switch (chance(c, 8)) {
	case 0:
	case 1:
	case 2:
		keeper_start(c);
		break;
	case 3:
		say_run_end(c->rig, run_name(c));
		break;
	case 4:
		fake_send(k, IMSG_SCRIPT, 0, -1, json_pack(
		    "{s:s, s:s, s:i, s:i, s:i, s:i}", "run", run_name(c),
		    "seed", "s", "now", 5, "replay", 0, "tokens", 0, "spent",
		    0), "{}");
		break;
	default:
		fake_send(k, IMSG_NODE_DONE, 0, -1, json_pack(
		    "{s:s, s:s, s:b, s:i, s:i}", "run", run_name(c), "path",
		    path_name(c), "ok", 1, "now", 1, "spent", 0), "null");
		break;
	}
}

static void
keeper_effects(struct chaos *c)
{
	struct fake	*k = c->rig->keeper;
	uint32_t	 id = chance(c, 20);
	int64_t		 sandbox = 1 + (int64_t)chance(c, 6);

	switch (chance(c, 9)) {
	case 0:
	case 1:
	case 2:
		say_tool_call(c->rig, id, run_name(c), sandbox, "read");
		break;
	case 3:
		fake_send(k, IMSG_TOOL_CANCEL, id, -1, json_pack("{s:s}",
		    "run", run_name(c)), NULL);
		break;
	case 4:
		fake_send(k, IMSG_MODEL_CANCEL, id, -1, json_pack("{s:s}",
		    "run", run_name(c)), NULL);
		break;
	case 5:
		fake_send(k, IMSG_SANDBOX_CLOSE, 0, -1, json_pack(
		    "{s:s, s:I}", "run", run_name(c), "sandbox",
		    (json_int_t)sandbox), NULL);
		break;
	case 6:
		fake_send(k, IMSG_SANDBOX_REMOVE, 0, -1, json_pack("{s:I}",
		    "sandbox", (json_int_t)sandbox), NULL);
		break;
	default:
		say_model_call(c->rig, id, run_name(c), "m",
		    chance(c, 100));
		break;
	}
}

static void
keeper_answers(struct chaos *c)
{
	struct fake	*k = c->rig->keeper;
	uint32_t	 id;

	switch (chance(c, 6)) {
	case 0:
		if (got_any(k, IMSG_RUN_ADD) != NULL)
			fake_send(k, IMSG_RUN_ADDED, fake_want(k,
			    IMSG_RUN_ADD)->id, -1, json_pack("{s:s}", "run",
			    run_name(c)), NULL);
		break;
	case 1:
		id = question(c, k, chance(c, 2) == 0 ? IMSG_RUN_QUERY :
		    IMSG_RUN_FOLLOW);
		fake_send(k, IMSG_REFUSED, id, -1, json_pack(
		    "{s:i, s:s, s:s}", "exit", 2, "class", "NotFoundError",
		    "message", "no"), NULL);
		break;
	case 2:
		fake_send(k, IMSG_ANSWER, question(c, k, IMSG_RUN_QUERY), -1,
		    NULL, "{}");
		break;
	case 3:
		fake_send(k, IMSG_OK, question(c, k, IMSG_RUN_CANCEL), -1,
		    NULL, NULL);
		break;
	case 4:
		fake_send(k, IMSG_FOLLOW_END, question(c, k,
		    IMSG_RUN_FOLLOW), -1, json_pack("{s:b, s:s, s:i}",
		    "ended", 1, "state", "x", "exit", 0), "{}");
		break;
	default:
		if (got_any(k, IMSG_RUN_FOLLOW) != NULL)
			fake_send(k, IMSG_EVENT, got_any(k,
			    IMSG_RUN_FOLLOW)->id, -1, json_pack(
			    "{s:i, s:i, s:s}", "seq", 1 + (int)chance(c, 9),
			    "at", 0, "kind", "log"), "{}");
		break;
	}
}

/* ---- the warden and the supervisor ---- */

static void
jail_start(struct chaos *c)
{
	struct fake	*s = c->rig->warden;
	struct got	*g = got_any(s, IMSG_JAIL_START);
	enum role	 role;
	size_t		 i;

	if (g == NULL || c->njails == JAILS)
		return;
	if (chance(c, 6) == 0) {
		fake_send(s, IMSG_JAIL_FAILED, fake_want(s,
		    IMSG_JAIL_START)->id, -1, json_pack("{s:s, s:s}", "step",
		    chance(c, 2) == 0 ? "start" : "layer", "error", "x"),
		    NULL);
		return;
	}
	role = strcmp(got_str(g, "kind"), "script") == 0 ? SCRIPT : TOOL;
	i = c->njails++;
	c->numbers[i] = ++c->number;
	c->roles[i] = role;
	c->jails[i] = rig_jail(c->rig, role, c->number);
}

static void
jail_drop(struct chaos *c, size_t i)
{
	fake_free(c->jails[i]);
	c->njails--;
	c->jails[i] = c->jails[c->njails];
	c->numbers[i] = c->numbers[c->njails];
	c->roles[i] = c->roles[c->njails];
}

static void
jail_exit(struct chaos *c)
{
	size_t	i;

	if (c->njails == 0)
		return;
	i = chance(c, (unsigned)c->njails);
	if (chance(c, 2) == 0)
		fake_close(c->jails[i]);
	rig_exit(c->rig, c->numbers[i], "oom", (int)chance(c, 2));
	jail_drop(c, i);
}

static void
warden_says(struct chaos *c)
{
	struct fake	*w = c->rig->warden;
	char		*config;

	switch (chance(c, 10)) {
	case 0:
		fake_send(w, IMSG_WORKSPACE, 0, open("/",
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC), json_pack("{s:s}",
		    "run", run_name(c)), NULL);
		break;
	case 1:
		fake_send(w, IMSG_WORKSPACE_LOST, 0, -1, json_pack(
		    "{s:s, s:s}", "run", run_name(c), "error", "gone"),
		    NULL);
		break;
	case 2:
		config = rig_config(RIG_VERBS, "\"*\"", "\"*\"", 0,
		    1 + (long)chance(c, 6));
		fake_send(c->rig->supervisor, IMSG_ROOM_CONFIG, 0, -1, NULL,
		    config);
		free(config);
		break;
	case 3:
	case 4:
		jail_exit(c);
		break;
	default:
		jail_start(c);
		break;
	}
}

/* ---- jails ---- */

static void
script_says(struct chaos *c, struct fake *f)
{
	switch (chance(c, 8)) {
	case 0:
		fake_send(f, IMSG_SCRIPT_EVENT, 0, -1, json_pack("{s:s, s:i}",
		    "kind", "log", "n", 0), "{}");
		break;
	case 1:
		fake_send(f, IMSG_SCRIPT_DONE, 0, -1, json_pack("{s:i}",
		    "failures", 0), "{}");
		break;
	case 2:
		fake_send(f, IMSG_NODE_CANCEL, 0, -1, json_pack("{s:s}",
		    "path", path_name(c)), NULL);
		break;
	default:
		say_node_ask(f, path_name(c), "agent", NULL, NULL);
		break;
	}
}

static void
jail_says(struct chaos *c)
{
	struct fake	*f;
	size_t		 i;

	if (c->njails == 0)
		return;
	i = chance(c, (unsigned)c->njails);
	if ((f = c->jails[i])->peer == NULL)
		return;
	if (chance(c, 5) == 0)
		fake_send(f, IMSG_JAIL_HELLO, 0, -1, json_pack("{s:s, s:s}",
		    "version", WFSUP_VERSION, "python", ""), NULL);
	else if (chance(c, 30) == 0)
		fake_close(f);
	else if (c->roles[i] == SCRIPT)
		script_says(c, f);
	else if (got_any(f, IMSG_SANDBOX_CALL) != NULL ||
	    chance(c, 20) == 0)
		fake_send(f, IMSG_SANDBOX_DONE, question(c, f,
		    IMSG_SANDBOX_CALL), -1, json_pack("{s:b}", "ok", 1),
		    "1");
}

/* ---- the gateway, clients, deaths ---- */

static void
gateway_says(struct chaos *c)
{
	struct fake	*g = c->rig->gateway;
	struct got	*call = got_any(g, IMSG_MODEL_CALL);
	json_t		*env;

	if (call == NULL)
		return;
	env = json_pack("{s:s}", "run", got_str(call, "run"));
	if (chance(c, 3) == 0) {
		fake_send(g, IMSG_MODEL_DELTA, call->id, -1, env, "{}");
		return;
	}
	json_object_set_new(env, "finish", json_string("stop"));
	json_object_set_new(env, "tokens_in", json_integer(chance(c, 50)));
	json_object_set_new(env, "tokens_out", json_integer(chance(c, 50)));
	fake_send(g, IMSG_MODEL_DONE, fake_want(g, IMSG_MODEL_CALL)->id, -1,
	    env, "{}");
}

static void
client_asks(struct chaos *c, struct fake *f)
{
	switch (chance(c, 5)) {
	case 0:
		fake_send(f, IMSG_SUBMIT, 1, open("/",
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC), json_pack("{s:s}",
		    "workspace", "/"), "{}");
		break;
	case 1:
		fake_send(f, IMSG_SUBMIT, 2, -1, NULL, "{}");
		break;
	case 2:
		fake_send(f, IMSG_FOLLOW, 3, -1, json_pack(
		    "{s:s, s:i, s:b}", "run", run_name(c), "after", 0,
		    "live", 1), NULL);
		break;
	case 3:
		fake_send(f, IMSG_QUERY, 4, -1, json_pack("{s:s}", "what",
		    chance(c, 2) == 0 ? "list" : "doctor"), NULL);
		break;
	default:
		fake_send(f, IMSG_CANCEL, 5, -1, json_pack("{s:s}", "run",
		    run_name(c)), NULL);
		break;
	}
}

static void
client_says(struct chaos *c)
{
	unsigned	i = chance(c, CLIENTS);

	if (c->clients[i] == NULL)
		c->clients[i] = rig_client(c->rig);
	else if (c->clients[i]->peer == NULL || chance(c, 12) == 0) {
		fake_free(c->clients[i]);
		c->clients[i] = NULL;
	} else
		client_asks(c, c->clients[i]);
}

static void
room_dies(struct chaos *c)
{
	struct rig	*rig = c->rig;

	if (chance(c, 2) == 0) {
		fake_free(rig->gateway);
		rig_channel(rig, "gateway", GATEWAY, &rig->gateway);
		return;
	}
	/* As the supervisor does: all jails first, then the keeper. */
	fake_free(rig->keeper);
	while (c->njails > 0) {
		if (chance(c, 2) == 0)
			rig_exit(rig, c->numbers[0], "restart", 1);
		jail_drop(c, 0);
	}
	while (got_any(rig->warden, IMSG_JAIL_START) != NULL)
		(void)fake_want(rig->warden, IMSG_JAIL_START);
	rig_channel(rig, "keeper", KEEPER, &rig->keeper);
}

static void
step(struct chaos *c)
{
	unsigned	n = chance(c, 100);

	if (n < 12)
		keeper_runs(c);
	else if (n < 32)
		keeper_effects(c);
	else if (n < 40)
		keeper_answers(c);
	else if (n < 58)
		warden_says(c);
	else if (n < 84)
		jail_says(c);
	else if (n < 90)
		gateway_says(c);
	else if (n < 99)
		client_says(c);
	else
		room_dies(c);
}

/* All go: what is left? */
static int
all_gone(struct chaos *c)
{
	struct rig	*rig = c->rig;
	size_t		 i;

	for (i = 0; i < CLIENTS; i++)
		if (c->clients[i] != NULL)
			fake_free(c->clients[i]);
	fake_close(rig->keeper);
	fake_close(rig->gateway);
	while (c->njails > 0) {
		rig_exit(rig, c->numbers[0], "done", 1);
		jail_drop(c, 0);
	}
	rig_channel(rig, "keeper", KEEPER, &rig->keeper);
	return (TAILQ_EMPTY(&rig->broker->jails) &&
	    RB_EMPTY(&rig->broker->runs) &&
	    TAILQ_EMPTY(&rig->broker->removals) &&
	    pending_count(rig->broker->pendings) == 0 &&
	    scope_next(rig->broker->scopes, 0) == NULL);
}

static int
run_seed(unsigned seed)
{
	struct chaos	c = { .seed = seed };
	int		i, clean, there;

	c.rig = rig_new(NULL);
	for (i = 0; i < STEPS; i++) {
		step(&c);
		if (c.rig->keeper->peer == NULL ||
		    c.rig->gateway->peer == NULL)
			break;
	}
	there = i == STEPS;
	if (!there)
		printf("seed %u, step %d: a room was dropped\n", seed, i);
	clean = all_gone(&c);
	if (!clean)
		printf("seed %u: something is left\n", seed);
	rig_free(c.rig);
	return (there && clean);
}

int
main(int argc, char **argv)
{
	size_t	before;
	int	i, ok = 1;

	log_init("chaos_test", 0);
	if (argc == 2)
		return (!run_seed((unsigned)atoi(argv[1])));
	before = rig_descriptors();
	for (i = 0; i < SEEDS; i++)
		ok = run_seed((unsigned)(i + 1) * 7919) && ok;
	test_case(ok, "%d times %d random steps: nobody is dropped who did "
	    "no wrong, and nothing is left", SEEDS, STEPS);
	test_case(rig_descriptors() == before, "no descriptor is left");
	return (test_end());
}
