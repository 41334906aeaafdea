/*
 * Questions about runs. Whoever may not see a run is told what he would be
 * told if it were not there.
 */
#include <string.h>

#include "handlers.h"
#include "log.h"
#include "query.h"
#include "runs.h"

#define LIST_DEFAULT	50
/* An answer must fit into one message. */
#define LIST_BYTES	(900 * 1024)

/* The state of a row, recorded at its end, else worked out. */
static const char *
row_state(const char *recorded, int queued, const char *waiting)
{
	struct run_facts	facts;

	if (recorded != NULL)
		return (recorded);
	memset(&facts, 0, sizeof(facts));
	facts.phase = queued ? PHASE_QUEUED : PHASE_ACTIVE;
	facts.waiting = waiting != NULL;
	return (run_state_name(run_state(&facts)));
}

static json_t *
int_or_null(sqlite3_stmt *stmt, int column)
{
	if (sqlite3_column_type(stmt, column) == SQLITE_NULL)
		return (json_null());
	return (json_integer(sqlite3_column_int64(stmt, column)));
}

json_t *
query_common(struct keeper *k, sqlite3_stmt *stmt)
{
	struct run	*run = run_find(k, store_text(stmt, 0));
	const char	*waiting = NULL;
	char		 on[RUN_ON_MAX];

	if (run != NULL)
		waiting = run_waits_on(run, on, sizeof(on));
	return (keeper_pack("{s:s, s:s?, s:s, s:s?, s:I, s:I, s:o, s:o, s:o}",
	    "run", store_text(stmt, 0), "name", store_text(stmt, 1), "state",
	    row_state(store_text(stmt, 2),
	    sqlite3_column_int64(stmt, 3) == PHASE_QUEUED, waiting),
	    "waiting", waiting,
	    "uid", (json_int_t)sqlite3_column_int64(stmt, 4),
	    "created", (json_int_t)sqlite3_column_int64(stmt, 5),
	    "started", int_or_null(stmt, 6), "ended", int_or_null(stmt, 7),
	    "exit", int_or_null(stmt, 8)));
}

void
query_set(json_t *o, const char *key, json_t *v)
{
	if (json_object_set_new(o, key, v) == -1)
		fatalx("json_object_set_new: %s", key);
}

static json_t *
list_row(struct keeper *k, sqlite3_stmt *stmt)
{
	json_t	*run = query_common(k, stmt);

	query_set(run, "tokens", json_integer(sqlite3_column_int64(stmt, 9) +
	    sqlite3_column_int64(stmt, 10)));
	query_set(run, "nodes", json_integer(sqlite3_column_int64(stmt,
	    QUERY_COUNT)));
	return (run);
}

/* Newest first, as many as are asked for and fit. */
static json_t *
query_list(struct keeper *k, const struct msg *m)
{
	int64_t		 limit = msg_int(m->env, "limit");
	json_t		*runs = json_array(), *run;
	sqlite3_stmt	*stmt;
	size_t		 bytes = 0;

	stmt = store_query(k->store,
	    "SELECT " QUERY_COLUMNS ", (SELECT count(*) FROM nodes"
	    " WHERE run = runs.num) FROM runs WHERE uid = ? OR ?"
	    " ORDER BY num DESC LIMIT ?", "iii", msg_int(m->env, "uid"),
	    (int64_t)msg_bool(m->env, "all"),
	    limit > 0 ? limit : (int64_t)LIST_DEFAULT);
	while (store_row(k->store, stmt)) {
		run = list_row(k, stmt);
		bytes += json_dumpb(run, NULL, 0, JSON_COMPACT) + 1;
		if (bytes > LIST_BYTES) {
			json_decref(run);
			(void)sqlite3_reset(stmt);	/* enough */
			break;
		}
		if (json_array_append_new(runs, run) == -1)
			fatalx("json_array_append_new");
	}
	return (keeper_pack("{s:o}", "runs", runs));
}

int
msg_run_query(struct peer *p, struct msg *m)
{
	struct keeper	*k = peer_ctx(p);
	const char	*what = msg_str(m->env, "what");
	const char	*id = msg_str(m->env, "run");
	json_t		*answer = NULL;
	int64_t		 num;

	if (strcmp(what, "list") == 0)
		answer = query_list(k, m);
	else if (id == NULL || (num = run_lookup(k, id,
	    msg_int(m->env, "uid"), msg_bool(m->env, "all"))) == 0)
		keeper_refuse(k, m->id, REFUSE_NOT_FOUND, "no such run: %s",
		    id == NULL ? "none named" : id);
	else if (strcmp(what, "show") == 0)
		answer = show_new(k, num);
	else if (strcmp(what, "result") == 0)
		answer = result_get(k, num);
	else
		keeper_refuse(k, m->id, REFUSE_USAGE,
		    "the keeper knows nothing of \"%s\"", what);
	if (answer != NULL)
		keeper_send_json(k, IMSG_ANSWER, m->id, NULL, answer);
	return (0);
}
