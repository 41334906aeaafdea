/*
 * The store: one SQLite file, and one transaction for all that one wake-up
 * of the event loop drained. Whatever SQLite can't do (disk full, a damaged
 * file) is fatal: nothing held back has been sent, and the supervisor starts
 * the keeper again.
 */
#ifndef STORE_H
#define STORE_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

struct event_base;
struct store;

/* "wfsp", and the version of the tables in store_schema.c. */
#define STORE_APPLICATION	0x77667370
#define STORE_VERSION		2

/* What makes the tables of a fresh store, in order; ends with NULL. Tables of
 * the turn that belong to a run reference runs(num) ON DELETE CASCADE. */
extern const char *const store_schemas[];
/* What makes the next version of each but the last. */
extern const char *const store_upgrades[STORE_VERSION];
/* What a run takes, by its number: see quota.h. */
extern const char	 store_weigh[];

/*
 * Open or create the store at path. Returns NULL with a sentence in why if
 * it is damaged, foreign, of another version or used by another process.
 */
struct store	*store_open(const char *path, char *why, size_t whylen);
/* Rolls back what was not committed. */
void		 store_close(struct store *);

/*
 * Commit at the end of the loop pass that began a transaction. held() is
 * called when one begins, released() after its commit.
 */
void	 store_loop(struct store *, struct event_base *,
	    void (*held)(void *), void (*released)(void *), void *ctx);
/* Begin this wake-up's transaction, unless it has begun. */
void	 store_begin(struct store *);
/* Commit now what has begun, if anything has. */
void	 store_commit(struct store *);
int	 store_pending(const struct store *);
/* The name it was opened with; lent. */
const char	*store_path(const struct store *);

sqlite3	*store_db(struct store *);
/* The cached statement of a constant text, reset and without bindings. */
sqlite3_stmt	*store_prepare(struct store *, const char *sql);

/*
 * Bind the arguments as types says: i int64_t, s text or NULL, t text and
 * size_t length. store_query() returns the statement for store_row();
 * store_run() begins the transaction, runs it to its end and returns how
 * many rows it changed.
 */
sqlite3_stmt	*store_query(struct store *, const char *sql,
		    const char *types, ...);
int		 store_run(struct store *, const char *sql,
		    const char *types, ...);
/* Step to the next row: 1, or 0 at the end (the statement is then reset).
 * Whoever stops before the end calls sqlite3_reset(). */
int		 store_row(struct store *, sqlite3_stmt *);
/* The first column of the only row, or fallback if there is none or NULL. */
int64_t		 store_int(struct store *, int64_t fallback, const char *sql,
		    const char *types, ...);
/* Text of a column, lent until the next step; NULL for NULL. */
const char	*store_text(sqlite3_stmt *, int column);

/*
 * Give some free pages back to the disk, if there are more bytes of them than
 * keep: few pages if room is low. Returns 1 if it should be called again.
 */
int	 store_give_back(struct store *, int64_t keep, int low);

/* Write all of the log to its place, so that it is begun anew. 0 if that can't
 * be just now. */
int	 store_place(struct store *);

/* Milliseconds since 1970. */
int64_t		 store_now_ms(void);

#endif
