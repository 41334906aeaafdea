/*
 * How often the same question was asked: a retry of a node asks again with
 * as many messages as before. The table is bounded; the oldest are forgotten.
 */
#ifndef ATTEMPTS_H
#define ATTEMPTS_H

#include <stddef.h>
#include <stdint.h>

#define ATTEMPTS_MAX	4096

struct attempts;

struct attempts	*attempts_new(void);
void		 attempts_free(struct attempts *);
/* Count one more. Returns how often it was asked before; 0 also if there is
 * no memory to count. */
int64_t		 attempts_count(struct attempts *, const char *run,
		    const char *node, size_t messages);

#endif
