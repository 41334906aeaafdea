/*
 * Spare jails: script jails that are made before a run asks for one. Such a
 * jail is confined and verified as any other; it knows nothing of a run, has
 * said hello into its socket, and waits. It is used once, by a run with the
 * very limits that it was made with. Which limits those will be is learned
 * from what was asked for last; to begin with they are those of the profile
 * that the configuration grants first.
 */
#include <string.h>

#include "jail.h"
#include "log.h"

/* From a run's start, which is not to be slowed down, to its successor's. */
#define FILL_MS	20

/* A jail's limits are set when it is made. */
static int
spare_fits(const struct jail *j, const json_t *env)
{
	return (j->memory == msg_int(env, "memory") &&
	    j->pids == msg_int(env, "pids") && j->cpu == msg_int(env, "cpu") &&
	    j->fsize == msg_int(env, "fsize") &&
	    j->files == msg_int(env, "files"));
}

/* How many there are, how many would fit, and which is the oldest. */
static int
spares_count(const struct jails *all, int *fit, struct jail **oldest)
{
	struct jail	*j;
	int		 n = 0;

	*fit = 0;
	*oldest = NULL;
	TAILQ_FOREACH(j, &all->list, entry) {
		/* cppcheck-suppress uninitvar ; the macro sets it */
		if (!j->spare || j->state >= JAIL_DYING)
			continue;
		if (n++ == 0)
			*oldest = j;
		*fit += spare_fits(j, all->wanted);
	}
	return (n);
}

static void
spare_make(struct jails *all)
{
	struct jail	*j;

	j = jail_new(all, all->wanted, &all->w->starters[all->w->script]);
	j->spare = 1;
	j->told = TOLD_NOBODY;
	j->run[0] = '\0';
	jail_make(j, -1);
}

/* A starter that has been replaced ends with the last of its jails: it must
 * not wait for one that nobody has. */
static void
spares_leave(struct jails *all)
{
	const struct starter	*starter;
	struct jail		*j, *next;

	starter = &all->w->starters[all->w->script];
	for (j = TAILQ_FIRST(&all->list); j != NULL; j = next) {
		next = TAILQ_NEXT(j, entry);
		if (j->spare && j->starter != starter)
			jail_kill(j, "spare", 1);
	}
}

/* As many as there shall be, at least one of them of the last limits. */
static void
spares_fill(int fd, short what, void *arg)
{
	struct jails			*all = arg;
	const struct warden		*w = all->w;
	int				 max = (int)w->config->spares, n, fit;
	struct jail			*oldest;

	(void)fd;
	(void)what;
	spares_leave(all);
	n = spares_count(all, &fit, &oldest);
	while (n > max || (n > 0 && n == max && fit == 0)) {
		jail_kill(oldest, "spare", 1);
		n = spares_count(all, &fit, &oldest);
	}
	if (!w->ready || w->stopping || jail_undead(all) != NULL ||
	    w->starters[w->script].state != STARTER_READY)
		return;
	for (; n < max && all->count < w->config->jails; n++)
		spare_make(all);
}

static void
spares_soon(struct jails *all)
{
	struct timeval	tv = { 0, FILL_MS * 1000 };

	if (!event_pending(all->fill, EV_TIMEOUT, NULL) &&
	    event_add(all->fill, &tv) == -1)
		fatalx("event_add");
}

void
spares_init(struct jails *all)
{
	if ((all->fill = event_new(all->w->base, -1, 0, spares_fill,
	    all)) == NULL)
		fatalx("event_new");
	spares_configured(all);
}

void
spares_configured(struct jails *all)
{
	const struct config	*config = all->w->config;

	json_decref(all->wanted);
	all->wanted = json_incref(config->first);
	if (config->spares > 0)
		host_row(all->w, "spares", 1, "%lld script jails are made "
		    "ahead of the runs that will use them",
		    (long long)config->spares);
	else
		host_row(all->w, "spares", 1, "no jail is made ahead: "
		    "\"limit spares\" is 0");
	spares_soon(all);
}

void
spares_ready(struct jails *all)
{
	spares_soon(all);
}

void
spares_want(struct jails *all, json_t *env)
{
	json_decref(all->wanted);
	all->wanted = json_incref(env);
	spares_soon(all);
}

struct jail *
spare_take(struct jails *all, const json_t *env)
{
	const struct starter	*starter;
	struct jail		*j;

	/* Not of one that has been replaced, which it would keep. */
	starter = &all->w->starters[all->w->script];
	TAILQ_FOREACH(j, &all->list, entry)
		/* cppcheck-suppress [uninitvar,nullPointerRedundantCheck] */
		if (j->spare && j->starter == starter &&
		    j->state == JAIL_RUNNING && spare_fits(j, env) &&
		    !jail_is_dead(j))
			break;
	if (j == NULL)
		return (NULL);
	j->spare = 0;
	j->told = TOLD_NOTHING;
	jail_for(j, env);
	return (j);
}
