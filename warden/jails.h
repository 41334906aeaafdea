/*
 * Jails, from JAIL_START to JAIL_EXIT.
 */
#ifndef JAILS_H
#define JAILS_H

#include "warden.h"

struct jails	*jails_new(struct warden *);
/* How many there are, from being made to being buried. */
int		 jails_count(const struct jails *);
/* Is there one that is not a spare? */
int		 jails_busy(const struct jails *);
/* Does one use this sandbox? */
int		 jails_use(const struct jails *, int64_t sandbox);
/* The configuration is another: so are the jails that are made ahead. */
void		 spares_configured(struct jails *);
/* Kill all. With forget, the broker that asked for them is gone. */
void		 jails_kill_all(struct jails *, int forget);
/* The starter has died, and its jails with it. */
void		 jails_starter_gone(struct jails *, const struct starter *);

/* A starter works, before the warden does: canaries, before anybody's jail. */
void		 canary_begin(struct starter *starter);
/* There are cgroups to make them in. */
void		 canaries_begin(struct warden *);
/* Tell a new broker of all attempts. */
void		 canary_send(const struct warden *);
/* All work: as for each of them. */
void		 jails_ready(struct jails *);
/* It works: what has waited for it can be made. */
void		 jails_starter_ready(struct jails *, const struct starter *);

/* Asked by the broker. */
int		 on_jail_start(struct peer *, struct msg *);
int		 on_jail_kill(struct peer *, struct msg *);
/* Told by a starter. */
int		 on_jail_spawned(struct peer *, struct msg *);
int		 on_jail_confined(struct peer *, struct msg *);
int		 on_jail_unmade(struct peer *, struct msg *);
int		 on_jail_reaped(struct peer *, struct msg *);
int		 on_canary_row(struct peer *, struct msg *);
/* Told by the launcher, then by the mounter. */
int		 on_map(struct peer *, struct msg *);
int		 on_map_failed(struct peer *, struct msg *);
int		 on_mounted(struct peer *, struct msg *);
int		 on_mount_failed(struct peer *, struct msg *);

#endif
