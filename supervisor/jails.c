/*
 * Jails: the parts of each, its starter, its clock, its end. A jail is used
 * once. What is known of it on this side is a pidfd and a cgroup, never a
 * pid alone.
 */
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cause.h"
#include "cgroup.h"
#include "jails.h"
#include "log.h"
#include "sandbox.h"
#include "status.h"

#define MAKE_MS		20000	/* a jail that is not up by then has failed */
#define KILL_MS		1000	/* a kill is confirmed within this */
#define BURY_MS		20	/* between two tries to remove a cgroup */
#define BURY_TRIES	50
#define UID_FIRST	1000	/* of a jail, as its starter counts */
#define UID_LAST	64999

enum jail_state {
	JAIL_MAKING,	/* its mounts are being made */
	JAIL_SPAWNING,	/* its starter has been told */
	JAIL_RUNNING,	/* confined and verified */
	JAIL_DYING,	/* killed or dead, not yet reaped */
	JAIL_BURYING,	/* reaped; its cgroup goes */
};

/* What the broker has been told in answer to its JAIL_START. */
enum jail_told { TOLD_NOTHING, TOLD_STARTED, TOLD_FAILED, TOLD_NOBODY };

struct jail {
	TAILQ_ENTRY(jail)	 entry;
	struct jails		*all;
	int64_t			 number;
	enum jail_state		 state;
	enum jail_told		 told;
	struct child		*starter;	/* NULL once it has died */
	uint32_t		 ask;		/* the question's peerid */
	char			 kind[8], run[33];
	int64_t			 sandbox;	/* -1: none */
	uid_t			 uid;		/* as the starter counts */
	uid_t			 owner;
	gid_t			 owner_gid;
	int64_t			 memory, pids, cpu, wall, fsize, files;

	/* The parts, and the mounts that are still awaited. */
	int			 broker_end, jail_end;
	int			 layer, workspace;
	int			 procs[CGROUP_TREES], nprocs;
	uint32_t		 layer_id, workspace_id;
	int			 awaited;

	int			 pidfd;
	pid_t			 pid;		/* for words only */
	struct event		*dead, *timer;
	int			 tries, unconfirmed, ours;
	struct death		 death;
	int64_t			 peak;
};

struct jails {
	TAILQ_HEAD(, jail)	 list;
	struct supervisor	*sup;
	int			 count;
	int			 unconfirmed;	/* kills; no new jail with any */
	int64_t			 number;	/* the last one */
	uid_t			 uid;		/* the last one */
	uint32_t		 mount;		/* the last request */
};

static void	jail_timer(int, short, void *);
static void	jail_bury(struct jail *);

struct jails *
jails_new(struct supervisor *sup)
{
	struct jails	*all;

	if ((all = calloc(1, sizeof(*all))) == NULL)
		fatal("jails_new");
	TAILQ_INIT(&all->list);
	all->sup = sup;
	all->uid = UID_LAST;
	return (all);
}

int
jails_count(const struct jails *all)
{
	return (all->count);
}

static struct jail *
jail_find(const struct jails *all, int64_t number)
{
	struct jail	*j;

	TAILQ_FOREACH(j, &all->list, entry)
		if (j->number == number)
			break;
	return (j);
}

int
jails_use(const struct jails *all, int64_t sandbox)
{
	const struct jail	*j;

	TAILQ_FOREACH(j, &all->list, entry)
		if (j->sandbox == sandbox)
			return (1);
	return (0);
}

/* ---- one record ---- */

static void
fd_close(int *fd)
{
	if (*fd != -1)
		(void)close(*fd);
	*fd = -1;
}

static void
jail_close_parts(struct jail *j)
{
	fd_close(&j->jail_end);
	fd_close(&j->layer);
	fd_close(&j->workspace);
	while (j->nprocs > 0)
		fd_close(&j->procs[--j->nprocs]);
}

static void
jail_free(struct jail *j)
{
	TAILQ_REMOVE(&j->all->list, j, entry);
	j->all->count--;
	j->all->unconfirmed -= j->unconfirmed;
	jail_close_parts(j);
	fd_close(&j->broker_end);
	if (j->dead != NULL)
		event_free(j->dead);
	if (j->timer != NULL)
		event_free(j->timer);
	fd_close(&j->pidfd);
	free(j);
}

static void
jail_arm(struct jail *j, int64_t ms)
{
	struct timeval	tv = { ms / 1000, ms % 1000 * 1000 };

	if (event_add(j->timer, &tv) == -1)
		fatalx("event_add");
}

