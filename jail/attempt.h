/*
 * Attempts to get out of a jail, or at more of the kernel than it has. They
 * are part of the product: canaries make them all in jails of this host,
 * of both kinds, before the first script runs (see canary.h).
 */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include <stddef.h>
#include <stdint.h>

/* How an attempt is met. */
enum {
	/* The filter does not stand in its way. */
	UNFILTERED	= 1 << 0,
	/* Nothing but the filter does, and `also` says why that may be. */
	ALONE		= 1 << 1,
	/* Whether anything but the filter does is for the kernel to say. */
	VARIES		= 1 << 2,
	/* Jails of this kind may: here it is no attempt. */
	GIVEN		= 1 << 3,
	/* The kernel may kill (SIGKILL) who makes it. */
	LETHAL		= 1 << 4,
};

enum jail_kind { IN_SCRIPT, IN_TOOL, JAIL_KINDS };

/* What a program exits with that an attempt has come to run. */
#define ATTEMPT_OPEN	42

struct attempt {
	const char	*name;
	/* Returns 1 if the attempt had what it wanted. */
	int		(*fn)(void);
	struct {
		int		 flags;
		const char	*also;	/* what refuses it but the filter */
	} met[JAIL_KINDS];
};

/* The n-th of all that are attempts in jails of this kind, or NULL past the
 * last. Nothing is given in a script jail: there it is the n-th of all. */
const struct attempt	*attempt_at(enum jail_kind, size_t n);

/* The abstract socket of the host that an attempt tries to reach. */
#define ATTEMPT_ABSTRACT	"wfsup-canary"

/* What attempts at limits want. A jail in which they are made is to have
 * less: memory in bytes, processes, the length of a file. */
#define ATTEMPT_MEMORY		(160 << 20)
#define ATTEMPT_PIDS		100
#define ATTEMPT_FILE		(INT64_C(1) << 30)

#endif
