/*
 * cgroups by file descriptor: the directories are opened once, while the
 * supervisor starts; a jail's is a name below them, made of its number.
 */
#include <sys/stat.h>
#include <sys/vfs.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "log.h"

#define SWEEP_MS	20	/* between two tries to remove what was left */
#define SWEEP_TRIES	50

enum file { MEMORY, SWAP, PIDS, PEAK, OOMS, FORKS, NFILES };

/* Which tree a file is in (version 2 has one), and what it is called. */
static const struct {
	int		 tree;
	const char	*name[2];
} files[NFILES] = {
	[MEMORY] = { 0, { "memory.limit_in_bytes", "memory.max" } },
	[SWAP] =   { 0, { "memory.memsw.limit_in_bytes", "memory.swap.max" } },
	[PEAK] =   { 0, { "memory.max_usage_in_bytes", "memory.peak" } },
	[OOMS] =   { 0, { "memory.oom_control", "memory.events" } },
	[PIDS] =   { 1, { "pids.max", "pids.max" } },
	[FORKS] =  { 1, { "pids.events", "pids.events" } },
};

static const char *const	v2_mounts[] = {
	"/sys/fs/cgroup", "/sys/fs/cgroup/unified"
};

struct cgroups {
	int	version;
	int	ntrees;
	int	dir[CGROUP_TREES];
	char	path[CGROUP_TREES][512];	/* what we made, to remove */
	char	home[512];			/* v2: where we came from */
};

/* ---- files ---- */

/*
 * The kernel gives a limit up for a signal, and restarts none of these calls
 * by itself: our children's ends must not cost a jail.
 */
static int
open_at(int dir, const char *name, int flags)
{
	return ((int)TEMP_FAILURE_RETRY(openat(dir, name, flags | O_CLOEXEC)));
}

static int
put_at(int dir, const char *name, const char *text)
{
	ssize_t	n;
	int	fd, saved;

	if ((fd = open_at(dir, name, O_WRONLY)) == -1)
		return (-1);
	n = TEMP_FAILURE_RETRY(write(fd, text, strlen(text)));
	saved = errno;
	(void)close(fd);
	errno = saved;
	return (n == -1 ? -1 : 0);
}

static int
put(const char *dir, const char *name, const char *text)
{
	char	path[1024];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return (put_at(AT_FDCWD, path, text));
}

/* The number after key in a file of "key number" lines; alone if key is
 * NULL. 0 if there is none. */
