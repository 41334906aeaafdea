/*
 * The steps of a jail's construction, in the child. What can be checked by
 * asking the kernel again is checked in step_verify().
 */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "canary.h"
#include "filter.h"
#include "steps.h"
#include "words.h"

#ifndef PR_SET_MDWE	/* Linux 6.3 */
#define PR_SET_MDWE			65
#define PR_MDWE_REFUSE_EXEC_GAIN	1
#endif

/* The descriptor was opened by real root, and its rights are what counts:
 * "0" is us, whatever our pid is out there. */
int
step_cgroup(struct starter *st, struct jail *j)
{
	size_t	i;

	(void)st;
	for (i = 0; i < j->ncgroups; i++)
		if (write(j->cgroups[i], "0", 1) != 1)
			return (-1);
	return (0);
}

int
step_hostname(struct starter *st, struct jail *j)
{
	(void)st;
	(void)j;
	return (sethostname("jail", strlen("jail")));
}

/* Make fd also known as want, close-on-exec. */
static int
fd_place(int fd, int want)
{
	if (fd == want)
		return (fcntl(fd, F_SETFD, FD_CLOEXEC));
	return (dup3(fd, want, O_CLOEXEC) == want ? 0 : -1);
}

/* Above all places, so that who is moved first is in nobody's way. */
static int
fd_aside(int fd)
{
	return (fcntl(fd, F_DUPFD_CLOEXEC, JAIL_EVENTS_FD + JAIL_EVENTS));
}

/* What the cgroup counts: each at its place, or nothing there. */
static int
events_place(struct jail *j)
{
	int	aside[JAIL_EVENTS], i;

	for (i = 0; i < JAIL_EVENTS; i++)
		if (j->events[i] != -1 &&
		    (aside[i] = fd_aside(j->events[i])) == -1)
			return (-1);
	for (i = 0; i < JAIL_EVENTS; i++)
		if (j->events[i] == -1)
			(void)close(JAIL_EVENTS_FD + i);
		else if (fd_place(aside[i], JAIL_EVENTS_FD + i) == -1)
			return (-1);
		else
			j->events[i] = JAIL_EVENTS_FD + i;
	return (0);
}

int
step_descriptors(struct starter *st, struct jail *j)
{
	int	fd, report, sock;

	for (fd = 0; fd <= 2; fd++)
		if (dup2(st->null, fd) == -1)
			return (-1);
	if ((report = fd_aside(j->report)) == -1 ||
	    (sock = fd_aside(j->socket)) == -1 || events_place(j) == -1 ||
	    fd_place(sock, JAIL_FD) == -1 ||
	    fd_place(report, JAIL_REPORT_FD) == -1)
		return (-1);
	j->socket = JAIL_FD;
	j->report = JAIL_REPORT_FD;
	return (close_range(JAIL_EVENTS_FD + JAIL_EVENTS, ~0U, 0));
}

int
step_signals(struct starter *st, struct jail *j)
{
	sigset_t	none;

	(void)st;
	(void)j;
	(void)sigemptyset(&none);
	if (signal(SIGPIPE, SIG_DFL) == SIG_ERR)
		return (-1);
	return (sigprocmask(SIG_SETMASK, &none, NULL));
}

int
limit_set_two(int resource, int64_t soft, int64_t hard)
{
	struct rlimit	rl = { (rlim_t)soft, (rlim_t)hard };

	return (setrlimit((__rlimit_resource_t)resource, &rl));
}

int
limit_set(int resource, int64_t value)
{
	return (limit_set_two(resource, value, value));
}

/* ---- capabilities ---- */

int
caps_set(uint64_t set)
{
	struct __user_cap_header_struct	hdr = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct	data[2];

	memset(data, 0, sizeof(data));
	data[0].effective = data[0].permitted = (uint32_t)set;
	data[1].effective = data[1].permitted = (uint32_t)(set >> 32);
	return ((int)syscall(SYS_capset, &hdr, data));
}

/* Are these the effective and permitted sets, and the inheritable empty? */
static int
caps_are(uint64_t set)
{
	struct __user_cap_header_struct	hdr = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct	data[2];
	int				i;

	if (syscall(SYS_capget, &hdr, data) == -1)
		return (0);
	for (i = 0; i < 2; i++, set >>= 32)
		if (data[i].effective != (uint32_t)set ||
		    data[i].permitted != (uint32_t)set ||
		    data[i].inheritable != 0)
			return (0);
	return (1);
}

/* Take all but these out of the bounding set. */
static int
bounding_keep(uint64_t set)
{
	unsigned long	cap;

	/* EINVAL is past the last capability that the kernel knows. */
	for (cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) != -1; cap++)
		if (((set >> cap) & 1) == 0 &&
		    prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == -1)
			return (-1);
	return (cap > 0 ? 0 : -1);
}

