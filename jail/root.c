/*
 * A new root by pivot_root(2): the old one is stacked on it and detached.
 */
#include <sys/mount.h>
#include <sys/syscall.h>

#include <unistd.h>

#include "log.h"
#include "root.h"

/* Where a new root is put together: a directory that every host has. */
#define STAGE	"/tmp"

void
root_private(void)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1)
		fatal("root: private mounts");
}

int
root_enter(const char *path)
{
	if (chdir(path) == -1 || syscall(SYS_pivot_root, ".", ".") == -1 ||
	    umount2(".", MNT_DETACH) == -1)
		return (-1);
	return (chdir("/"));
}

void
root_empty(void)
{
	const unsigned long	flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

	root_private();
	if (mount("wfsup", STAGE, "tmpfs", flags,
	    "size=64k,nr_inodes=16,mode=755") == -1)
		fatal("root: tmpfs");
	if (root_enter(STAGE) == -1)
		fatal("root: pivot_root");
	if (mount(NULL, "/", NULL, MS_REMOUNT | MS_RDONLY | flags,
	    "size=64k,nr_inodes=16,mode=755") == -1)
		fatal("root: read-only");
}
