/*
 * A sandbox's layer goes: whatever names, modes, links and depths its jail
 * has left there.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"

static int	tree_entry(int top, const char *name, unsigned *n);

/* Do fn's work for each entry of a directory; takes dir. */
static int
tree_each(int dir, int top, unsigned *n,
    int (*fn)(int dir, int top, const char *name, unsigned *n))
{
	struct dirent	*de;
	DIR		*d;
	int		 error = 0;

	if ((d = fdopendir(dir)) == NULL) {
		error = errno;
		(void)close(dir);
		return (error);
	}
	while (error == 0 && (errno = 0, de = readdir(d)) != NULL)
		if (strcmp(de->d_name, ".") != 0 &&
		    strcmp(de->d_name, "..") != 0)
			error = fn(dirfd(d), top, de->d_name, n);
	if (error == 0)
		error = errno;
	(void)closedir(d);
	return (error);
}

/* A directory whose mode forbids it everything (overlay's work/work). */
static int
dir_open(int dir, const char *name)
{
	/* Whether it can be opened is seen in a moment. */
	if (fchmodat(dir, name, 0700, 0) == -1 && errno == ENOENT)
		return (-1);
	return (openat(dir, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/*
 * An entry below one of the top's: a file goes, an empty directory too, and
 * one that is not empty is moved up to the top, where its turn comes. So a
 * tree may be as deep as it likes without costing us stack or descriptors.
 */
static int
tree_lift(int dir, int top, const char *name, unsigned *n)
{
	char	to[32];

	if (unlinkat(dir, name, 0) == 0 ||
	    unlinkat(dir, name, AT_REMOVEDIR) == 0)
		return (0);
	if (errno != ENOTEMPTY && errno != EEXIST)
		return (errno);
	/* To be moved it has to be writable: its ".." changes. */
	if (fchmodat(dir, name, 0700, 0) == -1)
		return (errno);
	do {
		(void)snprintf(to, sizeof(to), ".removed-%u", (*n)++);
		if (renameat(dir, name, top, to) == 0)
			return (0);
	} while (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR);
	return (errno);
}

static int
tree_entry(int top, const char *name, unsigned *n)
{
	int	dir, error;

	if (unlinkat(top, name, 0) == 0)
		return (0);
	if ((dir = dir_open(top, name)) == -1)
		return (errno);
	if ((error = tree_each(dir, top, n, tree_lift)) != 0)
		return (error);
	return (unlinkat(top, name, AT_REMOVEDIR) == -1 ? errno : 0);
}

static int
tree_top(int dir, int top, const char *name, unsigned *n)
{
	(void)dir;
	return (tree_entry(top, name, n));
}

int
tree_remove(const char *path)
{
	unsigned	n = 0;
	int		top, error = 0;

	if ((top = dir_open(AT_FDCWD, path)) == -1)
		return (errno == ENOENT ? 0 : errno);
	/* Again while entries are lifted up behind the reader's back. */
	while (rmdir(path) == -1 && error == 0) {
		if (errno != ENOTEMPTY && errno != EEXIST)
			error = errno;
		else
			error = tree_each(openat(top, ".", O_RDONLY |
			    O_DIRECTORY | O_CLOEXEC), top, &n, tree_top);
	}
	(void)close(top);
	return (error);
}
