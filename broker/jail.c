/*
 * A jail's socket tells nothing about its end: a script may close it and
 * compute on. So when the socket closes the jail gets a moment to be reaped,
 * then it is killed, and only JAIL_EXIT says what it died of.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker.h"
#include "env.h"
#include "log.h"
#include "room.h"

/* Milliseconds until a new jail must have said hello. */
#define HELLO_WAIT	60000
/* Milliseconds from the close of a socket until the jail is killed. */
#define REAP_WAIT	1000
/* A tool jail that could not start for our own reasons: how often it is
 * tried again, and after how many milliseconds more each time. */
#define TRIES_MAX	12
#define TRY_WAIT	100

static void	jail_timer(int, short, void *);
static void	jail_peer_gone(struct peer *, const char *);

static const struct peer_ops script_ops = {
	.self = BROKER,
	.handlers = script_handlers,
	.gone = jail_peer_gone,
};

static const struct peer_ops tool_ops = {
	.self = BROKER,
	.handlers = tool_handlers,
	.gone = jail_peer_gone,
};

/* ---- making ---- */

struct jail *
jail_new(struct run *run, enum role role, int64_t sandbox)
{
	struct broker	*b = run->broker;
	struct jail	*jail;

	if ((jail = calloc(1, sizeof(*jail))) == NULL)
		fatal("jail_new");
	jail->broker = b;
	jail->run = run;
	jail->role = role;
	jail->sandbox = sandbox;
	jail->used = env_ticks();
	RB_INIT(&jail->nodes);
	TAILQ_INIT(&jail->calls);
	if ((jail->timer = evtimer_new(b->base, jail_timer, jail)) == NULL)
		fatalx("evtimer_new");
	TAILQ_INSERT_TAIL(&b->jails, jail, entry);
	TAILQ_INSERT_TAIL(&run->jails, jail, sibling);
	if (role == SCRIPT)
		run->script = jail;
	return (jail);
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
		return;
	}
	if (++b->jail_asks == 0)
		b->jail_asks = 1;
	jail->ask = b->jail_asks;
	jail->state = JAIL_ASKED;
	peer_send(b->supervisor, IMSG_JAIL_START, jail->ask, fd,
	    jail_start_env(jail), NULL, 0);
}

/* ---- whose turn it is ---- */

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

/* Jails that there are, or will be in a moment. */
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

/* One tool jail always has room, or a full house of scripts would wait for
 * their tools for ever. */
static int
jail_has_room(struct broker *b)
{
	return (jail_count(b, SCRIPT | TOOL) < config_jails(b->config) ||
	    jail_count(b, TOOL) == 0);
}

/*
 * No room: the tool jail that has been idle the longest gives up its place.
 * Its sandbox keeps its layer and gets a new jail at the next call.
 */
