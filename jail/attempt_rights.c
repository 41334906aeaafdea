/*
 * Attempts at more rights: ids, capabilities, priorities, limits.
 */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "attempt_table.h"

CALL(setuid, SYS_setresuid, 0, 0, 0)
CALL(setgid, SYS_setresgid, 0, 0, 0)
CALL(groups, SYS_setgroups, 1, &(gid_t){ 0 })
CALL(capset, SYS_capset, &(uint32_t[2]){ 0x20080522, 0 },
    &(uint32_t[6]){ 1, 1, 0, 1, 1, 0 })
CALL(ambient, SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0)
CALL(securebits, SYS_prctl, PR_SET_SECUREBITS, 1, 0, 0, 0)
CALL(dumpable, SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0)
CALL(nice, SYS_setpriority, PRIO_PROCESS, 0, -10)
CALL(realtime, SYS_sched_setscheduler, 0, SCHED_FIFO, &(int){ 10 })
CALL(hostname, SYS_sethostname, "x", 1)
CALL(domainname, SYS_setdomainname, "x", 1)
CALL(settime, SYS_clock_settime, 0, &(struct timespec){ 1, 0 })
CALL(syslog, SYS_syslog, 3, &(char[64]){ 0 }, 64)

static int
try_rlimit(void)
{
	struct rlimit	rl = { 1 << 20, 1 << 20 };

	return (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &rl, NULL) == 0);
}

/* To answer for one's own filter: somebody else's yes. */
static int
try_listener(void)
{
	struct sock_filter	allow = BPF_STMT(BPF_RET | BPF_K,
				    SECCOMP_RET_ALLOW);
	struct sock_fprog	prog = { 1, &allow };

	return (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog) != -1);
}

/* Was anything left open beside the socket, and, before it is closed, the
 * report to the starter? */
static int
try_descriptors(void)
{
	struct pollfd	pfd;
	int		fd;

	for (fd = 4; fd < 1024; fd++) {
		pfd = (struct pollfd){ .fd = fd };
		if (poll(&pfd, 1, 0) == 1 && pfd.revents == POLLNVAL)
			continue;
		return (1);
	}
	return (0);
}

/* And what would a program find that is started here? */
static int
try_inherit(void)
{
	int	fd, flags;

	for (fd = 3; fd < 1024; fd++) {
		flags = (int)syscall(SYS_fcntl, fd, F_GETFD);
		if (flags != -1 && (flags & FD_CLOEXEC) == 0)
			return (1);
	}
	return (0);
}

#define NO_CAPABILITY	EACH(0, "no capability", UNFILTERED, "no capability")

const struct attempt	attempts_rights[] = {
	/* The process of a tool's call has some that its command has not. */
	{ "descriptors", try_descriptors, SCRIPT(UNFILTERED,
	    "closed descriptors") },
	{ "inherited descriptors", try_inherit, EACH(0, "closed descriptors",
	    UNFILTERED, "closed descriptors") },
	{ "setresuid", try_setuid, NO_CAPABILITY },
	{ "setresgid", try_setgid, NO_CAPABILITY },
	{ "setgroups", try_groups, NO_CAPABILITY },
	{ "capset", try_capset, NO_CAPABILITY },
	{ "ambient capability", try_ambient, NO_CAPABILITY },
	{ "securebits", try_securebits, NO_CAPABILITY },
	{ "dumpable", try_dumpable, SCRIPT(ALONE,
	    "nobody is in sight to trace it") },
	{ "nice", try_nice, EACH(0, "limits", UNFILTERED, "limits") },
	{ "realtime", try_realtime, EACH(0, "limits", UNFILTERED, "limits") },
	{ "raise a limit", try_rlimit, NO_CAPABILITY },
	{ "sethostname", try_hostname, BOTH(0, "no capability") },
	{ "setdomainname", try_domainname, BOTH(0, "no capability") },
	{ "clock_settime", try_settime, BOTH(0, "no capability") },
	{ "syslog", try_syslog, BOTH(0, "no capability") },
	{ "seccomp listener", try_listener, BOTH(ALONE,
	    "a further filter only takes away") },
	ATTEMPT_END
};
