/*
 * What the keeper answers to clients, and what becomes of their questions
 * when one side goes. An answer to a question that a client's end has
 * closed is dropped; one to a question of another kind is a fault.
 */
#include <inttypes.h>
#include <string.h>

#include "broker.h"
#include "control.h"
#include "env.h"
#include "log.h"
#include "report.h"

/* The question is over: its entry too. */
static void
ask_over(struct broker *b, struct pending *p)
{
	struct client	*client;

	if (p->ask != ASK_FOLLOW)
		share_answered(b, p);
	if (p->asker != NULL) {
		client = peer_ctx(p->asker);
		if (p->ask == ASK_FOLLOW)
			client->follows--;
		else
			client_answered(client);
		share_check(client);
	}
	pending_free(b->pendings, p);
}

static int
ask_is_clients(const struct pending *p)
{
	switch (p->ask) {
	case ASK_SUBMIT:
	case ASK_FOLLOW:
	case ASK_QUERY:
	case ASK_CANCEL:
		return (1);
	case ASK_TOOL:
	case ASK_MODEL:
		return (0);
	}
	fatalx("ask_is_clients: %d", (int)p->ask);
}

static void
ask_forward(const struct pending *p, const struct msg *m)
{
	if (p->asker != NULL)
		env_forward(p->asker, m->def->type, p->asker_id, env_of(m),
		    m);
}

/* ---- from the keeper ---- */

int
control_run_added(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);
	struct pending	*p = pending_find(b->pendings, m->id);
	const char	*run = msg_str(m->env, "run");

	if (p == NULL || p->ask != ASK_SUBMIT)
		return (-1);
	audit("admin.submit", "ok", "uid", audit_int(p->uid), "run", run,
	    NULL);
	(void)run_add(b, run, p->uid, p->u.submit.fd);
	p->u.submit.fd = -1;
	if (p->asker != NULL)
		peer_send(p->asker, IMSG_SUBMITTED, p->asker_id, -1,
		    env_new("{s:s}", "run", run), NULL, 0);
	ask_over(b, p);
	return (0);
}

/* The audit line of a question that changes something. */
static void
audit_end(const struct pending *p, const char *outcome, const char *reason)
{
	if (p->ask == ASK_SUBMIT || p->ask == ASK_CANCEL)
		audit(p->ask == ASK_SUBMIT ? "admin.submit" : "admin.cancel",
		    outcome, "uid", audit_int(p->uid), "run",
		    p->run[0] != '\0' ? p->run : NULL, "reason", reason,
		    NULL);
}

int
control_refused(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);
	struct pending	*p = pending_find(b->pendings, m->id);

	if (p == NULL)
		return (0);
	if (!ask_is_clients(p))
		return (-1);
	audit_end(p, "fail", msg_str(m->env, "message"));
	ask_forward(p, m);
	ask_over(b, p);
	return (0);
}

/* All about a run: what the keeper knows of it, and what it may do. The one
 * body of the keeper's that is read here. */
static void
show_forward(struct broker *b, const struct pending *p, const struct msg *m)
{
	json_t	*policy = report_policy(run_find(b, p->run)), *body = NULL;
	char	 why[160];

	if (policy != NULL)
		body = msg_body(m, why, sizeof(why));
	if (p->asker == NULL || !json_is_object(body) ||
	    json_object_set(body, "policy", policy) == -1) {
		json_decref(body);
		ask_forward(p, m);
	} else
		peer_send_json(p->asker, m->def->type, p->asker_id, -1,
		    env_of(m), body);
	json_decref(policy);
}

/* ANSWER or OK. */
int
control_answer(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);
	struct pending	*p = pending_find(b->pendings, m->id);

	if (p == NULL)
		return (0);
	if (p->ask != ASK_QUERY && p->ask != ASK_CANCEL)
		return (-1);
	audit_end(p, "ok", NULL);
	if (p->ask == ASK_QUERY && p->u.query.show)
		show_forward(b, p, m);
	else
		ask_forward(p, m);
	ask_over(b, p);
	return (0);
}

int
control_event(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);
	struct pending	*p = pending_find(b->pendings, m->id);

	if (p == NULL)
		return (0);
	if (p->ask != ASK_FOLLOW)
		return (-1);
	if (msg_int(m->env, "seq") > p->u.follow.after)
		p->u.follow.after = msg_int(m->env, "seq");
	ask_forward(p, m);
	if (p->asker != NULL)
		share_check(peer_ctx(p->asker));
	return (0);
}

int
control_follow_end(struct peer *peer, struct msg *m)
{
	struct broker	*b = peer_ctx(peer);
	struct pending	*p = pending_find(b->pendings, m->id);

	if (p == NULL)
		return (0);
	if (p->ask != ASK_FOLLOW)
		return (-1);
	ask_forward(p, m);
	ask_over(b, p);
	return (0);
}

/* ---- when one side goes ---- */

void
control_client_gone(struct client *client)
{
	struct broker	*b = client->broker;
	struct pending	*p;
	uint32_t	 last = 0;

	while ((p = pending_next(b->pendings, last)) != NULL) {
		last = p->id;
		if (p->asker != client->peer)
			continue;
		if (p->ask != ASK_FOLLOW) {
			pending_orphan(b->pendings, p);
			continue;
		}
		if (b->keeper != NULL)
			peer_send(b->keeper, IMSG_RUN_UNFOLLOW, p->id, -1,
			    NULL, NULL, 0);
		pending_free(b->pendings, p);
	}
}

/* Whether a submit or cancel was recorded is not known: the text says so. */
void
control_keeper_gone(struct broker *b)
{
	struct pending	*p;
	uint32_t	 last = 0;

	while ((p = pending_next(b->pendings, last)) != NULL) {
		last = p->id;
		if (!ask_is_clients(p) || p->ask == ASK_FOLLOW)
			continue;
		if (p->asker != NULL)
			control_refuse(p->asker, p->asker_id, REFUSE_AWAY,
			    "the journal restarted before it answered: "
			    "`wfsupctl list` shows what it has");
		ask_over(b, p);
	}
}

void
control_keeper_back(struct broker *b)
{
	struct pending	*p;
	uint32_t	 last = 0;

	while ((p = pending_next(b->pendings, last)) != NULL) {
		last = p->id;
		if (p->ask == ASK_FOLLOW)
			control_follow_send(b, p);
	}
}
