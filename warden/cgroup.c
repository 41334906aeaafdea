/*
 * One jail's cgroup, by file descriptor: a name, made of the jail's number,
 * below the directories that the launcher has made.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "log.h"

struct cgroups {
	int	version, ntrees;
	int	dir[CGROUP_TREES];
};

enum file { MEMORY, SWAP, PIDS, PEAK, OOMS, SWAP_PEAK, FORKS,
    NFILES };

/* Which tree a file is in (version 2 has one), and what it is called. */
static const struct {
	int		 tree;
	const char	*name[2];
} files[NFILES] = {
	[MEMORY] = { 0, { "memory.limit_in_bytes", "memory.max" } },
	[SWAP] =   { 0, { "memory.memsw.limit_in_bytes", "memory.swap.max" } },
	[PEAK] =   { 0, { "memory.max_usage_in_bytes", "memory.peak" } },
	[OOMS] =   { 0, { "memory.oom_control", "memory.events" } },
	[SWAP_PEAK] = { 0, { "memory.memsw.max_usage_in_bytes", NULL } },
	[PIDS] =   { 1, { "pids.max", "pids.max" } },
	[FORKS] =  { 1, { "pids.events", "pids.events" } },
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

/* ---- where they go ---- */

struct cgroups *
cgroups_new(void)
{
	struct cgroups	*cg;

	if ((cg = calloc(1, sizeof(*cg))) == NULL)
		fatal("cgroups_new");
	return (cg);
}

int
cgroups_add(struct cgroups *cg, int version, int dir)
{
	if (cg->ntrees == (version == 2 ? 1 : CGROUP_TREES) ||
	    (cg->ntrees > 0 && cg->version != version)) {
		(void)close(dir);
		return (-1);
	}
	cg->version = version;
	cg->dir[cg->ntrees++] = dir;
	return (0);
}

void
cgroups_free(struct cgroups *cg)
{
	while (cg->ntrees > 0)
		(void)close(cg->dir[--cg->ntrees]);
	free(cg);
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

/* -1 with errno set; with 0 if this version has no such file. */
static int
event_open(const struct cgroups *cg, int64_t jail, enum file f)
{
	const char	*name = files[f].name[cg->version - 1];
	char		 path[96];

	errno = 0;
	if (name == NULL)
		return (-1);
	return (open_at(dir_of(cg, f), jail_file(cg, jail, name, path,
	    sizeof(path)), O_RDONLY));
}

int
cgroup_events(const struct cgroups *cg, int64_t jail, int fds[CGROUP_EVENTS])
{
	/* With swap the limit on both together is met first. */
	static const enum file	which[CGROUP_EVENTS] = {
		OOMS, SWAP_PEAK, FORKS
	};
	int			i, saved;

	for (i = 0; i < CGROUP_EVENTS; i++) {
		fds[i] = event_open(cg, jail, which[i]);
		if (fds[i] == -1 && which[i] == SWAP_PEAK && errno == ENOENT)
			fds[i] = event_open(cg, jail, PEAK);
		if (fds[i] == -1 && errno != 0)
			goto fail;
	}
	return (0);

 fail:
	saved = errno;
	while (i-- > 0)
		if (fds[i] != -1)
			(void)close(fds[i]);
	errno = saved;
	for (i = 0; i < CGROUP_EVENTS; i++)
		fds[i] = -1;
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
