/*
 * Whose turn it is: scripts start at once, for the keeper limits the runs;
 * tool jails wait for a place, for their workspace, and for the last jail of
 * their layer to be gone.
 */
#include <fcntl.h>

#include "broker.h"
#include "env.h"
#include "log.h"

/* Milliseconds until a jail that there was no descriptor for is tried again. */
#define TRY_WAIT	200

int
jail_has_layer(struct broker *b, int64_t sandbox)
{
	struct jail	*jail;

	TAILQ_FOREACH(jail, &b->jails, entry)
		if (jail->role == TOOL && jail->sandbox == sandbox &&
		    jail->state != JAIL_QUEUED)
			return (1);
	return (0);
}

/* Its socket is closed for good. */
static int
jail_silent(const struct jail *jail)
{
	switch (jail->state) {
	case JAIL_QUEUED:
	case JAIL_ASKED:
		return (0);
	case JAIL_BORN:
	case JAIL_READY:
		return (jail->peer == NULL);
	case JAIL_DYING:
		return (1);
	}
	fatalx("jail_silent: state %d", (int)jail->state);
}

struct jail *
jail_of_sandbox(struct run *run, int64_t sandbox)
{
	struct jail	*jail;

	TAILQ_FOREACH(jail, &run->jails, sibling)
		if (jail->role == TOOL && jail->sandbox == sandbox &&
		    !jail_silent(jail))
			return (jail);
	return (NULL);
}

static json_t *
jail_start_env(const struct jail *jail)
{
	const struct run	*run = jail->run;
	const struct limits	*l = &run->limits;
	json_t			*env;

	env = env_new("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
	    "kind", jail->role == SCRIPT ? "script" : "tool", "run", run->id,
	    "uid", (json_int_t)run->uid, "gid", (json_int_t)run->gid,
	    "memory", (json_int_t)l->memory, "pids", (json_int_t)l->pids,
	    "cpu", (json_int_t)l->cpu, "wall", (json_int_t)l->wall,
	    "fsize", (json_int_t)l->fsize, "files", (json_int_t)l->files);
	if (jail->role == TOOL && json_object_set_new(env, "sandbox",
	    json_integer(jail->sandbox)) == -1)
		fatalx("jail_start_env");
	return (env);
}

/* The jail's own copy of the workspace's descriptor, or -1 for none. The
 * world is wrong, not we, if there is none left: it is tried again. */
static int
jail_workspace(const struct jail *jail, int *fd)
{
	*fd = -1;
	if (jail->role == SCRIPT || jail->run->workspace.fd == -1)
		return (0);
	*fd = fcntl(jail->run->workspace.fd, F_DUPFD_CLOEXEC, 0);
	return (*fd == -1 ? -1 : 0);
}

static void
jail_ask(struct jail *jail)
{
	struct broker	*b = jail->broker;
	int		 fd;

	if (jail_workspace(jail, &fd) == -1) {
		log_warn("workspace of run %s", jail->run->id);
		jail_wait(jail, TRY_WAIT);
		return;
	}
	if (++b->jail_asks == 0)
		b->jail_asks = 1;
	jail->ask = b->jail_asks;
	jail->state = JAIL_ASKED;
	peer_send(b->warden, IMSG_JAIL_START, jail->ask, fd,
	    jail_start_env(jail), NULL, 0);
}

/* How many jails of these roles there are, or will be in a moment. */
static int64_t
jail_count(struct broker *b, int roles)
{
	struct jail	*jail;
	int64_t		 n = 0;

	TAILQ_FOREACH(jail, &b->jails, entry)
		if ((roles & (int)jail->role) != 0 &&
		    jail->state != JAIL_QUEUED)
			n++;
	return (n);
}

/* Tool jails that may start now. One always has room, or a full house of
 * scripts would wait for their tools for ever. */
static int64_t
jail_room(struct broker *b)
{
	int64_t	room = config_jails(b->config) -
		    jail_count(b, SCRIPT | TOOL);

	if (room <= 0)
		room = jail_count(b, TOOL) == 0;
	return (room);
}

static int
jail_is_idle(const struct jail *jail)
{
	return (jail->role == TOOL && jail->state == JAIL_READY &&
	    TAILQ_EMPTY(&jail->calls));
}

/*
 * No room: the tool jail that has been idle the longest gives up its place.
 * Its sandbox keeps its layer and gets a new jail at the next call.
 */
static void
jail_make_room(struct broker *b)
{
	struct jail	*idle = NULL, *jail;

	for (jail = TAILQ_FIRST(&b->jails); jail != NULL;
	    jail = TAILQ_NEXT(jail, entry)) {
		if (jail->role == TOOL && jail->state == JAIL_DYING)
			return;		/* room is being made */
		if (jail_is_idle(jail) &&
		    (idle == NULL || jail->used < idle->used))
			idle = jail;
	}
	if (idle != NULL)
		jail_kill(idle, "done");
}

/* Could it start if there were room? A script waits for the workspace too,
 * or its run would not be seen to wait. */
static int
jail_is_due(const struct jail *jail)
{
	if (jail->state != JAIL_QUEUED || evtimer_pending(jail->timer, NULL) ||
	    !workspace_ready(jail->run))
		return (0);
	return (jail->role == SCRIPT ||
	    !jail_has_layer(jail->broker, jail->sandbox));
}

void
jail_schedule(struct broker *b)
{
	struct jail	*jail, *next;
	int64_t		 room = jail_room(b);
	int		 full = 0;

	for (jail = TAILQ_FIRST(&b->jails); jail != NULL; jail = next) {
		next = TAILQ_NEXT(jail, entry);
		if ((full && jail->role == TOOL) || !jail_is_due(jail))
			continue;
		if (jail->role == SCRIPT || room-- > 0)
			jail_ask(jail);
		else {
			full = 1;
			jail_make_room(b);
		}
	}
}
