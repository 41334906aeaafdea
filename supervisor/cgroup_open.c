/*
 * Where jails' cgroups go: found or made once, while the supervisor starts,
 * and cleared away at its end, or at the start after one that was killed.
 */
#include <sys/stat.h>
#include <sys/vfs.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cgroup_impl.h"
#include "log.h"

#define SWEEP_MS	20	/* between two tries to remove what was left */
#define SWEEP_TRIES	50

static const char *const	v2_mounts[] = {
	"/sys/fs/cgroup", "/sys/fs/cgroup/unified"
};

/* ---- files ---- */

static int
put(const char *dir, const char *name, const char *text)
{
	char	path[1024];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return (cgroup_put(AT_FDCWD, path, text));
}

/* Remember what failed, for an administrator. Always -1. */
static int
failed(struct cgroups *cg, const char *dir, const char *file)
{
	(void)snprintf(cg->why, sizeof(cg->why), "%s%s%s: %s", dir,
	    file != NULL ? "/" : "", file != NULL ? file : "",
	    strerror(errno));
	return (-1);
}

/* A plain directory of the right name would take limits and keep none. */
static int
is_cgroup(const char *path, long type)
{
	struct statfs	fs;

	return (statfs(path, &fs) == 0 && fs.f_type == type);
}

/* Our own cgroup in the hierarchy of a controller ("": version 2). */
static int
own_cgroup(const char *controller, char *path, size_t len)
{
	char	 line[600], *list, *where;
	size_t	 n = strlen(controller);
	FILE	*f;

	if ((f = fopen("/proc/self/cgroup", "re")) == NULL)
		return (-1);
	path[0] = '\0';
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if ((list = strchr(line, ':')) == NULL ||
		    (where = strchr(++list, ':')) == NULL)
			continue;
		*where++ = '\0';
		if (strncmp(list, controller, n) == 0 &&
		    (list[n] == '\0' || list[n] == ','))
			(void)snprintf(path, len, "%s",
			    strcmp(where, "/") == 0 ? "" : where);
	}
	(void)fclose(f);
	return (0);
}

/* ---- where jails' cgroups go ---- */

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

/*
 * Remove the cgroup of a dead supervisor with those of its jails, which die
 * with it, but not at once. Returns -1 if somebody is still in one.
 */
static int
sweep_try(const char *path)
{
	char		 sub[1400];
	struct dirent	*de;
	DIR		*d;

	if ((d = opendir(path)) == NULL)
		return (errno == ENOENT ? 0 : -1);
	while ((de = readdir(d)) != NULL) {
		if (de->d_type != DT_DIR || de->d_name[0] == '.')
			continue;
		(void)snprintf(sub, sizeof(sub), "%s/cgroup.procs",
		    de->d_name);
		cgroup_kill_in(dirfd(d), sub);
		(void)unlinkat(dirfd(d), de->d_name, AT_REMOVEDIR);
	}
	(void)closedir(d);
	return (in_parent(path, rmdir));
}

/*
 * Our directory carries our pid. One whose process is gone was left by a
 * supervisor that could not clean up: remove it.
 */
static void
sweep(const char *parent)
{
	const struct timespec	 wait = { 0, SWEEP_MS * 1000000L };
	char			 path[1100];
	struct dirent		*de;
	DIR			*d;
	int			 tries;

	if ((d = opendir(parent)) == NULL)
		return;
	while ((de = readdir(d)) != NULL) {
		if (strncmp(de->d_name, "wfsup.", 6) != 0 ||
		    kill((pid_t)strtol(de->d_name + 6, NULL, 10), 0) == 0)
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", parent,
		    de->d_name);
		for (tries = 0; sweep_try(path) == -1; tries++) {
			if (tries == SWEEP_TRIES) {
				log_warn("%s is left", path);
				break;
			}
			(void)nanosleep(&wait, NULL);
		}
	}
	(void)closedir(d);
}

