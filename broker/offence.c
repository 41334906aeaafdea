#include <stddef.h>

#include "offence.h"

/* An offence is forgotten after so long; so many at once bar the door. */
#define FORGET_MS	1000
#define BAR		20

static int64_t
level_at(const struct offender *o, int64_t now)
{
	int64_t	left = o->level - (now - o->since);

	return (left > 0 ? left : 0);
}

static const struct offender *
offender_find(const struct offences *all, uid_t uid)
{
	int	i;

	for (i = 0; i < all->n; i++)
		if (all->all[i].uid == uid)
			return (&all->all[i]);
	return (NULL);
}

/* A place for one more: a new one, or that of the least offender. */
static struct offender *
offender_place(struct offences *all, int64_t now)
{
	struct offender	*least = &all->all[0];
	int		 i;

	if (all->n < OFFENDERS_MAX)
		return (&all->all[all->n++]);
	for (i = 1; i < all->n; i++)
		if (level_at(&all->all[i], now) < level_at(least, now))
			least = &all->all[i];
	return (least);
}

void
offence_add(struct offences *all, uid_t uid, int64_t now)
{
	struct offender	*o;

	o = (struct offender *)(uintptr_t)offender_find(all, uid);
	if (o == NULL) {
		o = offender_place(all, now);
		*o = (struct offender){ .uid = uid, .since = now };
	}
	o->level = level_at(o, now) + FORGET_MS;
	o->since = now;
}

int
offence_bars(const struct offences *all, uid_t uid, int64_t now)
{
	const struct offender	*o = offender_find(all, uid);

	return (o != NULL && level_at(o, now) > (BAR - 1) * FORGET_MS);
}