static int64_t
get_at(int dir, const char *name, const char *key)
{
	char	 text[1024], *p = text;
	ssize_t	 n;
	int	 fd;

	if ((fd = open_at(dir, name, O_RDONLY)) == -1)
		return (0);
	n = TEMP_FAILURE_RETRY(read(fd, text, sizeof(text) - 1));
	(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (key != NULL) {
		if ((p = strstr(text, key)) == NULL)
			return (0);
		p += strlen(key);
	}
	return (strtoll(p, NULL, 10));
}

/* SIGKILL to all that a cgroup.procs names. */
static void
kill_in(int dir, const char *procs)
{
	FILE	*f;
	int	 fd, pid;

	if ((fd = open_at(dir, procs, O_RDONLY)) == -1)
		return;
	if ((f = fdopen(fd, "r")) == NULL) {
		(void)close(fd);
		return;
	}
	while (fscanf(f, "%d", &pid) == 1)
		if (pid > 1 && pid != getpid())
			(void)kill(pid, SIGKILL);
	(void)fclose(f);
}

static int
is_cgroup2(const char *path)
{
	struct statfs	fs;

	return (statfs(path, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC);
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
		kill_in(dirfd(d), sub);
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
		cg->path[i][0] = '\0';
		return (-1);
	}
	cg->dir[i] = open(cg->path[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return (cg->dir[i] == -1 ? -1 : 0);
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
			return (-1);
		if (put(leaf, "cgroup.procs", "0") == -1)
			return (-1);
	}
	if (put(parent, "cgroup.subtree_control", "+memory +pids") == 0 &&
	    tree_make(cg, 0, parent) == 0 &&
	    put(cg->path[0], "cgroup.subtree_control", "+memory +pids") == 0) {
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

	for (i = 0; i < sizeof(v2_mounts) / sizeof(v2_mounts[0]); i++) {
		if (!is_cgroup2(v2_mounts[i]) || own_cgroup("", own,
		    sizeof(own)) == -1)
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
		if (tree_make(cg, i, parent) == -1)
			return (-1);
	}
	cg->version = 1;
	cg->ntrees = CGROUP_TREES;
	return (0);
}

struct cgroups *
cgroups_open(const char *path, char *why, size_t whylen)
{
	struct cgroups	*cg;

	if ((cg = calloc(1, sizeof(*cg))) == NULL)
		fatal("cgroups_open");
	cg->dir[0] = cg->dir[1] = -1;
	if (v2_open(cg, path) == 0)
		return (cg);
	cgroups_close(cg);
	if ((cg = calloc(1, sizeof(*cg))) == NULL)
		fatal("cgroups_open");
	cg->dir[0] = cg->dir[1] = -1;
	if (v1_open(cg, path) == 0)
		return (cg);
	(void)snprintf(why, whylen, "neither cgroup version 2 with memory "
	    "and pids (in a unit: Delegate=memory pids) nor version 1 can be "
	    "used%s%s: %s", path != NULL ? " below " : "",
	    path != NULL ? path : "", strerror(errno));
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
	for (i = 0; i < CGROUP_TREES; i++) {
		if (cg->dir[i] != -1)
			(void)close(cg->dir[i]);
		if (cg->path[i][0] != '\0' &&
		    in_parent(cg->path[i], rmdir) == -1)
			log_warn("%s is left", cg->path[i]);
	}
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

/* ---- one jail's ---- */

static const char *
jail_file(const struct cgroups *cg, int64_t jail, const char *file, char *buf,
    size_t len)
{
	(void)snprintf(buf, len, "jail-%" PRId64 "%s%s", jail,
	    file != NULL ? "/" : "", file != NULL ? file : "");
	(void)cg;
	return (buf);
}

static int
dir_of(const struct cgroups *cg, enum file f)
{
	return (cg->dir[cg->version == 2 ? 0 : files[f].tree]);
}

static int
limit(const struct cgroups *cg, int64_t jail, enum file f, int64_t value)
{
	char	path[96], text[24];

	(void)snprintf(text, sizeof(text), "%" PRId64, value);
	return (put_at(dir_of(cg, f), jail_file(cg, jail,
	    files[f].name[cg->version - 1], path, sizeof(path)), text));
}

static int64_t
count(const struct cgroups *cg, int64_t jail, enum file f, const char *key)
{
	char	path[96];

	return (get_at(dir_of(cg, f), jail_file(cg, jail,
	    files[f].name[cg->version - 1], path, sizeof(path)), key));
}

int
cgroup_make(struct cgroups *cg, int64_t jail, int64_t memory, int64_t pids,
    int procs[CGROUP_TREES])
{
	char	path[96];
	int	i, n = 0, saved;

	for (i = 0; i < cg->ntrees; i++)
		if (TEMP_FAILURE_RETRY(mkdirat(cg->dir[i], jail_file(cg, jail,
		    NULL, path, sizeof(path)), 0755)) == -1)
			goto fail;
	if (limit(cg, jail, MEMORY, memory) == -1 ||
	    limit(cg, jail, PIDS, pids) == -1)
		goto fail;
	/* Not every kernel accounts swap: then there is no such file. */
	if (limit(cg, jail, SWAP, cg->version == 2 ? 0 : memory) == -1 &&
	    errno != ENOENT)
		goto fail;
	for (; n < cg->ntrees; n++)
		if ((procs[n] = open_at(cg->dir[n], jail_file(cg, jail,
		    "cgroup.procs", path, sizeof(path)), O_WRONLY)) == -1)
			goto fail;
	return (n);

 fail:
	saved = errno;
	while (n > 0)
		(void)close(procs[--n]);
	(void)cgroup_remove(cg, jail);
	errno = saved;
	return (-1);
}

void
cgroup_count(struct cgroups *cg, int64_t jail, struct cgroup_counts *counts)
{
	counts->oom = count(cg, jail, OOMS, "oom_kill ");
	counts->pids = count(cg, jail, FORKS, "max ");
	counts->peak = count(cg, jail, PEAK, NULL);
}

void
cgroup_kill(struct cgroups *cg, int64_t jail)
{
	char	path[96];

	if (cg->version == 2 && put_at(cg->dir[0], jail_file(cg, jail,
	    "cgroup.kill", path, sizeof(path)), "1") == 0)
		return;
	kill_in(cg->dir[0], jail_file(cg, jail, "cgroup.procs", path,
	    sizeof(path)));
}

int
cgroup_remove(struct cgroups *cg, int64_t jail)
{
	char	path[96];
	int	i, ret = 0;

	for (i = 0; i < cg->ntrees; i++)
		if (unlinkat(cg->dir[i], jail_file(cg, jail, NULL, path,
		    sizeof(path)), AT_REMOVEDIR) == -1 && errno != ENOENT)
			ret = -1;
	return (ret);
}