/* Make and open parent/wfsup.PID as tree i. */
static int
tree_make(struct cgroups *cg, int i, const char *parent)
{
	sweep(parent);
	(void)snprintf(cg->path[i], sizeof(cg->path[i]), "%s/wfsup.%d",
	    parent, getpid());
	if (in_parent(cg->path[i], make) == -1 && errno != EEXIST) {
		(void)failed(cg, cg->path[i], NULL);
		cg->path[i][0] = '\0';
		return (-1);
	}
	cg->dir[i] = open(cg->path[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return (cg->dir[i] == -1 ? failed(cg, cg->path[i], NULL) : 0);
}

static void
tree_remove(struct cgroups *cg, int i)
{
	if (cg->dir[i] != -1)
		(void)close(cg->dir[i]);
	cg->dir[i] = -1;
	if (cg->path[i][0] != '\0' && in_parent(cg->path[i], rmdir) == -1)
		log_warn("%s is left", cg->path[i]);
	cg->path[i][0] = '\0';
}

static int
v2_limits(struct cgroups *cg, const char *parent)
{
	static const char	file[] = "cgroup.subtree_control";

	if (put(parent, file, "+memory +pids") == -1)
		return (failed(cg, parent, file));
	if (tree_make(cg, 0, parent) == -1)
		return (-1);
	if (put(cg->path[0], file, "+memory +pids") == 0)
		return (0);
	(void)failed(cg, cg->path[0], file);
	tree_remove(cg, 0);
	return (-1);
}

/*
 * Version 2 below parent: processes may only be in leaves, so if parent is
 * our own cgroup we move to one first.
 */
static int
v2_below(struct cgroups *cg, const char *parent, int own)
{
	char	leaf[700];

	if (own) {
		(void)snprintf(leaf, sizeof(leaf), "%s/supervisor", parent);
		if (mkdir(leaf, 0755) == -1 && errno != EEXIST)
			return (failed(cg, leaf, NULL));
		if (put(leaf, "cgroup.procs", "0") == -1)
			return (failed(cg, leaf, "cgroup.procs"));
	}
	if (v2_limits(cg, parent) == 0) {
		if (own)
			(void)snprintf(cg->home, sizeof(cg->home), "%s",
			    parent);
		cg->version = 2;
		cg->ntrees = 1;
		return (0);
	}
	if (own) {
		(void)put(parent, "cgroup.procs", "0");
		(void)rmdir(leaf);
	}
	return (-1);
}

/* The configured cgroup, or our own, or, where others live in ours, the
 * root, which may have both processes and children. */
static int
v2_open(struct cgroups *cg, const char *wanted)
{
	char	own[512], parent[560];
	size_t	i;

	(void)snprintf(cg->why, sizeof(cg->why), "not mounted");
	for (i = 0; i < sizeof(v2_mounts) / sizeof(v2_mounts[0]); i++) {
		if (!is_cgroup(v2_mounts[i], CGROUP2_SUPER_MAGIC) ||
		    own_cgroup("", own, sizeof(own)) == -1)
			continue;
		(void)snprintf(parent, sizeof(parent), "%s%s", v2_mounts[i],
		    wanted != NULL ? wanted : own);
		if (v2_below(cg, parent, wanted == NULL &&
		    own[0] != '\0') == 0)
			return (0);
		if (wanted == NULL && v2_below(cg, v2_mounts[i], 0) == 0)
			return (0);
	}
	return (-1);
}

static int
v1_open(struct cgroups *cg, const char *wanted)
{
	static const char *const	 controllers[] = { "memory", "pids" };
	char				 own[256], parent[560];
	int				 i;

	for (i = 0; i < CGROUP_TREES; i++) {
		if (own_cgroup(controllers[i], own, sizeof(own)) == -1)
			return (-1);
		(void)snprintf(parent, sizeof(parent), "/sys/fs/cgroup/%s%s",
		    controllers[i], wanted != NULL ? wanted : own);
		if (!is_cgroup(parent, CGROUP_SUPER_MAGIC)) {
			(void)snprintf(cg->why, sizeof(cg->why), "%s: no "
			    "cgroup of the %s controller", parent,
			    controllers[i]);
			return (-1);
		}
		if (tree_make(cg, i, parent) == -1)
			return (-1);
	}
	cg->version = 1;
	cg->ntrees = CGROUP_TREES;
	return (0);
}

static struct cgroups *
cgroups_new(void)
{
	struct cgroups	*cg;

	if ((cg = calloc(1, sizeof(*cg))) == NULL)
		fatal("cgroups_new");
	cg->dir[0] = cg->dir[1] = -1;
	return (cg);
}

struct cgroups *
cgroups_open(const char *path, char *why, size_t whylen)
{
	struct cgroups	*cg = cgroups_new(), *v2;

	if (v2_open(cg, path) == 0)
		return (cg);
	v2 = cg;
	cg = cgroups_new();
	if (v1_open(cg, path) == 0) {
		cgroups_close(v2);
		return (cg);
	}
	(void)snprintf(why, whylen, "jails need a cgroup for their limits: "
	    "version 2 with memory and pids (in a unit: Delegate=memory "
	    "pids): %s; version 1: %s", v2->why, cg->why);
	cgroups_close(v2);
	cgroups_close(cg);
	return (NULL);
}

void
cgroups_close(struct cgroups *cg)
{
	char	leaf[700];
	int	i;

	if (cg == NULL)
		return;
	for (i = 0; i < CGROUP_TREES; i++)
		tree_remove(cg, i);
	if (cg->home[0] != '\0') {
		(void)put(cg->home, "cgroup.subtree_control",
		    "-memory -pids");
		(void)put(cg->home, "cgroup.procs", "0");
		(void)snprintf(leaf, sizeof(leaf), "%s/supervisor", cg->home);
		(void)rmdir(leaf);
	}
	free(cg);
}

int
cgroups_version(const struct cgroups *cg)
{
	return (cg->version);
}
