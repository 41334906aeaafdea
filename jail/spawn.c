/*
 * The record of a jail, and the making of its child: clone, the steps in
 * their order, and the child's one report.
 */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "canary.h"
#include "log.h"
#include "starter.h"
#include "steps.h"
#include "words.h"

/* What the child says of itself, once. */
struct report {
	int	step;		/* the one that failed, or SPAWN_CONFINED */
	int	error;
};

struct jail *
jail_find(struct jails *jails, int64_t number)
{
	struct jail	*j;

	TAILQ_FOREACH(j, jails, entry)
		if (j->number == number)
			break;
	return (j);
}

struct jail *
jail_find_pid(struct jails *jails, pid_t pid)
{
	struct jail	*j;

	TAILQ_FOREACH(j, jails, entry)
		if (j->pid == pid)
			break;
	return (j);
}

struct jail *
jail_new(struct jails *jails, int64_t number)
{
	struct jail	*j;
	int		 i;

	if ((j = calloc(1, sizeof(*j))) == NULL)
		return (NULL);
	j->number = number;
	j->report = j->socket = j->workspace = j->layer = -1;
	for (i = 0; i < JAIL_EVENTS; i++)
		j->events[i] = -1;
	TAILQ_INSERT_TAIL(jails, j, entry);
	return (j);
}

/* Where a part of this name goes, or NULL. */
static int *
jail_place(struct jail *j, const char *part)
{
	static const char *const	events[JAIL_EVENTS] = {
		"memory-events", "memory-peak", "pids-events"
	};
	int				i;

	for (i = 0; i < JAIL_EVENTS; i++)
		if (strcmp(part, events[i]) == 0)
			return (&j->events[i]);
	if (strcmp(part, "socket") == 0)
		return (&j->socket);
	if (strcmp(part, "workspace") == 0)
		return (&j->workspace);
	if (strcmp(part, "layer") == 0)
		return (&j->layer);
	if (strcmp(part, "cgroup") == 0 && j->ncgroups < JAIL_CGROUPS) {
		j->cgroups[j->ncgroups] = -1;
		return (&j->cgroups[j->ncgroups++]);
	}
	return (NULL);
}

int
jail_part(struct jail *j, const char *part, int fd)
{
	int	*place;

	if (j->state != JAIL_COLLECTING ||
	    (place = jail_place(j, part)) == NULL || *place != -1) {
		(void)close(fd);
		return (-1);
	}
	*place = fd;
	return (0);
}

static void
close_part(int *fd)
{
	if (*fd != -1)
		(void)close(*fd);
	*fd = -1;
}

void
jail_close_parts(struct jail *j)
{
	int	i;

	close_part(&j->socket);
	close_part(&j->workspace);
	close_part(&j->layer);
	while (j->ncgroups > 0)
		close_part(&j->cgroups[--j->ncgroups]);
	for (i = 0; i < JAIL_EVENTS; i++)
		close_part(&j->events[i]);
}

void
jail_free(struct jails *jails, struct jail *j)
{
	if (j == NULL)
		return;
	TAILQ_REMOVE(jails, j, entry);
	jail_close_parts(j);
	close_part(&j->report);
	words_free(j->words);
	canary_free(j->canary);
	free(j);
}

/* ---- the child ---- */

/* Do the steps. Returns the number of the one that failed, its errno in
 * *error, or SPAWN_CONFINED. */
static int
steps_do(struct starter *st, struct jail *j, int *error)
{
	const struct step	*s;

	*error = 0;
	for (s = st->ops->steps; s->name != NULL; s++) {
		errno = 0;
		if (st->fail != NULL && strcmp(s->name, st->fail) == 0)
			*error = EPERM;
		else if (s->fn(st, j) == -1)
			*error = errno != 0 ? errno : EPROTO;
		if (*error != 0)
			return ((int)(s - st->ops->steps));
	}
	return (SPAWN_CONFINED);
}

static void __attribute__((noreturn))
child_main(struct starter *st, struct jail *j)
{
	struct report	r;
	char		go;

	/* The log socket is the starter's, and its number will be reused. */
	log_set_socket(-1);
	if (recv(j->report, &go, 1, 0) != 1)
		_exit(255);
	r.step = steps_do(st, j, &r.error);
	if (write(j->report, &r, sizeof(r)) != sizeof(r))
		_exit(255);
	if (r.step != SPAWN_CONFINED)
		_exit(r.step + 1);
	(void)close(j->report);
	if (j->canary != NULL)
		_exit(st->ops->canary(j->canary));
	_exit(st->ops->run(j));
}

/* ---- the starter ---- */

int
spawn_jail(struct starter *st, struct jail *j)
{
	struct clone_args	args;
	int			pair[2], pidfd = -1, saved;
	long			pid;

	if ((j->words = words_new()) == NULL ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1)
		return (-1);
	memset(&args, 0, sizeof(args));
	args.flags = st->ops->namespaces | CLONE_PIDFD;
	args.pidfd = (uint64_t)(uintptr_t)&pidfd;
	args.exit_signal = SIGCHLD;
	/* Not fork(3): it knows no namespaces, and we have one thread and no
	 * lock that its handlers would have to repair. */
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0) {
		j->report = pair[1];
		child_main(st, j);
	}
	saved = errno;
	(void)close(pair[1]);
	if (words_keep(j->words) == -1 ||
	    (j->canary != NULL && canary_keep(j->canary) == -1))
		fatal("madvise");
	if (pid == -1) {
		(void)close(pair[0]);
		errno = saved;
		return (-1);
	}
	j->report = pair[0];
	j->pid = (pid_t)pid;
	return (pidfd);
}

int
spawn_report(struct jail *j, int *error)
{
	struct report	r;
	ssize_t		n;

	*error = 0;
	do {
		n = recv(j->report, &r, sizeof(r), MSG_DONTWAIT);
	} while (n == -1 && errno == EINTR);
	if (n != sizeof(r))
		return (SPAWN_SILENT);
	*error = r.error;
	return (r.step);
}
