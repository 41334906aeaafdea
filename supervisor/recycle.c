/*
 * Another starter of script jails, now and then. All jails of one are forked
 * from the same process and have its addresses: what one learns of them would
 * help the next. So after so many jails, or so long, the next starter comes
 * up beside it, takes over when it works, and the old one ends when the last
 * of its jails has.
 */
#include "clock.h"
#include "jail.h"
#include "log.h"

#define RECYCLE_MS	3600000
#define AGAIN_MS	60000	/* after one that did not come up */

int
child_is_starter(const struct child *c)
{
	return (c->id == CHILD_SCRIPT || c->id == CHILD_SCRIPT2 ||
	    c->id == CHILD_TOOL);
}

int
child_is_spare(const struct child *c)
{
	return ((c->id == CHILD_SCRIPT || c->id == CHILD_SCRIPT2) &&
	    c->id != c->sup->script);
}

static struct child *
script_other(struct supervisor *sup)
{
	return (&sup->children[sup->script == CHILD_SCRIPT ? CHILD_SCRIPT2 :
	    CHILD_SCRIPT]);
}

/* Pure: has a starter made enough jails? */
int
recycle_due(int64_t jails, int64_t age, int64_t limit)
{
	return (limit > 0 && (jails >= limit || age >= RECYCLE_MS));
}

void
recycle_count(struct supervisor *sup)
{
	struct child	*c = &sup->children[sup->script];
	struct child	*other = script_other(sup);
	int64_t		 now = clock_ms();

	c->jails++;
	if (sup->state != SUP_RUNNING || other->state != CHILD_DOWN ||
	    other->pid != -1 ||
	    !recycle_due(c->jails, now - c->born, sup->conf->recycle) ||
	    (other->tried != 0 && now - other->tried < AGAIN_MS))
		return;
	other->tried = now;
	child_start(other);
}

void
recycle_ready(struct child *c)
{
	struct supervisor	*sup = c->sup;

	if (!child_is_spare(c) || sup->state != SUP_RUNNING)
		return;
	log_info("the next script starter works: pid %d", c->pid);
	sup->script = c->id;
	c->tried = 0;
	recycle_retire(sup);
}

void
recycle_retire(struct supervisor *sup)
{
	struct child		*old = script_other(sup);
	const struct jail	*j;

	if (old->state != CHILD_READY || old->peer == NULL)
		return;
	TAILQ_FOREACH(j, &sup->jails->list, entry)
		if (j->starter == old)
			return;
	child_hang_up(old);
}
