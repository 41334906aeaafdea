/*
 * Runs in the store and in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "quota.h"
#include "runs.h"

RB_GENERATE(run_tree, run, entry, run_cmp)

/* Rows of unended runs, oldest first; the order of run_load()'s columns. */
const char	run_select_unended[] =
    "SELECT num, id, uid, gid, profile, name, workspace, dev, ino, budget,"
    " seed, phase, waiting, epoch, added, started, tokens_in, tokens_out,"
    " said, said_bytes,"
    " (SELECT max(now) FROM nodes WHERE run = runs.num),"
    " (SELECT max(done) FROM nodes WHERE run = runs.num),"
    " (SELECT max(seq) FROM events WHERE run = runs.num)"
    " FROM runs WHERE phase < 2 ORDER BY num";

int
run_cmp(const struct run *a, const struct run *b)
{
	return (strcmp(a->id, b->id));
}

struct run *
run_new(struct keeper *k)
{
	struct run	*run;

	if ((run = calloc(1, sizeof(*run))) == NULL)
		fatal("calloc");
	run->keeper = k;
	RB_INIT(&run->nodes);
	return (run);
}

/* The nodes must have been freed. */
void
run_grow(struct run *run, int64_t bytes)
{
	run->bytes += bytes;
	run->keeper->bytes += bytes;
}

void
run_free(struct run *run)
{
	run->keeper->bytes -= run->bytes;
	if (run->timer != NULL)
		event_free(run->timer);
	free(run->profile);
	free(run->name);
	free(run->workspace);
	free(run->waiting);
	free(run);
}

struct run *
run_find(struct keeper *k, const char *id)
{
	struct run	key;

	if (strlen(id) != RUN_ID_LEN)
		return (NULL);
	memcpy(key.id, id, RUN_ID_LEN + 1);
	return (RB_FIND(run_tree, &k->runs, &key));
}

int64_t
run_lookup(struct keeper *k, const char *id, int64_t uid, int all)
{
	return (store_int(k->store, 0,
	    "SELECT num FROM runs WHERE id = ? AND (uid = ? OR ?)", "sii",
	    id, uid, (int64_t)all));
}

void
run_insert(struct run *run, const char *script, size_t len)
{
	struct store	*st = run->keeper->store;

	(void)store_run(st,
	    "INSERT INTO runs (id, uid, gid, profile, name, workspace, dev,"
	    " ino, budget, script, seed, phase, added)"
	    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	    "siisssiiitsii", run->id, run->uid, run->gid, run->profile,
	    run->name, run->workspace, run->dev, run->ino, run->budget,
	    script, len, run->seed, (int64_t)run->phase, run->added);
	run->num = sqlite3_last_insert_rowid(store_db(st));
	run_grow(run, WEIGH_RUN + (int64_t)len);
	RB_INSERT(run_tree, &run->keeper->runs, run);
}

static char *
copy_text(sqlite3_stmt *stmt, int column)
{
	const char	*text = store_text(stmt, column);
	char		*copy;

	if (text == NULL)
		return (NULL);
	if ((copy = strdup(text)) == NULL)
		fatal("strdup");
	return (copy);
}

/* Columns of a fixed length: the store is ours, but it may be damaged. */
static void
copy_fixed(char *dst, size_t len, sqlite3_stmt *stmt, int column)
{
	const char	*text = store_text(stmt, column);

	if (text == NULL || strlen(text) != len)
		fatalx("store: a run's row is damaged");
	memcpy(dst, text, len + 1);
}

static enum run_phase
phase_get(int64_t n)
{
	if (n != PHASE_QUEUED && n != PHASE_ACTIVE)
		fatalx("store: a run's phase is %lld", (long long)n);
	return ((enum run_phase)n);
}

struct run *
run_load(struct keeper *k, sqlite3_stmt *stmt)
{
	struct run	*run = run_new(k);

	run->num = sqlite3_column_int64(stmt, 0);
	copy_fixed(run->id, RUN_ID_LEN, stmt, 1);
	run->uid = sqlite3_column_int64(stmt, 2);
	run->gid = sqlite3_column_int64(stmt, 3);
	run->profile = copy_text(stmt, 4);
	run->name = copy_text(stmt, 5);
	run->workspace = copy_text(stmt, 6);
	run->dev = sqlite3_column_int64(stmt, 7);
	run->ino = sqlite3_column_int64(stmt, 8);
	run->budget = sqlite3_column_int64(stmt, 9);
	copy_fixed(run->seed, RUN_SEED_LEN, stmt, 10);
	run->phase = phase_get(sqlite3_column_int64(stmt, 11));
	run->waiting = copy_text(stmt, 12);
	run->epoch = sqlite3_column_int64(stmt, 13);
	run->added = sqlite3_column_int64(stmt, 14);
	run->started = sqlite3_column_int64(stmt, 15);
	run->tokens_in = sqlite3_column_int64(stmt, 16);
	run->tokens_out = sqlite3_column_int64(stmt, 17);
	run->said = sqlite3_column_int64(stmt, 18);
	run->said_bytes = sqlite3_column_int64(stmt, 19);
	run->now = sqlite3_column_int64(stmt, 20);
	if (run->now < run->started)
		run->now = run->started;
	run->done = sqlite3_column_int64(stmt, 21);
	run->seq = sqlite3_column_int64(stmt, 22);
	run_grow(run, store_int(k->store, 0, store_weigh, "i", run->num));
	RB_INSERT(run_tree, &k->runs, run);
	return (run);
}

void
run_save_start(struct run *run)
{
	(void)store_run(run->keeper->store,
	    "UPDATE runs SET phase = ?, epoch = ?, started = ?"
	    " WHERE num = ?", "iiii", (int64_t)run->phase, run->epoch,
	    run->started, run->num);
}

void
run_save_waiting(struct run *run)
{
	(void)store_run(run->keeper->store,
	    "UPDATE runs SET waiting = ? WHERE num = ?", "si", run->waiting,
	    run->num);
}

void
run_save_said(struct run *run)
{
	(void)store_run(run->keeper->store,
	    "UPDATE runs SET said = ?, said_bytes = ? WHERE num = ?", "iii",
	    run->said, run->said_bytes, run->num);
}

void
run_save_end(struct run *run, const char *state, int exit, const char *result)
{
	(void)store_run(run->keeper->store,
	    "UPDATE runs SET phase = ?, waiting = NULL, ended = ?, state = ?,"
	    " exit = ?, result = ? WHERE num = ?", "iisisi",
	    (int64_t)run->phase, store_now_ms(), state, (int64_t)exit, result,
	    run->num);
	run_grow(run, (int64_t)strlen(result));
}

/* ---- what others may know of a run ---- */

int64_t
run_num(const struct run *run)
{
	return (run->num);
}

struct store *
run_store(const struct run *run)
{
	return (run->keeper->store);
}

struct event_base *
run_base(const struct run *run)
{
	return (run->keeper->base);
}

const struct config *
run_config(const struct run *run)
{
	return (run->keeper->config);
}

void
run_charge(struct run *run, int64_t tokens_in, int64_t tokens_out)
{
	run->tokens_in += tokens_in;
	run->tokens_out += tokens_out;
	(void)store_run(run->keeper->store,
	    "UPDATE runs SET tokens_in = ?, tokens_out = ? WHERE num = ?",
	    "iii", run->tokens_in, run->tokens_out, run->num);
}
