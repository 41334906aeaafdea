/*
 * What commands in a tool jail may not ask of the kernel, nor its starter.
 */
#ifndef SYSCALLS_H
#define SYSCALLS_H

#include "../filter.h"

/* Calls by name, ended by NULL, for filter_new_known(). */
extern const struct filter_rule *const	tool_syscalls[];
extern const struct filter_rule *const	starter_syscalls[];
/* By argument, for filter_new(SCMP_ACT_ALLOW, ...). */
extern const struct filter_rule *const	tool_arguments[];

#endif
