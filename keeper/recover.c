/*
 * Taking up what was left: at the start, and whenever there is a new broker.
 */
#include "agent.h"
#include "log.h"
#include "nodes.h"
#include "runs.h"

/* Before the run starts: what does not need the broker. */
static void
node_recover(struct node *node)
{
	switch (recover_decide(node->kind, node_repeatable(node))) {
	case RECOVER_AGENT:
		return;		/* its scope comes with the run's start */
	case RECOVER_TIMER:
		sleep_arm(node);
		return;
	case RECOVER_WAIT:
		node->parked = 1;
		return;
	case RECOVER_LOST:
		node_settle_lost(node);
		return;
	}
}

static void
agents_recover(struct run *run)
{
	struct node	*node, *next;

	RB_FOREACH_SAFE(node, node_tree, &run->nodes, next)
		if (node->kind == KIND_AGENT)
			agent_recover(run, node, node->input);
}

static void
run_recover(struct run *run)
{
	struct node	*node, *next;

	node_load(run);
	RB_FOREACH_SAFE(node, node_tree, &run->nodes, next)
		node_recover(node);
	run_start(run, 0);
	agents_recover(run);
}

/* First all rows, then the work: it writes to the table that is read. */
static void
load_all(struct keeper *k)
{
	sqlite3_stmt	*stmt;

	if (k->loaded)
		return;
	k->loaded = 1;
	stmt = store_query(k->store, run_select_unended, "");
	while (store_row(k->store, stmt))
		(void)run_load(k, stmt);	/* the tree has it */
}

void
recover_all(struct keeper *k)
{
	struct run	*run;
	long long	 n = 0;

	space_check(k);
	load_all(k);
	if (k->space == SPACE_NONE)
		return;
	k->resumed = 1;
	RB_FOREACH(run, run_tree, &k->runs)
		if (run->phase == PHASE_ACTIVE) {
			run_recover(run);
			n++;
		}
	if (n > 0)
		log_info("unfinished runs taken up: %lld", n);
	sandbox_remove_all(k);
	retain_prune(k);
	run_schedule(k);
}
