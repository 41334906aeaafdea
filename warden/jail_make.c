/*
 * The making of a jail: its cgroup, its socket, its mounts, then the word to
 * its starter.
 */
#include <sys/socket.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jail.h"
#include "log.h"
#include "sandbox.h"

/* A jail that is not up by then has failed. By then it is known, too, if who
 * makes it hangs: the launcher has 40 seconds. */
#define MAKE_MS		45000

static void
part_send(const struct jail *j, const char *part, int *fd)
{
	if (*fd == -1)
		return;
	peer_send(j->starter->peer, IMSG_JAIL_PART, 0, *fd, json_pack(
	    "{s:I,s:s}", "jail", (json_int_t)j->number, "part", part), NULL,
	    0);
	*fd = -1;
}

/* What its cgroup counts, for a tool jail to tell its calls. -1 with errno. */
static int
events_send(const struct jail *j)
{
	static const char *const	names[CGROUP_EVENTS] = {
		"memory-events", "memory-peak", "pids-events"
	};
	int				fds[CGROUP_EVENTS], i;

	if (strcmp(j->kind, "tool") != 0)
		return (0);
	if (cgroup_events(j->all->w->cgroups, j->number, fds) == -1)
		return (-1);
	for (i = 0; i < CGROUP_EVENTS; i++)
		part_send(j, names[i], &fds[i]);
	return (0);
}

/*
 * All parts are there. It waits for its starter if that is just coming up,
 * and for the canaries' word if the daemon is.
 */
static void
jail_spawn(struct jail *j)
{
	int	i;

	if (j->starter->peer == NULL || j->starter->state != STARTER_READY ||
	    (j->canary == -1 && !j->all->w->ready))
		return;
	if (events_send(j) == -1) {
		jail_fail(j, "cgroup events", strerror(errno));
		return;
	}
	part_send(j, "socket", &j->jail_end);
	for (i = 0; i < j->nprocs; i++)
		part_send(j, "cgroup", &j->procs[i]);
	j->nprocs = 0;
	part_send(j, "workspace", &j->workspace);
	part_send(j, "layer", &j->layer);
	if (j->canary != -1)
		peer_send(j->starter->peer, IMSG_CANARY, 0, -1, json_pack(
		    "{s:I,s:I}", "jail", (json_int_t)j->number, "first",
		    (json_int_t)j->canary), NULL, 0);
	peer_send(j->starter->peer, IMSG_JAIL_SPAWN, 0, -1, json_pack(
	    "{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:b}", "jail", (json_int_t)j->number,
	    "uid", (json_int_t)j->uid, "memory", (json_int_t)j->memory,
	    "pids", (json_int_t)j->pids, "cpu", (json_int_t)j->cpu,
	    "fsize", (json_int_t)j->fsize, "files", (json_int_t)j->files,
	    "ahead", j->spare), NULL, 0);
	j->state = JAIL_SPAWNING;
}

/*
 * Have one of its directories shown to it: first the map is asked for, which
 * then goes to the mounter with the directory; *id tells the answers. -1 with
 * errno set.
 */
static int
mount_ask(struct jail *j, uint32_t type, json_t *env, uint32_t *id)
{
	*id = ++j->all->mount;
	j->awaited++;
	if (map_send(j->all->w, type, *id, env) == 0)
		return (0);
	errno = ESRCH;
	return (-1);
}

/* Show the run's workspace, read-only, as the jail's where it is uid's and
 * gid's. group is shown too; it may be gid again. */
static int
mount_workspace(struct jail *j, uid_t uid, gid_t gid, gid_t group)
{
	return (mount_ask(j, IMSG_MAP_WORKSPACE, json_pack(
	    "{s:I,s:I,s:I,s:I}", "jail", (json_int_t)j->uid,
	    "uid", (json_int_t)uid, "gid", (json_int_t)gid,
	    "group", (json_int_t)group), &j->workspace_id));
}

/* Whether the owner is in the directory's group is known. */
static void
group_checked(struct warden *w, int64_t number, gid_t group, int member)
{
	struct jail	*j = jail_find(w->jails, number);

	if (j == NULL || j->state != JAIL_MAKING)
		return;
	j->awaited--;
	if (mount_workspace(j, j->owner, j->owner_gid, member ? group :
	    j->owner_gid) == -1)
		jail_fail(j, "workspace", strerror(errno));
}

/*
 * Whose is the workspace? A run of root may look at all of it, and its jail
 * becomes whoever the directory belongs to. The file system is not asked,
 * which could block for as long as its owner likes. -1 with errno set.
 */
static int
workspace_make(struct jail *j)
{
	struct statx	stx;

	if (statx(j->workspace, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
	    STATX_UID | STATX_GID, &stx) == -1)
		return (-1);
	if (j->owner == 0)
		return (mount_workspace(j, stx.stx_uid, stx.stx_gid,
		    stx.stx_gid));
	if (stx.stx_gid == j->owner_gid)
		return (mount_workspace(j, j->owner, j->owner_gid,
		    j->owner_gid));
	j->awaited++;
	group_check(j->all->w, j->owner, j->owner_gid, stx.stx_gid,
	    j->number, group_checked);
	return (0);
}

