/*
 * The life of those that the supervisor keeps, and their next one.
 */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"
#include "supervisor.h"

#define DELAY_MIN	10
#define DELAY_MAX	30000
#define LIFE_GOOD	60000	/* after so long a failure is a first one */

static const struct {
	const char	*name;
	enum role	 role;
} defs[NCHILDREN] = {
	[CHILD_LAUNCHER] = { "launcher", LAUNCHER },
	[CHILD_READER] =  { "reader", READER },
	[CHILD_WARDEN] =  { "warden", WARDEN },
	[CHILD_BROKER] =  { "broker", BROKER },
	[CHILD_KEEPER] =  { "keeper", KEEPER },
	[CHILD_GATEWAY] = { "gateway", GATEWAY },
	[CHILD_SCRIPT] =  { "script-starter", SSTARTER },
	[CHILD_SCRIPT2] = { "script-starter-2", SSTARTER },
	[CHILD_TOOL] =	  { "tool-starter", TSTARTER },
	[CHILD_MOUNTER] = { "mounter", MOUNTER },
};

static void	child_again(int, short, void *);

int
child_is_room(const struct child *c)
{
	return ((defs[c->id].role & ROOMS) != 0);
}

const char *
child_name(const struct child *c)
{
	return (defs[c->id].name);
}

int
child_is_precious(const struct child *c)
{
	return (c->id == CHILD_LAUNCHER || c->id == CHILD_WARDEN ||
	    c->id == CHILD_MOUNTER);
}

int
child_is_wardens(const struct child *c)
{
	return ((defs[c->id].role & (STARTERS | MOUNTER)) != 0);
}

int
restart_delay(int last, int64_t lived)
{
	if (last == 0 || lived >= LIFE_GOOD)
		return (DELAY_MIN);
	return (last >= DELAY_MAX / 2 ? DELAY_MAX : last * 2);
}

void
child_kill(const struct child *c)
{
	if (c->pidfd != -1)
		(void)syscall(SYS_pidfd_send_signal, c->pidfd, SIGKILL, NULL,
		    0);
}

/* ---- end ---- */

static void
child_later(struct child *c)
{
	struct timeval	tv = { c->delay / 1000, c->delay % 1000 * 1000 };

	if (event_add(c->again, &tv) == -1)
		fatalx("event_add");
}

static void
child_audit(const struct child *c, const siginfo_t *si)
{
	char	how[32];
	int	in_order = c->sup->state == SUP_STOPPING ||
		    (!c->wanted && si->si_code == CLD_EXITED &&
		    si->si_status == 0);

	if (si->si_code == CLD_EXITED)
		(void)snprintf(how, sizeof(how), "exit %d", si->si_status);
	else
		(void)snprintf(how, sizeof(how), "signal %s",
		    sigabbrev_np(si->si_status));
	audit("room.exit", in_order ? "ok" : "fail", "room",
	    defs[c->id].name, "how", how, "lived_ms",
	    audit_int(clock_ms() - c->born), NULL);
	if (!in_order)
		log_warnx("%s has died: %s", defs[c->id].name, how);
}

/* What dies with it, and when it comes back. status is what it exited with, or
 * 1. */
static void
child_died(struct child *c, int status)
{
	struct supervisor	*sup = c->sup;

	links_drop(c);
	if (c->id == CHILD_BROKER || c->id == CHILD_KEEPER)
		jails_end(sup, 0);
	if (sup->state == SUP_STOPPING)
		return;
	if (sup->state == SUP_STARTING || child_is_precious(c)) {
		log_warnx("going down: %s can't go on", defs[c->id].name);
		sup_stop(sup, sup->state == SUP_STARTING &&
		    status == EX_CONFIG ? EX_CONFIG : 1);
		return;
	}
	if (c->id == CHILD_READER)
		conf_lost(sup);
	if (!c->wanted)
		return;
	c->delay = restart_delay(c->delay, clock_ms() - c->born);
	child_later(c);
}

static void
child_forget(struct child *c)
{
	event_free(c->ended);
	c->ended = NULL;
	(void)close(c->pidfd);
	c->pid = c->pidfd = -1;
	c->asked = 0;
	c->state = CHILD_DOWN;
	if (c->sock != -1)
		(void)close(c->sock);
	c->sock = -1;
	if (c->peer != NULL)
		peer_close(c->peer);
	c->peer = NULL;
}

/* ---- start ---- */

/* What became of it: no other process has its pid until this was asked. */
static void
child_ended(int fd, short what, void *arg)
{
	struct child	*c = arg;
	siginfo_t	 si = { .si_pid = 0 };

	(void)what;
	if (waitid(P_PIDFD, (id_t)fd, &si, WEXITED | WNOHANG) == -1)
		fatal("%s: waitid", defs[c->id].name);
	if (si.si_pid == 0)
		return;
	child_audit(c, &si);
	child_forget(c);
	child_died(c, si.si_code == CLD_EXITED ? si.si_status : 1);
}

