/*
 * What the broker says: model calls and their end.
 */
#include "gateway.h"
#include "log.h"
#include "provider.h"
#include "question.h"

/* What there is to say against a call before anybody works on it. */
static int
call_check(struct gateway *gw, const struct msg *m,
    const struct model_config **model, json_t **body, struct failure *f)
{
	const char	*name = msg_str(m->env, "model");
	char		 why[FAILURE_TEXT_MAX];

	if (gw->providers == NULL || gw->calls.n >= CALLS_PENDING_MAX) {
		failure_set(f, FAIL_TRANSIENT, "the gateway is %s",
		    gw->providers == NULL ? "starting" : "full");
		return (-1);
	}
	*model = config_model(gw->providers->config, name);
	if (*model == NULL) {
		failure_set(f, FAIL_INVALID, "there is no model %s; there is: "
		    "%s", name, config_model_names(gw->providers->config, why,
		    sizeof(why)));
		return (-1);
	}
	if ((*body = msg_body(m, why, sizeof(why))) != NULL &&
	    question_check(*body, why, sizeof(why)) == 0)
		return (0);
	failure_set(f, FAIL_INVALID, "question: %s", why);
	json_decref(*body);
	return (-1);
}

static int
on_model_call(struct peer *p, struct msg *m)
{
	struct gateway			*gw = peer_ctx(p);
	const struct model_config	*model;
	struct provider			*provider;
	struct failure			 failure;
	struct call			*call;
	json_t				*body = NULL;

	if (call_find(&gw->calls, m->id) != NULL)
		return (-1);
	if (call_check(gw, m, &model, &body, &failure) == -1) {
		refuse(p, m->id, msg_str(m->env, "run"), &failure);
		return (0);
	}
	if ((call = call_new(&gw->calls, m->id, m->env, model, body)) == NULL) {
		failure_set(&failure, FAIL_TRANSIENT, "out of memory");
		refuse(p, m->id, msg_str(m->env, "run"), &failure);
		return (0);
	}
	provider = &gw->providers->all[model->provider];
	call->ops = provider->ops;
	provider->ops->start(provider, call);
	return (0);
}

/* The answer may have crossed it on the way: then there is nothing to do. */
static int
on_model_cancel(struct peer *p, struct msg *m)
{
	struct gateway	*gw = peer_ctx(p);
	struct call	*call;

	if ((call = call_find(&gw->calls, m->id)) != NULL)
		call_cancel(call);
	return (0);
}

const struct handler broker_handlers[] = {
	{ IMSG_MODEL_CALL,	on_model_call },
	{ IMSG_MODEL_CANCEL,	on_model_cancel },
	{ 0, NULL },
};
