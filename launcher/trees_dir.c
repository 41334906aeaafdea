/*
 * Making and removing cgroups, and clearing away what was left of a daemon
 * that was killed.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "trees_dir.h"

#define SWEEP_MS	20	/* between two tries to remove what was left */
#define SWEEP_TRIES	100

/*
 * The root of a version 1 hierarchy has no write bit, and the right to pass
 * over that may be gone. But it is root's, so the bit can be lent.
 */
static int
in_parent(const char *path, int (*fn)(const char *))
{
	char		 parent[512];
	struct stat	 st;
	int		 ret, saved;

	if ((ret = fn(path)) == 0 || errno != EACCES)
		return (ret);
	(void)snprintf(parent, sizeof(parent), "%.*s",
	    (int)(strrchr(path, '/') - path), path);
	if (stat(parent, &st) == -1 ||
	    chmod(parent, st.st_mode | S_IWUSR) == -1)
		return (-1);
	ret = fn(path);
	saved = errno;
	(void)chmod(parent, st.st_mode);
	errno = saved;
	return (ret);
}

static int
make(const char *path)
{
	return (mkdir(path, 0755));
}

int
trees_mkdir(const char *path)
{
	return (in_parent(path, make));
}

/*
 * Remove the cgroup of a dead supervisor with those of its jails, which die
 * with it, but not at once. Returns -1 if somebody is still in one.
 */
static int
sweep_try(const char *path)
{
	struct dirent	*de;
	DIR		*d;

	if ((d = opendir(path)) == NULL)
		return (errno == ENOENT ? 0 : -1);
	while ((de = readdir(d)) != NULL) {
		if (de->d_type != DT_DIR || de->d_name[0] == '.')
			continue;
		(void)unlinkat(dirfd(d), de->d_name, AT_REMOVEDIR);
	}
	(void)closedir(d);
	return (in_parent(path, rmdir));
}

void
trees_rmdir(const char *path)
{
	const struct timespec	wait = { 0, SWEEP_MS * 1000000L };
	int			tries;

	for (tries = 0; sweep_try(path) == -1; tries++) {
		if (tries == SWEEP_TRIES) {
			log_warn("%s is left", path);
			break;
		}
		(void)nanosleep(&wait, NULL);
	}
}

/* Our directory carries the supervisor's pid. */
void
trees_sweep(const char *parent)
{
	char		 path[1100];
	struct dirent	*de;
	DIR		*d;

	if ((d = opendir(parent)) == NULL)
		return;
	while ((de = readdir(d)) != NULL) {
		if (strncmp(de->d_name, "wfsup.", 6) != 0 ||
		    kill((pid_t)strtol(de->d_name + 6, NULL, 10), 0) == 0)
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", parent,
		    de->d_name);
		trees_rmdir(path);
	}
	(void)closedir(d);
}