/* In turn, so that one is used again as late as can be. */
static uid_t
uid_next(struct jails *all)
{
	const struct jail	*j;

	do {
		all->uid = all->uid == UID_LAST ? UID_FIRST : all->uid + 1;
		TAILQ_FOREACH(j, &all->list, entry)
			if (j->uid == all->uid)
				break;
	} while (j != NULL);
	return (all->uid);
}

static struct jail *
jail_new(struct jails *all, const struct msg *m, struct child *starter)
{
	struct jail	*j;
	const json_t	*env = m->env;

	if ((j = calloc(1, sizeof(*j))) == NULL)
		fatal("jail_new");
	j->all = all;
	j->number = ++all->number;
	j->uid = uid_next(all);
	j->starter = starter;
	j->ask = m->id;
	j->broker_end = j->jail_end = j->layer = j->workspace = j->pidfd = -1;
	(void)snprintf(j->kind, sizeof(j->kind), "%s", msg_str(env, "kind"));
	(void)snprintf(j->run, sizeof(j->run), "%s", msg_str(env, "run"));
	j->sandbox = msg_int(env, "sandbox");
	j->owner = (uid_t)msg_int(env, "uid");
	j->owner_gid = (gid_t)msg_int(env, "gid");
	j->memory = msg_int(env, "memory");
	j->pids = msg_int(env, "pids");
	j->cpu = j->death.cpu_limit = msg_int(env, "cpu");
	j->wall = msg_int(env, "wall");
	j->fsize = msg_int(env, "fsize");
	j->files = msg_int(env, "files");
	if ((j->timer = event_new(all->sup->base, -1, 0, jail_timer,
	    j)) == NULL)
		fatalx("event_new");
	TAILQ_INSERT_TAIL(&all->list, j, entry);
	all->count++;
	return (j);
}

/* ---- to the broker ---- */

static void
failed_send(struct jails *all, uint32_t ask, const char *step,
    const char *error)
{
	struct peer	*broker = all->sup->children[CHILD_BROKER].peer;

	if (broker != NULL)
		peer_send(broker, IMSG_JAIL_FAILED, ask, -1, json_pack(
		    "{s:s,s:s}", "step", step, "error", error), NULL, 0);
}

static void
started_send(struct jail *j)
{
	struct peer	*broker = j->all->sup->children[CHILD_BROKER].peer;
	int		 fd = j->broker_end;

	if (broker == NULL || j->told != TOLD_NOTHING)
		return;
	j->told = TOLD_STARTED;
	j->broker_end = -1;
	peer_send(broker, IMSG_JAIL_STARTED, j->ask, fd, json_pack(
	    "{s:I,s:i,s:I}", "jail", (json_int_t)j->number, "pid", j->pid,
	    "uid", (json_int_t)(starter_base(j->starter) + j->uid)), NULL, 0);
}

static void
exit_send(const struct jail *j, const char *cause)
{
	struct peer	*broker = j->all->sup->children[CHILD_BROKER].peer;

	if (broker != NULL && j->told == TOLD_STARTED)
		peer_send(broker, IMSG_JAIL_EXIT, 0, -1, json_pack(
		    "{s:I,s:s,s:b,s:I,s:I}", "jail", (json_int_t)j->number,
		    "cause", cause, "ours", j->ours,
		    "cpu_ms", (json_int_t)j->death.cpu_ms,
		    "peak", (json_int_t)j->peak), NULL, 0);
}

/* ---- the end of a jail ---- */

static int
is_dead(const struct jail *j)
{
	struct pollfd	pfd = { .fd = j->pidfd, .events = POLLIN };

	return (j->pidfd != -1 && poll(&pfd, 1, 0) == 1);
}

/* cause is what killed it, unless something else already has. */
static void
jail_kill(struct jail *j, const char *cause, int ours)
{
	if (j->state >= JAIL_DYING)
		return;
	if (!is_dead(j)) {
		(void)snprintf(j->death.own, sizeof(j->death.own), "%s",
		    cause);
		j->ours = ours;
	}
	audit("jail.kill", "ok", "jail", audit_int(j->number), "run", j->run,
	    "cause", cause, NULL);
	if (j->state == JAIL_MAKING) {
		jail_bury(j);
		return;
	}
	j->state = JAIL_DYING;
	if (j->pidfd != -1)
		(void)syscall(SYS_pidfd_send_signal, j->pidfd, SIGKILL, NULL,
		    0);
	cgroup_kill(j->all->sup->cgroups, j->number);
	jail_arm(j, KILL_MS);
}

