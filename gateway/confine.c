/*
 * The system calls of this room. Beside those of every room: sockets, files
 * to read (certificates, names), and a thread for each name that libcurl
 * looks up. No exec: a thread can't become another program.
 */
#include <seccomp.h>

#include "gateway.h"

const int gateway_syscalls[] = {
	/* sockets */
	SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect),
	SCMP_SYS(bind), SCMP_SYS(getsockname), SCMP_SYS(getpeername),
	SCMP_SYS(getsockopt), SCMP_SYS(setsockopt), SCMP_SYS(sendmmsg),
	SCMP_SYS(ioctl), SCMP_SYS(eventfd2), SCMP_SYS(ppoll),
	/* files, and the modules that look up names */
	SCMP_SYS(openat), SCMP_SYS(lseek), SCMP_SYS(pread64),
	SCMP_SYS(getdents64), SCMP_SYS(mprotect), SCMP_SYS(uname),
	SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(sysinfo),
	/* a thread */
	SCMP_SYS(clone), SCMP_SYS(clone3), SCMP_SYS(set_robust_list),
	SCMP_SYS(rseq), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
	SCMP_SYS(prlimit64),
	-1
};
