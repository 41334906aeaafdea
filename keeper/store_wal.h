/*
 * How the write-ahead log of a store is written: what one commit adds to it
 * goes out in one write.
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

#endif
