/*
 * Rooms that hang. As long as something goes on each is asked now and then
 * whether it still turns to what it is sent; one that does not say so in time
 * is killed, and starts again like any that has died. A daemon without a jail
 * asks only when it feeds the service manager's watchdog: else it sleeps.
 */
#include "clock.h"
#include "log.h"
#include "supervisor.h"

#define ASK_SECONDS	5
#define ANSWER_MS	30000
/* Fewer questions than that prove nothing: we may have been stopped. */
#define ASKED_MIN	4

void
watch_jails(struct supervisor *sup)
{
	const struct timeval	tv = { ASK_SECONDS, 0 };

	if (!event_pending(sup->watch, EV_TIMEOUT, NULL) &&
	    event_add(sup->watch, &tv) == -1)
		fatalx("event_add");
}

/* With ask, ask it if no answer is awaited. Returns 1 if one is. */
static int
watch_room(struct child *c, int ask)
{
	if (c->state != CHILD_READY || c->peer == NULL ||
	    (c->asked == 0 && !ask))
		return (0);
	if (c->asked++ == 0) {
		c->asked_at = clock_ms();
		peer_send(c->peer, IMSG_PING, 0, -1, NULL, NULL, 0);
	} else if (c->asked > ASKED_MIN &&
	    clock_ms() - c->asked_at >= ANSWER_MS) {
		log_warnx("%s does not answer: it is killed", child_name(c));
		child_kill(c);
		return (0);
	}
	return (1);
}

static void
watch_all(struct supervisor *sup, int ask)
{
	int	i, awaited = 0;

	if (sup->state == SUP_STOPPING)
		return;
	for (i = 0; i < NCHILDREN; i++)
		awaited += watch_room(&sup->children[i], ask);
	if (awaited > 0 || sup->busy)
		watch_jails(sup);
}

static void
watch_due(int fd, short what, void *arg)
{
	struct supervisor	*sup = arg;

	(void)fd;
	(void)what;
	watch_all(sup, sup->busy);
}

void
watch_rooms(struct supervisor *sup)
{
	watch_all(sup, 1);
}

void
watch_init(struct supervisor *sup)
{
	if ((sup->watch = event_new(sup->base, -1, 0, watch_due, sup)) == NULL)
		fatalx("event_new");
}

int
on_pong(struct peer *p, struct msg *m)
{
	struct child	*c = peer_ctx(p);

	(void)m;
	if (c->asked == 0)
		return (-1);
	c->asked = 0;
	return (0);
}
