/*
 * The making of a jail: its cgroup, its socket, its mounts, then the word to
 * its starter.
 */
#include <sys/socket.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jail.h"
#include "log.h"
#include "sandbox.h"

#define MAKE_MS		20000	/* a jail that is not up by then has failed */

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

/*
 * All parts are there. It waits for its starter if that is just coming up,
 * and for the canaries' word if the daemon is.
 */
static void
jail_spawn(struct jail *j)
{
	int	i;

	if (j->starter->peer == NULL || j->starter->state != CHILD_READY ||
	    (j->canary == -1 && j->all->sup->state == SUP_STARTING))
		return;
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
	    "{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "jail", (json_int_t)j->number,
	    "uid", (json_int_t)j->uid, "memory", (json_int_t)j->memory,
	    "pids", (json_int_t)j->pids, "cpu", (json_int_t)j->cpu,
	    "fsize", (json_int_t)j->fsize, "files", (json_int_t)j->files),
	    NULL, 0);
	j->state = JAIL_SPAWNING;
}

/*
 * Have the mounter show a directory (taken) of uid and gid to the jail as
 * its own. Returns -1 with errno set, else *id tells its answer.
 */
static int
mount_ask(struct jail *j, int dir, int readonly, uid_t uid, gid_t gid,
    uint32_t *id)
{
	struct peer	*mounter = j->all->sup->children[CHILD_MOUNTER].peer;
	uid_t		 to = starter_base(j->starter) + j->uid;
	char		 uids[64], gids[64];
	int		 ns;

	(void)snprintf(uids, sizeof(uids), "%u %u 1\n", uid, to);
	(void)snprintf(gids, sizeof(gids), "%u %u 1\n", gid, to);
	if (mounter == NULL || (ns = userns_open(uids, gids)) == -1) {
		(void)close(dir);
		return (-1);
	}
	*id = ++j->all->mount;
	j->awaited++;
	peer_send(mounter, IMSG_MOUNT_DIR, *id, dir, json_pack("{s:b}",
	    "readonly", readonly), NULL, 0);
	peer_send(mounter, IMSG_MOUNT_IDMAP, *id, ns, NULL, NULL, 0);
	return (0);
}

void
jails_starter_ready(struct jails *all, const struct child *starter)
{
	struct jail	*j, *next;

	for (j = TAILQ_FIRST(&all->list); j != NULL; j = next) {
		next = TAILQ_NEXT(j, entry);
		if (j->starter == starter && j->state == JAIL_MAKING &&
		    j->awaited == 0)
			jail_spawn(j);
	}
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

int
on_mounted(struct peer *p, struct msg *m)
{
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;
	struct jail		*j;

	/* The jail may have been given up meanwhile. */
	if ((j = mount_find(sup->jails, m->id)) == NULL)
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
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;
	struct jail		*j;
	char			 step[64];

	if ((j = mount_find(sup->jails, m->id)) == NULL)
		return (0);
	(void)snprintf(step, sizeof(step), "%s %.32s",
	    j->layer_id == m->id ? "layer" : "workspace",
	    msg_str(m->env, "step"));
	jail_fail(j, step, msg_str(m->env, "error"));
	return (0);
}

static void
layer_opened(struct supervisor *sup, int64_t number, int error, int fd)
{
	const struct conf_ids	*ids = &sup->conf->sandbox;
	struct jail		*j = jail_find(sup->jails, number);

	if (j == NULL || j->state != JAIL_MAKING) {
		if (fd != -1)
			(void)close(fd);
		return;
	}
	j->awaited--;
	if (error == 0 && fd != -1) {
		if (mount_ask(j, fd, 0, ids->uid, ids->gid, &j->layer_id) == 0)
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

	if ((j->nprocs = cgroup_make(j->all->sup->cgroups, j->number,
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

	jail_arm(j, MAKE_MS);
	step = make_base(j);
	if (step == NULL && workspace != -1) {
		if (mount_ask(j, workspace, 1, j->owner, j->owner_gid,
		    &j->workspace_id) == -1)
			step = "workspace";
		workspace = -1;
	}
	if (step != NULL) {
		jail_fail(j, step, strerror(errno));
		if (workspace != -1)
			(void)close(workspace);
		return;
	}
	if (j->sandbox != -1) {
		j->awaited++;
		sandbox_open(j->all->sup, j->sandbox, j->number,
		    layer_opened);
	}
	if (j->awaited == 0)
		jail_spawn(j);
}
