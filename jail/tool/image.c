/*
 * The image: the host's programs and libraries, read-only, and a few files
 * of our own in place of the host's /etc and /dev. It is put together once,
 * in the starter; a jail gets a copy of the mount namespace.
 */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../root.h"
#include "image.h"
#include "log.h"
#include "serve.h"

/* Where it is put together: a directory that every host has. */
#define STAGE		"/tmp"

#define RDONLY		(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID)

static const char *const	directories[] = {
	"dev", "etc", "proc", "tmp", "var", "usr", "workspace",
};

/* Symbolic links of every image. */
static const struct {
	const char	*name, *to;
} links[] = {
	{ "var/tmp",	"/tmp" },
	{ "dev/fd",	"/proc/self/fd" },
	{ "dev/stdin",	"/proc/self/fd/0" },
	{ "dev/stdout",	"/proc/self/fd/1" },
	{ "dev/stderr",	"/proc/self/fd/2" },
	{ "dev/shm",	"/tmp" },
};

/* Files of every image. passwd and group are each jail's own. */
static const struct {
	const char	*name, *text;
} files[] = {
	{ "etc/passwd",	"" },
	{ "etc/group",	"" },
	{ "etc/hosts",	"127.0.0.1 localhost\n::1 localhost\n" },
	{ "etc/nsswitch.conf",
	    "passwd: files\ngroup: files\nhosts: files\n" },
};

static const char *const	devices[] = {
	"dev/null", "dev/zero", "dev/full", "dev/random", "dev/urandom",
};

/* Beside /usr, of the host: directories or links into it, and what its
 * programs look up in /etc. Whatever a host does not have is left out. */
static const char *const	beside[] = {
	"bin", "sbin", "lib", "lib32", "lib64", "libx32",
	"etc/alternatives", "etc/ld.so.cache",
};

static void
path_in(char *path, size_t size, const char *name)
{
	if ((size_t)snprintf(path, size, STAGE IMAGE "/%s", name) >= size)
		fatalx("image: name too long: %s", name);
}

static void
make_file(const char *name, const char *text)
{
	char	path[PATH_MAX];
	int	fd;

	path_in(path, sizeof(path), name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd == -1 || write(fd, text, strlen(text)) !=
	    (ssize_t)strlen(text))
		fatal("image: %s", name);
	(void)close(fd);
}

static void
make_directory(const char *name)
{
	char	path[PATH_MAX];

	path_in(path, sizeof(path), name);
	if (mkdir(path, 0755) == -1 && errno != EEXIST)
		fatal("image: %s", name);
}

static void
make_link(const char *name, const char *to)
{
	char	path[PATH_MAX];

	path_in(path, sizeof(path), name);
	if (symlink(to, path) == -1)
		fatal("image: %s", name);
}

/* Show name of the directory rootfd here too, with these attributes. */
static void
bind_from(int rootfd, const char *name, uint64_t attributes)
{
	struct mount_attr	attr = { .attr_set = attributes };
	char			from[PATH_MAX], path[PATH_MAX];

	/* By way of /proc: the mount on STAGE may cover the root's path. */
	(void)snprintf(from, sizeof(from), "/proc/self/fd/%d/%s", rootfd,
	    name);
	path_in(path, sizeof(path), name);
	if (mount(from, path, NULL, MS_BIND | MS_REC, NULL) == -1)
		fatal("image: bind %s", name);
	if (syscall(SYS_mount_setattr, AT_FDCWD, path, AT_RECURSIVE, &attr,
	    sizeof(attr)) == -1)
		fatal("image: attributes of %s", name);
}

/* A directory, file or symbolic link of the root, if it is there. */
static void
copy_beside(int rootfd, const char *name)
{
	struct stat	st;
	char		to[PATH_MAX];
	ssize_t		n;

	if (fstatat(rootfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return;
	if (S_ISLNK(st.st_mode)) {
		n = readlinkat(rootfd, name, to, sizeof(to) - 1);
		if (n == -1)
			fatal("image: %s", name);
		to[n] = '\0';
		make_link(name, to);
		return;
	}
	if (S_ISDIR(st.st_mode))
		make_directory(name);
	else
		make_file(name, "");
	bind_from(rootfd, name, RDONLY | MOUNT_ATTR_NODEV);
}

static void
image_fill(int rootfd)
{
	size_t	i;

	for (i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		make_directory(directories[i]);
	for (i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		make_link(links[i].name, links[i].to);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		make_file(files[i].name, files[i].text);
	bind_from(rootfd, "usr", RDONLY | MOUNT_ATTR_NODEV);
	for (i = 0; i < sizeof(beside) / sizeof(beside[0]); i++)
		copy_beside(rootfd, beside[i]);
}

/* The host's own devices: a user namespace can't make any. */
static void
image_devices(int hostfd)
{
	size_t	i;

	for (i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		make_file(devices[i], "");
		bind_from(hostfd, devices[i], RDONLY | MOUNT_ATTR_NOEXEC);
	}
}

static void
tmpfs(const char *path, const char *options)
{
	if (mount("wfsup", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == -1)
		fatal("image: tmpfs on %s", path);
}

static void
read_only(const char *path)
{
	struct mount_attr	attr = { .attr_set = RDONLY |
				    MOUNT_ATTR_NODEV };

	if (syscall(SYS_mount_setattr, AT_FDCWD, path, 0, &attr,
	    sizeof(attr)) == -1)
		fatal("image: read-only %s", path);
}

/*
 * A proc of our own pid namespace. The kernel lets a jail mount its own only
 * where a whole one is in sight already, and the host's is about to go.
 */
static void
image_proc(void)
{
	if (mount("proc", STAGE "/proc", "proc", MS_NOSUID | MS_NODEV |
	    MS_NOEXEC, NULL) == -1)
		log_warn("no /proc in tool jails: this host shows only a part "
		    "of its own");
}

void
image_build(const char *root)
{
	int	hostfd, rootfd;

	root_private();
	if ((hostfd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) == -1 ||
	    (rootfd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC)) == -1)
		fatal("image: %s", root);
	tmpfs(STAGE, "size=64k,nr_inodes=16,mode=755");
	if (mkdir(STAGE IMAGE, 0755) == -1 ||
	    mkdir(STAGE SCRATCH, 0755) == -1 ||
	    mkdir(STAGE "/proc", 0755) == -1)
		fatal("image: directories");
	tmpfs(STAGE IMAGE, "size=256k,nr_inodes=64,mode=755");
	image_fill(rootfd);
	image_devices(hostfd);
	image_proc();
	(void)close(hostfd);
	(void)close(rootfd);
	if (root_enter(STAGE) == -1)
		fatal("image: pivot_root");
	read_only(IMAGE);
	read_only("/");
}
