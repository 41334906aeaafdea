/*
 * The jails there are, and what the broker asks of them. A jail is used
 * once. What is known of it on this side is a pidfd and a cgroup, never a
 * pid alone.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jail.h"
#include "log.h"

#define UID_FIRST	1000	/* of a jail, as its starter counts */
#define UID_LAST	64999

struct jails *
jails_new(struct warden *w)
{
	struct jails	*all;

	if ((all = calloc(1, sizeof(*all))) == NULL)
		fatal("jails_new");
	TAILQ_INIT(&all->list);
	all->w = w;
	all->uid = UID_LAST;
	all->mount = HOST_MOUNT;
	jails_report(all);
	spares_init(all);
	return (all);
}

int
jails_count(const struct jails *all)
{
	return (all->count);
}

struct jail *
jail_find(const struct jails *all, int64_t number)
{
	struct jail	*j;

	TAILQ_FOREACH(j, &all->list, entry)
		if (j->number == number)
			break;
	return (j);
}

int
jails_busy(const struct jails *all)
{
	const struct jail	*j;

	TAILQ_FOREACH(j, &all->list, entry)
		if (!j->spare)
			return (1);
	return (0);
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

struct jail *
jail_undead(const struct jails *all)
{
	struct jail	*j;

	TAILQ_FOREACH(j, &all->list, entry)
		if (j->unconfirmed)
			break;
	return (j);
}

void
jails_report(struct jails *all)
{
	const struct jail	*j = jail_undead(all);

	if (j == NULL)
		host_row(all->w, "kills", 1, "no jail outlives its kill by "
		    "a second");
	else
		host_row(all->w, "kills", 0, "jail %lld (pid %d, run %s) was "
		    "killed and does not die; no jail is started until it "
		    "has: see what it waits for in /proc/%d/stack",
		    (long long)j->number, j->pid, j->run, j->pid);
}

/* ---- one record ---- */

static void
fd_close(int *fd)
{
	if (*fd != -1)
		(void)close(*fd);
	*fd = -1;
}

void
jail_close_parts(struct jail *j)
{
	fd_close(&j->jail_end);
	fd_close(&j->layer);
	fd_close(&j->workspace);
	while (j->nprocs > 0)
		fd_close(&j->procs[--j->nprocs]);
}

void
jail_free(struct jail *j)
{
	TAILQ_REMOVE(&j->all->list, j, entry);
	j->all->count--;
	jail_close_parts(j);
	fd_close(&j->broker_end);
	if (j->dead != NULL)
		event_free(j->dead);
	if (j->timer != NULL)
		event_free(j->timer);
	fd_close(&j->pidfd);
	recycle_retire(j->all->w);
	if (j->unconfirmed)
		jails_report(j->all);
	warden_count(j->all->w);
	free(j);
}

void
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

void
jail_for(struct jail *j, const json_t *env)
{
	(void)snprintf(j->run, sizeof(j->run), "%s", msg_str(env, "run"));
	j->owner = (uid_t)msg_int(env, "uid");
	j->owner_gid = (gid_t)msg_int(env, "gid");
	j->wall = msg_int(env, "wall");
}

struct jail *
jail_new(struct jails *all, const json_t *env, struct starter *starter)
{
	struct jail	*j;

	if ((j = calloc(1, sizeof(*j))) == NULL)
		fatal("jail_new");
	j->all = all;
	j->number = ++all->number;
	j->uid = uid_next(all);
	j->starter = starter;
	j->canary = -1;
	j->broker_end = j->jail_end = j->layer = j->workspace = j->pidfd = -1;
	(void)snprintf(j->kind, sizeof(j->kind), "%s", msg_str(env, "kind"));
	j->sandbox = msg_int(env, "sandbox");
	j->memory = msg_int(env, "memory");
	j->pids = msg_int(env, "pids");
	j->cpu = j->death.cpu_limit = msg_int(env, "cpu");
	j->fsize = msg_int(env, "fsize");
	j->files = msg_int(env, "files");
	jail_for(j, env);
	if ((j->timer = event_new(all->w->base, -1, 0, jail_timer,
	    j)) == NULL)
		fatalx("event_new");
	TAILQ_INSERT_TAIL(&all->list, j, entry);
	all->count++;
	if (starter->id == all->w->script)
		recycle_count(all->w);
	return (j);
}

/* ---- what the broker asks ---- */

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

/* Why there can be no jail at this time, or NULL. */
static const char *
start_refused(const struct jails *all)
{
	if (jail_undead(all) != NULL)
		return ("an earlier jail does not die");
	if (all->count >= 2 * all->w->config->jails)
		return ("too many jails");
	return (NULL);
}

int
on_jail_start(struct peer *p, struct msg *m)
{
	struct warden		*w = peer_ctx(p);
	const char		*kind = msg_str(m->env, "kind"), *why;
	int			 tool = strcmp(kind, "tool") == 0;
	int64_t			 sandbox = msg_int(m->env, "sandbox");
	struct starter		*starter;
	struct jail		*j;

	if (!tool && (strcmp(kind, "script") != 0 || m->fd != -1))
		return (-1);
	if (tool != (sandbox != -1))
		return (-1);
	if (w->stopping)
		return (0);	/* an answer would settle something */
	if (m->fd != -1 && !is_directory(m->fd)) {
		jail_failed_send(w->jails, m->id, "workspace",
		    "not a directory opened for reading");
		return (0);
	}
	starter = &w->starters[tool ? STARTER_TOOL : w->script];
	if ((why = start_refused(w->jails)) != NULL ||
	    (why = tool && jails_use(w->jails, sandbox) ?
	    "its sandbox is in use" : NULL) != NULL)
		jail_failed_send(w->jails, m->id, "start", why);
	else if (!tool && (j = spare_take(w->jails, m->env)) != NULL) {
		j->ask = m->id;
		jail_started(j);
	} else {
		j = jail_new(w->jails, m->env, starter);
		j->ask = m->id;
		jail_make(j, msg_take_fd(m));
	}
	if (!tool)
		spares_want(w->jails, m->env);
	warden_count(w);
	return (0);
}

int
on_jail_kill(struct peer *p, struct msg *m)
{
	struct warden		*w = peer_ctx(p);
	struct jail		*j;

	/* It may just have died of itself. */
	j = jail_find(w->jails, msg_int(m->env, "jail"));
	if (j != NULL && j->told == TOLD_STARTED)
		jail_kill(j, msg_str(m->env, "cause"), 0);
	return (0);
}
