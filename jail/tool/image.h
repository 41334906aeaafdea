/*
 * The file system that all tool jails share, and what each has of its own.
 */
#ifndef IMAGE_H
#define IMAGE_H

#include "../starter.h"

/*
 * In the starter: make IMAGE out of the host's /usr, or of the one below
 * root, and make the directory around it our root; nothing else of the host
 * is left. Fatal on failure.
 */
void	 image_build(const char *root);

/* Steps of a jail, in its own mount namespace. */
int	 step_scratch(struct starter *, struct jail *);
int	 step_users(struct starter *, struct jail *);
int	 step_workspace(struct starter *, struct jail *);
int	 step_tmp(struct starter *, struct jail *);
int	 step_proc(struct starter *, struct jail *);
int	 step_root(struct starter *, struct jail *);

/* Below the starter's root: what becomes a jail's root; where it puts parts
 * together that it does not keep in sight; a proc that is never looked at. */
#define IMAGE		"/image"
#define SCRATCH		"/scratch"

#endif
