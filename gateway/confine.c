/*
 * The system calls of this room. Beside those of every room: sockets, files
 * to read (certificates, names), and a thread for each name that libcurl
 * looks up.
 */
#include <seccomp.h>

#include "gateway.h"

const int gateway_syscalls[] = {
	/* sockets */
	SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect),
	SCMP_SYS(bind), SCMP_SYS(getsockname), SCMP_SYS(getpeername),
	SCMP_SYS(getsockopt), SCMP_SYS(setsockopt), SCMP_SYS(shutdown),
	SCMP_SYS(sendmmsg), SCMP_SYS(pipe2), SCMP_SYS(eventfd2),
	SCMP_SYS(ioctl),
	/* files */
	SCMP_SYS(openat), SCMP_SYS(open), SCMP_SYS(lseek), SCMP_SYS(access),
	SCMP_SYS(faccessat2), SCMP_SYS(stat), SCMP_SYS(statx),
	SCMP_SYS(readlink), SCMP_SYS(pread64), SCMP_SYS(getdents64),
	SCMP_SYS(statfs),
	/* a resolver's thread and the libraries that it loads */
	SCMP_SYS(clone), SCMP_SYS(clone3), SCMP_SYS(mprotect),
	SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(prlimit64), SCMP_SYS(uname),
	SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid),
	SCMP_SYS(getegid), SCMP_SYS(sysinfo),
	-1
};
