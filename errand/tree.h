/*
 * Removing a tree that somebody hostile may have made.
 */
#ifndef TREE_H
#define TREE_H

/* Remove all below the directory and itself, follow nothing. Returns an
 * errno; 0 too if there is none. */
int	 tree_remove(const char *path);

#endif
