/*
 * The write-ahead log: one write a commit.
 *
 * SQLite writes the log a frame's header and a page at a time, then syncs it.
 * Here they are gathered until it wants them synced or read. To SQLite that
 * is as if the operating system had them in its cache: a write that fails is
 * told by the sync, before anybody is told of the commit.
 */
#include <stdlib.h>
#include <string.h>

#include "store_wal.h"

/* Longer transactions go out in pieces of this: SQLite's file system of Unix
 * takes at most 0x1ffff bytes at once. */
#define GATHER_MAX	((size_t)31 * (4096 + 24))
_Static_assert(GATHER_MAX <= 0x1ffff, "more is cut off without a word");

struct wal_vfs {
	sqlite3_vfs	 base;
	sqlite3_vfs	*real;
};

struct wal_file {
	sqlite3_file	 base;
	sqlite3_file	*real;		/* in the same memory, behind this */
	char		*gathered;
	sqlite3_int64	 at;		/* where it belongs in the file */
	size_t		 len;
};

static struct wal_file *
wal_of(sqlite3_file *f)
{
	return ((struct wal_file *)f);
}

static int
gathered_write(struct wal_file *w)
{
	int	n = (int)w->len;

	if (n == 0)
		return (SQLITE_OK);
	w->len = 0;
	return (w->real->pMethods->xWrite(w->real, w->gathered, n, w->at));
}

/* What was never synced belongs to no commit. */
static int
wal_close(sqlite3_file *f)
{
	struct wal_file	*w = wal_of(f);

	free(w->gathered);
	w->gathered = NULL;
	return (w->real->pMethods->xClose(w->real));
}

static int
wal_read(sqlite3_file *f, void *buf, int n, sqlite3_int64 at)
{
	struct wal_file	*w = wal_of(f);
	int		 rc;

	if ((rc = gathered_write(w)) != SQLITE_OK)
		return (rc);
	return (w->real->pMethods->xRead(w->real, buf, n, at));
}

static int
wal_write(sqlite3_file *f, const void *buf, int n, sqlite3_int64 at)
{
	struct wal_file	*w = wal_of(f);
	size_t		 len = (size_t)n;
	int		 rc;

	if (w->len > 0 && (at != w->at + (sqlite3_int64)w->len ||
	    len > GATHER_MAX - w->len) &&
	    (rc = gathered_write(w)) != SQLITE_OK)
		return (rc);
	if (len > GATHER_MAX)
		return (w->real->pMethods->xWrite(w->real, buf, n, at));
	if (w->len == 0)
		w->at = at;
	memcpy(w->gathered + w->len, buf, len);
	w->len += len;
	return (SQLITE_OK);
}

static int
wal_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	struct wal_file	*w = wal_of(f);
	int		 rc;

	if ((rc = gathered_write(w)) != SQLITE_OK)
		return (rc);
	return (w->real->pMethods->xTruncate(w->real, size));
}

static int
wal_sync(sqlite3_file *f, int flags)
{
	struct wal_file	*w = wal_of(f);
	int		 rc;

	if ((rc = gathered_write(w)) != SQLITE_OK)
		return (rc);
	return (w->real->pMethods->xSync(w->real, flags));
}

static int
wal_size(sqlite3_file *f, sqlite3_int64 *size)
{
	struct wal_file	*w = wal_of(f);
	int		 rc;

	if ((rc = gathered_write(w)) != SQLITE_OK)
		return (rc);
	return (w->real->pMethods->xFileSize(w->real, size));
}

static int
wal_control(sqlite3_file *f, int op, void *arg)
{
	struct wal_file	*w = wal_of(f);

	return (w->real->pMethods->xFileControl(w->real, op, arg));
}

static int
wal_sector(sqlite3_file *f)
{
	struct wal_file	*w = wal_of(f);

	return (w->real->pMethods->xSectorSize(w->real));
}

static int
wal_device(sqlite3_file *f)
{
	struct wal_file	*w = wal_of(f);

	return (w->real->pMethods->xDeviceCharacteristics(w->real));
}

/* SQLite locks its database only, never the log. */
static const sqlite3_io_methods	wal_methods = {
	.iVersion = 1,
	.xClose = wal_close,
	.xRead = wal_read,
	.xWrite = wal_write,
	.xTruncate = wal_truncate,
	.xSync = wal_sync,
	.xFileSize = wal_size,
	.xFileControl = wal_control,
	.xSectorSize = wal_sector,
	.xDeviceCharacteristics = wal_device,
};

/* All files but the log are the real ones. */
static int
wal_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags,
    int *out)
{
	sqlite3_vfs	*real = ((struct wal_vfs *)vfs)->real;
	struct wal_file	*w = wal_of(f);
	int		 rc;

	if ((flags & SQLITE_OPEN_WAL) == 0)
		return (real->xOpen(real, name, f, flags, out));
	memset(w, 0, sizeof(*w));
	w->real = (sqlite3_file *)(w + 1);
	if ((w->gathered = malloc(GATHER_MAX)) == NULL)
		return (SQLITE_NOMEM);
	rc = real->xOpen(real, name, w->real, flags, out);
	/* With methods it is closed also if it could not be opened. */
	if (w->real->pMethods != NULL)
		w->base.pMethods = &wal_methods;
	else
		free(w->gathered);
	return (rc);
}

sqlite3_vfs *
wal_vfs_new(const char *name)
{
	sqlite3_vfs	*real = sqlite3_vfs_find(NULL);
	struct wal_vfs	*vfs;

	if (real == NULL || (vfs = malloc(sizeof(*vfs))) == NULL)
		return (NULL);
	vfs->real = real;
	vfs->base = *real;
	vfs->base.zName = name;
	vfs->base.szOsFile = (int)sizeof(struct wal_file) + real->szOsFile;
	vfs->base.pNext = NULL;
	vfs->base.xOpen = wal_open;
	if (sqlite3_vfs_register(&vfs->base, 0) != SQLITE_OK) {
		free(vfs);
		return (NULL);
	}
	return (&vfs->base);
}

void
wal_vfs_free(sqlite3_vfs *vfs)
{
	if (vfs != NULL)
		(void)sqlite3_vfs_unregister(vfs);	/* it is ours */
	free(vfs);
}
