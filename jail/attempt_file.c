/*
 * Attempts at files. In a script jail the boundary is the root, which is
 * empty and can't be written, and the filter lets no file be opened at all.
 * In a tool jail it is the image, which holds what programs need and can't be
 * written either; what is of the host in it is the host's root's.
 */
#include <sys/stat.h>
#include <sys/syscall.h>

#include <fcntl.h>
#include <unistd.h>

#include "attempt_table.h"

CALL(shadow, SYS_openat, AT_FDCWD, "/etc/shadow", O_RDONLY)
CALL(passwd, SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY)
CALL(proc, SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY)
CALL(memory, SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR)
CALL(kcore, SYS_openat, AT_FDCWD, "/proc/kcore", O_RDONLY)
CALL(sysctl, SYS_openat, AT_FDCWD, "/proc/sys/kernel/core_pattern", O_WRONLY)
CALL(sys, SYS_openat, AT_FDCWD, "/sys/kernel", O_RDONLY)
CALL(disk, SYS_openat, AT_FDCWD, "/dev/vda", O_RDONLY)
CALL(change, SYS_openat, AT_FDCWD, "/usr/bin/env", O_WRONLY)
CALL(passwd_write, SYS_openat, AT_FDCWD, "/etc/passwd", O_WRONLY)
CALL(etc, SYS_openat, AT_FDCWD, "/etc/x", O_WRONLY | O_CREAT, 0600)
CALL(null, SYS_openat, AT_FDCWD, "/dev/null", O_RDWR)
CALL(list, SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY)
CALL(dotdot, SYS_openat, AT_FDCWD, "../../../../../../root", O_RDONLY)
CALL(creat, SYS_openat, AT_FDCWD, "/x", O_WRONLY | O_CREAT, 0600)
CALL(usr, SYS_openat, AT_FDCWD, "/usr/x", O_WRONLY | O_CREAT, 0600)
CALL(mkdir, SYS_mkdirat, AT_FDCWD, "/y", 0700)
CALL(symlink, SYS_symlinkat, "/etc/shadow", AT_FDCWD, "/z")
CALL(tmpfile, SYS_openat, AT_FDCWD, "/tmp", O_TMPFILE | O_RDWR, 0600)
CALL(mknod, SYS_mknodat, AT_FDCWD, "node", S_IFBLK | 0600, 0x800)

const struct attempt	attempts_files[] = {
	{ "read shadow", try_shadow, EACH(0, "empty root",
	    UNFILTERED, "image, file modes") },
	{ "read passwd", try_passwd, SCRIPT(0, "empty root") },
	{ "proc", try_proc, SCRIPT(0, "empty root") },
	{ "memory by proc", try_memory, SCRIPT(0, "empty root") },
	{ "kcore", try_kcore, EACH(0, "empty root",
	    UNFILTERED, "proc of processes alone, no capability") },
	{ "sysctl", try_sysctl, EACH(0, "empty root",
	    UNFILTERED, "proc of processes alone, file modes") },
	{ "sys", try_sys, EACH(0, "empty root", UNFILTERED, "image") },
	{ "disk", try_disk, EACH(0, "empty root",
	    UNFILTERED, "image, file modes") },
	{ "null device", try_null, SCRIPT(0, "empty root") },
	{ "list the root", try_list, SCRIPT(VARIES, "Landlock") },
	{ "dotdot", try_dotdot, EACH(0, "empty root",
	    UNFILTERED, "image, file modes") },
	{ "create in /", try_creat, EACH(0, "read-only root",
	    UNFILTERED, "read-only image, file modes") },
	{ "create in /usr", try_usr, EACH(0, "empty root",
	    UNFILTERED, "read-only image, file modes") },
	{ "create in /etc", try_etc, EACH(0, "empty root",
	    UNFILTERED, "read-only image, file modes") },
	{ "change a program", try_change, EACH(0, "empty root",
	    UNFILTERED, "read-only image, file modes") },
	{ "change passwd", try_passwd_write, EACH(0, "empty root",
	    UNFILTERED, "read-only image, file modes") },
	{ "mkdir", try_mkdir, EACH(0, "read-only root",
	    UNFILTERED, "read-only image, file modes") },
	{ "symlink", try_symlink, EACH(0, "read-only root",
	    UNFILTERED, "read-only image, file modes") },
	{ "unnamed file", try_tmpfile, SCRIPT(0, "empty root") },
	{ "mknod", try_mknod, EACH(0, "read-only root",
	    UNFILTERED, "no capability, nodev") },
	ATTEMPT_END
};
