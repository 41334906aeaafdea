/*
 * How the write-ahead log of a store is written: what one commit adds to it
 * goes out in one write, into blocks that exist.
 */
#ifndef STORE_WAL_H
#define STORE_WAL_H

#include <sqlite3.h>

/*
 * Register SQLite's file system of this machine once more under name, which
 * is lent, with a log that gathers. Returns NULL if there is no memory; the
 * caller frees it with wal_vfs_free() after the last file is closed.
 */
sqlite3_vfs	*wal_vfs_new(const char *name);
void		 wal_vfs_free(sqlite3_vfs *);

/*
 * Make the log as long as it is before SQLite begins it anew, of zeros, which
 * are no frames, and let it be cut to that: no commit then changes the file's
 * size. Returns 1; or 0 if there is no room for it: nothing is lost then, and
 * the log grows as it needs to.
 */
int		 wal_fill(sqlite3 *);

/* The size that wal_fill() makes: 1024 frames and what is before them. */
#define WAL_BYTES	(1024 * (4096 + 24) + 32)

#endif
