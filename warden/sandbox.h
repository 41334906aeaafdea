/*
 * What is on disk: the layers of sandboxes, and workspaces after a restart.
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "warden.h"

/*
 * Make (or find) the layer of a sandbox. done() gets its directory, or -1
 * with an errno, later; tag is passed on.
 */
void	 sandbox_open(struct warden *, int64_t sandbox, int64_t tag,
	    void (*done)(struct warden *, int64_t tag, int error, int fd));

/* Is this user, of this group, in another group too? The answer comes later. */
void	 group_check(struct warden *, uid_t, gid_t, gid_t group,
	    int64_t tag, void (*done)(struct warden *, int64_t tag,
	    gid_t group, int member));

int	 on_sandbox_remove(struct peer *, struct msg *);
int	 on_workspace_open(struct peer *, struct msg *);

#endif
