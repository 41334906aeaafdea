/*
 * What is on disk, by errands. Layers belong to the one sandbox uid, which
 * makes and removes them. A run's workspace is opened again by the run's
 * owner: what the owner can't open, the supervisor does not either.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "errand.h"
#include "jails.h"
#include "log.h"
#include "sandbox.h"

/* Who waits for an errand, and what it was about. */
struct wait {
	int64_t		 number;	/* sandbox, or the asker's tag */
	gid_t		 group;
	void		(*opened)(struct supervisor *, int64_t, int, int);
	void		(*checked)(struct supervisor *, int64_t, gid_t, int);
	char		 run[33];
	uint32_t	 id;		/* of the broker's question */
};

static struct wait *
wait_new(int64_t number)
{
	struct wait	*w;

	if ((w = calloc(1, sizeof(*w))) == NULL)
		fatal("wait_new");
	w->number = number;
	return (w);
}

/* ---- layers ---- */

static void
layer_errand(struct supervisor *sup, const struct errand_def *def,
    int64_t sandbox, struct wait *w)
{
	char	path[600];

	(void)snprintf(path, sizeof(path), "%s/sandboxes/%" PRId64,
	    sup->conf->state, sandbox);
	errand_start(sup, def, sup->conf->sandbox.uid, sup->conf->sandbox.gid,
	    json_pack("{s:s}", "path", path), w);
}

static void
layer_made(struct supervisor *sup, void *arg, int error, int fd)
{
	struct wait	*w = arg;

	w->opened(sup, w->number, error, fd);
	free(w);
}

void
sandbox_open(struct supervisor *sup, int64_t sandbox, int64_t tag,
    void (*done)(struct supervisor *, int64_t, int, int))
{
	static const struct errand_def	 def = {
		.type = IMSG_ERRAND_LAYER, .seconds = 10, .done = layer_made,
	};
	struct wait			*w = wait_new(tag);

	w->opened = done;
	layer_errand(sup, &def, sandbox, w);
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
	struct wait	*w = arg;

	if (fd != -1)
		(void)close(fd);
	removed_send(sup, w->number, error);
	free(w);
}

int
priv_sandbox_remove(struct peer *p, struct msg *m)
{
	static const struct errand_def	 def = {
		.type = IMSG_ERRAND_REMOVE, .seconds = 600,
		.done = layer_removed,
	};
	struct supervisor		*sup = ((struct child *)peer_ctx(p))->sup;
	int64_t				 sandbox = msg_int(m->env, "sandbox");

	if (errand_flood(sup))
		return (-1);
	if (jails_use(sup->jails, sandbox))
		removed_send(sup, sandbox, EBUSY);
	else
		layer_errand(sup, &def, sandbox, wait_new(sandbox));
	return (0);
}

/* ---- workspaces ---- */

static void
workspace_found(struct supervisor *sup, void *arg, int error, int fd)
{
	struct wait	*w = arg;
	struct peer	*broker = sup->children[CHILD_BROKER].peer;

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
	static const struct errand_def	 def = {
		.type = IMSG_ERRAND_OPEN, .seconds = 10, .groups = 1,
		.done = workspace_found,
	};
	struct supervisor		*sup = ((struct child *)peer_ctx(p))->sup;
	const char			*path = msg_str(m->env, "path");
	struct wait			*w;

	if (path[0] != '/' || errand_flood(sup))
		return (-1);
	w = wait_new(0);
	(void)snprintf(w->run, sizeof(w->run), "%s", msg_str(m->env, "run"));
	w->id = m->id;
	errand_start(sup, &def, (uid_t)msg_int(m->env, "uid"),
	    (gid_t)msg_int(m->env, "gid"), json_pack("{s:s,s:I,s:I}", "path",
	    path, "dev", (json_int_t)msg_int(m->env, "dev"), "ino",
	    (json_int_t)msg_int(m->env, "ino")), w);
	return (0);
}

/* ---- groups ---- */

static void
group_checked(struct supervisor *sup, void *arg, int error, int fd)
{
	struct wait	*w = arg;

	if (fd != -1)
		(void)close(fd);
	w->checked(sup, w->number, w->group, error == 0);
	free(w);
}

void
group_check(struct supervisor *sup, uid_t uid, gid_t gid, gid_t group,
    int64_t tag, void (*done)(struct supervisor *, int64_t, gid_t, int))
{
	static const struct errand_def	 def = {
		.type = IMSG_ERRAND_GROUP, .seconds = 10, .groups = 1,
		.done = group_checked,
	};
	struct wait			*w = wait_new(tag);

	w->group = group;
	w->checked = done;
	errand_start(sup, &def, uid, gid, json_pack("{s:I}", "gid",
	    (json_int_t)group), w);
}
