/*
 * What a script says of its own end may choose an exit code, by which others
 * act: it is believed only as far as our own record bears it out.
 */
#include <string.h>

#include "log.h"
#include "runs.h"

static int
is_same(const json_t *a, const json_t *b, const char *key)
{
	const json_t	*x = json_object_get(a, key);
	const json_t	*y = json_object_get(b, key);

	if (!json_is_string(x) || !json_is_string(y))
		return (!json_is_string(x) && !json_is_string(y));
	return (strcmp(json_string_value(x), json_string_value(y)) == 0);
}

/* Has the node that the error names failed with this class and cause? */
static int
node_has_failed(struct run *run, const char *path, const json_t *error)
{
	struct store	*st = run->keeper->store;
	sqlite3_stmt	*stmt;
	json_t		*outcome = NULL;
	int		 same;

	stmt = store_query(st, "SELECT value FROM nodes WHERE run = ?"
	    " AND path = ? AND state = 2 AND NOT ok", "is", run->num, path);
	if (!store_row(st, stmt))
		return (0);
	outcome = json_loads(store_text(stmt, 0), 0, NULL);
	(void)sqlite3_reset(stmt);	/* one row is all there is */
	if (outcome == NULL)
		fatalx("store: the outcome of %s is damaged", path);
	same = is_same(outcome, error, "class") &&
	    is_same(outcome, error, "cause");
	json_decref(outcome);
	return (same);
}

/* Was the script, in the jail that it has, told this node's outcome as its
 * past? Only then can it find that it no longer does what it did. */
static int
node_was_past(struct run *run, const char *path)
{
	return (store_int(run->keeper->store, 0, "SELECT count(*) FROM nodes"
	    " WHERE run = ? AND path = ? AND done <= ?", "isi", run->num,
	    path, run->past) > 0);
}

int
blame_holds(struct run *run, const json_t *error)
{
	const char	*class, *path;

	class = json_string_value(json_object_get(error, "class"));
	path = json_string_value(json_object_get(error, "node"));
	/* Who wants to run out of memory can do so in earnest. */
	if (class != NULL && strcmp(class, "MemoryError") == 0)
		return (1);
	if (class == NULL || path == NULL)
		return (0);
	if (strcmp(class, "NondeterminismError") == 0)
		return (node_was_past(run, path));
	return (node_has_failed(run, path, error));
}
