/*
 * A file system for SQLite whose n-th write, sync or truncation fails, as on
 * a full or broken disk; all later ones fail too.
 */
#ifndef FAILING_VFS_H
#define FAILING_VFS_H

#include <sqlite3.h>
#include <string.h>

struct failing_file {
	sqlite3_file		 base;
	sqlite3_file		*real;
};

static sqlite3_vfs	*failing_real;
static sqlite3_vfs	 failing_vfs;
static long		 failing_at = -1, failing_count;

static int
failing_now(void)
{
	return (failing_at > 0 && ++failing_count >= failing_at);
}

#define REAL(f)	(((struct failing_file *)(f))->real)

static int
ff_close(sqlite3_file *f)
{
	return (REAL(f)->pMethods->xClose(REAL(f)));
}

static int
ff_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	return (REAL(f)->pMethods->xRead(REAL(f), p, n, at));
}

static int
ff_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	/* The half of it that a full disk still takes. */
	if (failing_now()) {
		(void)REAL(f)->pMethods->xWrite(REAL(f), p, n / 2, at);
		return (SQLITE_FULL);
	}
	return (REAL(f)->pMethods->xWrite(REAL(f), p, n, at));
}

static int
ff_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	if (failing_now())
		return (SQLITE_IOERR_TRUNCATE);
	return (REAL(f)->pMethods->xTruncate(REAL(f), size));
}

static int
ff_sync(sqlite3_file *f, int flags)
{
	if (failing_now())
		return (SQLITE_IOERR_FSYNC);
	return (REAL(f)->pMethods->xSync(REAL(f), flags));
}

static int
ff_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return (REAL(f)->pMethods->xFileSize(REAL(f), size));
}

static int
ff_lock(sqlite3_file *f, int how)
{
	return (REAL(f)->pMethods->xLock(REAL(f), how));
}

static int
ff_unlock(sqlite3_file *f, int how)
{
	return (REAL(f)->pMethods->xUnlock(REAL(f), how));
}

static int
ff_reserved(sqlite3_file *f, int *out)
{
	return (REAL(f)->pMethods->xCheckReservedLock(REAL(f), out));
}

static int
ff_control(sqlite3_file *f, int op, void *arg)
{
	return (REAL(f)->pMethods->xFileControl(REAL(f), op, arg));
}

static int
ff_sector(sqlite3_file *f)
{
	return (REAL(f)->pMethods->xSectorSize(REAL(f)));
}

static int
ff_character(sqlite3_file *f)
{
	return (REAL(f)->pMethods->xDeviceCharacteristics(REAL(f)));
}

static const sqlite3_io_methods	ff_methods = {
	.iVersion = 1,
	.xClose = ff_close,
	.xRead = ff_read,
	.xWrite = ff_write,
	.xTruncate = ff_truncate,
	.xSync = ff_sync,
	.xFileSize = ff_size,
	.xLock = ff_lock,
	.xUnlock = ff_unlock,
	.xCheckReservedLock = ff_reserved,
	.xFileControl = ff_control,
	.xSectorSize = ff_sector,
	.xDeviceCharacteristics = ff_character,
};

static int
ff_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags,
    int *out)
{
	struct failing_file	*ff = (struct failing_file *)f;
	int			 rc;

	(void)vfs;
	ff->real = (sqlite3_file *)(ff + 1);
	ff->base.pMethods = NULL;
	rc = failing_real->xOpen(failing_real, name, ff->real, flags, out);
	if (ff->real->pMethods != NULL)
		ff->base.pMethods = &ff_methods;
	return (rc);
}

/* From here on the n-th fails; 0: none. */
static void
failing_from(long n)
{
	if (failing_real == NULL) {
		failing_real = sqlite3_vfs_find(NULL);
		failing_vfs = *failing_real;
		failing_vfs.zName = "failing";
		failing_vfs.szOsFile = (int)sizeof(struct failing_file) +
		    failing_real->szOsFile;
		failing_vfs.xOpen = ff_open;
		failing_vfs.pNext = NULL;
		(void)sqlite3_vfs_register(&failing_vfs, 1);
	}
	failing_at = n;
	failing_count = 0;
}

#endif
