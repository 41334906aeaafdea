/*
 * What the warden gives up, once, before it reads the first byte from a peer;
 * and a look at the rights of others.
 */
#include <sys/prctl.h>
#include <sys/resource.h>

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "log.h"
#include "status.h"
#include "warden.h"

/*
 * All that the warden does after its start: nothing that makes a process, a
 * socket with a name or a mount, and nothing that changes who one is.
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
	SCMP_SYS(socketpair),
	/* cgroups, /proc, what directories belong to */
	SCMP_SYS(openat), SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(lseek),
	SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(newfstatat),
	SCMP_SYS(statx), SCMP_SYS(fcntl), SCMP_SYS(mkdirat),
	SCMP_SYS(unlinkat),
	/* jails */
	SCMP_SYS(kill), SCMP_SYS(pidfd_send_signal),
	-1
};

void
rights_drop(void)
{
	struct rlimit	none = { 0, 0 };

	if (setgroups(0, NULL) == -1)
		fatal("setgroups");
	/* What it has to read by name is there, and nothing else. */
	if (unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) == -1)
		fatal("unshare");
	if (chroot("/proc") == -1 || chdir("/") == -1)
		fatal("/proc");
	confine_caps(UINT64_C(1) << CAP_KILL);
	if (setrlimit(RLIMIT_CORE, &none) == -1 ||
	    prctl(PR_SET_DUMPABLE, 0) == -1 ||
	    /* After the change of capabilities, which may clear it. */
	    prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
		fatal("prctl");
	confine_only(allowed);
}

int
verify(const char *name, pid_t pid, uid_t id, uint64_t caps, int any_caps)
{
	struct status_want	want = {
		.uid = id, .gid = id, .caps = caps, .any_caps = any_caps,
	};
	char			why[256];

	if (status_check(PROC, pid, &want, why, sizeof(why)) == 0)
		return (0);
	/* It has died, or nothing can be opened at this time. */
	if (errno == ENOENT || errno == ESRCH || errno == EMFILE ||
	    errno == ENFILE || errno == ENOMEM) {
		log_warnx("%s: %s", name, why);
		return (-1);
	}
	/* Something is wrong with us, not with the world. */
	audit("room.verify", "fail", "room", name, "reason", why, NULL);
	fatalx("going down: %s %s", name, why);
}
