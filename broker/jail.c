/*
 * A jail's socket tells nothing about its end: a script may close it and
 * compute on. So when the socket closes the jail gets a moment to be reaped,
 * then it is killed, and only JAIL_EXIT says what it died of.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker.h"
#include "clock.h"
#include "env.h"
#include "log.h"
#include "room.h"

/* Milliseconds until a new jail must have said hello. */
#define HELLO_WAIT	60000
/* Milliseconds from the close of a socket until the jail is killed. */
#define REAP_WAIT	1000

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
	jail->used = clock_ms();
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

void
jail_wait(struct jail *jail, int64_t ms)
{
	struct timeval	tv = { ms / 1000, ms % 1000 * 1000 };

	if (evtimer_add(jail->timer, &tv) == -1)
		fatalx("evtimer_add");
}

/* ---- its socket ---- */

static void
jail_peer_gone(struct peer *p, const char *why)
{
	struct jail	*jail = peer_ctx(p);

	throttle_end(jail->broker->throttles, &jail->throttle);
	jail->peer = NULL;
	if (env_closed(why))
		jail_wait(jail, REAP_WAIT);
	else
		jail_kill(jail, "protocol");
}

/* What the profile of its run says of it. Of a tool's messages the most is
 * around a result: a few members, or an error. */
static void
jail_limit(struct jail *jail)
{
	const struct limits	*l = &jail->run->limits;
	size_t			 most;

	most = jail->role == SCRIPT ? (size_t)l->frame :
	    (size_t)l->output + 16 * 1024;
	peer_set_body_max(jail->peer, most < BODY_MAX ? most : BODY_MAX);
	throttle_rate(&jail->throttle, l->rate);
	jail->nodes_max = (size_t)l->calls;
}

int
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
	throttle_init(&jail->throttle, jail->peer);
	jail_limit(jail);
	jail_wait(jail, HELLO_WAIT);
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

/* ---- its end ---- */

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
	peer_send(jail->broker->warden, IMSG_JAIL_KILL, 0, -1,
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
		/* In this order: one that is hung up on may end by itself, and
		 * the warden is to know by then why. */
		jail_send_kill(jail, cause);
		peer_flush(jail->broker->warden, 0);
		jail_hang_up(jail);
		jail->state = JAIL_DYING;
		return;
	}
	fatalx("jail_kill: state %d", (int)jail->state);
}

void
jail_offends(struct jail *jail, const char *why)
{
	if (jail->peer == NULL)
		return;
	peer_drop(jail->peer, why);
	jail_kill(jail, "protocol");
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
