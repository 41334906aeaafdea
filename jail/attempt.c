/*
 * The attempts, all tables in a row.
 */
#include "attempt_table.h"

/* What is left open is counted first: attempts leave some, too. */
static const struct attempt *const	tables[] = {
	attempts_rights, attempts_files, attempts_host, attempts_mounts,
	attempts_sockets, attempts_processes, attempts_init, attempts_memory,
	attempts_limits, attempts_kernel,
};

const struct attempt *
attempt_at(enum jail_kind kind, size_t n)
{
	const struct attempt	*a;
	size_t			 i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (a = tables[i]; a->name != NULL; a++)
			if ((a->met[kind].flags & GIVEN) == 0 && n-- == 0)
				return (a);
	return (NULL);
}
