/*
 * Limits: so many clients in all, so many of one user, so many open
 * questions of one client. None is turned out for another's sake: whoever
 * comes too late is refused, and whoever says nothing has no place for long.
 */
#include <sys/socket.h>

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker.h"
#include "clock.h"
#include "control.h"
#include "env.h"
#include "guest.h"
#include "log.h"
#include "offence.h"

#define CLIENTS_MAX	256
#define CLIENTS_PER_UID	32	/* root has these in any case */
/* Seconds until the first question must be there, and each next one. */
/* Of users whom no rule grants anything: those others are not to wait for. */
#define STRANGERS_MAX	64
#define STRANGERS_PER_UID 8
#define STRANGER_BODY	(1024 * 1024)	/* enough to be refused with */
#define SILENT_MAX	30
/* Accepted in one go, before others have their turn. */
#define ACCEPT_FAIR	16
/* What may wait for a client that reads slowly. */
#define CLIENT_QUEUE	(32 * 1024 * 1024)
#define GROUPS_MAX	65536

struct control {
	struct broker		*broker;	/* lent */
	int			 fd;
	struct event		*in;
	struct event		*again;		/* no descriptor was left */
	int			 begun;
	struct client_list	 clients;
	size_t			 nclients;
	struct share_list	 shares;
	struct event		*tick;		/* looks at the shares */
	int			 tick_ms;	/* how soon; 0: not at all */
	struct guests		 guests;
	struct offences		 offences;
	long long		 turned_away;	/* since it was last said */
	int64_t			 said;		/* when that was */
	unsigned long		 last;		/* for names in the log */
};

static void	control_accept(int, short, void *);
static void	control_look(int, short, void *);
static void	client_gone(struct peer *, const char *);

static const struct peer_ops control_ops = {
	.self = BROKER,
	.handlers = control_handlers,
	.gone = client_gone,
};

/* ---- clients ---- */

static size_t
client_count(const struct control *c, uid_t uid)
{
	struct client	*client;
	size_t		 n = 0;

	TAILQ_FOREACH(client, &c->clients, entry)
		if (client->uid == uid)
			n++;
	return (n);
}

/* The supplementary groups of who opened the connection. */
static int
client_groups(struct client *client, int fd)
{
	socklen_t	len = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &len) == 0)
		return (0);		/* none */
	if (errno != ERANGE || len > GROUPS_MAX * sizeof(gid_t))
		return (-1);
	if ((client->groups = malloc(len)) == NULL)
		return (-1);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, client->groups,
	    &len) == -1)
		return (-1);
	client->ngroups = len / sizeof(gid_t);
	return (0);
}

static int
client_who(struct client *client, int fd)
{
	struct ucred	cred;
	socklen_t	len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == -1)
		return (-1);
	client->uid = cred.uid;
	client->gid = cred.gid;
	return (client_groups(client, fd));
}

static void
client_free(struct client *client)
{
	if (client->silent != NULL)
		event_free(client->silent);
	free(client->groups);
	free(client);
}

static void
client_remove(struct client *client)
{
	struct broker	*b = client->broker;

	scope_revoke(b->scopes, client->scope);
	throttle_end(b->throttles, &client->throttle);
	TAILQ_REMOVE(&b->control->clients, client, entry);
	b->control->nclients--;
	client_free(client);
}

static void
client_gone(struct peer *peer, const char *why)
{
	struct client	*client = peer_ctx(peer);

	if (!env_closed(why))
		offence_add(&client->broker->control->offences, client->uid,
		    clock_ms());
	control_client_gone(client);
	client_remove(client);
}

/* Root need not flood the log to be rid of it. */
static int
control_bars(const struct control *c, uid_t uid)
{
	return (uid != 0 && offence_bars(&c->offences, uid, clock_ms()));
}

/* How many there are that may do nothing, for no rule grants it. */
static size_t
stranger_count(const struct control *c)
{
	struct client	*client;
	size_t		 n = 0;

	TAILQ_FOREACH(client, &c->clients, entry)
		if (client_scope(client) == NULL)
			n++;
	return (n);
}