static void
jail_make_room(struct broker *b)
{
	struct jail	*jail, *idle = NULL;

	TAILQ_FOREACH(jail, &b->jails, entry) {
		if (jail->role != TOOL)
			continue;
		if (jail->state == JAIL_DYING)
			return;		/* room is being made */
		if (jail->state == JAIL_READY && TAILQ_EMPTY(&jail->calls) &&
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

	for (jail = TAILQ_FIRST(&b->jails); jail != NULL; jail = next) {
		next = TAILQ_NEXT(jail, entry);
		if (!jail_is_due(jail))
			continue;
		if (jail->role == SCRIPT || jail_has_room(b))
			jail_ask(jail);
		else
			jail_make_room(b);
	}
}

/* ---- ending ---- */

static void
jail_wait(struct jail *jail, int64_t ms)
{
	struct timeval	tv = { ms / 1000, ms % 1000 * 1000 };

	if (evtimer_add(jail->timer, &tv) == -1)
		fatalx("evtimer_add");
}

static void
jail_hang_up(struct jail *jail)
{
	throttle_end(jail->broker->throttles, &jail->throttle);
	if (jail->peer != NULL)
		peer_close(jail->peer);
	jail->peer = NULL;
}

static void
jail_send_kill(struct jail *jail, const char *cause)
{
	peer_send(jail->broker->supervisor, IMSG_JAIL_KILL, 0, -1,
	    env_new("{s:I, s:s}", "jail", (json_int_t)jail->number, "cause",
	    cause), NULL, 0);
}

void
jail_kill(struct jail *jail, const char *cause)
{
	switch (jail->state) {
	case JAIL_QUEUED:
	case JAIL_ASKED:
	case JAIL_DYING:
		return;
	case JAIL_BORN:
	case JAIL_READY:
		(void)evtimer_del(jail->timer);
		jail_hang_up(jail);
		jail_send_kill(jail, cause);
		jail->state = JAIL_DYING;
		return;
	}
	fatalx("jail_kill: state %d", (int)jail->state);
}

/* Out of the run's hands. */
static void
jail_detach(struct jail *jail)
{
	script_forget_nodes(jail);
	tool_forget_calls(jail);
	if (jail->run == NULL)
		return;
	if (jail->run->script == jail)
		jail->run->script = NULL;
	TAILQ_REMOVE(&jail->run->jails, jail, sibling);
	jail->run = NULL;
}

void
jail_free(struct jail *jail)
{
	jail_detach(jail);
	jail_hang_up(jail);
	event_free(jail->timer);
	TAILQ_REMOVE(&jail->broker->jails, jail, entry);
	free(jail);
}

void
jail_forget(struct jail *jail, const char *cause)
{
	jail_detach(jail);
	if (jail->state == JAIL_QUEUED)
		jail_free(jail);
	else
		jail_kill(jail, cause);
}

void
jail_sweep(struct broker *b)
{
	struct jail	*jail, *next;

	for (jail = TAILQ_FIRST(&b->jails); jail != NULL; jail = next) {
		next = TAILQ_NEXT(jail, entry);
		if (jail->run == NULL)
			jail_free(jail);
	}
}

/* Its next try is due; or it has not said hello in time; or its socket is
 * long closed. */
static void
jail_timer(int fd, short what, void *arg)
{
	struct jail	*jail = arg;

	(void)fd;
	(void)what;
	if (jail->state == JAIL_QUEUED)
		jail_schedule(jail->broker);
	else
		jail_kill(jail, "protocol");
}

/* Did the peer end of itself, rather than by what it said? A socket that is
 * closed with unread bytes in it says ECONNRESET. */
static int
closed_by_itself(const char *why)
{
	return (strcmp(why, "closed") == 0 ||
	    strcmp(why, strerror(ECONNRESET)) == 0);
}

static void
jail_peer_gone(struct peer *p, const char *why)
{
	struct jail	*jail = peer_ctx(p);

	throttle_end(jail->broker->throttles, &jail->throttle);
	jail->peer = NULL;
	if (closed_by_itself(why))
		jail_wait(jail, REAP_WAIT);
	else
		jail_kill(jail, "protocol");
}

/* ---- the supervisor's word ---- */

static struct jail *
jail_by_ask(struct broker *b, uint32_t ask)
{
	struct jail	*jail;

	TAILQ_FOREACH(jail, &b->jails, entry)
		if (jail->state == JAIL_ASKED && jail->ask == ask)
			return (jail);
	return (NULL);
}

static struct jail *
jail_by_number(struct broker *b, int64_t number)
{
	struct jail	*jail;

	TAILQ_FOREACH(jail, &b->jails, entry)
		if (jail->number == number)
			return (jail);
	return (NULL);
}

/* Speak with the jail on fd (taken). -1 if that can't be. */
static int
jail_connect(struct jail *jail, int fd)
{
	char	name[64];

	(void)snprintf(name, sizeof(name), "%s jail %" PRId64,
	    role_name(jail->role), jail->number);
	if (fcntl(fd, F_SETFL, O_NONBLOCK) == -1) {
		(void)close(fd);
		return (-1);
	}
	jail->peer = peer_new(jail->broker->base, fd, jail->role, name,
	    jail->role == SCRIPT ? &script_ops : &tool_ops, jail);
	if (jail->peer == NULL)
		return (-1);
	peer_set_body_max(jail->peer, BODY_MAX);
	throttle_init(&jail->throttle, jail->peer);
	jail_wait(jail, HELLO_WAIT);
	return (0);
}

/* A jail that nobody asked for, or no longer: away with it. */
static void
jail_reject(struct broker *b, int64_t number)
{
	peer_send(b->supervisor, IMSG_JAIL_KILL, 0, -1,
	    env_new("{s:I, s:s}", "jail", (json_int_t)number, "cause",
	    "cancel"), NULL, 0);
}

int
jail_started(struct peer *p, struct msg *m)
{
	struct broker	*b = peer_ctx(p);
	struct jail	*jail = jail_by_ask(b, m->id);

	if (jail == NULL) {
		jail_reject(b, msg_int(m->env, "jail"));
		return (0);
	}
	jail->number = msg_int(m->env, "jail");
	jail->state = JAIL_BORN;
	if (jail->run == NULL)
		jail_kill(jail, "cancel");
	else if (jail_connect(jail, msg_take_fd(m)) == -1) {
		log_warn("jail %" PRId64, jail->number);
		jail_kill(jail, "restart");
	}
	return (0);
}

/* Calls that have not been sent get another jail, when we are to blame. */
static void
jail_replace(struct jail *jail)
{
	struct jail	*next;

	if (TAILQ_EMPTY(&jail->calls) || jail->tries >= TRIES_MAX)
		return;
	next = jail_of_sandbox(jail->run, jail->sandbox);
	if (next == NULL) {
		next = jail_new(jail->run, TOOL, jail->sandbox);
		next->tries = jail->tries + 1;
		jail_wait(next, (int64_t)TRY_WAIT * next->tries);
	}
	tool_move_calls(jail, next);
}

/* Tell whoever waits for the jail that it is gone. */
static void
jail_report(struct jail *jail, const char *cause, int ours, const json_t *env)
{
	if (jail->run == NULL)
		return;
	if (jail->role == TOOL) {
		jail->state = JAIL_DYING;
		if (ours)
			jail_replace(jail);
		tool_fail_calls(jail, ours ? "restart" : cause,
		    "the sandbox's jail has ended");
		return;
	}
	if (jail->broker->keeper == NULL)
		return;
	peer_send(jail->broker->keeper, IMSG_RUN_JAIL_GONE, 0, -1,
	    env_new("{s:s, s:s, s:b, s:I, s:I}", "run", jail->run->id,
	    "cause", cause, "ours", ours,
	    "cpu_ms", env != NULL ? msg_int(env, "cpu_ms") : (json_int_t)0,
	    "peak", env != NULL ? msg_int(env, "peak") : (json_int_t)0),
	    NULL, 0);
}

static void
jail_over(struct jail *jail)
{
	struct broker	*b = jail->broker;

	jail_free(jail);
	tool_layers(b);
	jail_schedule(b);
}

/* The supervisor could not begin, or the starter has died: nothing that the
 * jail itself, its workspace or its layer is to blame for. */
static int
failed_ours(const char *step)
{
	return (strcmp(step, "start") == 0 || strcmp(step, "starter") == 0);
}

int
jail_failed(struct peer *p, struct msg *m)
{
	struct broker	*b = peer_ctx(p);
	struct jail	*jail = jail_by_ask(b, m->id);
	const char	*step = msg_str(m->env, "step");
	const char	*error = msg_str(m->env, "error");
	char		 cause[320 + 1], text[240];

	if (jail == NULL)
		return (0);
	(void)snprintf(cause, sizeof(cause), "failed %s: %s", step,
	    log_vis(text, sizeof(text), error, strlen(error)));
	log_warnx("%s jail: %s", role_name(jail->role), cause);
	jail_report(jail, cause, failed_ours(step), NULL);
	jail_over(jail);
	return (0);
}

int
jail_exited(struct peer *p, struct msg *m)
{
	struct broker	*b = peer_ctx(p);
	struct jail	*jail = jail_by_number(b, msg_int(m->env, "jail"));

	if (jail == NULL)
		return (0);
	jail_report(jail, msg_str(m->env, "cause"), msg_bool(m->env, "ours"),
	    m->env);
	jail_over(jail);
	return (0);
}

int
jail_hello(struct jail *jail, const struct msg *m)
{
	if (jail->state != JAIL_BORN)
		return (-1);
	if (strcmp(msg_str(m->env, "version"), WFSUP_VERSION) != 0)
		return (-1);
	(void)evtimer_del(jail->timer);
	jail->state = JAIL_READY;
	return (0);
}
