/*
 * Where the cgroups of jails go: version 2 where the memory controller is
 * there, else version 1.
 */
#ifndef TREES_H
#define TREES_H

#include <sys/types.h>

#include <stddef.h>

#define TREES	2	/* version 1 has one a controller */

struct trees;

/*
 * Find or make them, for the daemon with this pid; path is the
 * configuration's, or NULL. NULL with the reason in why, in words for an
 * administrator. Needs the rights of root; all below does not.
 */
struct trees	*trees_open(const char *path, pid_t daemon, char *why,
		    size_t whylen);
/* Remove what trees_open() made, with what jails have left there: within
 * some seconds, or a warning. */
void		 trees_close(struct trees *);
int		 trees_version(const struct trees *);
/* A new descriptor of the i-th directory; -1 if there are not so many. */
int		 trees_dir(const struct trees *, int i);

#endif
