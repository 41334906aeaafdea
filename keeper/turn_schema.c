/*
 * The tables of submissions, their journal slots and their transcripts. The
 * numbers of kinds and phases are those of the enums: they never change
 * their meaning. Times are milliseconds since 1970.
 */
#include "agent.h"

const char	turn_schema_sql[] =
    "CREATE TABLE submissions ("
    " num INTEGER PRIMARY KEY,"
    " run INTEGER NOT NULL REFERENCES runs(num) ON DELETE CASCADE,"
    " node INTEGER NOT NULL UNIQUE,"
    " status INTEGER NOT NULL,"
    " attempt INTEGER NOT NULL DEFAULT 0,"	/* fence, and how many */
    " attempts_max INTEGER NOT NULL,"
    " retries INTEGER NOT NULL,"		/* left of those asked for */
    " accepted INTEGER NOT NULL, started INTEGER, applied INTEGER,"
    " due INTEGER,"				/* of this attempt */
    " deadline INTEGER,"			/* of all of them */
    " abort_requested INTEGER, settled INTEGER,"
    " leaf INTEGER,"				/* of the transcript */
    " error TEXT);"
    "CREATE INDEX submissions_run ON submissions(run);"

    /* A key makes an entry unique: written again, it changes nothing. */
    "CREATE TABLE entries ("
    " num INTEGER PRIMARY KEY,"
    " submission INTEGER NOT NULL"
    "  REFERENCES submissions(num) ON DELETE CASCADE,"
    " parent INTEGER, kind INTEGER NOT NULL, key TEXT NOT NULL,"
    " at INTEGER NOT NULL, body TEXT NOT NULL);"
    "CREATE UNIQUE INDEX entries_key ON entries(submission, key);"

    /* One slot a submission, replaced in place for each turn. */
    "CREATE TABLE journal ("
    " submission INTEGER PRIMARY KEY"
    "  REFERENCES submissions(num) ON DELETE CASCADE,"
    " attempt INTEGER NOT NULL, turn INTEGER NOT NULL,"
    " phase INTEGER NOT NULL, revision INTEGER NOT NULL,"
    " created INTEGER NOT NULL, updated INTEGER NOT NULL,"
    " checkpoint_leaf INTEGER, tool_request TEXT,"
    " stream_key TEXT, stream_consumed INTEGER,"
    " committed_leaf INTEGER);"

    /* What each call of the batch that entry asks for came to. */
    "CREATE TABLE outcomes ("
    " submission INTEGER NOT NULL"
    "  REFERENCES submissions(num) ON DELETE CASCADE,"
    " entry INTEGER NOT NULL, call INTEGER NOT NULL,"
    " attempt INTEGER NOT NULL, at INTEGER NOT NULL,"
    " ok INTEGER NOT NULL, ends INTEGER NOT NULL, body TEXT NOT NULL,"
    " PRIMARY KEY (submission, entry, call)) WITHOUT ROWID;"

    /* Text of a stream that has not ended, by stream key. */
    "CREATE TABLE segments ("
    " submission INTEGER NOT NULL"
    "  REFERENCES submissions(num) ON DELETE CASCADE,"
    " stream TEXT NOT NULL, n INTEGER NOT NULL, text TEXT NOT NULL,"
    " PRIMARY KEY (submission, stream, n)) WITHOUT ROWID;";
