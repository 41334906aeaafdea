/*
 * A question is counted with what its answer may weigh, so that the keeper
 * is never asked for more than its users will take.
 */
#include <stdlib.h>

#include "broker.h"
#include "clock.h"
#include "control.h"
#include "env.h"
#include "log.h"
#include "share.h"

/* Of one user: open questions, and bytes queued or owed. Beyond the first
 * amount those clients are held that have a part in it, beyond the second
 * all: who pages through a long log may use another terminal. */
#define SHARE_ASKS	16
#define SHARE_SOME	(8 * 1024 * 1024)
#define SHARE_ALL	(24 * 1024 * 1024)
/* What nobody asked for in turn, the events of runs that are followed, may
 * come to more; then the client that it is for is dropped. */
#define SHARE_EXCESS	(32 * 1024 * 1024)
/* A client must take something of what is queued for it within this time. */
#define STUCK_MS	30000
/* When to look again: while a client is held, and while bytes are queued. */
#define TICK_HELD	20
#define TICK_QUEUED	1000

static struct share *
share_find(const struct broker *b, uid_t uid)
{
	struct share	*s;

	TAILQ_FOREACH(s, control_shares(b), entry)
		if (s->uid == uid)
			return (s);
	return (NULL);
}

static struct share *
share_get(struct broker *b, uid_t uid)
{
	struct share	*s = share_find(b, uid);

	if (s != NULL)
		return (s);
	if ((s = calloc(1, sizeof(*s))) == NULL)
		fatal("share_get");
	s->uid = uid;
	TAILQ_INSERT_TAIL(control_shares(b), s, entry);
	return (s);
}

/* What is queued for all clients of a user. */
static size_t
share_queued(const struct broker *b, uid_t uid)
{
	struct client	*c;
	size_t		 n = 0;

	TAILQ_FOREACH(c, control_clients(b), entry)
		if (c->uid == uid)
			n += peer_queued(c->peer);
	return (n);
}

/* Has this client to wait, if its user has so much on its way? */
static int
client_full(const struct client *c, size_t asks, size_t bytes)
{
	if (asks >= SHARE_ASKS || bytes >= SHARE_ALL)
		return (1);
	return (bytes >= SHARE_SOME &&
	    (c->asks > 0 || peer_queued(c->peer) > 0));
}

/* Hold or release the clients of a user. Returns whether one is held. */
static int
share_balance(struct broker *b, uid_t uid, size_t queued)
{
	const struct share	*s = share_find(b, uid);
	size_t			 asks = s == NULL ? 0 : s->asks;
	size_t			 bytes = queued + (s == NULL ? 0 : s->owed);
	struct client		*c;
	int			 held = 0;

	TAILQ_FOREACH(c, control_clients(b), entry)
		if (c->uid != uid)
			continue;
		else if (client_full(c, asks, bytes)) {
			throttle_hold(&c->throttle, HOLD_SHARE);
			held = 1;
		} else
			throttle_release(&c->throttle, HOLD_SHARE);
	return (held);
}

void
share_asked(struct broker *b, const struct pending *p)
{
	struct share	*s = share_get(b, p->uid);

	s->asks++;
	s->submits += p->ask == ASK_SUBMIT;
	s->owed += p->owed;
	(void)share_balance(b, p->uid, share_queued(b, p->uid));
}

void
share_answered(struct broker *b, const struct pending *p)
{
	struct share	*s = share_find(b, p->uid);

	if (s == NULL)
		fatalx("an answer that nobody has asked for");
	s->owed -= p->owed;
	s->submits -= p->ask == ASK_SUBMIT;
	if (--s->asks == 0) {
		TAILQ_REMOVE(control_shares(b), s, entry);
		free(s);
	}
	(void)share_balance(b, p->uid, share_queued(b, p->uid));
}

size_t
share_submits(const struct broker *b, uid_t uid)
{
	const struct share	*s = share_find(b, uid);

	return (s == NULL ? 0 : s->submits);
}

void
share_check(struct client *c)
{
	size_t	queued = share_queued(c->broker, c->uid);
	int	held = share_balance(c->broker, c->uid, queued);

	if (queued > SHARE_EXCESS && peer_queued(c->peer) > 0)
		peer_drop(c->peer, "does not read what it is sent");
	else if (queued > 0)
		control_tick(c->broker, held ? TICK_HELD : TICK_QUEUED);
}

/* Drops the client if nothing has moved for too long. */
static void
client_watch(struct client *c, int64_t now)
{
	if (peer_queued(c->peer) == 0)
		c->moved = 0;
	else if (c->moved == 0 || peer_sent(c->peer) != c->sent) {
		c->sent = peer_sent(c->peer);
		c->moved = now;
	} else if (now - c->moved >= STUCK_MS)
		peer_drop(c->peer, "does not read what it is sent");
}

int
share_tick(struct broker *b)
{
	struct client	*c = TAILQ_FIRST(control_clients(b));
	int64_t		 now = clock_ms();
	int		 ms = 0;

	for (; c != NULL; c = TAILQ_NEXT(c, entry)) {
		client_watch(c, now);
		if ((c->throttle.held & HOLD_SHARE) != 0 &&
		    share_balance(b, c->uid, share_queued(b, c->uid)))
			ms = TICK_HELD;
		else if (peer_queued(c->peer) > 0 && ms == 0)
			ms = TICK_QUEUED;
	}
	return (ms);
}

void
share_free_all(struct share_list *shares)
{
	struct share	*s;

	while ((s = TAILQ_FIRST(shares)) != NULL) {
		TAILQ_REMOVE(shares, s, entry);
		free(s);
	}
}
