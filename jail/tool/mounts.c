/*
 * A tool jail's own mounts on top of the image: who it is, its workspace,
 * /tmp and /proc; then the image is its root and the rest is out of sight.
 */
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../root.h"
#include "../steps.h"
#include "image.h"
#include "serve.h"

#define LOWER	SCRATCH "/lower"
#define LAYER	SCRATCH "/layer"
#define UPPER	LAYER "/upper"
#define WORK	LAYER "/work"

/* Files and directories in a file system that lives in memory. */
#define INODES	65536

static int
tmpfs(const char *path, int64_t size, const char *mode)
{
	char	options[96];

	(void)snprintf(options, sizeof(options), "size=%lld,nr_inodes=%d,"
	    "mode=%s", (long long)size, INODES, mode);
	return (mount("wfsup", path, "tmpfs", MS_NOSUID | MS_NODEV, options));
}

int
step_scratch(struct starter *st, struct jail *j)
{
	(void)st;
	(void)j;
	if (tmpfs(SCRATCH, 64 * 1024, "755") == -1 ||
	    mkdir(LOWER, 0755) == -1 || mkdir(LAYER, 0755) == -1)
		return (-1);
	return (0);
}

/* ---- /etc/passwd and /etc/group ---- */

static int
own_file(const char *from, const char *to, const char *text)
{
	ssize_t	n;
	int	fd;

	fd = open(from, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd == -1)
		return (-1);
	n = write(fd, text, strlen(text));
	(void)close(fd);
	if (n != (ssize_t)strlen(text) ||
	    mount(from, to, NULL, MS_BIND, NULL) == -1)
		return (-1);
	return (mount(NULL, to, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY |
	    MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL));
}

int
step_users(struct starter *st, struct jail *j)
{
	char	passwd[160], group[96];

	(void)st;
	(void)snprintf(passwd, sizeof(passwd),
	    "agent:x:%u:%u:agent:" WORKSPACE ":/bin/bash\n"
	    "nobody:x:65534:65534:nobody:/:/bin/false\n", j->uid, j->uid);
	(void)snprintf(group, sizeof(group), "agent:x:%u:\n"
	    "nogroup:x:65534:\n", j->uid);
	if (own_file(SCRATCH "/passwd", IMAGE "/etc/passwd", passwd) == -1)
		return (-1);
	return (own_file(SCRATCH "/group", IMAGE "/etc/group", group));
}

/* ---- the workspace ---- */

static int
attach(int fd, const char *path)
{
	return ((int)syscall(SYS_move_mount, fd, "", AT_FDCWD, path,
	    MOVE_MOUNT_F_EMPTY_PATH));
}

/* A sandbox without a layer on disk lives as long as its jail. */
static int
layer_in_memory(const struct jail *j)
{
	if (tmpfs(LAYER, j->memory / 2, "755") == -1 ||
	    mkdir(UPPER, 0755) == -1 || mkdir(WORK, 0755) == -1)
		return (-1);
	if (chown(UPPER, j->uid, j->uid) == -1)
		return (-1);
	return (chown(WORK, j->uid, j->uid));
}

/*
 * The overlay does what it does with the rights of whoever mounts it. Those
 * are to be the jail's: root of our user namespace is nobody on an id-mapped
 * layer, and must not lend a jail its rights on the workspace. But overlayfs
 * makes itself a directory of mode 0 in the work directory, and so needs
 * DAC_OVERRIDE. It does no harm: before the overlay looks at a file it lets
 * the jail do only what the jail may, and where an id is not mapped the
 * capability is worth nothing.
 */
static int
overlay(const struct starter *st, const struct jail *j)
{
	int	ret, saved;

	(void)setfsgid(j->uid);
	(void)setfsuid(j->uid);
	if (caps_set(st->ops->keep) == -1)
		return (-1);
	ret = mount("workspace", IMAGE WORKSPACE, "overlay", MS_NOSUID |
	    MS_NODEV, "lowerdir=" LOWER ",upperdir=" UPPER ",workdir=" WORK
	    ",userxattr");
	saved = errno;
	(void)setfsuid(0);
	(void)setfsgid(0);
	errno = saved;
	return (ret);
}

int
step_workspace(struct starter *st, struct jail *j)
{
	if (j->workspace != -1 && attach(j->workspace, LOWER) == -1)
		return (-1);
	if (j->layer != -1) {
		if (attach(j->layer, LAYER) == -1)
			return (-1);
	} else if (layer_in_memory(j) == -1)
		return (-1);
	return (overlay(st, j));
}

/* ---- the rest ---- */

int
step_tmp(struct starter *st, struct jail *j)
{
	(void)st;
	return (tmpfs(IMAGE "/tmp", j->memory / 2, "1777"));
}

/* Processes only: nothing of the machine. Where the kernel does not let us
 * the starter has said so, and the jail has none. */
int
step_proc(struct starter *st, struct jail *j)
{
	const unsigned long	flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

	(void)st;
	(void)j;
	if (mount("proc", IMAGE "/proc", "proc", flags, "subset=pid") == 0)
		return (0);
	return (errno == EPERM ? 0 : -1);
}

int
step_root(struct starter *st, struct jail *j)
{
	(void)st;
	(void)j;
	/* Leave the view of the host's cgroups behind too. */
	if (unshare(CLONE_NEWCGROUP) == -1 || root_enter(IMAGE) == -1)
		return (-1);
	return (chdir(WORKSPACE));
}
