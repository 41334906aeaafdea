/*
 * Where jails' cgroups go: found or made once, while the daemon starts, and
 * cleared away at its end, or at the start after one whose launcher was
 * killed.
 */
#include <sys/stat.h>
#include <sys/vfs.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"
#include "log.h"
#include "trees.h"
#include "trees_dir.h"

static const char *const	v2_mounts[] = {
	"/sys/fs/cgroup", "/sys/fs/cgroup/unified"
};

struct trees {
	pid_t	daemon;				/* the supervisor */
	int	version, n;
	int	dir[TREES];
	char	path[TREES][512];		/* what we made, to remove */
	char	home[600];			/* v2: where we came from */
	char	why[1024];			/* the last thing that failed */
};

/* ---- files ---- */

static int
put(const char *dir, const char *name, const char *text)
{
	char	path[1024];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return (file_put(path, text));
}

/* Both of us go to this cgroup. The supervisor may be gone. */
static int
move(const struct trees *t, const char *dir)
{
	char	pid[16];

	(void)snprintf(pid, sizeof(pid), "%d", t->daemon);
	if (put(dir, "cgroup.procs", pid) == -1 && errno != ESRCH)
		return (-1);
	return (put(dir, "cgroup.procs", "0"));
}

/* Remember what failed, for an administrator. Always -1. */
static int
failed(struct trees *t, const char *dir, const char *file)
{
	(void)snprintf(t->why, sizeof(t->why), "%s%s%s: %s", dir,
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

/* Make and open parent/wfsup.PID as tree i. */
static int
tree_make(struct trees *t, int i, const char *parent)
{
	trees_sweep(parent);
	(void)snprintf(t->path[i], sizeof(t->path[i]), "%s/wfsup.%d",
	    parent, t->daemon);
	if (trees_mkdir(t->path[i]) == -1 && errno != EEXIST) {
		(void)failed(t, t->path[i], NULL);
		t->path[i][0] = '\0';
		return (-1);
	}
	t->dir[i] = open(t->path[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return (t->dir[i] == -1 ? failed(t, t->path[i], NULL) : 0);
}

static void
tree_remove(struct trees *t, int i)
{
	if (t->dir[i] != -1)
		(void)close(t->dir[i]);
	t->dir[i] = -1;
	if (t->path[i][0] != '\0')
		trees_rmdir(t->path[i]);
	t->path[i][0] = '\0';
}

static int
v2_limits(struct trees *t, const char *parent)
{
	static const char	file[] = "cgroup.subtree_control";

	if (put(parent, file, "+memory +pids") == -1)
		return (failed(t, parent, file));
	if (tree_make(t, 0, parent) == -1)
		return (-1);
	if (put(t->path[0], file, "+memory +pids") == 0)
		return (0);
	(void)failed(t, t->path[0], file);
	tree_remove(t, 0);
	return (-1);
}

/*
 * Version 2 below parent: processes may only be in leaves, so if parent is
 * our own cgroup we move to one first.
 */
static int
v2_below(struct trees *t, const char *parent, int own)
{
	char	leaf[700];

	if (own) {
		(void)snprintf(leaf, sizeof(leaf), "%s/supervisor", parent);
		if (mkdir(leaf, 0755) == -1 && errno != EEXIST)
			return (failed(t, leaf, NULL));
		if (move(t, leaf) == -1)
			return (failed(t, leaf, "cgroup.procs"));
	}
	if (v2_limits(t, parent) == 0) {
		if (own)
			(void)snprintf(t->home, sizeof(t->home), "%s",
			    parent);
		t->version = 2;
		t->n = 1;
		return (0);
	}
	if (own) {
		(void)move(t, parent);
		(void)rmdir(leaf);
	}
	return (-1);
}

/* The configured cgroup, or our own, or, where others live in ours, the
 * root, which may have both processes and children. */
static int
v2_open(struct trees *t, const char *wanted)
{
	char	own[512], parent[560];
	size_t	i;

	(void)snprintf(t->why, sizeof(t->why), "not mounted");
	for (i = 0; i < sizeof(v2_mounts) / sizeof(v2_mounts[0]); i++) {
		if (!is_cgroup(v2_mounts[i], CGROUP2_SUPER_MAGIC) ||
		    own_cgroup("", own, sizeof(own)) == -1)
			continue;
		(void)snprintf(parent, sizeof(parent), "%s%s", v2_mounts[i],
		    wanted != NULL ? wanted : own);
		if (v2_below(t, parent, wanted == NULL &&
		    own[0] != '\0') == 0)
			return (0);
		if (wanted == NULL && v2_below(t, v2_mounts[i], 0) == 0)
			return (0);
	}
	return (-1);
}

static int
v1_open(struct trees *t, const char *wanted)
{
	static const char *const	 controllers[] = { "memory", "pids" };
	char				 own[256], parent[560];
	int				 i;

	for (i = 0; i < TREES; i++) {
		if (own_cgroup(controllers[i], own, sizeof(own)) == -1)
			return (-1);
		(void)snprintf(parent, sizeof(parent), "/sys/fs/cgroup/%s%s",
		    controllers[i], wanted != NULL ? wanted : own);
		if (!is_cgroup(parent, CGROUP_SUPER_MAGIC)) {
			(void)snprintf(t->why, sizeof(t->why), "%s: no "
			    "cgroup of the %s controller", parent,
			    controllers[i]);
			return (-1);
		}
		if (tree_make(t, i, parent) == -1)
			return (-1);
	}
	t->version = 1;
	t->n = TREES;
	return (0);
}

static struct trees *
trees_new(pid_t daemon)
{
	struct trees	*t;

	if ((t = calloc(1, sizeof(*t))) == NULL)
		fatal("trees_new");
	t->daemon = daemon;
	t->dir[0] = t->dir[1] = -1;
	return (t);
}

struct trees *
trees_open(const char *path, pid_t daemon, char *why, size_t whylen)
{
	struct trees	*t = trees_new(daemon), *v2;

	if (v2_open(t, path) == 0)
		return (t);
	v2 = t;
	t = trees_new(daemon);
	if (v1_open(t, path) == 0) {
		trees_close(v2);
		return (t);
	}
	(void)snprintf(why, whylen, "jails need a cgroup for their limits: "
	    "version 2 with memory and pids (in a unit: Delegate=memory "
	    "pids): %s; version 1: %s", v2->why, t->why);
	trees_close(v2);
	trees_close(t);
	return (NULL);
}

void
trees_close(struct trees *t)
{
	char	leaf[700];
	int	i;

	if (t == NULL)
		return;
	for (i = 0; i < TREES; i++)
		tree_remove(t, i);
	if (t->home[0] != '\0') {
		(void)put(t->home, "cgroup.subtree_control",
		    "-memory -pids");
		(void)move(t, t->home);
		(void)snprintf(leaf, sizeof(leaf), "%s/supervisor", t->home);
		(void)rmdir(leaf);
	}
	free(t);
}

int
trees_version(const struct trees *t)
{
	return (t->version);
}

int
trees_dir(const struct trees *t, int i)
{
	if (i >= t->n)
		return (-1);
	return (fcntl(t->dir[i], F_DUPFD_CLOEXEC, 0));
}
