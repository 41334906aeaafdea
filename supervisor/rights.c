/*
 * What the supervisor itself gives up, once, before it reads the first byte
 * from a peer; and a look at the rights that a process has.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <seccomp.h>
#include <linux/capability.h>
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

void
rights_drop(void)
{
	struct status_want	want = { .uid = 0, .gid = 0 };
	char			why[256];

	want.caps = UINT64_C(1) << CAP_KILL;
	if (setgroups(0, NULL) == -1)
		fatal("setgroups");
	confine_caps(want.caps);
	confine_only(allowed);
	if (status_check("/proc", 0, &want, why, sizeof(why)) == -1)
		fatalx("privileges were not given up: %s", why);
}
