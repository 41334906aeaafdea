/*
 * Sandboxes: a name within a run, a number for all the others. A number's
 * row stays until the warden says that its layer is gone.
 */
#include "handlers.h"
#include "keeper.h"
#include "log.h"

int64_t
sandbox_get(struct run *run, const char *name)
{
	struct store	*st = run->keeper->store;
	int64_t		 num;

	num = store_int(st, 0,
	    "SELECT num FROM sandboxes WHERE run = ? AND name = ?", "is",
	    run->num, name);
	if (num != 0)
		return (num);
	(void)store_run(st, "INSERT INTO sandboxes (run, name) VALUES (?, ?)",
	    "is", run->num, name);
	return (sqlite3_last_insert_rowid(store_db(st)));
}

void
sandbox_close(struct run *run, int64_t number)
{
	keeper_send(run->keeper, IMSG_SANDBOX_CLOSE, 0,
	    keeper_pack("{s:s, s:I}", "run", run->id, "sandbox",
	    (json_int_t)number), NULL, 0);
}

/* Ask for the removal of those whose numbers stmt gives. */
static void
ask_removal(struct keeper *k, sqlite3_stmt *stmt)
{
	while (store_row(k->store, stmt))
		keeper_send(k, IMSG_SANDBOX_REMOVE, 0, keeper_pack("{s:I}",
		    "sandbox", (json_int_t)sqlite3_column_int64(stmt, 0)),
		    NULL, 0);
}

void
sandbox_end(struct run *run)
{
	struct keeper	*k = run->keeper;

	if (store_run(k->store,
	    "UPDATE sandboxes SET removing = 1 WHERE run = ?", "i",
	    run->num) > 0)
		ask_removal(k, store_query(k->store,
		    "SELECT num FROM sandboxes WHERE run = ?", "i",
		    run->num));
}

void
sandbox_remove_all(struct keeper *k)
{
	ask_removal(k, store_query(k->store,
	    "SELECT num FROM sandboxes WHERE removing = 1", ""));
}

/* One that could not be removed is asked for again at the next start. */
int
msg_sandbox_removed(struct peer *p, struct msg *m)
{
	struct keeper	*k = peer_ctx(p);
	int64_t		 num = msg_int(m->env, "sandbox");

	if (!msg_bool(m->env, "ok"))
		log_warnx("sandbox %lld could not be removed",
		    (long long)num);
	else
		(void)store_run(k->store, "DELETE FROM sandboxes"
		    " WHERE num = ? AND removing = 1", "i", num);
	return (0);
}
