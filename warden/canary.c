/*
 * Canaries: before the daemon says that it is ready, jails of both kinds that
 * attempt what a jail must not be able to do. The filter of script jails
 * kills at some attempts; then the next canary goes on behind that one. One
 * success, or a canary that could not be made, and there is no daemon.
 */
#include <stdio.h>
#include <string.h>

#include "jail.h"
#include "log.h"

/*
 * Their limits: below what the attempts at limits want (see jail/attempt.h).
 * The kernel takes the time for a tool canary's memory to fill it.
 */
static const struct {
	const char	*row;		/* of the host report */
	const char	*kind;
	int		 memory, fsize, files;
} kinds[] = {
	{ "canary",		"script", 128 << 20,	0,	 16 },
	{ "canary-tool",	"tool",	  24 << 20,	1 << 20, 64 },
};

static int
kind_of(const struct starter *starter)
{
	return (starter->id == STARTER_TOOL);
}

static void
canary_make(struct starter *starter, int64_t first)
{
	struct warden	*w = starter->w;
	int			 k = kind_of(starter);
	struct jail		*j;
	json_t			*env;

	env = json_pack("{s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i}",
	    "kind", kinds[k].kind, "run", "canary", "uid", 0, "gid", 0,
	    "memory", kinds[k].memory, "pids", 16, "cpu", 30, "wall", 60,
	    "fsize", kinds[k].fsize, "files", kinds[k].files);
	if (env == NULL)
		fatalx("canary");
	j = jail_new(w->jails, env, starter);
	j->told = TOLD_NOBODY;
	j->canary = first;
	w->canaries[k].row = first - 1;
	json_decref(env);
	jail_make(j, -1);
}

void
canary_begin(struct starter *starter)
{
	if (starter->w->cgroups_known)
		canary_make(starter, 0);
}

void
canaries_begin(struct warden *w)
{
	int	i;

	for (i = 0; i < NSTARTERS; i++)
		if (w->starters[i].state == STARTER_READY)
			canary_make(&w->starters[i], 0);
}

void
canary_send(const struct warden *w)
{
	json_t	*attempt;
	size_t	 i;

	json_array_foreach(w->attempts, i, attempt)
		peer_send(w->broker, IMSG_ATTEMPT, 0, -1,
		    json_incref(attempt), NULL, 0);
}

/* For doctor, now and whenever there is a new broker. */
static void
attempt_keep(struct warden *w, const char *kind, const struct msg *m)
{
	json_t	*attempt;

	attempt = json_pack("{s:s,s:s,s:s,s:s}", "jail", kind, "name",
	    msg_str(m->env, "name"), "how", msg_str(m->env, "how"),
	    "layers", msg_str(m->env, "layers"));
	if ((w->attempts == NULL && (w->attempts = json_array()) == NULL) ||
	    json_array_append_new(w->attempts, attempt) == -1)
		fatalx("canary");
	if (w->broker != NULL)
		peer_send(w->broker, IMSG_ATTEMPT, 0, -1,
		    json_incref(attempt), NULL, 0);
}

/* How one attempt ended. */
int
on_canary_row(struct peer *p, struct msg *m)
{
	struct starter	*starter = peer_ctx(p);
	struct canaries	*c = &starter->w->canaries[kind_of(starter)];
	const char	*kind = kinds[kind_of(starter)].kind;
	struct jail	*j = jail_of(p, m);

	/* Buried before all was told: the next goes on behind what was. */
	if (j == NULL)
		return (0);
	if (j->canary == -1 || msg_int(m->env, "row") <= c->row ||
	    msg_int(m->env, "row") >= msg_int(m->env, "rows"))
		return (-1);
	c->row = msg_int(m->env, "row");
	c->rows = msg_int(m->env, "rows");
	if (!msg_bool(m->env, "open")) {
		log_debug("a %s jail can't do this: %s: %s (closed by %s)",
		    kind, msg_str(m->env, "name"), msg_str(m->env, "how"),
		    msg_str(m->env, "layers"));
		attempt_keep(starter->w, kind, m);
		return (0);
	}
	c->open++;
	log_warnx("a %s jail can do this: %s: %s (should be stopped by %s)",
	    kind, msg_str(m->env, "name"), msg_str(m->env, "how"),
	    msg_str(m->env, "layers"));
	audit("canary.open", "fail", "kind", kind, "attempt",
	    msg_str(m->env, "name"), "how", msg_str(m->env, "how"), NULL);
	return (0);
}

/* All attempts at one kind of jail have failed. */
static void
canary_done(struct warden *w, int k)
{
	struct canaries		*c = &w->canaries[k];

	audit("canary", "ok", "kind", kinds[k].kind, "attempts",
	    audit_int(c->rows), NULL);
	host_row(w, kinds[k].row, 1, "%lld attempts to escape from a %s "
	    "jail, none succeeded", (long long)c->rows, kinds[k].kind);
	c->done = 1;
	warden_check(w);
}

void
canary_ended(struct jail *j)
{
	struct warden	*w = j->all->w;
	struct canaries		*c;

	if (w->ready || w->stopping || j->starter == NULL)
		return;
	c = &w->canaries[kind_of(j->starter)];
	/* Nothing was proved by one that we had to kill. */
	if (c->row < j->canary || j->death.own[0] != '\0')
		fatalx("going down: a canary %s jail could not be made",
		    j->kind);
	if (c->row + 1 < c->rows)
		canary_make(j->starter, c->row + 1);
	else if (c->open != 0)
		fatalx("going down: jails do not hold on this host");
	else
		canary_done(w, kind_of(j->starter));
}
