/*
 * What starters tell of their jails. A starter is root only in its own user
 * namespace and may have been taken over by a jail: what it says is checked
 * against what the kernel says.
 */
#include <sys/syscall.h>

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "jail.h"
#include "log.h"
#include "status.h"

struct jail *
jail_of(struct peer *p, const struct msg *m)
{
	struct starter	*starter = peer_ctx(p);
	struct jail	*j;

	j = jail_find(starter->w->jails, msg_int(m->env, "jail"));
	return (j != NULL && j->starter == starter ? j : NULL);
}

/* The pid of a pidfd's process, -1 if it is gone, 0 if fd is no pidfd. */
static pid_t
pidfd_pid(int fd)
{
	char	 path[64], line[128];
	int	 pid = 0;
	FILE	*f;

	(void)snprintf(path, sizeof(path), PROC "/self/fdinfo/%d", fd);
	if ((f = fopen(path, "re")) == NULL)
		return (0);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "Pid: %d", &pid) == 1)
			break;
	(void)fclose(f);
	return (pid);
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

	return (pid > 0 && pid != j->starter->pid &&
	    status_read(PROC, pid, &st) == 0 && pidfd_pid(pidfd) == pid &&
	    st.uid[0] >= base && st.uid[0] - base < 65536);
}

int
on_jail_spawned(struct peer *p, struct msg *m)
{
	struct jail	*j = jail_of(p, m);

	if (j == NULL || j->pidfd != -1 ||
	    (j->state != JAIL_SPAWNING && j->state != JAIL_DYING))
		return (-1);
	/* One that was quicker than we are, as a canary's can be, is gone:
	 * its signals reach nobody. Of others JAIL_CONFINED will fail. */
	if (pidfd_ours(j, m->fd))
		j->pid = pidfd_pid(m->fd);
	else if (pidfd_pid(m->fd) != -1)
		return (0);
	jail_watch(j, msg_take_fd(m));
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
	if (j->pid <= 0 || pidfd_pid(j->pidfd) != j->pid) {
		(void)snprintf(why, whylen, "it has died");
		return (-1);
	}
	if (status_check(PROC, j->pid, &want, why, whylen) == -1)
		return (-1);
	/* Still the same process: then so was what was read. */
	if (pidfd_pid(j->pidfd) == j->pid)
		return (0);
	(void)snprintf(why, whylen, "it has died");
	return (-1);
}

static void
started_send(struct jail *j)
{
	struct peer	*broker = j->all->w->broker;
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
audit_spawn(const struct jail *j)
{
	audit("jail.spawn", "ok", "jail", audit_int(j->number), "run", j->run,
	    "kind", j->kind, "pid", audit_int(j->pid), "uid",
	    audit_int(starter_base(j->starter) + j->uid), "memory",
	    audit_int(j->memory), "pids", audit_int(j->pids), NULL);
}

void
jail_started(struct jail *j)
{
	jail_arm(j, j->wall * 1000);
	if (j->canary == -1)
		audit_spawn(j);
	started_send(j);
}

int
on_jail_confined(struct peer *p, struct msg *m)
{
	struct jail	*j = jail_of(p, m);
	char		 why[256];

	if (j == NULL || j->state == JAIL_DYING)
		return (0);
	if (j->state != JAIL_SPAWNING)
		return (-1);
	if (jail_verify(j, why, sizeof(why)) == -1) {
		/* What has died has no rights that could be looked at. */
		if (!jail_is_dead(j))
			jail_fail(j, "verify", why);
		return (0);
	}
	j->state = JAIL_RUNNING;
	if (j->spare)
		(void)event_del(j->timer);
	else
		jail_started(j);
	return (0);
}

int
on_jail_unmade(struct peer *p, struct msg *m)
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
on_jail_reaped(struct peer *p, struct msg *m)
{
	struct warden	*w = ((struct starter *)peer_ctx(p))->w;
	struct jail	*j;
	const char	*words;

	/* If it ended because the broker hung up on it, the broker has said
	 * so before, and why. */
	if (w->broker != NULL)
		peer_hear(w->broker);
	j = jail_of(p, m);
	if (j == NULL || j->state < JAIL_SPAWNING ||
	    j->state == JAIL_BURYING)
		return (0);
	/* Believed only if the kernel agrees that it is dead. */
	if (j->pidfd != -1 && !jail_is_dead(j))
		return (-1);
	j->death.reaped = 1;
	j->death.status = (int)msg_int(m->env, "status");
	j->death.cpu_ms = msg_int(m->env, "cpu_ms");
	if ((words = msg_str(m->env, "words")) != NULL)
		(void)snprintf(j->death.words, sizeof(j->death.words), "%s",
		    words);
	j->peak = msg_int(m->env, "maxrss");
	jail_bury(j);
	return (0);
}
