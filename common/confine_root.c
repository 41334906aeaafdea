/*
 * A new root: the given directory, or an empty read-only file system, or
 * (files) one with just what name resolution and TLS read.
 */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "confine_root.h"
#include "log.h"

/* Where the new root is put together: a directory that every host has. */
#define STAGE	"/tmp"

/* For getaddrinfo(3) and its modules, and for the certificate store. */
static const char *const	net_files[] = {
	"/etc/ca-certificates", "/etc/gai.conf", "/etc/host.conf",
	"/etc/hosts", "/etc/ld.so.cache", "/etc/nsswitch.conf",
	"/etc/resolv.conf", "/etc/services", "/etc/ssl/certs",
	"/lib", "/lib64", "/usr/lib", "/usr/lib64",
	"/usr/local/share/ca-certificates", "/usr/share/ca-certificates",
};

static void
make_parents(char *path)
{
	char	*slash;

	for (slash = strchr(path + 1, '/'); slash != NULL;
	    slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) == -1 && errno != EEXIST)
			fatal("confine: mkdir %s", path);
		*slash = '/';
	}
}

static void
make_target(const char *path, const struct stat *st)
{
	int	fd;

	if (S_ISDIR(st->st_mode)) {
		if (mkdir(path, 0755) == -1 && errno != EEXIST)
			fatal("confine: mkdir %s", path);
		return;
	}
	if ((fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644)) == -1)
		fatal("confine: create %s", path);
	(void)close(fd);
}

/* Show a file of the host at its place in the new root, read-only. */
static void
show(const char *file)
{
	struct mount_attr	attr = { .attr_set = MOUNT_ATTR_RDONLY |
				    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };
	struct stat		st;
	char			path[256];

	if (stat(file, &st) == -1)
		return;		/* this host has no such file */
	(void)snprintf(path, sizeof(path), "%s%s", STAGE, file);
	make_parents(path);
	make_target(path, &st);
	if (mount(file, path, NULL, MS_BIND | MS_REC, NULL) == -1)
		fatal("confine: bind %s", file);
	if (syscall(SYS_mount_setattr, AT_FDCWD, path, AT_RECURSIVE, &attr,
	    sizeof(attr)) == -1)
		fatal("confine: read-only %s", file);
}

static void
stage_build(const struct confine *cf)
{
	size_t	i;

	if (mount("wfsup", STAGE, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
	    "size=64k,nr_inodes=64,mode=755") == -1)
		fatal("confine: tmpfs");
	if (cf->files)
		for (i = 0; i < sizeof(net_files) / sizeof(net_files[0]); i++)
			show(net_files[i]);
	if (mount(NULL, STAGE, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY |
	    MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == -1)
		fatal("confine: read-only root");
}

void
confine_root(const struct confine *cf)
{
	const char	*root = cf->root;

	if (root == NULL) {
		root = STAGE;
		stage_build(cf);
	} else if (mount(root, root, NULL, MS_BIND | MS_REC, NULL) == -1)
		fatal("confine: bind %s", root);
	if (chdir(root) == -1)
		fatal("confine: chdir %s", root);
	/* The old root ends up stacked on the new one and is detached. */
	if (syscall(SYS_pivot_root, ".", ".") == -1)
		fatal("confine: pivot_root %s", root);
	if (umount2(".", MNT_DETACH) == -1)
		fatal("confine: detach the old root");
}