/* It can't be made. What there is of it goes. */
static void
jail_fail(struct jail *j, const char *step, const char *error)
{
	log_warnx("jail %" PRId64 ": %s: %s", j->number, step, error);
	audit("jail.spawn", "fail", "jail", audit_int(j->number), "run",
	    j->run, "kind", j->kind, "step", step, "error", error, NULL);
	if (j->told == TOLD_NOTHING) {
		failed_send(j->all, j->ask, step, error);
		j->told = TOLD_FAILED;
	}
	jail_kill(j, "failed", 0);
}

static void
jail_exit(struct jail *j)
{
	char	cause[CAUSE_MAX];

	death_cause(&j->death, cause, sizeof(cause));
	if (j->told == TOLD_NOTHING)
		failed_send(j->all, j->ask, "start", cause);
	exit_send(j, cause);
	if (j->told != TOLD_FAILED)
		audit("jail.exit", j->ours ? "ok" : strcmp(cause, "done") == 0
		    || strcmp(cause, "exit 0") == 0 ? "ok" : "fail",
		    "jail", audit_int(j->number), "run", j->run, "kind",
		    j->kind, "cause", cause, "cpu_ms",
		    audit_int(j->death.cpu_ms), "peak", audit_int(j->peak),
		    NULL);
	jail_free(j);
}

/* Remove its cgroup, as often as it takes, within bounds. */
static void
jail_bury_try(struct jail *j)
{
	struct cgroups	*cg = j->all->sup->cgroups;

	if (cgroup_remove(cg, j->number) == -1 && ++j->tries < BURY_TRIES) {
		cgroup_kill(cg, j->number);
		jail_arm(j, BURY_MS);
		return;
	}
	if (j->tries == BURY_TRIES)
		log_warnx("jail %" PRId64 ": its cgroup is left: %s",
		    j->number, strerror(errno));
	jail_exit(j);
}

static void
jail_bury(struct jail *j)
{
	struct cgroup_counts	counts;

	j->state = JAIL_BURYING;
	(void)event_del(j->timer);
	if (j->dead != NULL)
		(void)event_del(j->dead);
	jail_close_parts(j);
	cgroup_count(j->all->sup->cgroups, j->number, &counts);
	j->death.oom = counts.oom;
	j->death.pids = counts.pids;
	if (counts.peak > j->peak)
		j->peak = counts.peak;
	jail_bury_try(j);
}

/* Its pidfd is readable: dead. The starter will say how, soon. */
static void
jail_dead(int fd, short what, void *arg)
{
	struct jail	*j = arg;

	(void)fd;
	(void)what;
	if (j->starter == NULL) {
		jail_bury(j);
		return;
	}
	j->state = JAIL_DYING;
	jail_arm(j, KILL_MS);
}

static void
kill_unconfirmed(struct jail *j)
{
	if (is_dead(j) || j->starter == NULL) {
		jail_bury(j);
		return;
	}
	if (!j->unconfirmed) {
		log_warnx("jail %" PRId64 " (pid %d) does not die: "
		    "no new jails until it has", j->number, j->pid);
		j->unconfirmed = 1;
		j->all->unconfirmed++;
	}
	jail_arm(j, KILL_MS);
}

static void
jail_timer(int fd, short what, void *arg)
{
	struct jail	*j = arg;

	(void)fd;
	(void)what;
	switch (j->state) {
	case JAIL_MAKING:
	case JAIL_SPAWNING:
		jail_fail(j, "start", "took too long");
		break;
	case JAIL_RUNNING:
		jail_kill(j, "wall", 0);
		break;
	case JAIL_DYING:
		kill_unconfirmed(j);
		break;
	case JAIL_BURYING:
		jail_bury_try(j);
		break;
	}
}

void
jails_kill_all(struct jails *all, int forget)
{
	struct jail	*j, *next;

	for (j = TAILQ_FIRST(&all->list); j != NULL; j = next) {
		next = TAILQ_NEXT(j, entry);
		if (forget)
			j->told = TOLD_NOBODY;
		jail_kill(j, "restart", 1);
	}
}

void
jails_starter_gone(struct jails *all, const struct child *starter)
{
	struct jail	*j, *next;

	for (j = TAILQ_FIRST(&all->list); j != NULL; j = next) {
		next = TAILQ_NEXT(j, entry);
		if (j->starter != starter || j->state == JAIL_MAKING)
			continue;
		jail_kill(j, "restart", 1);
		if (j->death.own[0] == '\0' && !j->death.reaped) {
			/* Seen dead before its starter was. */
			(void)strcpy(j->death.own, "restart");
			j->ours = 1;
		}
		j->starter = NULL;
		/* Nobody will tell of its pid or its end any more. */
		if (j->state == JAIL_DYING && (j->pidfd == -1 || is_dead(j)))
			jail_bury(j);
	}
}

