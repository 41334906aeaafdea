/*
 * The opening of a store.
 */
#ifndef STORE_OPEN_H
#define STORE_OPEN_H

#include <sqlite3.h>
#include <stddef.h>

/* Judge the file, set it up, create the tables of a fresh one. Returns 0, or
 * -1 with a sentence in why; a file that is not ours is left as it is. */
int	 store_ready(sqlite3 *, char *why, size_t whylen)
	    __attribute__((warn_unused_result));

#endif
