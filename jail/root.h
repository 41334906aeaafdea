/*
 * Changing the root of a process that has its own mount namespace.
 */
#ifndef ROOT_H
#define ROOT_H

/* Keep what we mount from the mount namespace we came from. Fatal. */
void	 root_private(void);
/* Make the mount at path the root and let go of all else. Returns 0, or -1
 * with errno set. */
int	 root_enter(const char *path) __attribute__((warn_unused_result));
/* An empty, read-only file system as root. Fatal. */
void	 root_empty(void);

#endif
