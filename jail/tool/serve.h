/*
 * The server of a tool jail, and what a tool has to be for it.
 *
 * Every call runs in a process of its own, a child of the server: a tool may
 * leak, block, change its directory, fork, or die, and is killed with all
 * that descends from it when its time is up, when it is cancelled, and when
 * it has answered.
 */
#ifndef SERVE_H
#define SERVE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "toll.h"

/* Where a sandbox's files are, the user's home, and a tool's directory. */
#define WORKSPACE	"/workspace"

/* No call may answer with more JSON: the keeper takes no longer outcome. */
#define RESULT_MAX	(4 * 1024 * 1024 - 16 * 1024)

struct call {
	json_t		*input;		/* an object, lent */
	int64_t		 timeout;	/* milliseconds, 0 for none */
	size_t		 output;	/* bytes of JSON, at most RESULT_MAX */
	const struct toll *toll;	/* what limits did before it, lent */
	json_t		*error;		/* set by call_fail() */
};

struct op {
	const char	*name;
	/*
	 * The tool itself. Returns the value, a new reference, or NULL after
	 * call_fail(). What it reads of input is checked by it: types too.
	 */
	json_t		*(*fn)(struct call *);
	/* It ends by itself when call.timeout has passed (bash: exit 124);
	 * for the others the server then answers with cause "timeout". */
	int		 keeps_time;
};

/* The tools, ended by a NULL name: ops.c. */
extern const struct op	ops[];

/* Say why a call failed: the text is for the one who called. cause is NULL
 * or one word. Returns NULL, always. */
json_t	*call_fail(struct call *, const char *cause, const char *, ...)
	    __attribute__((format(printf, 3, 4)));

/* Serve calls on fd (JAIL_FD) as pid 1 of the jail, within these limits,
 * until the broker closes it. Returns the exit status. */
int	 serve(int fd, const struct limits *);

#endif
