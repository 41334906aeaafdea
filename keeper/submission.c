/*
 * Rows of submissions. Each verb is one statement whose WHERE is the fence.
 */
#include "store.h"
#include "submission.h"

int64_t
submission_admit(struct store *s, int64_t run, int64_t node, int64_t retries,
    int64_t attempts_max)
{
	(void)store_run(s, "INSERT INTO submissions (run, node, status,"
	    " attempts_max, retries, accepted) VALUES (?, ?, ?, ?, ?, ?)"
	    " ON CONFLICT (node) DO NOTHING", "iiiiii", run, node,
	    (int64_t)STATUS_QUEUED, attempts_max, retries, store_now_ms());
	return (store_int(s, 0, "SELECT num FROM submissions WHERE node = ?",
	    "i", node));
}

int
submission_load(struct store *s, int64_t node, struct submission *sub)
{
	sqlite3_stmt	*st;

	st = store_query(s, "SELECT num, run, node, status, attempt,"
	    " attempts_max, retries, due, deadline, leaf, abort_requested"
	    " FROM submissions WHERE node = ?", "i", node);
	if (!store_row(s, st))
		return (0);
	sub->num = sqlite3_column_int64(st, 0);
	sub->run = sqlite3_column_int64(st, 1);
	sub->node = sqlite3_column_int64(st, 2);
	sub->status = (enum submission_status)sqlite3_column_int(st, 3);
	sub->attempt = sqlite3_column_int64(st, 4);
	sub->attempts_max = sqlite3_column_int64(st, 5);
	sub->retries = sqlite3_column_int64(st, 6);
	sub->due = sqlite3_column_int64(st, 7);
	sub->deadline = sqlite3_column_int64(st, 8);
	sub->leaf = sqlite3_column_int64(st, 9);
	sub->abort_requested = sqlite3_column_type(st, 10) != SQLITE_NULL;
	sqlite3_reset(st);
	return (1);
}

static int64_t
attempt_of(struct store *s, int64_t num)
{
	return (store_int(s, 0, "SELECT attempt FROM submissions"
	    " WHERE num = ?", "i", num));
}

int
submission_claim(struct store *s, int64_t num, int64_t due, int64_t deadline,
    int64_t *attempt)
{
	if (store_run(s, "UPDATE submissions SET status = ?,"
	    " attempt = attempt + 1, started = ?, due = nullif(?, 0),"
	    " deadline = coalesce(deadline, ?)"
	    " WHERE num = ? AND status = ?", "iiiiii",
	    (int64_t)STATUS_RUNNING, store_now_ms(), due, deadline, num,
	    (int64_t)STATUS_QUEUED) != 1)
		return (0);
	*attempt = attempt_of(s, num);
	return (1);
}

int
submission_requeue(struct store *s, int64_t num, int64_t attempt)
{
	return (store_run(s, "UPDATE submissions SET status = ?, due = NULL"
	    " WHERE num = ? AND attempt = ? AND status = ? AND leaf IS NULL",
	    "iiii", (int64_t)STATUS_QUEUED, num, attempt,
	    (int64_t)STATUS_RUNNING) == 1);
}

int
submission_apply(struct store *s, int64_t num, int64_t attempt)
{
	return (store_run(s, "UPDATE submissions"
	    " SET applied = coalesce(applied, ?)"
	    " WHERE num = ? AND attempt = ? AND status = ?", "iiii",
	    store_now_ms(), num, attempt, (int64_t)STATUS_RUNNING) == 1);
}

int
submission_replace(struct store *s, int64_t num, int64_t attempt,
    int64_t due, int64_t *next)
{
	if (store_run(s, "UPDATE submissions SET attempt = attempt + 1,"
	    " due = nullif(?, 0) WHERE num = ? AND attempt = ?"
	    " AND status = ?", "iiii", due, num, attempt,
	    (int64_t)STATUS_RUNNING) != 1)
		return (0);
	*next = attempt_of(s, num);
	(void)store_run(s, "UPDATE journal SET attempt = ?"
	    " WHERE submission = ? AND committed_leaf IS NULL", "ii", *next,
	    num);
	return (1);
}

int
submission_use_retry(struct store *s, int64_t num, int64_t attempt)
{
	return (store_run(s, "UPDATE submissions SET retries = retries - 1"
	    " WHERE num = ? AND attempt = ? AND status = ? AND retries > 0"
	    " AND attempt < attempts_max", "iii", num, attempt,
	    (int64_t)STATUS_RUNNING) == 1);
}

int
submission_abort(struct store *s, int64_t num)
{
	return (store_run(s, "UPDATE submissions SET abort_requested = ?"
	    " WHERE num = ? AND abort_requested IS NULL AND status <> ?",
	    "iii", store_now_ms(), num, (int64_t)STATUS_SETTLED) == 1);
}

int
submission_settle(struct store *s, int64_t num, int64_t attempt,
    const char *error)
{
	if (store_run(s, "UPDATE submissions SET status = ?, settled = ?,"
	    " error = ? WHERE num = ? AND attempt = ? AND status <> ?",
	    "iisiii", (int64_t)STATUS_SETTLED, store_now_ms(), error, num,
	    attempt, (int64_t)STATUS_SETTLED) != 1)
		return (0);
	(void)store_run(s, "DELETE FROM segments WHERE submission = ?", "i",
	    num);
	return (1);
}
