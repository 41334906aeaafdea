/*
 * Attempts to get out of a jail, or at more of the kernel than it has.
 */
#ifndef ROWS_H
#define ROWS_H

#include <stddef.h>

struct row {
	const char	*name;
	/* Returns 1 if the attempt had what it wanted. */
	int		(*attempt)(void);
	/* A tool jail gives this: any program may run there. */
	int		 tool;
};

/* Ends with a NULL name. */
extern const struct row	rows[];

/* The abstract socket of the host that the rows try to reach. */
#define ROWS_ABSTRACT	"wfsup-escape-test"

#endif
