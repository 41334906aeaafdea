/*
 * The keeper's messages, and what happens when it goes: runs, scopes and
 * jails are forgotten, questions are refused, and followers wait for it.
 */
#include <string.h>

#include "broker.h"
#include "control.h"
#include "env.h"
#include "log.h"
#include "report.h"

static int
keeper_run_start(struct peer *peer, struct msg *m)
{
	const json_t	*env = m->env;
	const char	*path = msg_str(env, "workspace");

	/* The supervisor would drop us for what it says here. */
	if (path != NULL && (path[0] != '/' || msg_int(env, "dev") == -1 ||
	    msg_int(env, "ino") == -1))
		return (-1);
	run_start(peer_ctx(peer), env);
	return (0);
}

static int
keeper_run_end(struct peer *peer, struct msg *m)
{
	struct run	*run = run_find(peer_ctx(peer), msg_str(m->env, "run"));
	const char	*offence = msg_str(m->env, "offence");

	if (run != NULL && run->script != NULL && offence != NULL)
		jail_offends(run->script, offence);
	if (run != NULL)
		run_end(run, strcmp(msg_str(m->env, "state"),
		    "cancelled") == 0 ? "cancel" : "done");
	return (0);
}

static const struct handler keeper_handlers[] = {
	{ IMSG_RUN_ADDED,	control_run_added },
	{ IMSG_REFUSED,		control_refused },
	{ IMSG_ANSWER,		control_answer },
	{ IMSG_OK,		control_answer },
	{ IMSG_EVENT,		control_event },
	{ IMSG_FOLLOW_END,	control_follow_end },
	{ IMSG_RUN_START,	keeper_run_start },
	{ IMSG_RUN_END,		keeper_run_end },
	{ IMSG_SCRIPT,		script_start },
	{ IMSG_REPLAY,		script_replay },
	{ IMSG_NODE_DONE,	script_node_done },
	{ IMSG_TOOL_CALL,	tool_call },
	{ IMSG_TOOL_CANCEL,	tool_cancel },
	{ IMSG_SANDBOX_CLOSE,	tool_close },
	{ IMSG_SANDBOX_REMOVE,	tool_remove },
	{ IMSG_MODEL_CALL,	model_call },
	{ IMSG_MODEL_CANCEL,	model_cancel },
	{ IMSG_HOST_ROW,	report_row },
	{ 0,			NULL },
};

static void
keeper_gone(struct peer *peer, const char *why)
{
	struct broker	*b = peer_ctx(peer);

	log_warnx("keeper: %s", why);
	b->keeper = NULL;
	throttle_drained(b->throttles);
	run_end_all(b, "restart");
	tool_forget_layers(b);
	control_keeper_gone(b);
}

static const struct peer_ops keeper_ops = {
	.self = BROKER,
	.handlers = keeper_handlers,
	.gone = keeper_gone,
};

void
keeper_connect(struct broker *b, int fd)
{
	peer_check_handlers(BROKER, KEEPER, keeper_handlers);
	if (b->keeper != NULL) {
		peer_close(b->keeper);
		keeper_gone(b->keeper, "replaced");
	}
	/* The supervisor has killed all jails before it started the keeper. */
	jail_sweep(b);
	b->keeper = peer_new(b->base, fd, KEEPER, "keeper", &keeper_ops, b);
	if (b->keeper == NULL)
		fatal("peer_new: keeper");
	peer_set_body_max(b->keeper, KEEPER_BODY_MAX);
	peer_set_queue_max(b->keeper, KEEPER_QUEUE_MAX);
	control_keeper_back(b);
}