/* Why there is no room for one more of this user, or NULL. */
static const char *
control_full(const struct control *c, struct client *client)
{
	int	strange = client_scope(client) == NULL;

	if (client_count(c, client->uid) >= (strange ? STRANGERS_PER_UID :
	    CLIENTS_PER_UID))
		return ("this user has too many clients");
	if (client->uid != 0 && (c->nclients >= CLIENTS_MAX ||
	    (strange && stranger_count(c) >= STRANGERS_MAX)))
		return ("there are too many clients");
	return (NULL);
}

/* One line a second: who comes again and again shall not fill the log. */
static void
turn_away_audit(struct control *c, uid_t uid, const char *why)
{
	int64_t	now = clock_ms();

	c->turned_away++;
	if (c->said != 0 && now - c->said < 1000)
		return;
	audit("admin.connect", "deny", "uid", audit_int(uid), "reason", why,
	    "clients", audit_int(c->turned_away), NULL);
	c->turned_away = 0;
	c->said = now;
}

void
client_spoke(struct client *client)
{
	client->spoke = 1;
}

static int
client_wait(struct client *client)
{
	struct timeval	tv = { SILENT_MAX, 0 };

	return (evtimer_add(client->silent, &tv));
}

/* Has it asked something lately, or is it answered, or did we not listen?
 * What is not a whole question yet is none. */
static int
client_stays(struct client *client)
{
	int	stays = client->spoke || client->asks > 0 ||
		    client->follows > 0 || client->throttle.held != 0;

	client->spoke = 0;
	return (stays);
}

static void
client_silent(int fd, short what, void *arg)
{
	static const char	 why[] = "nothing was asked for 30 s";
	struct client		*client = arg;

	(void)fd;
	(void)what;
	if (client_stays(client) && client_wait(client) == 0)
		return;
	turn_away_audit(client->broker->control, client->uid, why);
	guest_farewell(client->peer, why);
	client_remove(client);
}

/* Speak with the client on fd (taken). -1 if that can't be. */
static int
client_admit(struct control *c, struct client *client, int fd,
    const char *name)
{
	client->peer = peer_new(c->broker->base, fd, CONTROL, name,
	    &control_ops, client);
	if (client->peer == NULL)
		return (-1);
	client->silent = evtimer_new(c->broker->base, client_silent, client);
	if (client->silent == NULL || client_wait(client) == -1) {
		peer_close(client->peer);
		return (-1);
	}
	throttle_init(&client->throttle, client->peer);
	peer_allow_fds(client->peer);
	peer_set_body_max(client->peer, client_scope(client) == NULL ?
	    STRANGER_BODY : BODY_MAX);
	peer_set_queue_max(client->peer, CLIENT_QUEUE);
	TAILQ_INSERT_TAIL(&c->clients, client, entry);
	c->nclients++;
	share_check(client);
	return (0);
}

static void
client_turn_away(struct control *c, const struct client *client, int fd,
    const char *name, const char *why)
{
	turn_away_audit(c, client->uid, why);
	guest_new(&c->guests, c->broker->base, fd, client->uid, name, why);
}

/* Who is on fd? NULL, and fd is closed, if that can't be known. */
static struct client *
client_make(struct control *c, int fd)
{
	struct client	*client;

	if ((client = calloc(1, sizeof(*client))) != NULL &&
	    client_who(client, fd) == 0) {
		client->broker = c->broker;
		return (client);
	}
	log_warn("a client");
	(void)close(fd);
	if (client != NULL)
		client_free(client);
	return (NULL);
}

/* A new client on fd (taken). */
static void
client_new(struct control *c, int fd)
{
	struct client	*client;
	const char	*why;
	char		 name[64];

	if ((client = client_make(c, fd)) == NULL)
		return;
	(void)snprintf(name, sizeof(name), "client %lu of uid %u", ++c->last,
	    (unsigned)client->uid);
	if (control_bars(c, client->uid)) {
		turn_away_audit(c, client->uid,
		    "this user's clients break the protocol");
		(void)close(fd);
	} else if ((why = control_full(c, client)) != NULL)
		client_turn_away(c, client, fd, name, why);
	else if (client_admit(c, client, fd, name) == 0)
		return;
	scope_revoke(c->broker->scopes, client->scope);
	client_free(client);
}

