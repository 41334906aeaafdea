/*
 * The system-call filter of a room: an allow-list. What is not listed kills
 * the process, and the supervisor's log says by which call.
 */
#include <sys/prctl.h>

#include <errno.h>
#include <seccomp.h>
#include <string.h>

#include "confine.h"
#include "log.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED	1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED	1
#endif
#endif

/* What the runtime of a sanitizer calls, in whatever process. */
static const int	sanitizer[] = {
#ifdef SANITIZED
	SCMP_SYS(sigaltstack), SCMP_SYS(mprotect), SCMP_SYS(openat),
	SCMP_SYS(readlink), SCMP_SYS(getrlimit), SCMP_SYS(prlimit64),
	SCMP_SYS(sched_yield), SCMP_SYS(set_robust_list), SCMP_SYS(ioctl),
	SCMP_SYS(arch_prctl), SCMP_SYS(prctl), SCMP_SYS(getppid),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(getcwd),
#endif
	-1
};

const int	confine_base[] = {
	SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap),
	SCMP_SYS(madvise), SCMP_SYS(futex), SCMP_SYS(read), SCMP_SYS(readv),
	SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(close), SCMP_SYS(fstat),
	SCMP_SYS(newfstatat), SCMP_SYS(fcntl), SCMP_SYS(poll),
	SCMP_SYS(recvmsg), SCMP_SYS(recvfrom), SCMP_SYS(sendmsg),
	SCMP_SYS(sendto), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_ctl), SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday),
	SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(getrandom),
	SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(restart_syscall), SCMP_SYS(tgkill), SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	-1
};

static void
allow(scmp_filter_ctx ctx, const int *calls)
{
	int	error;

	for (; *calls != -1; calls++) {
		error = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, *calls, 0);
		if (error != 0)
			fatalx("confine: allow call %d: %s", *calls,
			    strerror(-error));
	}
}

/* Load these lists, the last of which is NULL, as one. */
static void
filter(const int *const lists[])
{
	scmp_filter_ctx	ctx;
	int		error;

	if ((ctx = seccomp_init(SCMP_ACT_KILL_PROCESS)) == NULL)
		fatalx("confine: seccomp_init");
	error = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
	    SCMP_ACT_KILL_PROCESS);
	if (error == 0)
		error = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (error != 0)
		fatalx("confine: seccomp_attr_set: %s", strerror(-error));
	for (; *lists != NULL; lists++)
		allow(ctx, *lists);
	if ((error = seccomp_load(ctx)) != 0)
		fatalx("confine: seccomp_load: %s", strerror(-error));
	seccomp_release(ctx);
}

void
confine_syscalls(const int *calls)
{
	const int	*lists[] = { confine_base, sanitizer, calls, NULL };

	filter(lists);
}

void
confine_only(const int *calls)
{
	const int	*lists[] = { calls, sanitizer, NULL };

	filter(lists);
}
