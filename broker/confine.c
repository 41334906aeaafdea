/*
 * The broker's system calls beyond those that every room needs: it accepts
 * clients, asks who they are and looks at what they pass. It opens nothing,
 * binds nothing, connects to nothing, starts nothing.
 */
#include <seccomp.h>

#include "syscalls.h"

const int broker_syscalls[] = {
	SCMP_SYS(accept4),
	SCMP_SYS(getsockopt),
	SCMP_SYS(statx),
	-1
};
