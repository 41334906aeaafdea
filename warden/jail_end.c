/*
 * The end of a jail, whatever the reason: one way out. It is killed if it
 * is not dead, its starter or the kernel says how it died, its cgroup goes,
 * the broker is told.
 */
#include <sys/syscall.h>

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jail.h"
#include "log.h"

#define KILL_MS		1000	/* a kill is confirmed within this */
#define TELL_MS		10000	/* of one that is dead its starter says how */
#define BURY_MS		20	/* between two tries to remove a cgroup */
#define BURY_TRIES	50

/* ---- to the broker ---- */

void
jail_failed_send(struct jails *all, uint32_t ask, const char *step,
    const char *error)
{
	struct peer	*broker = all->w->broker;

	if (broker != NULL)
		peer_send(broker, IMSG_JAIL_FAILED, ask, -1, json_pack(
		    "{s:s,s:s}", "step", step, "error", error), NULL, 0);
}

static void
exit_send(const struct jail *j, const char *cause)
{
	struct peer	*broker = j->all->w->broker;

	if (broker != NULL && j->told == TOLD_STARTED)
		peer_send(broker, IMSG_JAIL_EXIT, 0, -1, json_pack(
		    "{s:I,s:s,s:b,s:I,s:I}", "jail", (json_int_t)j->number,
		    "cause", cause, "ours", j->ours,
		    "cpu_ms", (json_int_t)j->death.cpu_ms,
		    "peak", (json_int_t)j->peak), NULL, 0);
}

/* ---- the end of a jail ---- */

int
jail_is_dead(const struct jail *j)
{
	struct pollfd	pfd = { .fd = j->pidfd, .events = POLLIN };

	return (j->pidfd != -1 && poll(&pfd, 1, 0) == 1);
}

void
jail_kill(struct jail *j, const char *cause, int ours)
{
	/* One that is hung up on may end by itself before we hear of it. */
	if (!ours && j->death.own[0] == '\0' && jail_is_dead(j))
		(void)snprintf(j->death.hung, sizeof(j->death.hung), "%s",
		    cause);
	if (j->state >= JAIL_DYING)
		return;
	if (!jail_is_dead(j)) {
		(void)snprintf(j->death.own, sizeof(j->death.own), "%s",
		    cause);
		j->ours = ours;
	}
	if (!j->spare)
		audit("jail.kill", "ok", "jail", audit_int(j->number), "run",
		    j->run, "cause", cause, NULL);
	if (j->state == JAIL_MAKING) {
		jail_bury(j);
		return;
	}
	j->state = JAIL_DYING;
	if (j->pidfd != -1)
		(void)syscall(SYS_pidfd_send_signal, j->pidfd, SIGKILL, NULL,
		    0);
	cgroup_kill(j->all->w->cgroups, j->number);
	jail_arm(j, KILL_MS);
}

void
jail_fail(struct jail *j, const char *step, const char *error)
{
	log_warnx("jail %" PRId64 ": %s: %s", j->number, step, error);
	audit("jail.spawn", "fail", "jail", audit_int(j->number), "run",
	    j->run, "kind", j->kind, "step", step, "error", error, NULL);
	if (j->told == TOLD_NOTHING) {
		jail_failed_send(j->all, j->ask, step, error);
		j->told = TOLD_FAILED;
	}
	jail_kill(j, "failed", 0);
}

static int
is_good(const char *cause)
{
	return (strcmp(cause, "done") == 0 || strcmp(cause, "cancel") == 0 ||
	    strcmp(cause, "exit 0") == 0);
}

static void
jail_exit(struct jail *j)
{
	char	cause[CAUSE_MAX];

	death_cause(&j->death, cause, sizeof(cause));
	if (j->told == TOLD_NOTHING)
		jail_failed_send(j->all, j->ask, "start", cause);
	exit_send(j, cause);
	/* What was told as a failure was audited, and canaries are as one;
	 * spare jails did nothing. */
	if (j->told != TOLD_FAILED && j->canary == -1 && !j->spare)
		audit("jail.exit", j->ours || is_good(cause) ? "ok" : "fail",
		    "jail", audit_int(j->number), "run", j->run, "kind",
		    j->kind, "cause", cause, "cpu_ms",
		    audit_int(j->death.cpu_ms), "peak", audit_int(j->peak),
		    NULL);
	if (j->canary != -1)
		canary_ended(j);
	jail_free(j);
}

/* Remove its cgroup, as often as it takes, within bounds. */
static void
jail_bury_try(struct jail *j)
{
	struct cgroups	*cg = j->all->w->cgroups;

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

void
jail_bury(struct jail *j)
{
	struct cgroup_counts	counts;

	j->state = JAIL_BURYING;
	(void)event_del(j->timer);
	if (j->dead != NULL)
		(void)event_del(j->dead);
	jail_close_parts(j);
	cgroup_count(j->all->w->cgroups, j->number, &counts);
	j->death.oom = counts.oom;
	j->death.pids = counts.pids;
	/* The starter's count has the pages that it shares with the jail. */
	if (counts.peak > 0)
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
	jail_arm(j, TELL_MS);
}

void
jail_watch(struct jail *j, int pidfd)
{
	j->pidfd = pidfd;
	if ((j->dead = event_new(j->all->w->base, pidfd, EV_READ, jail_dead,
	    j)) == NULL || event_add(j->dead, NULL) == -1)
		fatalx("jail: event");
}

static void
kill_unconfirmed(struct jail *j)
{
	if (jail_is_dead(j) || (j->starter == NULL && j->pidfd == -1)) {
		jail_bury(j);
		return;
	}
	if (j->pidfd == -1) {
		/* Only its starter knows the process: they go together. */
		log_warnx("jail %" PRId64 ": its starter has not shown its "
		    "process", j->number);
		starter_kill(j->starter);
	} else if (!j->unconfirmed) {
		log_warnx("jail %" PRId64 " (pid %d) does not die: "
		    "no new jails until it has", j->number, j->pid);
		j->unconfirmed = 1;
		jails_report(j->all);
	}
	jail_arm(j, KILL_MS);
}

void
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
jails_starter_gone(struct jails *all, const struct starter *starter)
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
		if (j->state == JAIL_DYING &&
		    (j->pidfd == -1 || jail_is_dead(j)))
			jail_bury(j);
	}
}
