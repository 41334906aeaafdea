/*
 * What the broker says of a run. A run that has ended meanwhile is no error:
 * the message was on its way.
 */
#include <stdio.h>
#include <string.h>

#include "handlers.h"
#include "json.h"
#include "log.h"
#include "runs.h"
#include "text.h"

static struct run *
msg_run(struct peer *p, const struct msg *m)
{
	return (run_find(peer_ctx(p), msg_str(m->env, "run")));
}

/* The body, or NULL after the run has been failed for it. */
static json_t *
msg_run_body(struct run *run, const struct msg *m, const char *what)
{
	char	 why[160];
	json_t	*body;

	if ((body = msg_body(m, why, sizeof(why))) != NULL) {
		if (json_is_object(body) && !json_has_deep(body))
			return (body);
		(void)snprintf(why, sizeof(why), json_is_object(body) ?
		    "a value is nested too deeply" : "not an object");
		json_decref(body);
	}
	run_fail_protocol(run, what, why);
	return (NULL);
}

int
msg_run_jail(struct peer *p, struct msg *m)
{
	struct run	*run = msg_run(p, m);

	if (run == NULL || run->phase != PHASE_ACTIVE)
		return (0);
	run->restarts = 0;
	run_wait(run, NULL);
	(void)store_run(run->keeper->store,
	    "UPDATE runs SET python = coalesce(python, ?) WHERE num = ?",
	    "si", msg_str(m->env, "python"), run->num);
	run->past = run->done;
	replay_send(run);
	return (0);
}

/*
 * A script that is killed says nothing of its line. What it asked for last is
 * recorded: it was killed after that.
 */
static void
death_where(struct run *run, struct death *d)
{
	struct store	*st = run->keeper->store;
	sqlite3_stmt	*stmt;
	size_t		 n = strlen(d->message);

	if (strcmp(d->cause, "oom") != 0 && strcmp(d->cause, "cpu") != 0)
		return;
	stmt = store_query(st, "SELECT kind, coalesce(what, ''), path"
	    " FROM nodes WHERE run = ? ORDER BY num DESC LIMIT 1", "i",
	    run->num);
	if (!store_row(st, stmt)) {
		(void)snprintf(d->message + n, sizeof(d->message) - n, "; in "
		    "which line is not known: it had not called anything");
		return;
	}
	(void)snprintf(d->message + n, sizeof(d->message) - n, "; in which "
	    "line is not known: its last call was %s %.64s%s%.160s",
	    store_text(stmt, 0), store_text(stmt, 1),
	    store_text(stmt, 1)[0] == '\0' ? "" : " ", store_text(stmt, 2));
	(void)sqlite3_reset(stmt);	/* one row is all there is */
	text_trim(d->message);
}

int
msg_run_jail_gone(struct peer *p, struct msg *m)
{
	struct run	*run = msg_run(p, m);
	struct death	 death;

	if (run == NULL || run->phase != PHASE_ACTIVE)
		return (0);
	if (msg_bool(m->env, "ours")) {
		run_start(run, run_restart_delay(run->restarts++));
		return (0);
	}
	jail_death(msg_str(m->env, "cause"), &death);
	death_where(run, &death);
	run_fail(run, BY_KEEPER, error_new(death.class, death.cause, NULL,
	    death.message), NULL, 0);
	return (0);
}

int
msg_run_wait(struct peer *p, struct msg *m)
{
	struct run	*run = msg_run(p, m);

	if (run != NULL && run->phase == PHASE_ACTIVE)
		run_wait(run, msg_str(m->env, "on"));
	return (0);
}

/* A script that talks without end may not fill the disk. */
static void
say_no_more(struct run *run)
{
	char	message[96];

	(void)snprintf(message, sizeof(message), "the script has said more "
	    "than %lld bytes; the rest is left out", SAID_MAX);
	run_event(run, "log", keeper_pack("{s:s}", "message", message));
}

/* A replay says everything once more; n tells what has been said. */
int
msg_run_event_add(struct peer *p, struct msg *m)
{
	struct run	*run = msg_run(p, m);
	int64_t		 n = msg_int(m->env, "n");
	json_t		*body;

	if (run == NULL || n < run->said || run->said_bytes > SAID_MAX ||
	    (body = msg_run_body(run, m, "an event")) == NULL)
		return (0);
	/* A jail may name the last number there is. */
	run->said = n < INT64_MAX ? n + 1 : n;
	run->said_bytes += (int64_t)m->bodylen + 64;
	run_save_said(run);
	if (run->said_bytes > SAID_MAX) {
		json_decref(body);
		say_no_more(run);
	} else
		run_event(run, msg_str(m->env, "kind"), body);
	return (0);
}

int
msg_run_done(struct peer *p, struct msg *m)
{
	struct run	*run = msg_run(p, m);
	json_t		*body;

	if (run == NULL ||
	    (body = msg_run_body(run, m, "its result")) == NULL)
		return (0);
	run_complete(run, json_object_get(body, "result"),
	    json_object_get(body, "failures"), msg_int(m->env, "failures"));
	json_decref(body);
	return (0);
}

int
msg_run_fail(struct peer *p, struct msg *m)
{
	struct run	*run = msg_run(p, m);
	json_t		*body;

	if (run == NULL ||
	    (body = msg_run_body(run, m, "its error")) == NULL)
		return (0);
	run_fail(run, BY_SCRIPT, error_from(body, msg_str(m->env, "class")),
	    json_object_get(body, "failures"), msg_int(m->env, "failures"));
	json_decref(body);
	return (0);
}

int
msg_run_cancel(struct peer *p, struct msg *m)
{
	struct keeper	*k = peer_ctx(p);
	const char	*id = msg_str(m->env, "run");
	struct run	*run;

	if (run_lookup(k, id, msg_int(m->env, "uid"),
	    msg_bool(m->env, "all")) == 0) {
		keeper_refuse(k, m->id, REFUSE_NOT_FOUND,
		    "no such run: %s", id);
		return (0);
	}
	if ((run = run_find(k, id)) == NULL) {
		keeper_refuse(k, m->id, REFUSE_ENDED, "run %s has ended", id);
		return (0);
	}
	run_cancel(run);
	keeper_send(k, IMSG_OK, m->id, NULL, NULL, 0);
	return (0);
}
