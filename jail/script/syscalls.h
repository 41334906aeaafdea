/*
 * What a script jail may ask of the kernel, and what its starter may.
 */
#ifndef SYSCALLS_H
#define SYSCALLS_H

#include "../filter.h"

/* Ended by NULL, for filter_new(). */
extern const struct filter_rule *const	script_syscalls[];
extern const struct filter_rule *const	starter_syscalls[];

#endif
