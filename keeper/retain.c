/*
 * Forgetting: of the ended runs the newest are retained. The user that has
 * most of them loses its oldest, so that nobody can flush another's.
 */
#include "keeper.h"
#include "log.h"

/* Runs deleted in one go: more will end, and take others with them. */
#define PRUNE_MAX	16

static size_t
oldest(struct keeper *k, int64_t nums[PRUNE_MAX], int64_t want)
{
	sqlite3_stmt	*stmt;
	size_t		 n = 0;

	stmt = store_query(k->store,
	    "SELECT num FROM runs WHERE phase = 2 AND uid = (SELECT uid FROM"
	    " runs WHERE phase = 2 GROUP BY uid ORDER BY count(*) DESC"
	    " LIMIT 1) ORDER BY num LIMIT ?", "i",
	    want < PRUNE_MAX ? want : (int64_t)PRUNE_MAX);
	while (store_row(k->store, stmt))
		nums[n++] = sqlite3_column_int64(stmt, 0);
	return (n);
}

/* What belongs to a run goes with its row; a sandbox's row waits for its
 * layer to be gone. Somebody's look at a run keeps it. */
void
retain_prune(struct keeper *k)
{
	int64_t	nums[PRUNE_MAX], over;
	size_t	i, n;

	if (k->config == NULL)
		return;
	over = store_int(k->store, 0,
	    "SELECT count(*) FROM runs WHERE phase = 2", "") -
	    config_retain(k->config);
	if (over <= 0)
		return;
	n = oldest(k, nums, over);
	for (i = 0; i < n; i++)
		if (!follow_any(k, nums[i]))
			(void)store_run(k->store,
			    "DELETE FROM runs WHERE num = ?", "i", nums[i]);
}