struct scope *
client_scope(struct client *client)
{
	struct broker		*b = client->broker;
	const struct profile	*profile;

	if (client->config_number != b->config_number) {
		scope_revoke(b->scopes, client->scope);
		client->scope = 0;
		client->config_number = b->config_number;
		profile = config_match(b->config, client->uid, client->gid,
		    client->groups, client->ngroups);
		if (profile != NULL)
			client->scope = scope_create(b->scopes, profile,
			    client->uid, client->gid, 0)->id;
	}
	return (scope_find(b->scopes, client->scope));
}

/* ---- the listening socket ---- */

/* Out of descriptors or memory: those who wait are accepted later. */
static void
control_rest(struct control *c)
{
	struct timeval	tv = { 0, 200 * 1000 };

	log_warn("accept");
	(void)event_del(c->in);
	if (evtimer_add(c->again, &tv) == -1)
		fatalx("evtimer_add");
}

static void
control_accept(int fd, short what, void *arg)
{
	struct control	*c = arg;
	int		 i, new;

	(void)what;
	for (i = 0; i < ACCEPT_FAIR; i++) {
		new = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (new != -1) {
			client_new(c, new);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
		    errno == ENOMEM)
			control_rest(c);
		return;
	}
}

static void
control_again(int fd, short what, void *arg)
{
	struct control	*c = arg;

	(void)fd;
	(void)what;
	if (c->in != NULL && event_add(c->in, NULL) == -1)
		fatalx("event_add");
}

struct client_list *
control_clients(const struct broker *b)
{
	return (&b->control->clients);
}

struct share_list *
control_shares(const struct broker *b)
{
	return (&b->control->shares);
}

/* The sooner of two wishes holds. */
void
control_tick(struct broker *b, int ms)
{
	struct control	*c = b->control;
	struct timeval	 tv = { ms / 1000, ms % 1000 * 1000 };

	if (c->tick_ms != 0 && c->tick_ms <= ms)
		return;
	c->tick_ms = ms;
	if (evtimer_add(c->tick, &tv) == -1)
		fatalx("evtimer_add");
}

static void
control_look(int fd, short what, void *arg)
{
	struct control	*c = arg;
	int		 ms;

	(void)fd;
	(void)what;
	c->tick_ms = 0;
	if ((ms = share_tick(c->broker)) != 0)
		control_tick(c->broker, ms);
}

static struct control *
control_new(struct broker *b)
{
	struct control	*c;

	if ((c = calloc(1, sizeof(*c))) == NULL)
		fatal("control_new");
	c->broker = b;
	c->fd = -1;
	TAILQ_INIT(&c->clients);
	TAILQ_INIT(&c->shares);
	guest_init(&c->guests, &c->offences);
	if ((c->again = evtimer_new(b->base, control_again, c)) == NULL ||
	    (c->tick = evtimer_new(b->base, control_look, c)) == NULL)
		fatalx("evtimer_new");
	return (c);
}

static void
control_close(struct control *c)
{
	if (c->in != NULL)
		event_free(c->in);
	c->in = NULL;
	if (c->fd != -1)
		(void)close(c->fd);
	c->fd = -1;
}

void
control_listen(struct broker *b, int fd)
{
	struct control	*c;

	if (b->control == NULL)
		b->control = control_new(b);
	c = b->control;
	control_close(c);
	c->fd = fd;
	c->in = event_new(b->base, fd, EV_READ | EV_PERSIST, control_accept,
	    c);
	if (c->in == NULL)
		fatalx("event_new");
	if (c->begun)
		control_begin(b);
}

void
control_begin(struct broker *b)
{
	struct control	*c = b->control;

	if (c == NULL)
		return;
	c->begun = 1;
	if (c->in != NULL && event_add(c->in, NULL) == -1)
		fatalx("event_add");
}

void
control_free(struct control *c)
{
	struct client	*client;

	if (c == NULL)
		return;
	while ((client = TAILQ_FIRST(&c->clients)) != NULL) {
		peer_close(client->peer);
		control_client_gone(client);
		client_remove(client);
	}
	guest_close_all(&c->guests);
	control_close(c);
	event_free(c->again);
	event_free(c->tick);
	share_free_all(&c->shares);
	free(c);
}

size_t
control_count(const struct broker *b)
{
	return (b->control == NULL ? 0 : b->control->nclients);
}
