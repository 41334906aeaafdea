/*
 * The broker's system calls beyond those that every room needs: it accepts
 * clients, asks who they are, looks at what they pass, and keeps copies of
 * it. It opens nothing, binds nothing, connects to nothing, starts nothing.
 */
#include <seccomp.h>

#include "syscalls.h"

const int broker_syscalls[] = {
	SCMP_SYS(accept4),
	SCMP_SYS(getsockopt),
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendmsg),
	SCMP_SYS(fcntl),
	SCMP_SYS(fstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(poll),
	-1
};
