/*
 * What a script may say. Nothing of it is believed: each node is judged
 * against the run's scope, and a node that is refused is still a node, whose
 * outcome the keeper records, so that a replay refuses it again.
 */
#include <stdlib.h>
#include <string.h>

#include "broker.h"
#include "env.h"
#include "grant.h"
#include "log.h"

/* An event counts as one for each so many bytes; a denial, which is a line
 * of audit, as several. */
#define EVENT_BYTES	(16 * 1024)
#define DENIAL_COST	10
/* So many questions of a usual length cost as much as an event. Without
 * credit they are taken as fast as they are answered, but only so many may be
 * open: others wait behind those, and no longer. */
#define ASKS_PER_CREDIT	8
#define PACED_MAX	256
/* What may wait for a script that is told its past: the keeper bounds it. */
#define REPLAY_QUEUE_MAX	((size_t)1024 * 1024 * 1024)

static int
node_compare(const struct node *a, const struct node *b)
{
	return (strcmp(a->path, b->path));
}

TREE_GENERATE(node_tree, node, entry, node_compare)

static struct node *
node_find(struct jail *jail, const char *path)
{
	struct node	key;

	key.path = (char *)(uintptr_t)path;
	return (RB_FIND(node_tree, &jail->nodes, &key));
}

static void
node_add(struct jail *jail, const char *path)
{
	struct node	*node;

	if ((node = calloc(1, sizeof(*node))) == NULL ||
	    (node->path = strdup(path)) == NULL)
		fatal("node_add");
	RB_INSERT(node_tree, &jail->nodes, node);
	/* Beyond its limit the script is not read. */
	if (++jail->nnodes >= jail->nodes_max)
		throttle_hold(&jail->throttle, HOLD_OPEN);
}

static void
node_remove(struct jail *jail, struct node *node)
{
	RB_REMOVE(node_tree, &jail->nodes, node);
	free(node->path);
	free(node);
	if (--jail->nnodes < jail->nodes_max)
		throttle_release(&jail->throttle, HOLD_OPEN);
	/* Not one by one: being read again is some work, too. */
	if (jail->nnodes <= PACED_MAX / 2)
		throttle_release(&jail->throttle, HOLD_PACE);
}

void
script_forget_nodes(struct jail *jail)
{
	struct node	*node;

	while ((node = RB_MIN(node_tree, &jail->nodes)) != NULL)
		node_remove(jail, node);
}

/* ---- from the script ---- */

/* The jail, if it may speak just now: it has said hello, has not said its
 * last word, and its run is known. Who speaks has heard its past. */
static struct jail *
script_of(struct peer *p)
{
	struct jail	*jail = peer_ctx(p);

	if (jail->state != JAIL_READY || jail->done || jail->run == NULL)
		return (NULL);
	if (jail->replaying)
		peer_set_queue_max(p, PEER_QUEUE_MAX);
	jail->replaying = 0;
	return (jail);
}

/* Pass on to the keeper as type, with the name of the run. Lost if the
 * keeper is away: it then takes the run up from its journal. */
static void
script_pass(struct jail *jail, uint32_t type, json_t *env,
    const struct msg *m)
{
	struct broker	*b = jail->broker;

	env_set_str(env, "run", jail->run->id);
	if (b->keeper == NULL) {
		json_decref(env);
		return;
	}
	env_forward(b->keeper, type, 0, env, m);
	throttle_sink(b->throttles, &jail->throttle, b->keeper);
}

static int
script_hello(struct peer *p, struct msg *m)
{
	struct jail	*jail = peer_ctx(p);

	if (jail_hello(jail, m) == -1)
		return (-1);
	if (jail->run == NULL || jail->broker->keeper == NULL)
		return (0);
	peer_send(jail->broker->keeper, IMSG_RUN_JAIL, 0, -1,
	    env_new("{s:s, s:I, s:s}", "run", jail->run->id,
	    "jail", (json_int_t)jail->number,
	    "python", msg_str(m->env, "python")), NULL, 0);
	return (0);
}

/* What the node wants, as a question for the registry; -1 for a kind that
 * the language does not have. */
static int
node_request(struct request *r, const json_t *env)
{
	const char	*kind = msg_str(env, "kind");

	memset(r, 0, sizeof(*r));
	r->tool = msg_str(env, "tool");
	r->agent = msg_str(env, "agent");
	r->model = msg_str(env, "model");
	r->tools = msg_str(env, "tools");
	if (strcmp(kind, "agent") == 0)
		r->want = WANT_AGENT;
	else if (strcmp(kind, "tool") == 0)
		r->want = WANT_TOOL;
	else if (strcmp(kind, "sleep") == 0)
		r->want = WANT_SLEEP;
	else
		return (-1);
	return (0);
}

/* A run does not become slower by the number of its nodes: what is held is
 * long ones, which fill the journal, and many that are open at once. */
static void
ask_pay(struct jail *jail, size_t bodylen)
{
	struct throttles	*t = jail->broker->throttles;
	struct throttle		*h = &jail->throttle;

	if (bodylen >= EVENT_BYTES)
		throttle_spend(t, h, (int64_t)(bodylen / EVENT_BYTES));
	if (!throttle_afford(h, jail->nasked++ % ASKS_PER_CREDIT == 0) &&
	    jail->nnodes >= PACED_MAX)
		throttle_pace(t, h);
}

