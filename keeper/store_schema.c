/*
 * The tables. A change of them is a new STORE_VERSION, and what makes it of
 * the one before.
 *
 * runs.phase and nodes.state are the numbers of enum run_phase and enum
 * node_state. A node's "done" counts the completions of its run: replay goes
 * by it. Times are milliseconds since 1970. Each index is a page more in each
 * transaction of a node: there is none for what is asked seldom.
 */
#include <stddef.h>

#include "agent.h"
#include "quota.h"
#include "store.h"

/* What a run takes, of its row of runs: as run_grow() counts it. */
#define TEXT(number)	TEXT_(number)
#define TEXT_(number)	#number
#define BYTES(column)	"coalesce(length(CAST(" column " AS BLOB)), 0)"
#define SUM(row, bytes, from)						\
    " + (SELECT coalesce(sum(" TEXT(row) bytes "), 0) FROM " from		\
    ".run = runs.num)"
#define WEIGH								\
    TEXT(WEIGH_RUN) " + " BYTES("script") " + " BYTES("result")		\
    SUM(WEIGH_NODE, " + 2 * " BYTES("path") " + " BYTES("label") " + "	\
	BYTES("phase") " + " BYTES("input") " + " BYTES("value"),	\
	"nodes n WHERE n")						\
    SUM(WEIGH_EVENT, " + " BYTES("body"), "events e WHERE e")		\
    SUM(WEIGH_AGENT, "", "submissions s WHERE s")			\
    SUM(WEIGH_ENTRY, " + " BYTES("key") " + " BYTES("body"),		\
	"submissions s JOIN entries e ON e.submission = s.num WHERE s")	\
    SUM(WEIGH_OUTCOME, " + " BYTES("body"),				\
	"submissions s JOIN outcomes o ON o.submission = s.num WHERE s")

const char	store_weigh[] = "SELECT " WEIGH " FROM runs WHERE num = ?";

/* Of version 2. A row of runs is long: these are read for each end. */
#define ENDED_SQL							\
    "CREATE TABLE ended ("						\
    " num INTEGER PRIMARY KEY REFERENCES runs(num) ON DELETE CASCADE,"	\
    " uid INTEGER NOT NULL, bytes INTEGER NOT NULL);"

static const char	core_schema_sql[] =
    "CREATE TABLE runs ("
    " num INTEGER PRIMARY KEY AUTOINCREMENT,"
    " id TEXT NOT NULL UNIQUE,"
    " uid INTEGER NOT NULL, gid INTEGER NOT NULL,"
    " profile TEXT NOT NULL, name TEXT,"
    " workspace TEXT, dev INTEGER, ino INTEGER,"
    " budget INTEGER NOT NULL,"		/* tokens, 0 for none */
    " script TEXT NOT NULL,"		/* {"source", "args"} */
    " seed TEXT NOT NULL, python TEXT,"
    " phase INTEGER NOT NULL,"
    " epoch INTEGER NOT NULL DEFAULT 0,"
    " waiting TEXT,"
    " added INTEGER NOT NULL, started INTEGER, ended INTEGER,"
    " tokens_in INTEGER NOT NULL DEFAULT 0,"
    " tokens_out INTEGER NOT NULL DEFAULT 0,"
    " said INTEGER NOT NULL DEFAULT 0,"	/* events of the script */
    " said_bytes INTEGER NOT NULL DEFAULT 0,"
    " state TEXT, exit INTEGER, result TEXT);"
    "CREATE INDEX runs_phase ON runs(phase, num);"
    ENDED_SQL

    "CREATE TABLE nodes ("
    " num INTEGER PRIMARY KEY,"
    " run INTEGER NOT NULL REFERENCES runs(num) ON DELETE CASCADE,"
    " path TEXT NOT NULL, kind TEXT NOT NULL, digest TEXT NOT NULL,"
    " what TEXT,"			/* the tool or the agent */
    " model TEXT, label TEXT, phase TEXT,"
    " input TEXT NOT NULL,"
    " state INTEGER NOT NULL,"
    " started INTEGER NOT NULL, due INTEGER, ended INTEGER,"
    " done INTEGER, now INTEGER, spent INTEGER,"
    " tokens_in INTEGER NOT NULL DEFAULT 0,"
    " tokens_out INTEGER NOT NULL DEFAULT 0,"
    " ok INTEGER, value TEXT);"
    "CREATE UNIQUE INDEX nodes_path ON nodes(run, path);"

    "CREATE TABLE events ("
    " run INTEGER NOT NULL REFERENCES runs(num) ON DELETE CASCADE,"
    " seq INTEGER NOT NULL, at INTEGER NOT NULL,"
    " kind TEXT NOT NULL, body TEXT NOT NULL,"
    " PRIMARY KEY (run, seq)) WITHOUT ROWID;"

    /* A number is a directory's name: never given twice. */
    "CREATE TABLE sandboxes ("
    " num INTEGER PRIMARY KEY AUTOINCREMENT,"
    " run INTEGER NOT NULL, name TEXT NOT NULL,"
    " removing INTEGER NOT NULL DEFAULT 0);"
    "CREATE UNIQUE INDEX sandboxes_name ON sandboxes(run, name);";

const char *const	store_schemas[] = {
	core_schema_sql,
	turn_schema_sql,
	NULL
};

const char *const	store_upgrades[STORE_VERSION] = {
	[1] = ENDED_SQL
	    "INSERT INTO ended (num, uid, bytes) SELECT num, uid, " WEIGH
	    " FROM runs WHERE phase = 2;DROP INDEX IF EXISTS nodes_done;",
};