/* ---- the making of a jail ---- */

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

/* All parts are there. If its starter is just coming up, it waits for it. */
static void
jail_spawn(struct jail *j)
{
	int	i;

	if (j->starter->peer == NULL || j->starter->state != CHILD_READY)
		return;
	part_send(j, "socket", &j->jail_end);
	for (i = 0; i < j->nprocs; i++)
		part_send(j, "cgroup", &j->procs[i]);
	j->nprocs = 0;
	part_send(j, "workspace", &j->workspace);
	part_send(j, "layer", &j->layer);
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
	if (j->layer_id == m->id)
		j->layer = msg_take_fd(m);
	else
		j->workspace = msg_take_fd(m);
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

/*
 * A directory that was opened for reading: known from its flags alone, since
 * asking its file system could block for as long as its owner likes.
 */
static int
is_directory(int fd)
{
	int	flags = fcntl(fd, F_GETFL);

	return (flags != -1 && (flags & O_DIRECTORY) != 0 &&
	    (flags & O_PATH) == 0 && (flags & O_ACCMODE) == O_RDONLY);
}

/* Cgroup and sockets; then what takes longer. */
static void
jail_make(struct jail *j, int workspace)
{
	struct supervisor	*sup = j->all->sup;
	int			 fds[2];

	jail_arm(j, MAKE_MS);
	if ((j->nprocs = cgroup_make(sup->cgroups, j->number, j->memory,
	    j->pids, j->procs)) == -1) {
		j->nprocs = 0;
		jail_fail(j, "cgroup", strerror(errno));
	} else if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK |
	    SOCK_CLOEXEC, 0, fds) == -1)
		jail_fail(j, "socket", strerror(errno));
	else {
		j->broker_end = fds[0];
		j->jail_end = fds[1];
		if (workspace != -1 && mount_ask(j, workspace, 1, j->owner,
		    j->owner_gid, &j->workspace_id) == -1) {
			jail_fail(j, "workspace", strerror(errno));
			return;
		}
		if (j->sandbox != -1) {
			j->awaited++;
			sandbox_open(sup, j->sandbox, j->number,
			    layer_opened);
		}
		if (j->awaited == 0)
			jail_spawn(j);
		return;
	}
	if (workspace != -1)
		(void)close(workspace);
}

/* Why there can be no jail at this time, or NULL. */
static const char *
start_refused(const struct jails *all)
{
	if (all->sup->state == SUP_STOPPING)
		return ("the daemon stops");
	if (all->unconfirmed > 0)
		return ("an earlier jail does not die");
	if (all->count >= 2 * all->sup->conf->jails)
		return ("too many jails");
	return (NULL);
}

int
priv_jail_start(struct peer *p, struct msg *m)
{
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;
	const char		*kind = msg_str(m->env, "kind"), *why;
	int			 tool = strcmp(kind, "tool") == 0;
	int64_t			 sandbox = msg_int(m->env, "sandbox");
	struct child		*starter;

	if (!tool && (strcmp(kind, "script") != 0 || m->fd != -1))
		return (-1);
	if (tool != (sandbox != -1))
		return (-1);
	if (m->fd != -1 && !is_directory(m->fd)) {
		failed_send(sup->jails, m->id, "workspace",
		    "not a directory opened for reading");
		return (0);
	}
	starter = &sup->children[tool ? CHILD_TOOL : CHILD_SCRIPT];
	if ((why = start_refused(sup->jails)) != NULL ||
	    (why = tool && jails_use(sup->jails, sandbox) ?
	    "its sandbox is in use" : NULL) != NULL)
		failed_send(sup->jails, m->id, "start", why);
	else
		jail_make(jail_new(sup->jails, m, starter), msg_take_fd(m));
	return (0);
}

int
priv_jail_kill(struct peer *p, struct msg *m)
{
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;
	struct jail		*j;

	/* It may just have died of itself. */
	j = jail_find(sup->jails, msg_int(m->env, "jail"));
	if (j != NULL && j->told == TOLD_STARTED)
		jail_kill(j, msg_str(m->env, "cause"), 0);
	return (0);
}

/* ---- what starters tell ---- */

/* The jail that a starter speaks of: one of its own. */
static struct jail *
jail_of(struct peer *p, const struct msg *m)
{
	struct child	*starter = peer_ctx(p);
	struct jail	*j;

	j = jail_find(starter->sup->jails, msg_int(m->env, "jail"));
	return (j != NULL && j->starter == starter ? j : NULL);
}

