/*
 * The part of confine() that changes the root directory.
 */
#ifndef CONFINE_ROOT_H
#define CONFINE_ROOT_H

struct confine;

/* Make cf's root the root, detach all else. Fatal if it can't. */
void	 confine_root(const struct confine *cf);

#endif
