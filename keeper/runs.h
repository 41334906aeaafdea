/*
 * Runs, for the core: their rows, their life, their results. What others may
 * do with one is in run.h.
 */
#ifndef RUNS_H
#define RUNS_H

#include "keeper.h"

/* ---- run_store.c: rows of runs ---- */

/* All of run's fields are set; fills in num. */
void	 run_insert(struct run *, const char *script, size_t len);
/* The run of a row of RUN_COLUMNS, linked into the keeper. */
struct run	*run_load(struct keeper *, sqlite3_stmt *);
extern const char	run_select_unended[];
void	 run_save_start(struct run *);
void	 run_save_waiting(struct run *);
void	 run_save_said(struct run *);
void	 run_save_end(struct run *, const char *state, int exit,
	    const char *result);
struct run	*run_new(struct keeper *);
void	 run_free(struct run *);
/* A run that has not ended; NULL if there is none of this id. */
struct run	*run_find(struct keeper *, const char *id);
/* The row of a run that uid may see, 0 if there is none. */
int64_t	 run_lookup(struct keeper *, const char *id, int64_t uid, int all);

/* ---- run.c: a run's life ---- */

/* Start queued runs as long as there is room. */
void	 run_schedule(struct keeper *);
/* What ended is on the disk: say so. Or it never will be: forget it. */
void	 run_ends_audit(struct keeper *);
void	 run_ends_forget(struct keeper *);
/* Ask the broker for a jail, after delay milliseconds. */
void	 run_start(struct run *, int64_t delay);
void	 run_wait(struct run *, const char *on);
/* On what a run waits: what the broker said, or its timers if nothing else
 * is going on. Returns buf, or NULL if it does not wait. */
const char	*run_waits_on(const struct run *, char *buf, size_t buflen);
/* How long to wait before the next jail, when some were lost in a row. */
int64_t	 run_restart_delay(int restarts);
/* The ends. Each frees the run. error is taken; failures is lent or NULL, and
 * has the first of count or all of them. */
void	 run_complete(struct run *, const json_t *result,
	    const json_t *failures, int64_t count);
void	 run_fail(struct run *, enum blamer, json_t *error,
	    const json_t *failures, int64_t count);
void	 run_cancel(struct run *);
/* What the script's process sent can't be used. */
void	 run_fail_protocol(struct run *, const char *what, const char *why);

/* ---- blame.c: what a script says of its own end ---- */

/* Is it borne out by the record, so that an exit code may follow from it? */
int	 blame_holds(struct run *, const json_t *error);

/* ---- result.c: errors and results ---- */

/* {"class", "message", "cause", "node", "line", "traceback"}. */
json_t	*error_new(const char *class, const char *cause, const char *node,
	    const char *message);
/* Make the six keys be there, of their types; class wins. Lends body. */
json_t	*error_from(const json_t *body, const char *class);
/* The result object of a run as DESIGN says. Lends all. */
json_t	*result_new(struct run *, const char *state, const json_t *result,
	    const json_t *error, const json_t *failures, int64_t count,
	    int64_t ended);
/* The recorded one, or that of a run that has not ended. */
json_t	*result_get(struct keeper *, int64_t num);

#endif
