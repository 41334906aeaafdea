/*
 * What the supervisor says: configuration, sockets, begin; and the warden, to
 * which it connects us.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker.h"
#include "control.h"
#include "log.h"
#include "report.h"

struct broker *
broker_new(void)
{
	struct broker	*b;

	if ((b = calloc(1, sizeof(*b))) == NULL)
		fatal("broker_new");
	b->scopes = scopes_new();
	b->pendings = pending_table();
	b->throttles = throttle_table();
	RB_INIT(&b->runs);
	TAILQ_INIT(&b->jails);
	TAILQ_INIT(&b->removals);
	return (b);
}

void
broker_begin(struct broker *b, struct event_base *base,
    struct peer *supervisor)
{
	b->base = base;
	b->supervisor = supervisor;
	throttle_begin(b->throttles, base);
	peer_check_handlers(BROKER, SCRIPT, script_handlers);
	peer_check_handlers(BROKER, TOOL, tool_handlers);
	peer_check_handlers(BROKER, CONTROL, control_handlers);
}

void
broker_free(struct broker *b)
{
	struct jail	*jail;

	control_free(b->control);
	b->control = NULL;
	run_end_all(b, "restart");
	while ((jail = TAILQ_FIRST(&b->jails)) != NULL)
		jail_free(jail);
	tool_forget_layers(b);
	if (b->warden != NULL)
		peer_close(b->warden);
	if (b->keeper != NULL)
		peer_close(b->keeper);
	if (b->gateway != NULL)
		peer_close(b->gateway);
	pending_table_free(b->pendings);
	scopes_free(b->scopes);
	throttle_table_free(b->throttles);
	report_free(b->report);
	config_free(b->config);
	free(b);
}

/* ---- the warden ---- */

/* It can't come back: the daemon goes down. */
static void
warden_gone(struct peer *p, const char *why)
{
	(void)p;
	fatalx("the socket to the warden broke: %s", why);
}

static void
warden_connect(struct broker *b, int fd)
{
	static const struct handler	 handlers[] = {
		{ IMSG_HOST_ROW,	report_row },
		{ IMSG_ATTEMPT,		report_attempt },
		{ IMSG_JAIL_STARTED,	jail_started },
		{ IMSG_JAIL_FAILED,	jail_failed },
		{ IMSG_JAIL_EXIT,	jail_exited },
		{ IMSG_WORKSPACE,	workspace_opened },
		{ IMSG_WORKSPACE_LOST,	workspace_lost },
		{ IMSG_SANDBOX_REMOVED,	tool_removed },
		{ 0, NULL }
	};
	static const struct peer_ops	 ops = {
		.self = BROKER, .handlers = handlers, .gone = warden_gone,
	};

	b->warden = peer_new(b->base, fd, WARDEN, "warden", &ops, b);
	if (b->warden == NULL)
		fatal("warden");
	peer_allow_fds(b->warden);
	peer_set_body_max(b->warden, 0);
}

/* ---- the supervisor's messages ---- */

/* The first one must be right; a later one that is not changes nothing. */
static int
broker_config(struct peer *p, struct msg *m)
{
	struct broker	*b = peer_ctx(p);
	struct config	*config = NULL;
	char		 why[512];
	json_t		*body;

	if ((body = msg_body(m, why, sizeof(why))) != NULL) {
		config = config_parse(body, why, sizeof(why));
		json_decref(body);
	}
	if (config == NULL && b->config == NULL)
		fatalx("configuration: %s", why);
	if (config == NULL) {
		log_warnx("configuration not taken, the old one stays: %s",
		    why);
		return (0);
	}
	config_free(b->config);
	b->config = config;
	b->config_number++;
	run_reloaded(b);
	return (0);
}

static int
broker_start(struct peer *p, struct msg *m)
{
	struct broker	*b = peer_ctx(p);

	(void)m;
	if (b->config == NULL || b->warden == NULL)
		fatalx("started without a configuration or a warden");
	control_begin(b);
	peer_send(p, IMSG_ROOM_READY, 0, -1, NULL, NULL, 0);
	return (0);
}

static int
broker_channel(struct peer *p, struct msg *m)
{
	struct broker	*b = peer_ctx(p);
	const char	*name = msg_str(m->env, "peer");
	int		 fd;

	if (fcntl(m->fd, F_SETFL, O_NONBLOCK) == -1)
		fatal("channel %s", name);
	fd = msg_take_fd(m);
	if (strcmp(name, "keeper") == 0)
		keeper_connect(b, fd);
	else if (strcmp(name, "gateway") == 0)
		model_connect(b, fd);
	else if (strcmp(name, "warden") == 0 && b->warden == NULL)
		warden_connect(b, fd);
	else {
		(void)close(fd);
		return (-1);
	}
	return (0);
}

static int
broker_listen(struct peer *p, struct msg *m)
{
	if (fcntl(m->fd, F_SETFL, O_NONBLOCK) == -1)
		fatal("control socket");
	control_listen(peer_ctx(p), msg_take_fd(m));
	return (0);
}

const struct handler broker_handlers[] = {
	{ IMSG_ROOM_CONFIG,	broker_config },
	{ IMSG_ROOM_START,	broker_start },
	{ IMSG_CHANNEL,		broker_channel },
	{ IMSG_LISTEN,		broker_listen },
	{ 0,			NULL },
};
