/*
 * Whose files are, as a jail sees them. Pure.
 */
#ifndef IDMAP_H
#define IDMAP_H

#include <stddef.h>
#include <stdint.h>

#define IDMAP_SIZE	160

/* An id on disk, and the one that the mount shows instead. */
struct idmap {
	uint32_t	disk, seen;
};

/*
 * The map of a workspace in the kernel's words: n ids as given, all others
 * parked. base is the first of the jails' ids.
 */
void	 idmap_workspace(char *, size_t, const struct idmap *, size_t n,
	    uint32_t base);
/* The map of a layer: these ids and no other. */
void	 idmap_layer(char *, size_t, const struct idmap *, size_t n);

#endif
