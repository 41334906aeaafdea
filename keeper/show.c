/*
 * All that is known about one run.
 */
#include <string.h>

#include "log.h"
#include "query.h"
#include "runs.h"
#include "text.h"

/* An answer must fit into one message, and on a screen. */
#define SHOW_RUNNING	100
#define SHOW_FAILED	20
#define SHOW_MESSAGE	1000	/* bytes of a failure's */

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

/* One that failed: value is its outcome, an error. */
static json_t *
show_failure(const char *path, const char *label, const char *value)
{
	json_t		*error = json_loads(value != NULL ? value : "",
			    JSON_DECODE_ANY, NULL), *row;
	const char	*class, *message;
	size_t		 len;

	class = json_string_value(json_object_get(error, "class"));
	message = json_string_value(json_object_get(error, "message"));
	if (message == NULL)
		message = "";
	len = strlen(message);
	row = keeper_pack("{s:s, s:s?, s:s, s:o, s:s?}", "node", path,
	    "label", label, "class", class != NULL ? class : "NodeError",
	    "message", json_stringn(message, text_cut(message, len,
	    SHOW_MESSAGE)), "cause",
	    json_string_value(json_object_get(error, "cause")));
	json_decref(error);
	return (row);
}

/* The nodes that failed first; how many there are is among the nodes. */
static json_t *
show_failed(struct keeper *k, int64_t num)
{
	sqlite3_stmt	*stmt;
	json_t		*list = json_array();

	stmt = store_query(k->store,
	    "SELECT path, label, value FROM nodes WHERE num IN (SELECT num"
	    " FROM nodes WHERE run = ? AND state = 2 AND NOT ok"
	    " ORDER BY done LIMIT ?) ORDER BY done", "ii", num,
	    (int64_t)SHOW_FAILED);
	while (store_row(k->store, stmt))
		if (json_array_append_new(list, show_failure(
		    store_text(stmt, 0), store_text(stmt, 1),
		    store_text(stmt, 2))) == -1)
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
	json_t	*run = query_common(k, stmt), *more;

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

json_t *
show_new(struct keeper *k, int64_t num)
{
	sqlite3_stmt	*stmt;
	json_t		*run;

	stmt = store_query(k->store, "SELECT " QUERY_COLUMNS ", gid, profile,"
	    " workspace, python, budget, epoch FROM runs WHERE num = ?", "i",
	    num);
	if (!store_row(k->store, stmt))
		fatalx("store: a run has gone");
	run = show_row(k, stmt);
	(void)sqlite3_reset(stmt);	/* one row is all there is */
	query_set(run, "error", show_error(k, num));
	query_set(run, "nodes", show_nodes(k, num));
	query_set(run, "running", show_running(k, num));
	query_set(run, "failed", show_failed(k, num));
	return (run);
}
