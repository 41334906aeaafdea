/*
 * Attempts at files. The boundary is the root, which is empty and can't be
 * written; the filter lets no file be opened at all.
 */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"

#ifndef SYS_statmount
#define SYS_statmount	457
#define SYS_listmount	458
#endif

CALL(shadow, SYS_openat, AT_FDCWD, "/etc/shadow", O_RDONLY)
CALL(passwd, SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY)
CALL(proc, SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY)
CALL(memory, SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR)
CALL(kcore, SYS_openat, AT_FDCWD, "/proc/kcore", O_RDONLY)
CALL(sysctl, SYS_openat, AT_FDCWD, "/proc/sys/kernel/core_pattern", O_WRONLY)
CALL(sys, SYS_openat, AT_FDCWD, "/sys/kernel", O_RDONLY)
CALL(disk, SYS_openat, AT_FDCWD, "/dev/vda", O_RDONLY)
CALL(null, SYS_openat, AT_FDCWD, "/dev/null", O_RDWR)
CALL(list, SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY)
CALL(dotdot, SYS_openat, AT_FDCWD, "../../../../../../root", O_RDONLY)
CALL(creat, SYS_openat, AT_FDCWD, "/x", O_WRONLY | O_CREAT, 0600)
CALL(usr, SYS_openat, AT_FDCWD, "/usr/x", O_WRONLY | O_CREAT, 0600)
CALL(mkdir, SYS_mkdirat, AT_FDCWD, "/y", 0700)
CALL(symlink, SYS_symlinkat, "/etc/shadow", AT_FDCWD, "/z")
CALL(tmpfile, SYS_openat, AT_FDCWD, "/tmp", O_TMPFILE | O_RDWR, 0600)
CALL(chroot, SYS_chroot, ".")
CALL(mount, SYS_mount, "x", "/tmp", "tmpfs", 0, NULL)
CALL(remount, SYS_mount, NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL)
CALL(umount, SYS_umount2, "/proc", MNT_DETACH)
CALL(pivot, SYS_pivot_root, ".", ".")
CALL(open_tree, SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE)
CALL(fsopen, SYS_fsopen, "tmpfs", 0)
CALL(fspick, SYS_fspick, AT_FDCWD, "/", 0)
CALL(mknod, SYS_mknodat, AT_FDCWD, "node", S_IFBLK | 0600, 0x800)

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

const struct attempt	attempts_files[] = {
	{ "read shadow", try_shadow, 0, "empty root" },
	{ "read passwd", try_passwd, GIVEN, "empty root" },
	{ "proc", try_proc, GIVEN, "empty root" },
	{ "memory by proc", try_memory, GIVEN, "empty root" },
	{ "kcore", try_kcore, 0, "empty root" },
	{ "sysctl", try_sysctl, 0, "empty root" },
	{ "sys", try_sys, 0, "empty root" },
	{ "disk", try_disk, 0, "empty root" },
	{ "null device", try_null, GIVEN, "empty root" },
	{ "list the root", try_list, GIVEN | VARIES, "Landlock" },
	{ "dotdot", try_dotdot, 0, "empty root" },
	{ "create in /", try_creat, 0, "read-only root" },
	{ "create in /usr", try_usr, 0, "empty root" },
	{ "mkdir", try_mkdir, 0, "read-only root" },
	{ "symlink", try_symlink, 0, "read-only root" },
	{ "unnamed file", try_tmpfile, GIVEN, "empty root" },
	{ "chroot", try_chroot, 0, "no capability" },
	{ "mount", try_mount, 0, "no capability" },
	{ "remount", try_remount, 0, "no capability" },
	{ "umount", try_umount, 0, "no capability" },
	{ "pivot_root", try_pivot, 0, "no capability" },
	{ "open_tree", try_open_tree, 0, "no capability" },
	{ "fsopen", try_fsopen, 0, "no capability" },
	{ "fspick", try_fspick, 0, "no capability" },
	{ "mknod", try_mknod, 0, "read-only root" },
	{ "listmount", try_listmount, VARIES,
	    "kernel 6.8: asks for a capability" },
	{ "open by handle", try_handle, 0, "no capability" },
	{ NULL, NULL, 0, NULL }
};
