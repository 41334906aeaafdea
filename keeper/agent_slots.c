/*
 * Slots for agents. A free one goes to the run with the fewest, and there to
 * the agent that has waited longest: a fan-out of a thousand does not keep
 * another run's only agent waiting.
 */
#include <stdlib.h>

#include "agent_slots.h"
#include "keeper.h"
#include "log.h"
#include "turn.h"

struct agent_slots {
	TAILQ_HEAD(agent_queue, agent)	 waiting;
	size_t				 held;
	struct event			*wake;
};

static struct agent *
slot_next(struct agent_slots *s)
{
	struct agent	*a, *best = NULL;

	TAILQ_FOREACH(a, &s->waiting, entry) {
		if (best == NULL || a->run->agents < best->run->agents)
			best = a;
		if (best->run->agents == 0)
			break;
	}
	return (best);
}

static void
slot_wake(int fd, short what, void *arg)
{
	struct agent_slots	*s = arg;
	struct agent		*a;

	(void)fd;
	(void)what;
	while (s->held < AGENTS_MAX && (a = slot_next(s)) != NULL) {
		TAILQ_REMOVE(&s->waiting, a, entry);
		a->slot = SLOT_NONE;
		slot_hold(a);
		agent_run(a);
	}
}

static struct agent_slots *
slots_get(struct agent *a)
{
	struct keeper		*k = a->run->keeper;
	struct agent_slots	*s;

	if (k->slots != NULL)
		return (k->slots);
	if ((s = calloc(1, sizeof(*s))) == NULL ||
	    (s->wake = event_new(k->base, -1, 0, slot_wake, s)) == NULL)
		fatal("slots");
	TAILQ_INIT(&s->waiting);
	return (k->slots = s);
}

void
slots_free(struct agent_slots *s)
{
	if (s == NULL)
		return;
	event_free(s->wake);
	free(s);
}

int
slot_take(struct agent *a)
{
	if (slots_get(a)->held >= AGENTS_MAX) {
		slot_wait(a);
		return (0);
	}
	slot_hold(a);
	return (1);
}

void
slot_wait(struct agent *a)
{
	struct agent_slots	*s = slots_get(a);

	a->slot = SLOT_WAITING;
	TAILQ_INSERT_TAIL(&s->waiting, a, entry);
	event_active(s->wake, EV_TIMEOUT, 0);
}

void
slot_hold(struct agent *a)
{
	slots_get(a)->held++;
	a->run->agents++;
	a->slot = SLOT_HELD;
}

void
slot_leave(struct agent *a)
{
	struct agent_slots	*s = slots_get(a);

	switch (a->slot) {
	case SLOT_NONE:
		return;
	case SLOT_WAITING:
		TAILQ_REMOVE(&s->waiting, a, entry);
		break;
	case SLOT_HELD:
		s->held--;
		a->run->agents--;
		if (!TAILQ_EMPTY(&s->waiting))
			event_active(s->wake, EV_TIMEOUT, 0);
		break;
	}
	a->slot = SLOT_NONE;
}
