/*
 * Canaries: before the daemon says that it is ready, jails that attempt what
 * a jail must not be able to do. The filter kills at some attempts; then the
 * next canary goes on behind that one. One success, or a canary that could
 * not be made, and there is no daemon.
 */
#include <stdio.h>
#include <string.h>

#include "jail.h"
#include "log.h"

static void
canary_make(struct supervisor *sup, int64_t first)
{
	struct jail	*j;
	json_t		*env;

	env = json_pack("{s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i}",
	    "kind", "script", "run", "canary", "uid", 0, "gid", 0,
	    "memory", 128 << 20, "pids", 16, "cpu", 30, "wall", 60,
	    "fsize", 0, "files", 16);
	if (env == NULL)
		fatalx("canary");
	j = jail_new(sup->jails, env, &sup->children[CHILD_SCRIPT]);
	j->told = TOLD_NOBODY;
	j->canary = first;
	sup->canary_row = first - 1;
	json_decref(env);
	jail_make(j, -1);
}

void
canary_begin(struct supervisor *sup)
{
	canary_make(sup, 0);
}

/* How one attempt ended. */
int
priv_canary_row(struct peer *p, struct msg *m)
{
	struct jail		*j = jail_of(p, m);
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;

	if (j == NULL || j->canary == -1 ||
	    msg_int(m->env, "row") <= sup->canary_row ||
	    msg_int(m->env, "row") >= msg_int(m->env, "rows"))
		return (-1);
	sup->canary_row = msg_int(m->env, "row");
	sup->canary_rows = msg_int(m->env, "rows");
	if (!msg_bool(m->env, "open"))
		return (0);
	sup->canary_open++;
	log_warnx("a jail can do this: %s: %s (should be stopped by %s)",
	    msg_str(m->env, "name"), msg_str(m->env, "how"),
	    msg_str(m->env, "layers"));
	audit("canary.open", "fail", "attempt", msg_str(m->env, "name"),
	    "how", msg_str(m->env, "how"), NULL);
	return (0);
}

static void
canary_verdict(struct supervisor *sup)
{
	struct child	*broker = &sup->children[CHILD_BROKER];

	if (sup->canary_open != 0) {
		log_warnx("going down: jails do not hold on this host");
		sup_stop(sup, 1);
		return;
	}
	audit("canary", "ok", "attempts", audit_int(sup->canary_rows), NULL);
	host_row(sup, "canary", 1, "%lld attempts to escape, none succeeded",
	    (long long)sup->canary_rows);
	sup->canary_done = 1;
	if (broker->state == CHILD_BEGUN && broker->peer != NULL)
		child_go(broker);
}

void
canary_ended(struct jail *j)
{
	struct supervisor	*sup = j->all->sup;

	if (sup->state != SUP_STARTING)
		return;
	if (sup->canary_row < j->canary) {
		log_warnx("going down: a canary jail could not be made");
		sup_stop(sup, 1);
	} else if (sup->canary_row + 1 < sup->canary_rows)
		canary_make(sup, sup->canary_row + 1);
	else
		canary_verdict(sup);
}
