/*
 * The store: its statements, and the one transaction of a wake-up.
 */
#include <sys/queue.h>

#include <event2/event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "log.h"
#include "space.h"
#include "store.h"
#include "store_open.h"

struct cached {
	SLIST_ENTRY(cached)	 entry;
	const char		*sql;
	sqlite3_stmt		*stmt;
};

SLIST_HEAD(cached_list, cached);

struct store {
	sqlite3			*db;
	char			*path;
	struct cached_list	 cache;
	int			 pending;	/* a transaction has begun */
	int			 gave;		/* pages, to the disk */
	struct event		*commit;
	void			(*held)(void *), (*released)(void *);
	void			*ctx;
};

/* SQLite can't go on: neither can we. */
static void __attribute__((noreturn))
store_fail(struct store *st, const char *what)
{
	int	rc = sqlite3_errcode(st->db) & 0xff;

	/* Who comes after us has the reserve to work with. */
	if (rc == SQLITE_FULL || rc == SQLITE_IOERR)
		space_release(st);
	fatalx("store: %.80s: %s", what, sqlite3_errmsg(st->db));
}

/* Before its first use in this process, which has one thread and asks nobody
 * for memory that is not there: locks and counts of it are for others. */
static void
sqlite_spare(void)
{
	(void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

struct store *
store_open(const char *path, char *why, size_t whylen)
{
	struct store	*st;

	if ((st = calloc(1, sizeof(*st))) == NULL) {
		(void)snprintf(why, whylen, "out of memory");
		return (NULL);
	}
	SLIST_INIT(&st->cache);
	sqlite_spare();
	if ((st->path = strdup(path)) == NULL) {
		(void)snprintf(why, whylen, "out of memory");
		store_close(st);
		return (NULL);
	}
	if (sqlite3_open_v2(path, &st->db, SQLITE_OPEN_READWRITE |
	    SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
	    SQLITE_OPEN_PRIVATECACHE, NULL) != SQLITE_OK) {
		(void)snprintf(why, whylen, "%s: %s", path,
		    st->db == NULL ? "out of memory" : sqlite3_errmsg(st->db));
		store_close(st);
		return (NULL);
	}
	(void)sqlite3_extended_result_codes(st->db, 1);
	if (store_ready(st->db, why, whylen) == -1) {
		store_close(st);
		return (NULL);
	}
	return (st);
}

void
store_close(struct store *st)
{
	struct cached	*c;

	if (st == NULL)
		return;
	while ((c = SLIST_FIRST(&st->cache)) != NULL) {
		SLIST_REMOVE_HEAD(&st->cache, entry);
		(void)sqlite3_finalize(c->stmt);
		free(c);
	}
	if (st->commit != NULL)
		event_free(st->commit);
	(void)sqlite3_close(st->db);
	free(st->path);
	free(st);
}

/* ---- the transaction of a wake-up ---- */

static void
commit_due(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	store_commit(arg);
}

void
store_loop(struct store *st, struct event_base *base, void (*held)(void *),
    void (*released)(void *), void *ctx)
{
	if ((st->commit = event_new(base, -1, 0, commit_due, st)) == NULL)
		fatalx("event_new");
	st->held = held;
	st->released = released;
	st->ctx = ctx;
}

void
store_begin(struct store *st)
{
	if (st->pending)
		return;
	(void)store_row(st, store_prepare(st, "BEGIN IMMEDIATE"));
	st->pending = 1;
	if (st->held != NULL)
		st->held(st->ctx);
	/* Active at once: it runs after all that this pass has woken. */
	if (st->commit != NULL)
		event_active(st->commit, EV_TIMEOUT, 0);
}

void
store_commit(struct store *st)
{
	if (!st->pending)
		return;
	(void)store_row(st, store_prepare(st, "COMMIT"));
	st->pending = 0;
	if (st->released != NULL)
		st->released(st->ctx);
}

const char *
store_path(const struct store *st)
{
	return (st->path);
}

int
store_pending(const struct store *st)
{
	return (st->pending);
}

/* ---- free pages ---- */

/* What was given back is cut off the file when the log is written to it. */
static int
given_back(struct store *st)
{
	if (!st->gave)
		return (0);
	if (st->pending)
		return (1);
	st->gave = 0;
	if (sqlite3_wal_checkpoint_v2(st->db, NULL, SQLITE_CHECKPOINT_TRUNCATE,
	    NULL, NULL) != SQLITE_OK)
		log_warnx("store: checkpoint: %s", sqlite3_errmsg(st->db));
	return (0);
}

int
store_give_back(struct store *st, int64_t keep, int low)
{
	int64_t	pages = store_int(st, 0, "PRAGMA freelist_count", "");

	/* One that was made by version 1 can only use them again. */
	if (store_int(st, 0, "PRAGMA auto_vacuum", "") != 2)
		return (0);
	if (pages * store_int(st, 0, "PRAGMA page_size", "") <= keep)
		return (given_back(st));
	(void)store_run(st, low ? "PRAGMA incremental_vacuum(8)" :
	    "PRAGMA incremental_vacuum(128)", "");
	st->gave = 1;
	return (1);
}

int
store_place(struct store *st)
{
	int	in_log = -1, placed = -1;

	if (st->pending)
		return (0);
	return (sqlite3_wal_checkpoint_v2(st->db, NULL,
	    SQLITE_CHECKPOINT_PASSIVE, &in_log, &placed) == SQLITE_OK &&
	    in_log == placed);
}

int64_t
store_now_ms(void)
{
	return (clock_now());
}

/* ---- statements ---- */

sqlite3 *
store_db(struct store *st)
{
	return (st->db);
}

static sqlite3_stmt *
cached_find(struct store *st, const char *sql)
{
	struct cached	*c;

	/* Mostly it is the same literal. */
	SLIST_FOREACH(c, &st->cache, entry)
		if (c->sql == sql)
			return (c->stmt);
	SLIST_FOREACH(c, &st->cache, entry)
		if (strcmp(c->sql, sql) == 0)
			return (c->stmt);
	return (NULL);
}

sqlite3_stmt *
store_prepare(struct store *st, const char *sql)
{
	struct cached	*c;
	sqlite3_stmt	*stmt;

	if ((stmt = cached_find(st, sql)) != NULL) {
		(void)sqlite3_reset(stmt);	/* an old failure is told */
		(void)sqlite3_clear_bindings(stmt);
		return (stmt);
	}
	if ((c = calloc(1, sizeof(*c))) == NULL)
		fatal("calloc");
	if (sqlite3_prepare_v3(st->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
	    &c->stmt, NULL) != SQLITE_OK)
		store_fail(st, sql);
	c->sql = sql;
	SLIST_INSERT_HEAD(&st->cache, c, entry);
	return (c->stmt);
}

/* Texts are copied, or lent until the statement has run. */
static sqlite3_stmt *
store_bind(struct store *st, const char *sql, sqlite3_destructor_type copy,
    const char *types, va_list ap)
{
	sqlite3_stmt	*stmt = store_prepare(st, sql);
	const char	*text;
	int		 i, rc = SQLITE_OK;

	for (i = 0; types[i] != '\0' && rc == SQLITE_OK; i++)
		switch (types[i]) {
		case 'i':
			rc = sqlite3_bind_int64(stmt, i + 1,
			    va_arg(ap, int64_t));
			break;
		case 's':
			rc = sqlite3_bind_text(stmt, i + 1,
			    va_arg(ap, const char *), -1, copy);
			break;
		case 't':
			text = va_arg(ap, const char *);
			rc = sqlite3_bind_text64(stmt, i + 1, text,
			    va_arg(ap, size_t), copy, SQLITE_UTF8);
			break;
		default:
			fatalx("store: type %c", types[i]);
		}
	if (rc != SQLITE_OK)
		store_fail(st, sql);
	return (stmt);
}

sqlite3_stmt *
store_query(struct store *st, const char *sql, const char *types, ...)
{
	sqlite3_stmt	*stmt;
	va_list		 ap;

	va_start(ap, types);
	stmt = store_bind(st, sql, SQLITE_TRANSIENT, types, ap);
	va_end(ap);
	return (stmt);
}

int
store_row(struct store *st, sqlite3_stmt *stmt)
{
	switch (sqlite3_step(stmt)) {
	case SQLITE_ROW:
		return (1);
	case SQLITE_DONE:
		(void)sqlite3_reset(stmt);	/* it was done: nothing told */
		return (0);
	default:
		store_fail(st, sqlite3_sql(stmt));
	}
}

int
store_run(struct store *st, const char *sql, const char *types, ...)
{
	sqlite3_stmt	*stmt;
	va_list		 ap;

	store_begin(st);
	va_start(ap, types);
	stmt = store_bind(st, sql, SQLITE_STATIC, types, ap);
	va_end(ap);
	while (store_row(st, stmt))
		continue;
	return (sqlite3_changes(st->db));
}

int64_t
store_int(struct store *st, int64_t fallback, const char *sql,
    const char *types, ...)
{
	sqlite3_stmt	*stmt;
	va_list		 ap;

	va_start(ap, types);
	stmt = store_bind(st, sql, SQLITE_STATIC, types, ap);
	va_end(ap);
	if (!store_row(st, stmt))
		return (fallback);
	if (sqlite3_column_type(stmt, 0) != SQLITE_NULL)
		fallback = sqlite3_column_int64(stmt, 0);
	(void)sqlite3_reset(stmt);	/* one row is all there is */
	return (fallback);
}

const char *
store_text(sqlite3_stmt *stmt, int column)
{
	return ((const char *)sqlite3_column_text(stmt, column));
}
