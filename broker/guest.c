#include <sys/socket.h>

#include <event2/event.h>
#include <stdlib.h>
#include <unistd.h>

#include "broker.h"
#include "clock.h"
#include "control.h"
#include "env.h"
#include "guest.h"
#include "offence.h"

/* More at once than this are not asked what they want. */
#define GUESTS_MAX	32
/* What one of these may have said already, in packets. */
#define DRAIN_MAX	16
/* Seconds that a guest may stay. */
#define GUEST_STAY	2

struct guest {
	struct guests		*guests;	/* lent */
	struct peer		*peer;		/* ours */
	struct event		*timer;
	uid_t			 uid;
	const char		*why;
	TAILQ_ENTRY(guest)	 entry;
};

static void
guest_free(struct guest *g)
{
	if (g->timer != NULL)
		event_free(g->timer);
	TAILQ_REMOVE(&g->guests->list, g, entry);
	g->guests->n--;
	free(g);
}

static void
guest_gone(struct peer *peer, const char *why)
{
	struct guest	*g = peer_ctx(peer);

	if (!env_closed(why))
		offence_add(g->guests->offences, g->uid, clock_ms());
	guest_free(g);
}

static void
guest_timer(int fd, short what, void *arg)
{
	struct guest	*g = arg;

	(void)fd;
	(void)what;
	peer_close(g->peer);
	guest_free(g);
}

static int
guest_refuse(struct peer *peer, struct msg *m)
{
	struct guest	*g = peer_ctx(peer);

	control_refuse(peer, m->id, REFUSE_AWAY, "%s", g->why);
	return (0);
}

static const struct handler guest_handlers[] = {
	{ IMSG_SUBMIT,	guest_refuse },
	{ IMSG_FOLLOW,	guest_refuse },
	{ IMSG_QUERY,	guest_refuse },
	{ IMSG_CANCEL,	guest_refuse },
	{ 0,		NULL },
};

static const struct peer_ops guest_ops = {
	.self = BROKER,
	.handlers = guest_handlers,
	.gone = guest_gone,
};

void
guest_init(struct guests *guests, struct offences *offences)
{
	guests->offences = offences;
	TAILQ_INIT(&guests->list);
	guests->n = 0;
	peer_check_handlers(BROKER, CONTROL, guest_handlers);
}

/* Speak with it for a moment. -1 if that can't be; fd is taken anyway. */
static int
guest_speak(struct guest *g, struct event_base *base, int fd,
    const char *name)
{
	struct timeval	stay = { GUEST_STAY, 0 };

	g->peer = peer_new(base, fd, CONTROL, name, &guest_ops, g);
	if (g->peer == NULL)
		return (-1);
	peer_allow_fds(g->peer);
	g->timer = evtimer_new(base, guest_timer, g);
	if (g->timer != NULL && evtimer_add(g->timer, &stay) == 0)
		return (0);
	peer_close(g->peer);
	return (-1);
}

/* Closing on something unread would be an error to the client, and could
 * take the place of what it was told. */
static void
drain(int fd)
{
	char	packet[64];
	int	i;

	for (i = 0; i < DRAIN_MAX; i++)
		if (recvfrom(fd, packet, sizeof(packet), MSG_DONTWAIT, NULL,
		    NULL) <= 0)
			return;
}

void
guest_farewell(struct peer *peer, const char *why)
{
	control_refuse(peer, 0, REFUSE_AWAY, "%s", why);
	peer_flush(peer, 0);
	drain(peer_fd(peer));
	peer_close(peer);
}

static const struct peer_ops farewell_ops = {
	.self = BROKER,
	.handlers = guest_handlers,
};

void
guest_new(struct guests *guests, struct event_base *base, int fd, uid_t uid,
    const char *name, const char *why)
{
	struct guest	*g;
	struct peer	*peer;

	if (guests->n >= GUESTS_MAX ||
	    (g = calloc(1, sizeof(*g))) == NULL) {
		peer = peer_new(base, fd, CONTROL, name, &farewell_ops, NULL);
		if (peer != NULL)
			guest_farewell(peer, why);
		return;
	}
	g->guests = guests;
	g->uid = uid;
	g->why = why;
	TAILQ_INSERT_TAIL(&guests->list, g, entry);
	guests->n++;
	if (guest_speak(g, base, fd, name) == -1)
		guest_free(g);
}

void
guest_close_all(struct guests *guests)
{
	struct guest	*g;

	while ((g = TAILQ_FIRST(&guests->list)) != NULL) {
		peer_close(g->peer);
		guest_free(g);
	}
}
