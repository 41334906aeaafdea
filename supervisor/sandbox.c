/*
 * Jobs on disk. Layers belong to the one sandbox uid, so a child that has
 * become it makes and removes them. A run's workspace is opened again by a
 * child that has become the run's owner: what the owner can't open, the
 * supervisor does not either.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jails.h"
#include "job.h"
#include "log.h"
#include "sandbox.h"

struct layer {
	char	path[600];
	int64_t	sandbox, tag;
	void	(*done)(struct supervisor *, int64_t, int, int);
};

static struct layer *
layer_new(const struct supervisor *sup, int64_t sandbox)
{
	struct layer	*l;

	if ((l = calloc(1, sizeof(*l))) == NULL)
		fatal("layer_new");
	l->sandbox = sandbox;
	(void)snprintf(l->path, sizeof(l->path), "%s/sandboxes/%" PRId64,
	    sup->conf->state, sandbox);
	return (l);
}

/* ---- make ---- */

static int
layer_make(const void *arg, int *fd)
{
	static const char *const	 sub[] = { "upper", "work" };
	const struct layer		*l = arg;
	size_t				 i;

	if (mkdir(l->path, 0700) == -1 && errno != EEXIST)
		return (errno);
	*fd = open(l->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd == -1)
		return (errno);
	for (i = 0; i < sizeof(sub) / sizeof(sub[0]); i++)
		if (mkdirat(*fd, sub[i], 0755) == -1 && errno != EEXIST)
			return (errno);
	return (0);
}

static void
layer_made(struct supervisor *sup, void *arg, int error, int fd)
{
	struct layer	*l = arg;

	l->done(sup, l->tag, error, fd);
	free(l);
}

void
sandbox_open(struct supervisor *sup, int64_t sandbox, int64_t tag,
    void (*done)(struct supervisor *, int64_t, int, int))
{
	static const struct job_def	 def = {
		.seconds = 10, .run = layer_make, .done = layer_made,
	};
	struct layer			*l = layer_new(sup, sandbox);

	l->tag = tag;
	l->done = done;
	job_start(sup, &def, sup->conf->sandbox.uid, sup->conf->sandbox.gid,
	    l);
}

/* ---- remove ---- */

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

static int
layer_remove(const void *arg, int *fd)
{
	(void)fd;
	return (tree_remove(((const struct layer *)arg)->path));
}

static void
removed_send(struct supervisor *sup, int64_t sandbox, int error)
{
	audit("sandbox.remove", error == 0 ? "ok" : "fail", "sandbox",
	    audit_int(sandbox), "reason", error == 0 ? NULL :
	    strerror(error), NULL);
	if (sup->children[CHILD_BROKER].peer != NULL)
		peer_send(sup->children[CHILD_BROKER].peer,
		    IMSG_SANDBOX_REMOVED, 0, -1, json_pack("{s:I,s:b}",
		    "sandbox", (json_int_t)sandbox, "ok", error == 0), NULL,
		    0);
}

static void
layer_removed(struct supervisor *sup, void *arg, int error, int fd)
{
	struct layer	*l = arg;

	(void)fd;
	removed_send(sup, l->sandbox, error);
	free(l);
}

int
priv_sandbox_remove(struct peer *p, struct msg *m)
{
	static const struct job_def	 def = {
		.seconds = 600, .run = layer_remove, .done = layer_removed,
	};
	struct supervisor		*sup = ((struct child *)peer_ctx(p))->sup;
	int64_t				 sandbox = msg_int(m->env, "sandbox");

	if (job_flood(sup))
		return (-1);
	if (jails_use(sup->jails, sandbox))
		removed_send(sup, sandbox, EBUSY);
	else
		job_start(sup, &def, sup->conf->sandbox.uid,
		    sup->conf->sandbox.gid, layer_new(sup, sandbox));
	return (0);
}

/* ---- workspace ---- */

struct workspace {
	char		path[513], run[33];
	int64_t		dev, ino;
	uint32_t	id;
};

/* As the run's owner: the same directory as it was then, or none. */
static int
workspace_find(const void *arg, int *fd)
{
	const struct workspace	*w = arg;
	struct stat		 st;

	*fd = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd == -1 || fstat(*fd, &st) == -1)
		return (errno);
	if ((int64_t)st.st_dev == w->dev && (int64_t)st.st_ino == w->ino)
		return (0);
	(void)close(*fd);
	*fd = -1;
	return (ESTALE);
}

static void
workspace_found(struct supervisor *sup, void *arg, int error, int fd)
{
	struct workspace	*w = arg;
	struct peer		*broker = sup->children[CHILD_BROKER].peer;

	if (error == 0 && fd == -1)
		error = EIO;
	if (broker != NULL && error == 0) {
		peer_send(broker, IMSG_WORKSPACE, w->id, fd,
		    json_pack("{s:s}", "run", w->run), NULL, 0);
		fd = -1;
	} else if (broker != NULL)
		peer_send(broker, IMSG_WORKSPACE_LOST, w->id, -1,
		    json_pack("{s:s,s:s}", "run", w->run, "error",
		    error == ESTALE ? "another directory is there now" :
		    strerror(error)), NULL, 0);
	if (fd != -1)
		(void)close(fd);
	free(w);
}

int
priv_workspace_open(struct peer *p, struct msg *m)
{
	static const struct job_def	 def = {
		.seconds = 10, .groups = 1, .run = workspace_find,
		.done = workspace_found,
	};
	struct supervisor		*sup = ((struct child *)peer_ctx(p))->sup;
	struct workspace		*w;

	if (msg_str(m->env, "path")[0] != '/' || job_flood(sup))
		return (-1);
	if ((w = calloc(1, sizeof(*w))) == NULL)
		fatal("priv_workspace_open");
	(void)snprintf(w->path, sizeof(w->path), "%s",
	    msg_str(m->env, "path"));
	(void)snprintf(w->run, sizeof(w->run), "%s", msg_str(m->env, "run"));
	w->dev = msg_int(m->env, "dev");
	w->ino = msg_int(m->env, "ino");
	w->id = m->id;
	job_start(sup, &def, (uid_t)msg_int(m->env, "uid"),
	    (gid_t)msg_int(m->env, "gid"), w);
	return (0);
}

/* ---- group ---- */

struct member {
	gid_t	group;
	int64_t	tag;
	void	(*done)(struct supervisor *, int64_t, gid_t, int);
};

/* As the user, with all his groups: the user data base may be far away. */
static int
member_find(const void *arg, int *fd)
{
	(void)fd;
	return (group_member(((const struct member *)arg)->group) ? 0 :
	    EPERM);
}

static void
member_found(struct supervisor *sup, void *arg, int error, int fd)
{
	struct member	*m = arg;

	(void)fd;
	m->done(sup, m->tag, m->group, error == 0);
	free(m);
}

void
group_check(struct supervisor *sup, uid_t uid, gid_t gid, gid_t group,
    int64_t tag, void (*done)(struct supervisor *, int64_t, gid_t, int))
{
	static const struct job_def	 def = {
		.seconds = 10, .groups = 1, .run = member_find,
		.done = member_found,
	};
	struct member			*m;

	if ((m = calloc(1, sizeof(*m))) == NULL)
		fatal("group_check");
	m->group = group;
	m->tag = tag;
	m->done = done;
	job_start(sup, &def, uid, gid, m);
}
