/*
 * What the supervisor itself gives up, once, before it reads the first byte
 * from a peer; and a look at the rights that a process has.
 */
#include <sys/prctl.h>

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "log.h"
#include "supervisor.h"

/*
 * All that the supervisor does after its start, and nothing that makes a
 * process or changes who one is: that is the launcher's. Not the list that
 * rooms have in common, which has more than is needed here.
 */
static const int	allowed[] = {
	/* memory, time, chance, signals, the end */
	SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap),
	SCMP_SYS(madvise), SCMP_SYS(futex), SCMP_SYS(clock_gettime),
	SCMP_SYS(getrandom), SCMP_SYS(getpid), SCMP_SYS(gettid),
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(restart_syscall), SCMP_SYS(tgkill),
	SCMP_SYS(exit), SCMP_SYS(exit_group),
	/* the event loop and its peers */
	SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_ctl),
	SCMP_SYS(poll), SCMP_SYS(ppoll),
	SCMP_SYS(recvmsg), SCMP_SYS(sendmsg), SCMP_SYS(sendto),
	SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(socketpair),
	/* root's files, /proc */
	SCMP_SYS(openat), SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(lseek),
	SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(newfstatat),
	SCMP_SYS(fcntl), SCMP_SYS(unlink), SCMP_SYS(prlimit64),
	/* processes */
	SCMP_SYS(pidfd_send_signal), SCMP_SYS(waitid),
	-1
};

/* Bounding set too, while SETPCAP is still there. */
static void
rights_caps(uint64_t caps)
{
	unsigned	cap;
	int		error;

	capng_clear(CAPNG_SELECT_ALL);
	for (cap = 0; cap < 64; cap++)
		if ((caps & UINT64_C(1) << cap) != 0)
			(void)capng_update(CAPNG_ADD, CAPNG_EFFECTIVE |
			    CAPNG_PERMITTED | CAPNG_BOUNDING_SET, cap);
	if ((error = capng_apply(CAPNG_SELECT_ALL)) != 0)
		fatalx("capng_apply: %d", error);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		fatal("no_new_privs");
}

void
rights_drop(void)
{
	struct status_want	want = { .uid = 0, .gid = 0 };
	char			why[256];

	want.caps = UINT64_C(1) << CAP_KILL;
	if (setgroups(0, NULL) == -1)
		fatal("setgroups");
	rights_caps(want.caps);
	confine_only(allowed);
	if (status_check("/proc", 0, &want, why, sizeof(why)) == -1)
		fatalx("privileges were not given up: %s", why);
}