static int
script_node_ask(struct peer *p, struct msg *m)
{
	struct jail	*jail = script_of(p);
	const char	*path = msg_str(m->env, "path");
	struct request	 r;
	struct verdict	 v;
	json_t		*env;

	if (jail == NULL || node_find(jail, path) != NULL ||
	    node_request(&r, m->env) == -1)
		return (-1);
	v = run_judge(jail->broker, jail->run, &r);
	env = env_of(m);
	if (v.reason != GRANTED) {
		env_set_str(env, "denied", v.rule);
		audit("cap.use", "deny", "run", jail->run->id, "node", path,
		    "tool", r.tool, "agent", r.agent, "model", r.model,
		    "rule", v.rule, NULL);
		throttle_spend(jail->broker->throttles, &jail->throttle,
		    DENIAL_COST);
	}
	node_add(jail, path);
	script_pass(jail, IMSG_NODE_BEGIN, env, m);
	ask_pay(jail, m->bodylen);
	return (0);
}

/*
 * A node that has been answered in the meantime may still be cancelled; and
 * one that this jail has not asked for, when in a replay the script withdraws
 * what an earlier jail asked and the keeper has taken up.
 */
static int
script_node_cancel(struct peer *p, struct msg *m)
{
	struct jail	*jail = script_of(p);
	struct node	*node;

	if (jail == NULL)
		return (-1);
	node = node_find(jail, msg_str(m->env, "path"));
	if (node != NULL)
		node_remove(jail, node);
	script_pass(jail, IMSG_NODE_DROP, env_of(m), m);
	throttle_spend(jail->broker->throttles, &jail->throttle, 1);
	return (0);
}

/* All other kinds tell what the keeper has seen, and only it says so. */
static int
event_is_scripts(const char *kind)
{
	return (strcmp(kind, "log") == 0 || strcmp(kind, "phase") == 0 ||
	    strcmp(kind, "hole") == 0);
}

static int
script_event(struct peer *p, struct msg *m)
{
	struct jail	*jail = script_of(p);

	if (jail == NULL || !event_is_scripts(msg_str(m->env, "kind")))
		return (-1);
	script_pass(jail, IMSG_RUN_EVENT_ADD, env_of(m), m);
	throttle_spend(jail->broker->throttles, &jail->throttle,
	    1 + (int64_t)(m->bodylen / EVENT_BYTES));
	return (0);
}

/* The last word: whatever else the jail has to say is not heard. */
static int
script_last(struct peer *p, struct msg *m, uint32_t type)
{
	struct jail	*jail = script_of(p);

	if (jail == NULL)
		return (-1);
	script_pass(jail, type, env_of(m), m);
	jail->done = 1;
	throttle_hold(&jail->throttle, HOLD_DONE);
	return (0);
}

static int
script_done(struct peer *p, struct msg *m)
{
	return (script_last(p, m, IMSG_RUN_DONE));
}

static int
script_fail(struct peer *p, struct msg *m)
{
	return (script_last(p, m, IMSG_RUN_FAIL));
}

const struct handler script_handlers[] = {
	{ IMSG_JAIL_HELLO,	script_hello },
	{ IMSG_NODE_ASK,	script_node_ask },
	{ IMSG_NODE_CANCEL,	script_node_cancel },
	{ IMSG_SCRIPT_EVENT,	script_event },
	{ IMSG_SCRIPT_DONE,	script_done },
	{ IMSG_SCRIPT_FAIL,	script_fail },
	{ 0,			NULL },
};

/* ---- for the script, from the keeper ---- */

/* The script jail of the run that the message names, if it can listen. */
static struct jail *
script_for(struct peer *p, const struct msg *m)
{
	struct broker	*b = peer_ctx(p);
	struct run	*run = run_find(b, msg_str(m->env, "run"));

	if (run == NULL || run->script == NULL ||
	    run->script->state != JAIL_READY || run->script->peer == NULL)
		return (NULL);
	return (run->script);
}

/* All of the run's past follows at once, and may be long. */
int
script_start(struct peer *p, struct msg *m)
{
	struct jail	*jail = script_for(p, m);
	json_t		*env;

	if (jail == NULL)
		return (0);
	peer_set_queue_max(jail->peer, REPLAY_QUEUE_MAX);
	jail->replaying = 1;
	env = env_of(m);
	if (json_object_set_new(env, "frame",
	    json_integer(jail->run->limits.frame)) == -1)
		fatalx("script_start");
	env_forward(jail->peer, IMSG_SCRIPT, 0, env, m);
	return (0);
}

int
script_replay(struct peer *p, struct msg *m)
{
	struct jail	*jail = script_for(p, m);

	if (jail != NULL)
		env_forward(jail->peer, m->def->type, 0, env_of(m), m);
	return (0);
}

/* An outcome that this script does not wait for is not its business: the
 * jail that asked is gone, or it has cancelled. */
int
script_node_done(struct peer *p, struct msg *m)
{
	struct jail	*jail = script_for(p, m);
	struct node	*node;
	json_t		*env;

	if (jail == NULL)
		return (0);
	node = node_find(jail, msg_str(m->env, "path"));
	if (node == NULL)
		return (0);
	node_remove(jail, node);
	env = env_of(m);
	(void)json_object_del(env, "run");
	env_forward(jail->peer, IMSG_NODE_ANSWER, 0, env, m);
	return (0);
}
