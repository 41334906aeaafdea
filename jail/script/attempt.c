/*
 * The attempts, all tables in a row.
 */
#include "attempt.h"

static const struct attempt *const	tables[] = {
	attempts_files, attempts_sockets, attempts_processes,
	attempts_rights, attempts_memory, attempts_kernel,
};

const struct attempt *
attempt_at(size_t n)
{
	const struct attempt	*a;
	size_t			 i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (a = tables[i]; a->name != NULL; a++)
			if (n-- == 0)
				return (a);
	return (NULL);
}
