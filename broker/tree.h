/*
 * <sys/tree.h> for trees of one file. libbsd's RB_GENERATE_STATIC uses a
 * macro, __unused, that it does not define because Linux headers have a
 * field of that name.
 */
#ifndef TREE_H
#define TREE_H

#include <bsd/sys/tree.h>

#define TREE_GENERATE(name, type, field, cmp)				\
	RB_GENERATE_INTERNAL(name, type, field, cmp,			\
	    __attribute__((__unused__)) static)

#endif