void
child_adopt(struct child *c, pid_t pid, int pidfd)
{
	c->pid = pid;
	c->pidfd = pidfd;
	c->state = CHILD_FORKED;
	c->born = clock_ms();
	if ((c->ended = event_new(c->sup->base, pidfd, EV_READ | EV_PERSIST,
	    child_ended, c)) == NULL || event_add(c->ended, NULL) == -1)
		fatal("%s: no event", defs[c->id].name);
	if (child_is_wardens(c)) {
		warden_adopt(c->sup);
		return;
	}
	if ((c->peer = peer_new(c->sup->base, c->sock, defs[c->id].role,
	    defs[c->id].name, &child_ops, c)) == NULL)
		fatal("%s: no peer", defs[c->id].name);
	c->sock = -1;
	peer_allow_fds(c->peer);
	/* But for the configuration nothing that is for us has a body. */
	if (c->id != CHILD_READER)
		peer_set_body_max(c->peer, 0);
}

void
child_unmade(struct child *c)
{
	c->state = CHILD_DOWN;
	if (c->sock != -1)
		(void)close(c->sock);
	c->sock = -1;
	if (c->sup->state == SUP_STARTING)
		sup_stop(c->sup, 1);
	else if (c->sup->state == SUP_RUNNING && c->wanted) {
		c->delay = restart_delay(c->delay, 0);
		child_later(c);
	}
}

void
child_start(struct child *c)
{
	int	fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0, fds) == -1) {
		log_warn("%s: socketpair", defs[c->id].name);
		child_unmade(c);
		return;
	}
	c->sock = fds[0];
	c->state = CHILD_ASKED;
	if (launch_child(c, fds[1]) == -1)
		child_unmade(c);
}

/* The broker and the keeper come back only when no jail is left of before. */
static void
child_again(int fd, short what, void *arg)
{
	struct child	*c = arg;

	(void)fd;
	(void)what;
	/* Another may have taken its place meanwhile. */
	if (c->sup->state == SUP_STOPPING || !c->wanted ||
	    c->state != CHILD_DOWN)
		return;
	if ((c->id == CHILD_BROKER || c->id == CHILD_KEEPER) &&
	    jails_ending(c->sup))
		child_later(c);
	else
		child_start(c);
}

void
children_init(struct supervisor *sup)
{
	struct child	*c;
	int		 i, j;

	peer_check_handlers(SUPERVISOR, ANY, child_ops.handlers);
	for (i = 0; i < NCHILDREN; i++) {
		c = &sup->children[i];
		c->sup = sup;
		c->id = (enum child_id)i;
		c->pid = c->pidfd = c->sock = -1;
		c->wanted = c->id != CHILD_SCRIPT2;
		for (j = 0; j < NLINKS; j++)
			c->link[j] = -1;
		if ((c->again = event_new(sup->base, -1, 0, child_again,
		    c)) == NULL)
			fatalx("event_new");
	}
}

void
children_start(struct supervisor *sup)
{
	int	i;

	for (i = 0; i < NCHILDREN && sup->state != SUP_STOPPING; i++)
		if (!child_is_precious(&sup->children[i]) &&
		    sup->children[i].wanted &&
		    sup->children[i].state == CHILD_DOWN &&
		    !event_pending(sup->children[i].again, EV_TIMEOUT, NULL))
			child_start(&sup->children[i]);
}

void
child_hang_up(struct child *c)
{
	/* What the warden has not adopted yet has nobody else. */
	if (c->pid != -1 && c->sock != -1) {
		(void)close(c->sock);
		c->sock = -1;
	}
	if (c->peer == NULL)
		return;
	peer_flush(c->peer, 100);
	peer_close(c->peer);
	c->peer = NULL;
}

/* The launcher has been told to make it, and will. */
static int
coming(const struct child *c)
{
	const struct supervisor	*sup = c->sup;

	return (c->state == CHILD_ASKED && sup->conf != NULL &&
	    sup->children[CHILD_LAUNCHER].pid != -1);
}

int
children_stop(struct supervisor *sup, int hard, int harder)
{
	struct child	*c;
	int		 i, left = 0;

	/* The launcher clears up behind all others. */
	for (i = NCHILDREN - 1; i >= 0; i--) {
		c = &sup->children[i];
		if (c->id == CHILD_LAUNCHER && left > 0)
			return (left + 1);
		child_hang_up(c);
		if (c->pid == -1 && !coming(c))
			continue;
		left++;
		if (c->id == CHILD_LAUNCHER ? harder : hard)
			child_kill(c);
	}
	return (left);
}
