/*
 * The broker's socket. What the keeper holds in memory belongs to one broker:
 * when it goes, all of that goes, and the next one gets what the store has.
 */
#include "agent.h"
#include "handlers.h"
#include "log.h"
#include "nodes.h"
#include "runs.h"

/* The broker has been judged by the supervisor: it may send a result whole,
 * and be sent all the outcomes of a run at once. */
#define BROKER_BODY_MAX		(4 * 1024 * 1024)
#define BROKER_QUEUE_MAX	(1024UL * 1024 * 1024)

const struct handler	broker_handlers[] = {
	{ IMSG_SANDBOX_REMOVED,	msg_sandbox_removed },
	{ IMSG_RUN_ADD,		msg_run_add },
	{ IMSG_RUN_JAIL,	msg_run_jail },
	{ IMSG_RUN_JAIL_GONE,	msg_run_jail_gone },
	{ IMSG_RUN_WAIT,	msg_run_wait },
	{ IMSG_NODE_BEGIN,	msg_node_begin },
	{ IMSG_NODE_DROP,	msg_node_drop },
	{ IMSG_RUN_EVENT_ADD,	msg_run_event_add },
	{ IMSG_RUN_DONE,	msg_run_done },
	{ IMSG_RUN_FAIL,	msg_run_fail },
	{ IMSG_TOOL_DONE,	msg_tool_done },
	{ IMSG_MODEL_DELTA,	msg_model_delta },
	{ IMSG_MODEL_DONE,	msg_model_done },
	{ IMSG_MODEL_FAIL,	msg_model_fail },
	{ IMSG_RUN_FOLLOW,	msg_run_follow },
	{ IMSG_RUN_UNFOLLOW,	msg_run_unfollow },
	{ IMSG_RUN_QUERY,	msg_run_query },
	{ IMSG_RUN_CANCEL,	msg_run_cancel },
	{ 0, NULL }
};

static void
broker_gone(struct peer *p, const char *why)
{
	struct keeper	*k = peer_ctx(p);

	if (p != k->broker)
		return;
	log_warnx("the broker is gone: %s", why);
	k->broker = NULL;
	broker_forget(k);
	channel_lost(&k->broker_wait, k->base, "broker");
}

static const struct peer_ops	broker_ops = {
	.self = KEEPER,
	.handlers = broker_handlers,
	.gone = broker_gone,
};

void
broker_attach(struct keeper *k, int fd)
{
	if (k->broker != NULL) {
		peer_close(k->broker);
		k->broker = NULL;
		broker_forget(k);
	}
	channel_back(&k->broker_wait);
	k->broker = peer_new(k->base, fd, BROKER, "broker", &broker_ops, k);
	if (k->broker == NULL)
		fatal("peer_new");
	peer_set_body_max(k->broker, BROKER_BODY_MAX);
	peer_set_queue_max(k->broker, BROKER_QUEUE_MAX);
	if (store_pending(k->store))
		peer_hold(k->broker);
	if (k->started)
		recover_all(k);
	else
		peer_pause(k->broker);
}

void
broker_start(struct keeper *k)
{
	k->started = 1;
	if (k->broker == NULL)
		return;
	peer_resume(k->broker);
	recover_all(k);
}

static void
run_forget(struct run *run)
{
	struct node	*node;

	while ((node = RB_MIN(node_tree, &run->nodes)) != NULL) {
		if (node->kind == KIND_AGENT)
			agent_forget(node);
		node_free(node);
	}
	RB_REMOVE(run_tree, &run->keeper->runs, run);
	run_free(run);
}

/* What this wake-up has written stays: it is true, whoever asked. */
void
broker_forget(struct keeper *k)
{
	struct run	*run;

	k->loaded = k->resumed = 0;
	follow_forget(k);
	while ((run = RB_MIN(run_tree, &k->runs)) != NULL)
		run_forget(run);
}
