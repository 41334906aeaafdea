#ifndef SYSCALLS_H
#define SYSCALLS_H

/* For confine(): ends with -1. */
extern const int	broker_syscalls[];

#endif
