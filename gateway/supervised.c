/*
 * What the supervisor says: configuration, keys, rules, the broker's socket.
 */
#include <string.h>
#include <unistd.h>

#include "gateway.h"
#include "log.h"

/* A conversation is a body. */
#define BODY_MAX	(16 * 1024 * 1024)

static int
on_config(struct peer *p, struct msg *m)
{
	struct gateway		*gw = peer_ctx(p);
	struct providers	*fresh;
	struct config		*config = NULL;
	char			 why[512];
	json_t			*body;

	if ((body = msg_body(m, why, sizeof(why))) != NULL)
		config = config_parse(body, why, sizeof(why));
	json_decref(body);
	if (config == NULL && gw->providers == NULL)
		fatalx("configuration: %s", why);
	if (config == NULL) {
		log_warnx("configuration: %s; the old one stays", why);
		return (0);
	}
	fresh = providers_new(config, gw->providers, gw->room.base, gw->http);
	if (fresh == NULL)
		fatal("providers_new");
	providers_free(gw->providers);
	gw->providers = fresh;
	return (0);
}

/* The provider a key or rules are for. */
static struct provider *
provider_named(struct gateway *gw, const struct msg *m)
{
	const char	*name = msg_str(m->env, "provider");
	struct provider	*p = NULL;

	if (gw->providers != NULL)
		p = providers_find(gw->providers, name);
	if (p == NULL)
		log_warnx("%s for %s: there is no such provider",
		    m->def->name, name);
	return (p);
}

static int
on_key(struct peer *p, struct msg *m)
{
	struct provider	*provider;

	if ((provider = provider_named(peer_ctx(p), m)) != NULL)
		provider_key(provider, m->fd);
	return (0);
}

static int
on_rules(struct peer *p, struct msg *m)
{
	struct provider	*provider;

	if ((provider = provider_named(peer_ctx(p), m)) != NULL)
		provider_rules(provider, m->fd);
	return (0);
}

static int
on_start(struct peer *p, struct msg *m)
{
	struct gateway	*gw = peer_ctx(p);

	(void)m;
	if (gw->providers == NULL)
		fatalx("started without a configuration");
	peer_send(p, IMSG_ROOM_READY, 0, -1, NULL, NULL, 0);
	return (0);
}

/* Whoever asked is gone: nobody waits for what is pending. */
static void
broker_forget(struct gateway *gw)
{
	gw->calls.broker = gw->broker = NULL;
	calls_cancel(&gw->calls);
}

static void
broker_gone(struct peer *p, const char *why)
{
	struct gateway	*gw = peer_ctx(p);

	log_debug("broker gone: %s", why);
	broker_forget(gw);
	channel_lost(&gw->broker_wait, gw->room.base, "broker");
}

static const struct peer_ops broker_ops = {
	.self		= GATEWAY,
	.handlers	= broker_handlers,
	.gone		= broker_gone,
};

static int
on_channel(struct peer *p, struct msg *m)
{
	struct gateway	*gw = peer_ctx(p);

	if (strcmp(msg_str(m->env, "peer"), "broker") != 0) {
		log_warnx("CHANNEL to %s: not ours", msg_str(m->env, "peer"));
		return (-1);
	}
	if (gw->broker != NULL) {
		peer_close(gw->broker);
		broker_forget(gw);
	}
	channel_back(&gw->broker_wait);
	gw->broker = peer_new(gw->room.base, msg_take_fd(m), BROKER, "broker",
	    &broker_ops, gw);
	if (gw->broker == NULL)
		fatal("peer_new");
	peer_set_body_max(gw->broker, BODY_MAX);
	gw->calls.broker = gw->broker;
	return (0);
}

const struct handler supervisor_handlers[] = {
	{ IMSG_ROOM_CONFIG,	on_config },
	{ IMSG_ROOM_START,	on_start },
	{ IMSG_CHANNEL,		on_channel },
	{ IMSG_KEY,		on_key },
	{ IMSG_RULES,		on_rules },
	{ 0, NULL },
};
