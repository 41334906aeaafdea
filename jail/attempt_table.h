/*
 * For the files that hold attempts: how a table of them is written.
 */
#ifndef ATTEMPT_TABLE_H
#define ATTEMPT_TABLE_H

#include "attempt.h"

/* The ends of a table's row: met so in both kinds; in a script jail so, but
 * given in a tool jail; and the one, then the other. */
#define BOTH(flags, also)	{ { flags, also }, { flags, also } }
#define SCRIPT(flags, also)	{ { flags, also }, { GIVEN, NULL } }
#define EACH(sflags, salso, tflags, talso)				\
	{ { sflags, salso }, { tflags, talso } }
#define ATTEMPT_END		{ NULL, NULL, BOTH(0, NULL) }

/* An attempt that is one call, and succeeds if it does not fail. */
#define CALL(name, ...)							\
static int								\
try_##name(void)							\
{									\
	return (syscall(__VA_ARGS__) != -1);				\
}

/* The tables, one a file. */
extern const struct attempt	attempts_files[];
extern const struct attempt	attempts_host[];
extern const struct attempt	attempts_mounts[];
extern const struct attempt	attempts_sockets[];
extern const struct attempt	attempts_processes[];
extern const struct attempt	attempts_init[];
extern const struct attempt	attempts_rights[];
extern const struct attempt	attempts_memory[];
extern const struct attempt	attempts_limits[];
extern const struct attempt	attempts_kernel[];

#endif
