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

static struct starter *
script_other(struct warden *w)
{
	return (&w->starters[w->script == STARTER_SCRIPT ? STARTER_SCRIPT2 :
	    STARTER_SCRIPT]);
}

static void
want(struct starter *st, int wanted)
{
	st->wanted = wanted;
	peer_send(st->w->supervisor, IMSG_STARTER_WANT, 0, -1, json_pack(
	    "{s:s,s:b}", "room", starter_name(st), "want", wanted), NULL, 0);
}

/* Pure: has a starter made enough jails? */
int
recycle_due(int64_t jails, int64_t age, int64_t limit)
{
	return (limit > 0 && (jails >= limit || age >= RECYCLE_MS));
}

void
recycle_count(struct warden *w)
{
	struct starter	*st = &w->starters[w->script];
	struct starter	*other = script_other(w);

	st->jails++;
	/* The last but one may still have jails, and has to go first. */
	if (!w->ready || w->stopping || other->wanted || other->peer != NULL ||
	    !recycle_due(st->jails, clock_ms() - st->born,
	    w->config->recycle))
		return;
	want(other, 1);
}

void
recycle_ready(struct starter *st)
{
	struct warden	*w = st->w;

	if (st != script_other(w))
		return;
	log_info("the next script starter works: pid %d", st->pid);
	w->script = st->id;
	want(script_other(w), 0);
	recycle_retire(w);
}

void
recycle_retire(struct warden *w)
{
	struct starter		*old = script_other(w);
	const struct jail	*j;

	if (old->wanted || old->peer == NULL)
		return;
	TAILQ_FOREACH(j, &w->jails->list, entry)
		if (j->starter == old)
			return;
	starter_hang_up(old);
}
