/*
 * Jails, from JAIL_START to JAIL_EXIT.
 */
#ifndef JAILS_H
#define JAILS_H

#include "supervisor.h"

struct jails	*jails_new(struct supervisor *);
/* How many there are, from being made to being buried. */
int		 jails_count(const struct jails *);
/* Is there one that somebody waits for? */
int		 jails_busy(const struct jails *);
/* Does one use this sandbox? */
int		 jails_use(const struct jails *, int64_t sandbox);
/* The configuration is another: so are the jails that are made ahead. */
void		 spares_configured(struct jails *);
/* Kill all. With forget, the broker that asked for them is gone. */
void		 jails_kill_all(struct jails *, int forget);
/* The starter has died, and its jails with it. */
void		 jails_starter_gone(struct jails *, const struct child *);

/* A starter works for the first time: canaries, before anybody's jail. */
void		 canary_begin(struct child *starter);
/* It works: what has waited for it can be made. */
void		 jails_starter_ready(struct jails *, const struct child *);

/* Asked by the broker. */
int		 priv_jail_start(struct peer *, struct msg *);
int		 priv_jail_kill(struct peer *, struct msg *);
/* Told by a starter. */
int		 priv_jail_spawned(struct peer *, struct msg *);
int		 priv_jail_confined(struct peer *, struct msg *);
int		 priv_jail_unmade(struct peer *, struct msg *);
int		 priv_jail_reaped(struct peer *, struct msg *);
int		 priv_canary_row(struct peer *, struct msg *);
/* Told by the launcher, then by the mounter. */
int		 on_map(struct peer *, struct msg *);
int		 on_map_failed(struct peer *, struct msg *);
int		 on_mounted(struct peer *, struct msg *);
int		 on_mount_failed(struct peer *, struct msg *);

#endif
