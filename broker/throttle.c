#include <event2/event.h>
#include <stdlib.h>

#include "clock.h"
#include "env.h"
#include "log.h"
#include "throttle.h"

/* Credit that comes back in a second, and how many seconds of it are saved. */
#define CREDIT_RATE	500
#define CREDIT_SECONDS	8
/* Bytes waiting for the sink: hold above one, release below the other. */
#define SINK_HIGH	(8 * 1024 * 1024)
#define SINK_LOW	(4 * 1024 * 1024)
/* Peers released in one tick: not all of them may fill the sink again. */
#define RELEASE_MAX	8
#define TICK_MS		10

TAILQ_HEAD(throttle_list, throttle);

struct throttles {
	struct throttle_list	 waiting;	/* held for time or the sink */
	struct event		*tick;
	struct peer		*sink;		/* lent; NULL: none is full */
};

static void	throttle_tick(int, short, void *);

struct throttles *
throttle_table(void)
{
	struct throttles	*t;

	if ((t = calloc(1, sizeof(*t))) == NULL)
		fatal("throttle_table");
	TAILQ_INIT(&t->waiting);
	return (t);
}

void
throttle_begin(struct throttles *t, struct event_base *base)
{
	if ((t->tick = evtimer_new(base, throttle_tick, t)) == NULL)
		fatalx("evtimer_new");
}

void
throttle_table_free(struct throttles *t)
{
	if (t == NULL)
		return;
	if (t->tick != NULL)
		event_free(t->tick);
	free(t);
}

void
throttle_init(struct throttle *h, struct peer *p)
{
	h->peer = p;
	h->held = 0;
	h->listed = 0;
	h->since = clock_ms();
	throttle_rate(h, CREDIT_RATE);
}

void
throttle_rate(struct throttle *h, int64_t rate)
{
	h->rate = rate;
	h->credit = rate * CREDIT_SECONDS;
}

static void
throttle_unlist(struct throttles *t, struct throttle *h)
{
	if (h->listed)
		TAILQ_REMOVE(&t->waiting, h, entry);
	h->listed = 0;
}

void
throttle_end(struct throttles *t, struct throttle *h)
{
	throttle_unlist(t, h);
	h->peer = NULL;
}

void
throttle_hold(struct throttle *h, enum hold why)
{
	if (h->peer != NULL && h->held == 0)
		peer_pause(h->peer);
	h->held |= why;
}

void
throttle_release(struct throttle *h, unsigned why)
{
	if ((h->held & why) == 0)
		return;
	h->held &= ~why;
	if (h->peer != NULL && h->held == 0)
		peer_resume(h->peer);
}

static void
tick_start(struct throttles *t)
{
	struct timeval	tv = { 0, TICK_MS * 1000 };

	if (!evtimer_pending(t->tick, NULL) && evtimer_add(t->tick, &tv) == -1)
		fatalx("evtimer_add");
}

/* Hold, and look again at the next tick. */
static void
throttle_wait(struct throttles *t, struct throttle *h, enum hold why)
{
	if (h->peer == NULL)
		return;
	throttle_hold(h, why);
	if (!h->listed)
		TAILQ_INSERT_TAIL(&t->waiting, h, entry);
	h->listed = 1;
	tick_start(t);
}

static void
throttle_refill(struct throttle *h)
{
	int64_t	now = clock_ms(), more;

	more = (now - h->since) * h->rate / 1000;
	if (more <= 0)
		return;
	h->since = now;
	h->credit += more;
	if (h->credit > h->rate * CREDIT_SECONDS)
		h->credit = h->rate * CREDIT_SECONDS;
}

void
throttle_spend(struct throttles *t, struct throttle *h, int64_t cost)
{
	throttle_refill(h);
	h->credit -= cost;
	if (h->credit <= 0)
		throttle_wait(t, h, HOLD_RATE);
}

int
throttle_afford(struct throttle *h, int64_t cost)
{
	throttle_refill(h);
	if (h->credit > 0)
		h->credit -= cost;
	return (h->credit > 0);
}

void
throttle_pace(struct throttles *t, struct throttle *h)
{
	throttle_wait(t, h, HOLD_PACE);
}

void
throttle_sink(struct throttles *t, struct throttle *h, struct peer *sink)
{
	if (sink == NULL || peer_queued(sink) <= SINK_HIGH)
		return;
	t->sink = sink;
	throttle_wait(t, h, HOLD_QUEUE);
}

void
throttle_drained(struct throttles *t)
{
	t->sink = NULL;
}

/* Release what one tick may. */
static void
throttle_tick(int fd, short what, void *arg)
{
	struct throttles	*t = arg;
	struct throttle		*h, *next;
	int			 n = 0;

	(void)fd;
	(void)what;
	if (t->sink != NULL && peer_queued(t->sink) < SINK_LOW)
		t->sink = NULL;
	for (h = TAILQ_FIRST(&t->waiting); h != NULL; h = next) {
		next = TAILQ_NEXT(h, entry);
		throttle_refill(h);
		if (h->credit > 0)
			throttle_release(h, HOLD_RATE | HOLD_PACE);
		if (t->sink == NULL && n < RELEASE_MAX &&
		    (h->held & HOLD_QUEUE) != 0) {
			throttle_release(h, HOLD_QUEUE);
			n++;
		}
		if ((h->held & (HOLD_RATE | HOLD_QUEUE | HOLD_PACE)) == 0)
			throttle_unlist(t, h);
	}
	if (!TAILQ_EMPTY(&t->waiting))
		tick_start(t);
}
