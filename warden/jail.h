/*
 * One jail, as the files that make, watch and end it know it.
 */
#ifndef JAIL_H
#define JAIL_H

#include <sys/queue.h>

#include "cause.h"
#include "cgroup.h"
#include "jails.h"

enum jail_state {
	JAIL_MAKING,	/* its mounts are being made */
	JAIL_SPAWNING,	/* its starter has been told */
	JAIL_RUNNING,	/* confined and verified */
	JAIL_DYING,	/* killed or dead, not yet reaped */
	JAIL_BURYING,	/* reaped; its cgroup goes */
};

/* What the broker has been told in answer to its JAIL_START. */
enum jail_told { TOLD_NOTHING, TOLD_STARTED, TOLD_FAILED, TOLD_NOBODY };

struct jail {
	TAILQ_ENTRY(jail)	 entry;
	struct jails		*all;
	int64_t			 number;
	enum jail_state		 state;
	enum jail_told		 told;
	struct starter		*starter;	/* NULL once it has died */
	uint32_t		 ask;		/* the question's peerid */
	char			 kind[8], run[33];
	int64_t			 sandbox;	/* -1: none */
	uid_t			 uid;		/* as the starter counts */
	uid_t			 owner;
	gid_t			 owner_gid;
	int64_t			 memory, pids, cpu, wall, fsize, files;

	/* The parts, and the mounts that are still awaited. */
	int			 broker_end, jail_end;
	int			 layer, workspace;
	int			 procs[CGROUP_TREES], nprocs;
	uint32_t		 layer_id, workspace_id;	/* 0: none */
	int			 awaited;
	int64_t			 canary;	/* its first attempt; -1: none */
	int			 spare;		/* nobody's yet */

	int			 pidfd;
	pid_t			 pid;		/* for words only */
	struct event		*dead, *timer;
	int			 tries, unconfirmed, ours;
	struct death		 death;
	int64_t			 peak;
};

struct jails {
	TAILQ_HEAD(jail_list, jail) list;
	struct warden	*w;
	int			 count;
	int64_t			 number;	/* the last one */
	uid_t			 uid;		/* the last one */
	uint32_t		 mount;		/* the last request */
	json_t			*wanted;	/* the last script jail asked for */
	struct event		*fill;		/* make spare jails */
};

/* jails.c */
struct jail	*jail_find(const struct jails *, int64_t number);
/* A jail's record, from a JAIL_START. */
struct jail	*jail_new(struct jails *, const json_t *env,
		    struct starter *starter);
/* Whose it is, from the same. */
void		 jail_for(struct jail *, const json_t *env);
void		 jail_close_parts(struct jail *);
void		 jail_free(struct jail *);
/* Its timer, whose meaning follows from its state. */
void		 jail_arm(struct jail *, int64_t ms);

/* jail_make.c */
/* Cgroup and sockets, then the mounts; workspace (or -1) is taken. */
void		 jail_make(struct jail *, int workspace);

/* jail_starter.c */
/* The jail that a starter speaks of: one of its own, or NULL. */
struct jail	*jail_of(struct peer *, const struct msg *);

/* It works, and somebody waits for it: the time runs, the broker is told. */
void		 jail_started(struct jail *);

/* spare.c */
void		 spares_init(struct jails *);
/* The script starter works: have some. */
void		 spares_ready(struct jails *);
/* A script jail was asked for by this JAIL_START: soon have another. */
void		 spares_want(struct jails *, json_t *env);
/* One that is as this JAIL_START wants it, or NULL. */
struct jail	*spare_take(struct jails *, const json_t *env);

/* canary.c */
/* A canary has ended: another, or the verdict. Before its record goes. */
void		 canary_ended(struct jail *);

/* One whose kill was not confirmed, or NULL: with any there is no new one. */
struct jail	*jail_undead(const struct jails *);
/* Say on the host's rows whether there is one. */
void		 jails_report(struct jails *);

/* jail_end.c; after any of these the jail may be freed. */
/* cause is what killed it, unless something else already has; ours if the
 * jail is not to blame. */
void		 jail_kill(struct jail *, const char *cause, int ours);
/* It can't be made. What there is of it goes. */
void		 jail_fail(struct jail *, const char *step,
		    const char *error);
/* It is dead and will not be heard of again: its cgroup, then its record. */
void		 jail_bury(struct jail *);
/* Its process has this pidfd (taken): notice its death. */
void		 jail_watch(struct jail *, int pidfd);
void		 jail_timer(int, short, void *);
/* Has its process ended? */
int		 jail_is_dead(const struct jail *);
/* Tell the broker that there will be no jail. */
void		 jail_failed_send(struct jails *, uint32_t ask,
		    const char *step, const char *error);

#endif