/* Show the sandbox's layer. */
static int
mount_layer(struct jail *j)
{
	return (mount_ask(j, IMSG_MAP_LAYER, json_pack("{s:I}", "jail",
	    (json_int_t)j->uid), &j->layer_id));
}

void
jails_starter_ready(struct jails *all, const struct starter *starter)
{
	struct jail	*j, *next;

	for (j = TAILQ_FIRST(&all->list); j != NULL; j = next) {
		next = TAILQ_NEXT(j, entry);
		if (j->starter == starter && j->state == JAIL_MAKING &&
		    j->awaited == 0)
			jail_spawn(j);
	}
	spares_ready(all);
}

void
jails_ready(struct jails *all)
{
	int	i;

	for (i = 0; i < NSTARTERS; i++)
		jails_starter_ready(all, &all->w->starters[i]);
}

static struct jail *
mount_find(const struct jails *all, uint32_t id)
{
	struct jail	*j;

	if (id == 0)
		return (NULL);	/* what was not asked for has that */
	TAILQ_FOREACH(j, &all->list, entry)
		if (j->state == JAIL_MAKING && (j->layer_id == id ||
		    j->workspace_id == id))
			break;
	return (j);
}

/* The map is there: to the mounter, with the directory. */
int
on_map(struct peer *p, struct msg *m)
{
	struct warden	*w = peer_ctx(p);
	struct jail		*j;
	int			*dir;

	if (m->id == HOST_MOUNT)
		return (host_mount(w, msg_take_fd(m)));
	/* The jail may have been given up meanwhile. */
	if ((j = mount_find(w->jails, m->id)) == NULL)
		return (0);
	dir = j->layer_id == m->id ? &j->layer : &j->workspace;
	if (*dir == -1)
		return (-1);
	if (mount_send(w, m->id, *dir, msg_take_fd(m),
	    dir == &j->workspace) == -1)
		jail_fail(j, "mount", strerror(ESRCH));
	else
		*dir = -1;
	return (0);
}

int
on_map_failed(struct peer *p, struct msg *m)
{
	struct warden	*w = peer_ctx(p);
	struct jail		*j;

	if (m->id == HOST_MOUNT)
		fatalx("a user namespace: %s", msg_str(m->env, "error"));
	if ((j = mount_find(w->jails, m->id)) != NULL)
		jail_fail(j, "user namespace", msg_str(m->env, "error"));
	return (0);
}

int
on_mounted(struct peer *p, struct msg *m)
{
	struct warden	*w = peer_ctx(p);
	struct jail		*j;

	if (m->id == HOST_MOUNT)
		return (host_idmap(w, NULL, NULL));
	/* The jail may have been given up meanwhile. */
	if ((j = mount_find(w->jails, m->id)) == NULL)
		return (0);
	if (j->layer_id == m->id) {
		j->layer = msg_take_fd(m);
		j->layer_id = 0;
	} else {
		j->workspace = msg_take_fd(m);
		j->workspace_id = 0;
	}
	if (--j->awaited == 0)
		jail_spawn(j);
	return (0);
}

int
on_mount_failed(struct peer *p, struct msg *m)
{
	struct warden	*w = peer_ctx(p);
	struct jail		*j;
	char			 step[64];

	if (m->id == HOST_MOUNT)
		return (host_idmap(w, msg_str(m->env, "step"),
		    msg_str(m->env, "error")));
	if ((j = mount_find(w->jails, m->id)) == NULL)
		return (0);
	(void)snprintf(step, sizeof(step), "%s %.32s",
	    j->layer_id == m->id ? "layer" : "workspace",
	    msg_str(m->env, "step"));
	jail_fail(j, step, msg_str(m->env, "error"));
	return (0);
}

static void
layer_opened(struct warden *w, int64_t number, int error, int fd)
{
	struct jail	*j = jail_find(w->jails, number);

	if (j == NULL || j->state != JAIL_MAKING) {
		if (fd != -1)
			(void)close(fd);
		return;
	}
	j->awaited--;
	if (error == 0 && fd != -1) {
		j->layer = fd;
		if (mount_layer(j) == 0)
			return;
		error = errno;
	}
	jail_fail(j, "layer", strerror(error != 0 ? error : EIO));
}

/* What is there at once. Returns NULL, or the step that failed with errno. */
static const char *
make_base(struct jail *j)
{
	int	fds[2];

	if ((j->nprocs = cgroup_make(j->all->w->cgroups, j->number,
	    j->memory, j->pids, j->procs)) == -1) {
		j->nprocs = 0;
		return ("cgroup");
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0, fds) == -1)
		return ("socket");
	j->broker_end = fds[0];
	j->jail_end = fds[1];
	return (NULL);
}

void
jail_make(struct jail *j, int workspace)
{
	const char	*step;

	j->workspace = workspace;
	jail_arm(j, MAKE_MS);
	step = make_base(j);
	if (step == NULL && workspace != -1 && workspace_make(j) == -1)
		step = "workspace";
	if (step != NULL) {
		jail_fail(j, step, strerror(errno));
		return;
	}
	if (j->sandbox != -1) {
		j->awaited++;
		sandbox_open(j->all->w, j->sandbox, j->number,
		    layer_opened);
	}
	if (j->awaited == 0)
		jail_spawn(j);
}
