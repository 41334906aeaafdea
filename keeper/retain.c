/*
 * Forgetting: of the ended runs the newest are retained, so many and so many
 * bytes of them. The user that has most loses its oldest, so that nobody can
 * flush another's.
 */
#include "keeper.h"
#include "log.h"

/* What is deleted in one go, before others have their turn. */
#define PRUNE_MAX	16
#define PRUNE_NODES	4096
#define PRUNE_BYTES	(32LL * 1024 * 1024)
/* Until the next go. */
#define TIDY_MS		50

struct victim {
	int64_t	num, bytes;
};

void
retain_load(struct keeper *k)
{
	k->ended = store_int(k->store, 0, "SELECT count(*) FROM ended", "");
	k->ended_bytes = store_int(k->store, 0,
	    "SELECT sum(bytes) FROM ended", "");
}

void
retain_add(const struct run *run)
{
	struct keeper	*k = run->keeper;

	(void)store_run(k->store,
	    "INSERT INTO ended (num, uid, bytes) VALUES (?, ?, ?)", "iii",
	    run->num, run->uid, run->bytes);
	k->ended++;
	k->ended_bytes += run->bytes;
	k->ended_last = run->num;
}

static int
bytes_over(const struct keeper *k)
{
	int64_t	most = config_journal(k->config);

	return (k->ended_bytes > (most == 0 ? k->history : most));
}

static int
is_over(const struct keeper *k)
{
	return (k->ended > config_retain(k->config) || bytes_over(k));
}

/* Whom it hits. */
static int64_t
user_find(struct keeper *k)
{
	return (store_int(k->store, 0, bytes_over(k) ?
	    "SELECT uid FROM ended GROUP BY uid ORDER BY sum(bytes) DESC"
	    " LIMIT 1" :
	    "SELECT uid FROM ended GROUP BY uid ORDER BY count(*) DESC"
	    " LIMIT 1", ""));
}

/* A user's oldest. Somebody's look at a run keeps it; and however long it is,
 * the last one can be asked for its result. */
static size_t
victims_find(struct keeper *k, int64_t uid, struct victim found[PRUNE_MAX])
{
	sqlite3_stmt	*stmt;
	size_t		 n = 0;

	stmt = store_query(k->store,
	    "SELECT num, bytes FROM ended WHERE uid = ? ORDER BY num", "i",
	    uid);
	while (n < PRUNE_MAX && store_row(k->store, stmt)) {
		found[n].num = sqlite3_column_int64(stmt, 0);
		found[n].bytes = sqlite3_column_int64(stmt, 1);
		if (!follow_any(k, found[n].num) &&
		    (found[n].num != k->ended_last ||
		    k->ended > config_retain(k->config)))
			n++;
	}
	(void)sqlite3_reset(stmt);	/* the rest is not of interest */
	return (n);
}

/* Deletes a run, or some nodes of one that has many: -1. What belongs to it
 * goes with its row; a sandbox's row waits for its layer to be gone. */
static int
victim_delete(struct keeper *k, const struct victim *v)
{
	if (store_run(k->store, "DELETE FROM nodes WHERE num IN (SELECT num"
	    " FROM nodes WHERE run = ? LIMIT ?)", "ii", v->num,
	    (int64_t)PRUNE_NODES) == PRUNE_NODES)
		return (-1);
	(void)store_run(k->store, "DELETE FROM runs WHERE num = ?", "i",
	    v->num);
	k->ended--;
	k->ended_bytes -= v->bytes;
	return (0);
}

/* Returns whether anything could be done. */
static int
prune(struct keeper *k)
{
	struct victim	found[PRUNE_MAX];
	int64_t		bytes = 0;
	size_t		i, n;

	n = victims_find(k, user_find(k), found);
	for (i = 0; i < n && is_over(k) && bytes < PRUNE_BYTES; i++) {
		if (victim_delete(k, &found[i]) == -1)
			break;
		bytes += found[i].bytes;
	}
	return (n > 0);
}

/* One go. Returns whether there is more to do. A deletion needs room for the
 * log of it: on a full disk there may be none. */
static int
tidy(struct keeper *k)
{
	if (k->space == SPACE_NONE)
		return (0);
	if (k->space == SPACE_GOOD && is_over(k) && prune(k))
		return (1);
	return (store_give_back(k->store, space_wanted(space_total(k->store)),
	    k->space != SPACE_GOOD));
}

static void
tidy_due(int fd, short what, void *arg)
{
	struct keeper	*k = arg;

	(void)fd;
	(void)what;
	retain_prune(k);
}

void
retain_prune(struct keeper *k)
{
	struct timeval	tv = { .tv_usec = TIDY_MS * 1000 };

	if (k->config == NULL || !tidy(k))
		return;
	if (k->tidy == NULL &&
	    (k->tidy = evtimer_new(k->base, tidy_due, k)) == NULL)
		fatalx("evtimer_new");
	if (evtimer_add(k->tidy, &tv) == -1)
		fatalx("evtimer_add");
}

void
retain_close(struct keeper *k)
{
	if (k->tidy != NULL)
		event_free(k->tidy);
	k->tidy = NULL;
}
