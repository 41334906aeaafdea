/*
 * The maps of id-mapped mounts: lines of "on disk, as seen, how many".
 *
 * Where an id is not mapped the kernel refuses every change: the owner of a
 * directory could not even remove somebody else's file from it. So each
 * other id is mapped, too: parked at one that is nobody's. The upper half of
 * all ids is in no use by convention and has room for all of the lower one:
 * id n is parked at n + 2^31, or above the jails' ids if those are up there.
 *
 * That gives no right away. A parked id is in no jail's user namespace, nor
 * in a starter's: nobody there can become it, and no capability there is
 * worth anything on its files. A jail can do with them what their mode
 * allows to others, and what the directory they are in allows to it.
 *
 * One thing stays refused (EOVERFLOW): to change the overlay's copy of a
 * file with a parked id, instead of to remove it and to make another. For
 * that its ids have to be in the starter's namespace, whose root, if it were
 * taken over, could then read all that they own in the workspace. So there
 * are only ids whose rights the run's owner has: his own, and the directory's
 * group if he is in it.
 */
#include <stdio.h>
#include <string.h>

#include "idmap.h"

#define JAIL_IDS	131072
#define UPPER_HALF	0x80000000U

/* The next id on disk from this one that is given, or end. */
static uint32_t
next_given(const struct idmap *map, size_t n, uint32_t from, uint32_t end)
{
	size_t	i;

	for (i = 0; i < n; i++)
		if (map[i].disk >= from && map[i].disk < end)
			end = map[i].disk;
	return (end);
}

void
idmap_layer(char *text, size_t size, const struct idmap *map, size_t n)
{
	size_t	i, used = 0;

	text[0] = '\0';
	for (i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, size - used,
		    "%u %u 1\n", map[i].disk, map[i].seen);
}

void
idmap_workspace(char *text, size_t size, const struct idmap *map, size_t n,
    uint32_t base)
{
	uint32_t	from, to, park = base + JAIL_IDS;
	size_t		used;

	idmap_layer(text, size, map, n);
	if (park < UPPER_HALF)
		park = UPPER_HALF;
	/* The last number is no id. */
	for (from = 0; from < UINT32_MAX - park; from = to + 1) {
		to = next_given(map, n, from, UINT32_MAX - park);
		used = strlen(text);
		if (to > from)
			(void)snprintf(text + used, size - used, "%u %u %u\n",
			    from, park + from, to - from);
	}
}
