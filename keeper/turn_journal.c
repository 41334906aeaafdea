/*
 * Journal slots and stream segments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "store.h"
#include "submission.h"
#include "turn_journal.h"

/* The owner of the submission, whatever its slot says. */
#define OWNED								\
	"EXISTS (SELECT 1 FROM submissions WHERE num = ?1"		\
	" AND attempt = ?2 AND status = 1)"

_Static_assert(STATUS_RUNNING == 1, "OWNED says it in SQL");

int
journal_before_provider(struct store *s, int64_t submission, int64_t attempt,
    int64_t turn, int64_t leaf)
{
	if (store_run(s, "INSERT INTO journal (submission, attempt, turn,"
	    " checkpoint_leaf, created, updated, phase, revision)"
	    " SELECT ?1, ?2, ?3, ?4, ?5, ?5, ?6, 1 WHERE " OWNED
	    " ON CONFLICT (submission) DO UPDATE SET attempt = ?2,"
	    " turn = ?3, checkpoint_leaf = ?4, updated = ?5, phase = ?6,"
	    " revision = revision + 1, tool_request = NULL,"
	    " stream_key = NULL, stream_consumed = NULL,"
	    " committed_leaf = NULL", "iiiiii", submission, attempt, turn,
	    leaf, store_now_ms(), (int64_t)JOURNAL_BEFORE_PROVIDER) != 1)
		return (0);
	(void)store_run(s, "DELETE FROM segments WHERE submission = ?", "i",
	    submission);
	return (1);
}

int
journal_provider_started(struct store *s, int64_t submission,
    int64_t attempt)
{
	return (store_run(s, "UPDATE journal SET phase = ?3, updated = ?4,"
	    " revision = revision + 1,"
	    " stream_key = ?1 || ':' || turn || ':' || ?2"
	    " WHERE submission = ?1 AND attempt = ?2 AND phase < ?3 AND "
	    OWNED, "iiii", submission, attempt,
	    (int64_t)JOURNAL_PROVIDER_STARTED, store_now_ms()) == 1);
}

int
journal_tools_recorded(struct store *s, int64_t submission, int64_t attempt,
    int64_t entry)
{
	return (store_run(s, "UPDATE journal SET phase = ?3, updated = ?4,"
	    " revision = revision + 1, tool_request = ?5"
	    " WHERE submission = ?1 AND attempt = ?2 AND phase < ?3 AND "
	    OWNED, "iiiii", submission, attempt,
	    (int64_t)JOURNAL_TOOLS_RECORDED, store_now_ms(), entry) == 1);
}

int
journal_commit(struct store *s, int64_t submission, int64_t attempt,
    int64_t leaf)
{
	return (store_run(s, "UPDATE journal SET phase = ?3, updated = ?4,"
	    " revision = revision + 1, committed_leaf = ?5"
	    " WHERE submission = ?1 AND attempt = ?2"
	    " AND committed_leaf IS NULL AND " OWNED, "iiiii", submission,
	    attempt, (int64_t)JOURNAL_COMMITTED, store_now_ms(), leaf) == 1);
}

int
journal_consume_stream(struct store *s, int64_t submission, int64_t attempt)
{
	return (store_run(s, "UPDATE journal SET stream_consumed = ?3,"
	    " revision = revision + 1 WHERE submission = ?1 AND attempt = ?2"
	    " AND committed_leaf IS NULL AND stream_key IS NOT NULL"
	    " AND stream_consumed IS NULL AND " OWNED, "iii", submission,
	    attempt, store_now_ms()) == 1);
}

void
journal_load(struct store *s, int64_t submission, struct journal *j)
{
	sqlite3_stmt	*st;
	const char	*key;

	memset(j, 0, sizeof(*j));
	st = store_query(s, "SELECT phase, attempt, turn, revision,"
	    " checkpoint_leaf, committed_leaf, stream_key, stream_consumed"
	    " FROM journal WHERE submission = ?", "i", submission);
	if (!store_row(s, st))
		return;
	j->phase = (enum journal_phase)sqlite3_column_int(st, 0);
	j->attempt = sqlite3_column_int64(st, 1);
	j->turn = sqlite3_column_int64(st, 2);
	j->revision = sqlite3_column_int64(st, 3);
	j->checkpoint_leaf = sqlite3_column_int64(st, 4);
	j->committed_leaf = sqlite3_column_int64(st, 5);
	if ((key = store_text(st, 6)) != NULL)
		(void)snprintf(j->stream_key, sizeof(j->stream_key), "%s",
		    key);
	j->stream_consumed = sqlite3_column_type(st, 7) != SQLITE_NULL;
	sqlite3_reset(st);
}

int
journal_segment(struct store *s, int64_t submission, int64_t attempt,
    int64_t n, const char *text, size_t len)
{
	return (store_run(s, "INSERT INTO segments (submission, stream, n,"
	    " text) SELECT ?1, stream_key, ?3, ?4 FROM journal"
	    " WHERE submission = ?1 AND attempt = ?2 AND phase = 2"
	    " AND stream_key IS NOT NULL AND " OWNED
	    " ON CONFLICT DO NOTHING", "iiit", submission, attempt, n, text,
	    len) == 1);
}
_Static_assert(JOURNAL_PROVIDER_STARTED == 2, "journal_segment() says it");

char *
journal_stream_text(struct store *s, int64_t submission,
    const char *stream_key)
{
	sqlite3_stmt	*st;
	char		*text = NULL;

	st = store_query(s, "SELECT group_concat(text, '') FROM (SELECT text"
	    " FROM segments WHERE submission = ? AND stream = ?"
	    " ORDER BY n)", "is", submission, stream_key);
	if (!store_row(s, st))
		return (NULL);
	if (store_text(st, 0) != NULL && *store_text(st, 0) != '\0' &&
	    (text = strdup(store_text(st, 0))) == NULL)
		fatal("strdup");
	sqlite3_reset(st);
	return (text);
}
