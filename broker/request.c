/*
 * What clients ask. Each question is judged by the client's scope, passed
 * to the keeper with the uid that the kernel gave, and answered once.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "broker.h"
#include "clock.h"
#include "control.h"
#include "env.h"
#include "grant.h"
#include "log.h"
#include "report.h"
#include "verb.h"

/* Open questions of one client; beyond it the client is not read. */
#define ASKS_MAX	8
/* What the answer to a list weighs at the most; to other questions about
 * runs, a whole result. */
#define LIST_OWED	(900 * 1024)
/* A denial is a line of audit: 40 at once, then 5 a second. */
#define DENIAL_COST	100
/* Subscriptions of one client, which may stay open for ever. */
#define FOLLOWS_MAX	16

void
control_refuse(struct peer *peer, uint32_t id, enum refusal why,
    const char *fmt, ...)
{
	char	text[640];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	peer_send(peer, IMSG_REFUSED, id, -1, env_new("{s:i, s:s, s:s}",
	    "exit", refusal_exit(why), "class", refusal_class(why),
	    "message", text), NULL, 0);
}

void
control_refuse_away(struct peer *peer, uint32_t id)
{
	control_refuse(peer, id, REFUSE_AWAY, "the journal is being "
	    "restarted: try again in a moment");
}

/* ---- what a client may ---- */

int
request_judge(struct client *client, uint32_t id, const char *what,
    struct request *r)
{
	struct scope	*scope = client_scope(client);
	struct verdict	 v;

	if (scope == NULL) {
		v.reason = DENIED_SCOPE;
		(void)snprintf(v.rule, sizeof(v.rule), "uid %u has no "
		    "profile: an allow line in wfsupd.conf would grant one",
		    (unsigned)client->uid);
	} else {
		r->now = clock_now();
		v = grant_decide(scope, r);
	}
	if (v.reason == GRANTED)
		return (0);
	audit(what, "deny", "uid", audit_int(client->uid), "rule", v.rule,
	    NULL);
	throttle_spend(client->broker->throttles, &client->throttle,
	    DENIAL_COST);
	control_refuse(client->peer, id, REFUSE_DENIED, "%s", v.rule);
	return (-1);
}

static int
request_verb(struct client *client, uint32_t id, const char *what,
    unsigned verb)
{
	struct request	r = { .want = WANT_VERB, .verb = verb };

	return (request_judge(client, id, what, &r));
}

/* May the client see other users' runs? */
static int
client_all(struct client *client)
{
	struct scope	*scope = client_scope(client);

	return (scope != NULL && (scope->verbs & VERB_ALL) != 0);
}

/* How long may the answer be? */
static size_t
answer_max(enum ask ask, const struct msg *m)
{
	if (ask != ASK_QUERY)
		return (0);
	return (strcmp(msg_str(m->env, "what"), "list") == 0 ? LIST_OWED :
	    BODY_MAX);
}

struct pending *
client_ask(struct client *client, enum ask ask, const struct msg *m)
{
	struct pending	*p;
	const char	*run = msg_str(m->env, "run");

	p = pending_new(client->broker->pendings, ask, client->peer, m->id);
	p->uid = client->uid;
	if (run != NULL)
		(void)snprintf(p->run, sizeof(p->run), "%s", run);
	if (ask == ASK_FOLLOW)
		client->follows++;
	else {
		p->owed = answer_max(ask, m);
		share_asked(client->broker, p);
		if (++client->asks >= ASKS_MAX)
			throttle_hold(&client->throttle, HOLD_OPEN);
	}
	throttle_sink(client->broker->throttles, &client->throttle,
	    client->broker->keeper);
	return (p);
}

void
client_answered(struct client *client)
{
	if (--client->asks < ASKS_MAX)
		throttle_release(&client->throttle, HOLD_OPEN);
}

/* ---- follow, query, cancel ---- */

void
control_follow_send(struct broker *b, const struct pending *p)
{
	peer_send(b->keeper, IMSG_RUN_FOLLOW, p->id, -1,
	    env_new("{s:s, s:I, s:b, s:I, s:b}", "run", p->run,
	    "after", (json_int_t)p->u.follow.after, "live", p->u.follow.live,
	    "uid", (json_int_t)p->uid, "all", p->u.follow.all), NULL, 0);
}

static int
control_follow(struct peer *peer, struct msg *m)
{
	struct client	*client = peer_ctx(peer);
	struct pending	*p;

	if (request_verb(client, m->id, "admin.follow", VERB_FOLLOW) == -1)
		return (0);
	if (client->follows >= FOLLOWS_MAX) {
		control_refuse(peer, m->id, REFUSE_LIMIT,
		    "a client follows at most %d runs", FOLLOWS_MAX);
		return (0);
	}
	p = client_ask(client, ASK_FOLLOW, m);
	p->u.follow.after = msg_int(m->env, "after");
	p->u.follow.live = msg_bool(m->env, "live");
	p->u.follow.all = client_all(client);
	if (client->broker->keeper != NULL)
		control_follow_send(client->broker, p);
	return (0);
}

