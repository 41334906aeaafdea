/*
 * Runs that the keeper has told us of: each owns its scope, its workspace
 * and its jails, and all of them end with it.
 */
#ifndef RUN_H
#define RUN_H

#include <sys/types.h>

#include <stdint.h>

#include "jail.h"
#include "msg.h"
#include "profile.h"
#include "scope.h"
#include "tree.h"

struct broker;
struct event;
struct verdict;
struct request;

enum workspace_state {
	WORKSPACE_NONE,		/* the run has none */
	WORKSPACE_HERE,		/* fd is it */
	WORKSPACE_ASKED,	/* the warden is opening it */
	WORKSPACE_AWAY,		/* it could not be opened; asked again later */
};

struct workspace {
	enum workspace_state	 state;
	int			 fd;
	char			*path;
	int64_t			 dev, ino;
	struct event		*again;
	int			 told;		/* that it is away */
};

struct run {
	RB_ENTRY(run)		 entry;
	struct broker		*broker;	/* lent */
	char			 id[RUN_ID_MAX + 1];
	char			 profile[PROFILE_NAME_MAX + 1];
	uid_t			 uid;
	gid_t			 gid;
	int			 wanted;	/* RUN_START has come */
	int64_t			 tokens, spent;	/* as RUN_START said */
	uint64_t		 owner;		/* scope of who submitted it */
	uint64_t		 scope;		/* the script's, 0: none yet */
	struct limits		 limits;
	struct workspace	 workspace;
	struct jail		*script;	/* NULL: none */
	struct jail_list	 jails;		/* all, the script's too */
	struct call_list	 unpaid;	/* model calls that wait */
};

RB_HEAD(run_tree, run);

/* NULL if there is none of this name. */
struct run	*run_find(struct broker *, const char *id);
/* In order: the first after this one, NULL for the first of all. */
struct run	*run_next(struct broker *, struct run *);
/* The run exists, and begins when the keeper says so. Takes fd. */
struct run	*run_add(struct broker *, const char *id, uid_t, int fd);
/* RUN_START: scope, workspace, script jail. */
void		 run_start(struct broker *, const json_t *env);
/* Runs that wait for a profile which may have come. */
void		 run_reloaded(struct broker *);
/* Runs of a user. */
int64_t		 run_count(struct broker *, uid_t);
/* No longer: its jails are killed for this cause, its scope is revoked. */
void		 run_end(struct run *, const char *cause);
void		 run_end_all(struct broker *, const char *cause);
/* May it? Looks up the run's scope and the time. run may be NULL. */
struct verdict	 run_judge(struct broker *, struct run *, struct request *);
/* The run's scope, lent; NULL if it has none. */
struct scope	*run_scope(struct run *);

/* workspace.c */

/* What RUN_START says of a workspace that may be here already. */
void	 workspace_set(struct run *, const json_t *env);
void	 workspace_clear(struct run *);
/* A tool jail can be started as far as the workspace goes. */
int	 workspace_ready(const struct run *);
/* WORKSPACE and WORKSPACE_LOST, of the warden. */
int	 workspace_opened(struct peer *, struct msg *);
int	 workspace_lost(struct peer *, struct msg *);

#endif
