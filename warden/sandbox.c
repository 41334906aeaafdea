/*
 * What is on disk, by errands. Layers belong to the one sandbox uid, which
 * makes and removes them. A run's workspace is opened again by the run's
 * owner: what the owner can't open, the warden does not either.
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
	void		(*opened)(struct warden *, int64_t, int, int);
	void		(*checked)(struct warden *, int64_t, gid_t, int);
	char		 run[33];
	uint32_t	 id;		/* of the broker's question */
};

static struct wait *
wait_new(int64_t number)
{
	struct wait	*q;

	if ((q = calloc(1, sizeof(*q))) == NULL)
		fatal("wait_new");
	q->number = number;
	return (q);
}

/* ---- layers ---- */

static void
layer_errand(struct warden *w, const struct errand_def *def,
    int64_t sandbox, struct wait *q)
{
	char	path[600];

	(void)snprintf(path, sizeof(path), "%s/sandboxes/%" PRId64,
	    w->config->state, sandbox);
	errand_start(w, def, w->config->sandbox_uid, w->config->sandbox_gid,
	    json_pack("{s:s}", "path", path), q);
}

static void
layer_made(struct warden *w, void *arg, int error, int fd)
{
	struct wait	*q = arg;

	q->opened(w, q->number, error, fd);
	free(q);
}

void
sandbox_open(struct warden *w, int64_t sandbox, int64_t tag,
    void (*done)(struct warden *, int64_t, int, int))
{
	static const struct errand_def	 def = {
		.type = IMSG_ERRAND_LAYER, .seconds = 10, .done = layer_made,
	};
	struct wait			*q = wait_new(tag);

	q->opened = done;
	layer_errand(w, &def, sandbox, q);
}

static void
removed_send(struct warden *w, int64_t sandbox, int error)
{
	audit("sandbox.remove", error == 0 ? "ok" : "fail", "sandbox",
	    audit_int(sandbox), "reason", error == 0 ? NULL :
	    strerror(error), NULL);
	if (w->broker != NULL)
		peer_send(w->broker,
		    IMSG_SANDBOX_REMOVED, 0, -1, json_pack("{s:I,s:b}",
		    "sandbox", (json_int_t)sandbox, "ok", error == 0), NULL,
		    0);
}

static void
layer_removed(struct warden *w, void *arg, int error, int fd)
{
	struct wait	*q = arg;

	if (fd != -1)
		(void)close(fd);
	removed_send(w, q->number, error);
	free(q);
}

int
on_sandbox_remove(struct peer *p, struct msg *m)
{
	static const struct errand_def	 def = {
		.type = IMSG_ERRAND_REMOVE, .seconds = 600,
		.done = layer_removed,
	};
	struct warden		*w = peer_ctx(p);
	int64_t				 sandbox = msg_int(m->env, "sandbox");

	if (errand_flood(w))
		return (-1);
	if (jails_use(w->jails, sandbox))
		removed_send(w, sandbox, EBUSY);
	else
		layer_errand(w, &def, sandbox, wait_new(sandbox));
	return (0);
}

/* ---- workspaces ---- */

static void
workspace_found(struct warden *w, void *arg, int error, int fd)
{
	struct wait	*q = arg;
	struct peer	*broker = w->broker;

	if (error == 0 && fd == -1)
		error = EIO;
	if (broker != NULL && error == 0) {
		peer_send(broker, IMSG_WORKSPACE, q->id, fd,
		    json_pack("{s:s}", "run", q->run), NULL, 0);
		fd = -1;
	} else if (broker != NULL)
		peer_send(broker, IMSG_WORKSPACE_LOST, q->id, -1,
		    json_pack("{s:s,s:s}", "run", q->run, "error",
		    error == ESTALE ? "another directory is there now" :
		    strerror(error)), NULL, 0);
	if (fd != -1)
		(void)close(fd);
	free(q);
}

int
on_workspace_open(struct peer *p, struct msg *m)
{
	static const struct errand_def	 def = {
		.type = IMSG_ERRAND_OPEN, .seconds = 10, .groups = 1,
		.done = workspace_found,
	};
	struct warden		*w = peer_ctx(p);
	const char			*path = msg_str(m->env, "path");
	struct wait			*q;

	if (path[0] != '/' || errand_flood(w))
		return (-1);
	q = wait_new(0);
	(void)snprintf(q->run, sizeof(q->run), "%s", msg_str(m->env, "run"));
	q->id = m->id;
	errand_start(w, &def, (uid_t)msg_int(m->env, "uid"),
	    (gid_t)msg_int(m->env, "gid"), json_pack("{s:s,s:I,s:I}", "path",
	    path, "dev", (json_int_t)msg_int(m->env, "dev"), "ino",
	    (json_int_t)msg_int(m->env, "ino")), q);
	return (0);
}

/* ---- groups ---- */

static void
group_checked(struct warden *w, void *arg, int error, int fd)
{
	struct wait	*q = arg;

	if (fd != -1)
		(void)close(fd);
	q->checked(w, q->number, q->group, error == 0);
	free(q);
}

void
group_check(struct warden *w, uid_t uid, gid_t gid, gid_t group,
    int64_t tag, void (*done)(struct warden *, int64_t, gid_t, int))
{
	static const struct errand_def	 def = {
		.type = IMSG_ERRAND_GROUP, .seconds = 10, .groups = 1,
		.done = group_checked,
	};
	struct wait			*q = wait_new(tag);

	q->group = group;
	q->checked = done;
	errand_start(w, &def, uid, gid, json_pack("{s:I}", "gid",
	    (json_int_t)group), q);
}