static const struct {
	const char	*what;
	unsigned	 verb;
	int		 needs_run;
	int		 ours;		/* answered here, not by the keeper */
} queries[] = {
	{ "list",	VERB_LIST,	0, 0 },
	{ "show",	VERB_SHOW,	1, 0 },
	{ "result",	VERB_RESULT,	1, 0 },
	{ "scopes",	VERB_SCOPES,	0, 1 },
	{ "doctor",	VERB_DOCTOR,	0, 1 },
	{ "version",	0,		0, 1 },
};

static void
query_answer(struct client *client, uint32_t id, const char *what, int all)
{
	json_t	*body;

	if (strcmp(what, "scopes") == 0)
		body = report_scopes(client->broker, client, all);
	else if (strcmp(what, "doctor") == 0)
		body = report_doctor(client->broker);
	else
		body = report_version();
	peer_send_json(client->peer, IMSG_ANSWER, id, -1, NULL, body);
}

static void
query_forward(struct client *client, const struct msg *m, int all)
{
	struct broker	*b = client->broker;
	struct pending	*p;
	json_t		*env;

	if (b->keeper == NULL) {
		control_refuse_away(client->peer, m->id);
		return;
	}
	env = env_of(m);
	if (json_object_set_new(env, "uid", json_integer(client->uid)) == -1 ||
	    json_object_set_new(env, "all", json_boolean(all)) == -1)
		fatalx("query_forward");
	p = client_ask(client, ASK_QUERY, m);
	p->u.query.show = strcmp(msg_str(m->env, "what"), "show") == 0;
	peer_send(b->keeper, IMSG_RUN_QUERY, p->id, -1, env, NULL, 0);
}

static int
control_query(struct peer *peer, struct msg *m)
{
	struct client	*client = peer_ctx(peer);
	const char	*what = msg_str(m->env, "what");
	int		 all = msg_bool(m->env, "all");
	size_t		 i, n = sizeof(queries) / sizeof(queries[0]);

	for (i = 0; i < n; i++)
		if (strcmp(queries[i].what, what) == 0)
			break;
	if (i == n ||
	    queries[i].needs_run != (msg_str(m->env, "run") != NULL)) {
		control_refuse(peer, m->id, REFUSE_USAGE,
		    "there is no such query");
		return (0);
	}
	if (queries[i].verb != 0 && request_verb(client, m->id, "admin.query",
	    queries[i].verb | (all ? VERB_ALL : 0)) == -1)
		return (0);
	/* Who asks for one run by name need not say that it is another's. */
	if (queries[i].needs_run)
		all = client_all(client);
	if (queries[i].ours)
		query_answer(client, m->id, what, all);
	else
		query_forward(client, m, all);
	return (0);
}

static int
control_cancel(struct peer *peer, struct msg *m)
{
	struct client	*client = peer_ctx(peer);
	struct broker	*b = client->broker;
	struct pending	*p;

	if (request_verb(client, m->id, "admin.cancel", VERB_CANCEL) == -1)
		return (0);
	if (b->keeper == NULL) {
		control_refuse_away(peer, m->id);
		return (0);
	}
	p = client_ask(client, ASK_CANCEL, m);
	peer_send(b->keeper, IMSG_RUN_CANCEL, p->id, -1,
	    env_new("{s:s, s:I, s:b}", "run", p->run,
	    "uid", (json_int_t)client->uid, "all", client_all(client)),
	    NULL, 0);
	return (0);
}

/* Whatever it asks, it may have been answered at once. */
static int
control_asked(struct peer *peer, struct msg *m)
{
	int	ret;

	client_spoke(peer_ctx(peer));
	switch (m->def->type) {
	case IMSG_SUBMIT:
		ret = control_submit(peer, m);
		break;
	case IMSG_FOLLOW:
		ret = control_follow(peer, m);
		break;
	case IMSG_QUERY:
		ret = control_query(peer, m);
		break;
	case IMSG_CANCEL:
		ret = control_cancel(peer, m);
		break;
	default:
		fatalx("control_asked: %s", m->def->name);
	}
	share_check(peer_ctx(peer));
	return (ret);
}

const struct handler control_handlers[] = {
	{ IMSG_SUBMIT,	control_asked },
	{ IMSG_FOLLOW,	control_asked },
	{ IMSG_QUERY,	control_asked },
	{ IMSG_CANCEL,	control_asked },
	{ 0,		NULL },
};