/* The pid of a pidfd's process, or -1 if it is gone. */
static pid_t
pidfd_pid(int fd)
{
	char	 path[64], line[128];
	int	 pid = -1;
	FILE	*f;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if ((f = fopen(path, "re")) == NULL)
		return (-1);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "Pid: %d", &pid) == 1)
			break;
	(void)fclose(f);
	return (pid > 0 ? pid : -1);
}

/*
 * A starter's pidfd is what we will send signals to: it must be of a process
 * of the starter's own user namespace, or we would kill for it.
 */
static int
pidfd_ours(const struct jail *j, int pidfd)
{
	struct status	st;
	uid_t		base = starter_base(j->starter);
	pid_t		pid = pidfd_pid(pidfd);

	return (pid != -1 && pid != j->starter->pid &&
	    status_read(pid, &st) == 0 && pidfd_pid(pidfd) == pid &&
	    st.uid[0] >= base && st.uid[0] - base < 65536);
}

int
priv_jail_spawned(struct peer *p, struct msg *m)
{
	struct jail	*j = jail_of(p, m);

	if (j == NULL || j->pidfd != -1 ||
	    (j->state != JAIL_SPAWNING && j->state != JAIL_DYING))
		return (-1);
	if (!pidfd_ours(j, m->fd))
		return (0);	/* dead already; or JAIL_CONFINED will fail */
	j->pid = pidfd_pid(m->fd);
	j->pidfd = msg_take_fd(m);
	if ((j->dead = event_new(j->all->sup->base, j->pidfd, EV_READ,
	    jail_dead, j)) == NULL || event_add(j->dead, NULL) == -1)
		fatalx("jail: event");
	/* Killed before it had a pid. */
	if (j->state == JAIL_DYING)
		(void)syscall(SYS_pidfd_send_signal, j->pidfd, SIGKILL, NULL,
		    0);
	return (0);
}

/* Is it as confined as its starter says? The one privileged look. */
static int
jail_verify(const struct jail *j, char *why, size_t whylen)
{
	struct status_want	want = { .any_caps = 0 };

	want.uid = want.gid = starter_base(j->starter) + j->uid;
	if (j->pidfd == -1 || pidfd_pid(j->pidfd) != j->pid) {
		(void)snprintf(why, whylen, "it has died");
		return (-1);
	}
	if (status_check(j->pid, &want, why, whylen) == -1)
		return (-1);
	/* Still the same process: then so was what was read. */
	if (pidfd_pid(j->pidfd) == j->pid)
		return (0);
	(void)snprintf(why, whylen, "it has died");
	return (-1);
}

int
priv_jail_confined(struct peer *p, struct msg *m)
{
	struct jail	*j = jail_of(p, m);
	char		 why[256];

	if (j == NULL || j->state == JAIL_DYING)
		return (0);
	if (j->state != JAIL_SPAWNING)
		return (-1);
	if (jail_verify(j, why, sizeof(why)) == -1) {
		jail_fail(j, "verify", why);
		return (0);
	}
	j->state = JAIL_RUNNING;
	jail_arm(j, j->wall * 1000);
	audit("jail.spawn", "ok", "jail", audit_int(j->number), "run", j->run,
	    "kind", j->kind, "pid", audit_int(j->pid), "uid",
	    audit_int(starter_base(j->starter) + j->uid), "memory",
	    audit_int(j->memory), "pids", audit_int(j->pids), NULL);
	started_send(j);
	return (0);
}

int
priv_jail_unmade(struct peer *p, struct msg *m)
{
	struct jail	*j = jail_of(p, m);

	if (j == NULL)
		return (0);
	if (j->state == JAIL_SPAWNING)
		jail_fail(j, msg_str(m->env, "step"),
		    msg_str(m->env, "error"));
	else if (j->state != JAIL_DYING)
		return (-1);
	/* Without a process there is nothing to wait for. */
	if (j->pidfd == -1)
		jail_bury(j);
	return (0);
}

int
priv_jail_reaped(struct peer *p, struct msg *m)
{
	struct jail	*j = jail_of(p, m);

	if (j == NULL || j->state < JAIL_SPAWNING ||
	    j->state == JAIL_BURYING)
		return (0);
	/* Believed only if the kernel agrees that it is dead. */
	if (j->pidfd != -1 && !is_dead(j))
		return (-1);
	j->death.reaped = 1;
	j->death.status = (int)msg_int(m->env, "status");
	j->death.cpu_ms = msg_int(m->env, "cpu_ms");
	j->peak = msg_int(m->env, "maxrss");
	jail_bury(j);
	return (0);
}
