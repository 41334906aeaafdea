/*
 * What the reader gives up, once, before it reads the first byte from the
 * supervisor.
 */
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <unistd.h>

#include "confine.h"
#include "log.h"
#include "reader.h"

/*
 * Nobody can foresee what the libraries of a user data base call. What they
 * have no use for: another program, mounts and namespaces, other ids, other
 * processes, and to be called upon.
 */
static const int	denied[] = {
	SCMP_SYS(execve), SCMP_SYS(execveat),
	SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root),
	SCMP_SYS(chroot), SCMP_SYS(move_mount), SCMP_SYS(open_tree),
	SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount),
	SCMP_SYS(fspick), SCMP_SYS(mount_setattr),
	SCMP_SYS(unshare), SCMP_SYS(setns),
	SCMP_SYS(setuid), SCMP_SYS(setreuid), SCMP_SYS(setresuid),
	SCMP_SYS(setfsuid), SCMP_SYS(setgid), SCMP_SYS(setregid),
	SCMP_SYS(setresgid), SCMP_SYS(setfsgid), SCMP_SYS(setgroups),
	SCMP_SYS(kill), SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_send_signal),
	SCMP_SYS(listen), SCMP_SYS(accept), SCMP_SYS(accept4),
	-1
};

/* Root may write its files without a capability: none can be written here. */
static void
files_read_only(void)
{
	struct mount_attr	attr = {
		.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID,
	};

	if (unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS) == -1)
		fatal("unshare");
	/* What is mounted later is seen here, too: a home, a key's device. */
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == -1)
		fatal("mounts of its own");
	if (syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &attr,
	    sizeof(attr)) == -1)
		fatal("read-only mounts");
}

void
rights_drop(void)
{
	struct rlimit	none = { 0, 0 };

	if (setgroups(0, NULL) == -1)
		fatal("setgroups");
	files_read_only();
	confine_caps(0);
	if (setrlimit(RLIMIT_CORE, &none) == -1 ||
	    prctl(PR_SET_DUMPABLE, 0) == -1 ||
	    /* After the change of capabilities, which may clear it. */
	    prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
		fatal("prctl");
	confine_deny(denied);
}
