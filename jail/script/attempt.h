/*
 * Attempts to get out of a script jail, or at more of the kernel than it
 * has. They are part of the product: a canary makes them all in a jail of
 * this host before the first script runs (see ../canary.h).
 */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include "../canary.h"

/* The n-th of all attempts, or NULL past the last. */
const struct attempt	*attempt_at(size_t n);

/* An attempt that is one call, and succeeds if it does not fail. */
#define CALL(name, ...)							\
static int								\
try_##name(void)							\
{									\
	return (syscall(__VA_ARGS__) != -1);				\
}

/* The tables, one a file, each ended by a NULL name. */
extern const struct attempt	attempts_files[];
extern const struct attempt	attempts_sockets[];
extern const struct attempt	attempts_processes[];
extern const struct attempt	attempts_rights[];
extern const struct attempt	attempts_memory[];
extern const struct attempt	attempts_kernel[];

/* The abstract socket of the host that an attempt tries to reach. */
#define ATTEMPT_ABSTRACT	"wfsup-canary"

#endif
