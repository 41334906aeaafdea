/*
 * Attempts at mounts: other file systems, other rights on those in sight,
 * and files past all paths.
 */
#include <sys/mount.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "attempt_table.h"

#ifndef SYS_statmount
#define SYS_statmount	457
#define SYS_listmount	458
#endif

CALL(chroot, SYS_chroot, ".")
CALL(mount, SYS_mount, "x", "/tmp", "tmpfs", 0, NULL)
CALL(remount, SYS_mount, NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL)
CALL(umount, SYS_umount2, "/proc", MNT_DETACH)
CALL(pivot, SYS_pivot_root, ".", ".")
CALL(open_tree, SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE)
CALL(fsopen, SYS_fsopen, "tmpfs", 0)
CALL(fspick, SYS_fspick, AT_FDCWD, "/", 0)
CALL(fsmount, SYS_fsmount, -1, 0, 0)
CALL(move_mount, SYS_move_mount, AT_FDCWD, "/usr", AT_FDCWD, "/tmp", 0)
CALL(cgroupfs, SYS_mount, "x", "/tmp", "cgroup2", 0, NULL)
CALL(procfs, SYS_mount, "x", "/tmp", "proc", 0, NULL)

/* To make what is read-only writable. */
static int
try_writable(void)
{
	struct mount_attr	attr = { .attr_clr = MOUNT_ATTR_RDONLY };

	return (syscall(SYS_mount_setattr, AT_FDCWD, "/usr", 0, &attr,
	    sizeof(attr)) != -1);
}

/* What is mounted, told to one who has no /proc. */
static int
try_listmount(void)
{
	struct { uint32_t size, fd; uint64_t id, param, ns; } req;
	uint64_t	ids[16];

	memset(&req, 0, sizeof(req));
	req.size = 24;
	req.id = UINT64_MAX;	/* the root's */
	return (syscall(SYS_listmount, &req, ids, 16, 0) > 0);
}

/* The call that reads any file of a file system by number. EPERM before it
 * has looked at its arguments is what we want to see. */
static int
try_handle(void)
{
	struct {
		struct file_handle	h;
		char			bytes[8];
	} f;

	memset(&f, 0, sizeof(f));
	f.h.handle_bytes = sizeof(f.bytes);
	f.h.handle_type = 1;
	if (syscall(SYS_open_by_handle_at, AT_FDCWD, &f, O_RDONLY) != -1)
		return (1);
	return (errno == ESTALE);
}

const struct attempt	attempts_mounts[] = {
	{ "chroot", try_chroot, BOTH(0, "no capability") },
	{ "mount", try_mount, BOTH(0, "no capability") },
	{ "mount cgroups", try_cgroupfs, BOTH(0, "no capability") },
	{ "mount proc", try_procfs, BOTH(0, "no capability") },
	{ "remount", try_remount, BOTH(0, "no capability") },
	{ "mount_setattr", try_writable, BOTH(0, "no capability") },
	{ "umount", try_umount, BOTH(0, "no capability") },
	{ "pivot_root", try_pivot, BOTH(0, "no capability") },
	{ "open_tree", try_open_tree, BOTH(0, "no capability") },
	{ "move_mount", try_move_mount, BOTH(0, "no capability") },
	{ "fsopen", try_fsopen, BOTH(0, "no capability") },
	{ "fsmount", try_fsmount, BOTH(0, "no capability") },
	{ "fspick", try_fspick, BOTH(0, "no capability") },
	/* A tool jail's own mounts are also in its /proc. */
	{ "listmount", try_listmount, SCRIPT(VARIES,
	    "kernel 6.8: asks for a capability") },
	{ "open by handle", try_handle, BOTH(0, "no capability") },
	ATTEMPT_END
};
