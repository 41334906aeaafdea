/*
 * Questions about runs. Whoever may not see a run is told what he would be
 * told if it were not there.
 */
#include <string.h>

#include "handlers.h"
#include "log.h"
#include "runs.h"

#define LIST_DEFAULT	50
/* An answer must fit into one message. */
#define LIST_BYTES	(900 * 1024)
#define SHOW_RUNNING	100

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

/* What list and show have in common. */
#define COMMON_COLUMNS	"id, name, state, phase, uid, added," \
			" started, ended, exit, tokens_in, tokens_out"
#define COMMON_COUNT	11

static json_t *
common_new(struct keeper *k, sqlite3_stmt *stmt)
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

static void
set(json_t *o, const char *key, json_t *v)
{
	if (json_object_set_new(o, key, v) == -1)
		fatalx("json_object_set_new: %s", key);
}

/* ---- list ---- */

static json_t *
list_row(struct keeper *k, sqlite3_stmt *stmt)
{
	json_t	*run = common_new(k, stmt);

	set(run, "tokens", json_integer(sqlite3_column_int64(stmt, 9) +
	    sqlite3_column_int64(stmt, 10)));
	set(run, "nodes", json_integer(sqlite3_column_int64(stmt,
	    COMMON_COUNT)));
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
	    "SELECT " COMMON_COLUMNS ", (SELECT count(*) FROM nodes"
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

/* ---- show ---- */

static json_t *
show_nodes(struct keeper *k, int64_t num)
{
	sqlite3_stmt	*stmt;
	json_t		*o;

	stmt = store_query(k->store,
	    "SELECT count(*), count(*) FILTER (WHERE state = 1),"
	    " count(*) FILTER (WHERE state = 2 AND ok),"
	    " count(*) FILTER (WHERE state = 2 AND NOT ok),"
	    " count(*) FILTER (WHERE state = 3) FROM nodes WHERE run = ?",
	    "i", num);
	if (!store_row(k->store, stmt))
		fatalx("store: counting gives no row");
	o = keeper_pack("{s:I, s:I, s:I, s:I, s:I}",
	    "total", (json_int_t)sqlite3_column_int64(stmt, 0),
	    "running", (json_int_t)sqlite3_column_int64(stmt, 1),
	    "done", (json_int_t)sqlite3_column_int64(stmt, 2),
	    "failed", (json_int_t)sqlite3_column_int64(stmt, 3),
	    "cancelled", (json_int_t)sqlite3_column_int64(stmt, 4));
	(void)sqlite3_reset(stmt);	/* one row is all there is */
	return (o);
}

/* The nodes that a run waits for. */
static json_t *
show_running(struct keeper *k, int64_t num)
{
	sqlite3_stmt	*stmt;
	json_t		*list = json_array();

	stmt = store_query(k->store,
	    "SELECT path, kind, what, label, phase, started FROM nodes"
	    " WHERE run = ? AND state = 1 LIMIT ?", "ii", num,
	    (int64_t)SHOW_RUNNING);
	while (store_row(k->store, stmt))
		if (json_array_append_new(list, keeper_pack(
		    "{s:s, s:s, s:s?, s:s?, s:s?, s:I}", "node",
		    store_text(stmt, 0), "kind", store_text(stmt, 1), "what",
		    store_text(stmt, 2), "label", store_text(stmt, 3),
		    "phase", store_text(stmt, 4), "started",
		    (json_int_t)sqlite3_column_int64(stmt, 5))) == -1)
			fatalx("json_array_append_new");
	return (list);
}

/* Why an ended run has failed, in short; null if it has not. */
static json_t *
show_error(struct keeper *k, int64_t num)
{
	static const char *const	 keys[] = { "class", "message",
					    "cause", "node", "line" };
	json_t				*result, *error, *brief;
	size_t				 i;

	result = result_get(k, num);
	error = json_object_get(result, "error");
	brief = json_is_object(error) ? json_object() : json_null();
	for (i = 0; json_is_object(brief) &&
	    i < sizeof(keys) / sizeof(keys[0]); i++)
		if (json_object_set(brief, keys[i],
		    json_object_get(error, keys[i])) == -1)
			fatalx("json_object_set: %s", keys[i]);
	json_decref(result);
	return (brief);
}

static json_t *
show_row(struct keeper *k, sqlite3_stmt *stmt)
{
	json_t	*run = common_new(k, stmt), *more;

	more = keeper_pack("{s:I, s:I, s:I, s:s, s:s?, s:s?, s:I, s:I}",
	    "tokens_in", (json_int_t)sqlite3_column_int64(stmt, 9),
	    "tokens_out", (json_int_t)sqlite3_column_int64(stmt, 10),
	    "gid", (json_int_t)sqlite3_column_int64(stmt, 11),
	    "profile", store_text(stmt, 12),
	    "workspace", store_text(stmt, 13),
	    "python", store_text(stmt, 14),
	    "budget", (json_int_t)sqlite3_column_int64(stmt, 15),
	    "epoch", (json_int_t)sqlite3_column_int64(stmt, 16));
	if (json_object_update(run, more) == -1)
		fatalx("json_object_update");
	json_decref(more);
	return (run);
}

static json_t *
query_show(struct keeper *k, int64_t num)
{
	sqlite3_stmt	*stmt;
	json_t		*run;

	stmt = store_query(k->store, "SELECT " COMMON_COLUMNS ", gid, profile,"
	    " workspace, python, budget, epoch FROM runs WHERE num = ?", "i",
	    num);
	if (!store_row(k->store, stmt))
		fatalx("store: a run has gone");
	run = show_row(k, stmt);
	(void)sqlite3_reset(stmt);	/* one row is all there is */
	set(run, "error", show_error(k, num));
	set(run, "nodes", show_nodes(k, num));
	set(run, "running", show_running(k, num));
	return (run);
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
		answer = query_show(k, num);
	else if (strcmp(what, "result") == 0)
		answer = result_get(k, num);
	else
		keeper_refuse(k, m->id, REFUSE_USAGE,
		    "the keeper knows nothing of \"%s\"", what);
	if (answer != NULL)
		keeper_send_json(k, IMSG_ANSWER, m->id, NULL, answer);
	return (0);
}
