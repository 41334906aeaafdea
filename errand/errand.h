/*
 * What an errand can be.
 */
#ifndef ERRAND_H
#define ERRAND_H

#include "peer.h"

extern const struct handler	errand_handlers[];
/* System calls, beyond those of every room. */
extern const int		errand_syscalls[];

#endif
