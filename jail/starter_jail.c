/*
 * A jail's life as its starter sees it: spawned, reported, reaped.
 */
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "starter_impl.h"
#include "steps.h"
#include "words.h"

void
starter_spawn(struct starter *st, struct jail *j)
{
	const char	go = 0;
	int		pidfd;

	if (j->socket == -1) {
		starter_unmade(st, j, "parts", "no socket");
		jail_free(&st->jails, j);
		return;
	}
	if ((pidfd = spawn_jail(st, j)) == -1) {
		starter_unmade(st, j, "clone", strerror(errno));
		jail_free(&st->jails, j);
		return;
	}
	j->state = JAIL_BUILDING;
	starter_tell(st, IMSG_JAIL_SPAWNED, j, pidfd);
	jail_close_parts(j);
	/* A child that is dead by now is seen at its reaping. */
	if (send(j->report, &go, 1, MSG_NOSIGNAL) == -1 && errno != EPIPE &&
	    errno != ECONNRESET)
		fatal("jail %lld: go", (long long)j->number);
}

void
starter_reported(struct starter *st, struct jail *j)
{
	int	error, step;

	step = spawn_report(j, &error);
	(void)close(j->report);
	j->report = -1;
	j->state = step == SPAWN_CONFINED ? JAIL_RUNNING : JAIL_FAILED;
	if (step == SPAWN_CONFINED)
		starter_tell(st, IMSG_JAIL_CONFINED, j, -1);
	else if (step == SPAWN_SILENT)
		starter_unmade(st, j, "silent", "died without a word");
	else
		starter_unmade(st, j, st->ops->steps[step].name,
		    strerror(error));
}

static int64_t
cpu_ms(const struct rusage *ru)
{
	return ((int64_t)(ru->ru_utime.tv_sec + ru->ru_stime.tv_sec) * 1000 +
	    (ru->ru_utime.tv_usec + ru->ru_stime.tv_usec) / 1000);
}

static void
jail_reaped(struct starter *st, struct jail *j, int status,
    const struct rusage *ru)
{
	if (j->report != -1)
		starter_reported(st, j);
	if (j->canary != NULL)
		starter_rows(st, j, status);
	starter_send(st, IMSG_JAIL_REAPED, -1, json_pack(
	    "{s:I,s:i,s:I,s:I,s:s*}", "jail", (json_int_t)j->number,
	    "status", status, "cpu_ms", (json_int_t)cpu_ms(ru),
	    "maxrss", (json_int_t)ru->ru_maxrss * 1024,
	    "words", words_said(j->words)));
	jail_free(&st->jails, j);
}

/* We are pid 1: reap all there is, also what is not a jail's init. */
void
starter_reap(struct starter *st)
{
	struct signalfd_siginfo	 si;
	struct rusage		 ru;
	struct jail		*j;
	pid_t			 pid;
	int			 status;

	/* One signal may stand for many children. */
	while (read(st->signals, &si, sizeof(si)) == sizeof(si))
		continue;
	while ((pid = wait4(-1, &status, WNOHANG, &ru)) > 0)
		if ((j = jail_find_pid(&st->jails, pid)) != NULL)
			jail_reaped(st, j, status, &ru);
}
