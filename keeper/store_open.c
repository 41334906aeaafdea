/*
 * A store's file, judged and made ready before anything reads from it.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"
#include "store_open.h"

/*
 * Another process has the file: a keeper of before that was killed and is
 * not quite dead yet, for so long this one tries again.
 */
#define BUSY_MS		100
#define BUSY_TRIES	20

static int
open_busy(void *arg, int tries)
{
	(void)arg;
	if (tries >= BUSY_TRIES)
		return (0);
	(void)poll(NULL, 0, BUSY_MS);
	return (1);
}

/* Run sql while opening, when failure is still an answer. */
static int
open_exec(sqlite3 *db, const char *sql, char *why, size_t whylen)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return (0);
	(void)snprintf(why, whylen, "%.60s: %s", sql,
	    sqlite3_errmsg(db));
	return (-1);
}

/* The first column of a pragma's first row as text, into buf. */
static int
open_ask(sqlite3 *db, const char *sql, char *buf, size_t len, char *why,
    size_t whylen)
{
	sqlite3_stmt	*stmt = NULL;
	int		 ok;

	ok = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW;
	if (ok)
		(void)snprintf(buf, len, "%s",
		    (const char *)sqlite3_column_text(stmt, 0));
	else
		(void)snprintf(why, whylen, "%.60s: %s", sql,
		    sqlite3_errmsg(db));
	(void)sqlite3_finalize(stmt);
	return (ok ? 0 : -1);
}

/* Is it ours, of which version? 0 if it is fresh, -1 if it is not. */
static int
open_judge(sqlite3 *db, char *why, size_t whylen)
{
	char		app[32], version[32], tables[32];
	long long	n;

	if (open_ask(db, "PRAGMA application_id", app, sizeof(app), why,
	    whylen) == -1 || open_ask(db, "PRAGMA user_version", version,
	    sizeof(version), why, whylen) == -1 ||
	    open_ask(db, "SELECT count(*) FROM sqlite_master", tables,
	    sizeof(tables), why, whylen) == -1)
		return (-1);
	if (strtoll(app, NULL, 10) == 0 && strtoll(version, NULL, 10) == 0 &&
	    strcmp(tables, "0") == 0)
		return (0);
	if (strtoll(app, NULL, 10) != STORE_APPLICATION) {
		(void)snprintf(why, whylen, "this is not a journal of wfsup");
		return (-1);
	}
	n = strtoll(version, NULL, 10);
	if (n < 1 || n > STORE_VERSION) {
		(void)snprintf(why, whylen, "the journal has version %s, this "
		    "program knows versions up to %d", version, STORE_VERSION);
		return (-1);
	}
	return ((int)n);
}

/* All of it or nothing: a store that could not be brought up to date is one
 * of the version before. */
static int
open_upgrade(sqlite3 *db, int version, char *why, size_t whylen)
{
	char	stamp[64];

	for (; version < STORE_VERSION; version++) {
		(void)snprintf(stamp, sizeof(stamp),
		    "PRAGMA user_version = %d; COMMIT", version + 1);
		if (open_exec(db, "BEGIN IMMEDIATE", why, whylen) == -1 ||
		    open_exec(db, store_upgrades[version], why,
		    whylen) == -1 || open_exec(db, stamp, why, whylen) == -1)
			return (-1);
	}
	return (0);
}

/* Stamp first, so that no half-made store can be taken for something else. */
static int
open_create(sqlite3 *db, char *why, size_t whylen)
{
	char	stamp[128];
	size_t	i;

	(void)snprintf(stamp, sizeof(stamp),
	    "BEGIN IMMEDIATE; PRAGMA application_id = %d; "
	    "PRAGMA user_version = %d", STORE_APPLICATION, STORE_VERSION);
	if (open_exec(db, stamp, why, whylen) == -1)
		return (-1);
	for (i = 0; store_schemas[i] != NULL; i++)
		if (open_exec(db, store_schemas[i], why, whylen) == -1)
			return (-1);
	return (open_exec(db, "COMMIT", why, whylen));
}

static int
open_settings(sqlite3 *db, char *why, size_t whylen)
{
	static const char *const	settings[] = {
		"PRAGMA temp_store = MEMORY",
		"PRAGMA journal_mode = WAL",
		"PRAGMA synchronous = FULL",
		"PRAGMA foreign_keys = ON",
		"PRAGMA trusted_schema = OFF",
		/* Else what is deleted is written once more, as zeros. */
		"PRAGMA secure_delete = FAST",
	};
	size_t	i;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (open_exec(db, settings[i], why, whylen) == -1)
			return (-1);
	return (0);
}

static int
open_check(sqlite3 *db, char *why, size_t whylen)
{
	char	verdict[256];

	if (open_ask(db, "PRAGMA quick_check(1)", verdict, sizeof(verdict),
	    why, whylen) == -1)
		return (-1);
	if (strcmp(verdict, "ok") == 0)
		return (0);
	(void)snprintf(why, whylen, "the journal is damaged: %s", verdict);
	return (-1);
}

/*
 * Exclusive locking keeps a second process out, and the index of the WAL in
 * our own memory: no shared memory file. It has to come before the first
 * read; the judgement before the first change.
 */
int
store_ready(sqlite3 *db, char *why, size_t whylen)
{
	int	version;

	if (sqlite3_busy_handler(db, open_busy, NULL) != SQLITE_OK ||
	    open_exec(db, "PRAGMA locking_mode = EXCLUSIVE", why,
	    whylen) == -1 ||
	    (version = open_judge(db, why, whylen)) == -1)
		return (-1);
	/* Only what has no page yet can be made to give pages back. */
	if (version == 0 && open_exec(db, "PRAGMA auto_vacuum = INCREMENTAL",
	    why, whylen) == -1)
		return (-1);
	if (open_settings(db, why, whylen) == -1)
		return (-1);
	if (version == 0)
		return (open_create(db, why, whylen));
	if (open_check(db, why, whylen) == -1)
		return (-1);
	return (open_upgrade(db, version, why, whylen));
}
