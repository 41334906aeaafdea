/*
 * The embedded interpreter and the prelude, the part of wfsup that is
 * written in Python.
 */
#ifndef PYTHON_H
#define PYTHON_H

#include <stddef.h>

/* Start CPython, import the prelude and let it prepare. Fatal on failure. */
void	 python_start(void);
/* settle.c: fill the holes in our memory, so that a jail copies less of it.
 * Only for speed. After python_start(). */
void	 python_settle(void);
/* In the forked child: make the interpreter this process's own. */
void	 python_after_fork(void);
/* In a jail that is made ahead: do what every run does, so that it does not
 * do it for the first time. */
void	 python_exercise(void);
/* "3.11.2" */
const char	*python_version(void);
/* Run the workflow; the exit status. */
int	 python_run(void);

/* prelude.c: one module in Python, compiled. */
struct prelude {
	const char		*name;
	/* The magic number of the interpreter that it is for, then its code,
	 * marshalled. */
	const unsigned char	*code;
	size_t			 len;
};
extern const struct prelude	prelude[];	/* ends with a NULL name */

/* module.c: make "_jail" importable. Before python_start's interpreter. */
int	 module_register(void);

#endif