static int
bounding_is(uint64_t set)
{
	unsigned long	cap;
	int		in;

	for (cap = 0; (in = prctl(PR_CAPBSET_READ, cap, 0, 0, 0)) != -1; cap++)
		if (in != (int)((set >> cap) & 1))
			return (0);
	return (1);
}

int
caps_keep(uint64_t set)
{
	if (bounding_keep(set) == -1 || prctl(PR_CAP_AMBIENT,
	    PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == -1 || caps_set(set) == -1)
		return (-1);
	if (!caps_are(set) || !bounding_is(set)) {
		errno = EPERM;
		return (-1);
	}
	return (0);
}

int
step_bounding(struct starter *st, struct jail *j)
{
	(void)st;
	(void)j;
	return (bounding_keep(0));
}

int
step_groups(struct starter *st, struct jail *j)
{
	(void)st;
	(void)j;
	return (setgroups(0, NULL));
}

int
step_ids(struct starter *st, struct jail *j)
{
	(void)st;
	if (j->uid == 0) {
		errno = EINVAL;
		return (-1);
	}
	if (setresgid(j->uid, j->uid, j->uid) == -1)
		return (-1);
	return (setresuid(j->uid, j->uid, j->uid));
}

int
step_capabilities(struct starter *st, struct jail *j)
{
	(void)st;
	(void)j;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == -1)
		return (-1);
	return (caps_set(0));
}

/* ---- the process ---- */

/*
 * There is no parent to ask for after PDEATHSIG: the starter is outside of
 * the jail's pid namespace. But it is the init of the one around it, so the
 * kernel kills the jail with it in any case.
 */
int
step_process(struct starter *st, struct jail *j)
{
	(void)st;
	(void)j;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1)
		return (-1);
	return (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
}

/* What is not executable stays so, where the kernel can promise that. */
int
step_memory(struct starter *st, struct jail *j)
{
	(void)st;
	(void)j;
	if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0)
		return (0);
	return (errno == EINVAL ? 0 : -1);
}

int
step_no_new_privs(struct starter *st, struct jail *j)
{
	(void)st;
	(void)j;
	return (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

int
step_verify(struct starter *st, struct jail *j)
{
	uid_t	r, e, s;
	gid_t	rg, eg, sg;

	(void)st;
	if (getresuid(&r, &e, &s) == -1 || getresgid(&rg, &eg, &sg) == -1)
		return (-1);
	errno = EPERM;
	if (r != j->uid || e != j->uid || s != j->uid ||
	    rg != j->uid || eg != j->uid || sg != j->uid)
		return (-1);
	if (getgroups(0, NULL) != 0 || !caps_are(0) || !bounding_is(0))
		return (-1);
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 ||
	    prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
		return (-1);
	/* That there is no way back. */
	if (setresuid(0, 0, 0) != -1 || setresgid(0, 0, 0) != -1)
		return (-1);
	return (getpid() == 1 ? 0 : -1);
}

/* As the newest kernel knows it; older ones are told of less of it. */
struct ruleset {
	uint64_t	fs, net, scoped;
};

/* All that this version of Landlock can take away: rights over files, TCP
 * ports, other processes' abstract sockets and signals to them. */
static void
landlock_rights(long abi, struct ruleset *rights)
{
	memset(rights, 0, sizeof(*rights));
	rights->fs = (UINT64_C(1) << 13) - 1;
	if (abi >= 2)
		rights->fs |= UINT64_C(1) << 13;	/* refer */
	if (abi >= 3)
		rights->fs |= UINT64_C(1) << 14;	/* truncate */
	if (abi >= 5)
		rights->fs |= UINT64_C(1) << 15;	/* device ioctl */
	if (abi >= 4)
		rights->net = 3;		/* bind, connect */
	if (abi >= 6)
		rights->scoped = 3;		/* sockets, signals */
}

static size_t
landlock_size(long abi)
{
	return (abi >= 6 ? sizeof(struct ruleset) : abi >= 4 ?
	    offsetof(struct ruleset, scoped) : offsetof(struct ruleset, net));
}

int
step_landlock(struct starter *st, struct jail *j)
{
	struct ruleset	attr;
	long		abi;
	int		fd, ret;

	(void)st;
	(void)j;
	abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);
	if (abi == -1)	/* a second belt: the empty root is the boundary */
		return (errno == ENOSYS || errno == EOPNOTSUPP ? 0 : -1);
	landlock_rights(abi, &attr);
	fd = (int)syscall(SYS_landlock_create_ruleset, &attr,
	    landlock_size(abi), 0);
	if (fd == -1)
		return (-1);
	ret = (int)syscall(SYS_landlock_restrict_self, fd, 0);
	(void)close(fd);
	return (ret);
}

int
step_filter(struct starter *st, struct jail *j)
{
	(void)j;
	return (filter_load(st->filter));
}

int
step_words(struct starter *st, struct jail *j)
{
	(void)st;
	if (j->canary != NULL)
		return (canary_listen(j->canary));
	return (words_listen(j->words));
}
