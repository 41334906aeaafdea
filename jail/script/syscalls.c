/*
 * The filter of the script jail is an allow-list: memory, time, and reading
 * and writing what is already open. The calls that CPython makes in passing
 * fail. Anything else is not done, and ends the jail: by TRAP, whose handler
 * notes the call and then makes the one that kills (see words.c). A script
 * that has come so far as to break the handler gets no call for it either.
 */
#include <sys/mman.h>

#include <errno.h>
#include <signal.h>

#include "syscalls.h"

#define ALLOW(call)	{ call, SCMP_ACT_ALLOW, 0, { 0, 0, 0, 0 } }
#define FAIL(call)	{ call, SCMP_ACT_ERRNO(EPERM), 0, { 0, 0, 0, 0 } }
/* Allowed if the memory will not be executable. */
#define NOEXEC(call)							\
	{ call, SCMP_ACT_ALLOW, 1,					\
	    { 2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0 } }
#define END		{ NULL, 0, 0, { 0, 0, 0, 0 } }

/* To compute, and to speak on descriptor 3. */
static const struct filter_rule	compute[] = {
	ALLOW("brk"),		NOEXEC("mmap"),		NOEXEC("mprotect"),
	ALLOW("munmap"),	ALLOW("mremap"),	ALLOW("madvise"),
	ALLOW("futex"),		ALLOW("getrandom"),	ALLOW("sched_yield"),
	ALLOW("read"),		ALLOW("write"),		ALLOW("close"),
	ALLOW("recvmsg"),	ALLOW("sendmsg"),	ALLOW("poll"),
	ALLOW("ppoll"),		ALLOW("clock_gettime"),	ALLOW("gettimeofday"),
	ALLOW("clock_getres"),	ALLOW("time"),		ALLOW("getpid"),
	ALLOW("gettid"),	ALLOW("rt_sigreturn"),	ALLOW("sigaltstack"),
	ALLOW("rt_sigprocmask"), ALLOW("restart_syscall"), ALLOW("exit"),
	ALLOW("exit_group"),
	END
};

/*
 * CPython asks for these on its way (looking for a source line, a terminal,
 * the working directory) and takes no for an answer; so do scripts that try
 * a thread or a command. clone3 does not exist, so that the C library tries
 * clone.
 */
static const struct filter_rule	in_passing[] = {
	FAIL("open"),		FAIL("openat"),		FAIL("stat"),
	FAIL("lstat"),		FAIL("fstat"),		FAIL("newfstatat"),
	FAIL("statx"),		FAIL("access"),		FAIL("faccessat"),
	FAIL("faccessat2"),	FAIL("readlink"),	FAIL("readlinkat"),
	FAIL("getcwd"),		FAIL("getdents64"),	FAIL("lseek"),
	FAIL("ioctl"),		FAIL("fcntl"),		FAIL("uname"),
	FAIL("sysinfo"),	FAIL("getuid"),		FAIL("geteuid"),
	FAIL("getgid"),		FAIL("getegid"),	FAIL("getppid"),
	FAIL("getrusage"),	FAIL("times"),		FAIL("prlimit64"),
	FAIL("getrlimit"),	FAIL("sched_getaffinity"), FAIL("rt_sigaction"),
	FAIL("clone"),		FAIL("fork"),		FAIL("vfork"),
	FAIL("pipe2"),		FAIL("clock_nanosleep"),
	FAIL("nanosleep"),	FAIL("dup"),		FAIL("dup2"),
	FAIL("set_robust_list"), FAIL("rseq"),
	/* But for abort(3), which is told as what it is (see words.c). */
	{ "tgkill", SCMP_ACT_ERRNO(EPERM), 1,
	    { 2, SCMP_CMP_NE, SIGABRT, 0 } },
	{ "ptrace", SCMP_ACT_KILL_PROCESS, 0, { 0, 0, 0, 0 } },
	{ "clone3", SCMP_ACT_ERRNO(ENOSYS), 0, { 0, 0, 0, 0 } },
	END
};

/* What the starter does beyond that: its own loop, and a jail's steps. */
static const struct filter_rule	construct[] = {
	ALLOW("clone3"),	ALLOW("wait4"),		ALLOW("socketpair"),
	ALLOW("recvfrom"),	ALLOW("sendto"),	ALLOW("fcntl"),
	ALLOW("dup2"),		ALLOW("dup3"),		ALLOW("close_range"),
	ALLOW("sethostname"),	ALLOW("prlimit64"),	ALLOW("setrlimit"),
	ALLOW("prctl"),		ALLOW("capset"),	ALLOW("capget"),
	ALLOW("setgroups"),	ALLOW("getgroups"),	ALLOW("setresgid"),
	ALLOW("setresuid"),	ALLOW("getresgid"),	ALLOW("getresuid"),
	ALLOW("rt_sigaction"),	ALLOW("seccomp"),	ALLOW("fstat"),
	ALLOW("newfstatat"),	ALLOW("landlock_create_ruleset"),
	ALLOW("landlock_restrict_self"), ALLOW("process_madvise"),
	END
};

const struct filter_rule *const	script_syscalls[] = {
	compute, in_passing, NULL
};

/* Loaded first and inherited, so it fails what a jail's filter fails, but
 * for what comes before that. */
const struct filter_rule *const	starter_syscalls[] = {
	construct, compute, in_passing, NULL
};
