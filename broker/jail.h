/*
 * Jails as the broker sees them: asked of the warden, spoken with over a
 * socket of their own, killed once, and over when the warden says so.
 */
#ifndef JAIL_H
#define JAIL_H

#include <sys/queue.h>

#include <stdint.h>

#include "pending.h"
#include "throttle.h"
#include "tree.h"

struct broker;
struct event;
struct run;

enum jail_state {
	JAIL_QUEUED,	/* waits for its turn, its workspace or its layer */
	JAIL_ASKED,	/* JAIL_START has been sent */
	JAIL_BORN,	/* it has a number and a socket, and must say hello */
	JAIL_READY,	/* it has said hello */
	JAIL_DYING,	/* killed or fallen silent: JAIL_EXIT will come */
};

/* A node that a script waits for. */
struct node {
	RB_ENTRY(node)	 entry;
	char		*path;
};
RB_HEAD(node_tree, node);

struct jail {
	struct broker		*broker;	/* lent */
	struct run		*run;		/* lent; NULL: forgotten */
	enum role		 role;		/* SCRIPT or TOOL */
	enum jail_state		 state;
	uint32_t		 ask;		/* our JAIL_START */
	int64_t			 number;	/* 0: not known yet */
	struct peer		*peer;		/* ours; NULL: gone */
	struct throttle		 throttle;
	struct event		*timer;		/* for hello, then the end */
	int64_t			 used;		/* ticks of the last call */

	/* A script's. */
	int			 done;		/* it has said its last word */
	int			 replaying;	/* its past is on its way */
	struct node_tree	 nodes;
	size_t			 nnodes, nodes_max;
	uint64_t		 nasked;	/* since it said hello */

	/* A tool jail's. */
	int64_t			 sandbox;
	struct call_list	 calls;		/* open ones, in order */
	int			 tries;		/* of jails before this one */

	TAILQ_ENTRY(jail)	 entry;		/* in the broker's */
	TAILQ_ENTRY(jail)	 sibling;	/* in the run's */
};
TAILQ_HEAD(jail_list, jail);

/* A jail of the run, which asks for it when its turn has come. */
struct jail	*jail_new(struct run *, enum role, int64_t sandbox);
/* The run's jail of this sandbox that can take a call, now or when it has
 * said hello, or NULL. */
struct jail	*jail_of_sandbox(struct run *, int64_t sandbox);
/* Is there any jail of this sandbox, dying ones too? */
int		 jail_has_layer(struct broker *, int64_t sandbox);
/* Kill it; it stays in all lists until JAIL_EXIT comes. */
void		 jail_kill(struct jail *, const char *cause);
/* The keeper can't use what it has sent: as if we had found that ourselves. */
void		 jail_offends(struct jail *, const char *why);
/* The run no longer knows it: kill it, and let go of it when it is over. */
void		 jail_forget(struct jail *, const char *cause);
/* The warden has killed what there was: drop the forgotten ones. */
void		 jail_sweep(struct broker *);
void		 jail_free(struct jail *);
/* Ask for as many of the queued ones as there is room. */
void		 jail_schedule(struct broker *);
/* It said hello as this version: returns -1 if not, or not for the first
 * time. */
int		 jail_hello(struct jail *, const struct msg *);

/* Between the files of jails: wake its timer; speak with it on fd (taken). */
void		 jail_wait(struct jail *, int64_t ms);
int		 jail_connect(struct jail *, int fd);

/* JAIL_STARTED, JAIL_FAILED, JAIL_EXIT, of the warden. */
int	 jail_started(struct peer *, struct msg *);
int	 jail_failed(struct peer *, struct msg *);
int	 jail_exited(struct peer *, struct msg *);

/* A layer that is to be removed once its last jail is gone. */
struct removal {
	int64_t			sandbox;
	TAILQ_ENTRY(removal)	entry;
};
TAILQ_HEAD(removal_list, removal);

/* script.c: what a script may say, and what comes back for it. */
extern const struct handler	script_handlers[];
void	 script_forget_nodes(struct jail *);
int	 script_start(struct peer *, struct msg *);
int	 script_replay(struct peer *, struct msg *);
int	 script_node_done(struct peer *, struct msg *);

/* tool.c: calls in sandboxes. */
extern const struct handler	tool_handlers[];
int	 tool_call(struct peer *, struct msg *);
int	 tool_cancel(struct peer *, struct msg *);
int	 tool_close(struct peer *, struct msg *);
int	 tool_remove(struct peer *, struct msg *);
int	 tool_removed(struct peer *, struct msg *);
/* Send what waits: the jail has said hello. */
void	 tool_flush(struct jail *);
/* All open calls fail for this cause. */
void	 tool_fail_calls(struct jail *, const char *cause, const char *text);
/* Calls that have not been sent go to another jail of the sandbox. */
void	 tool_move_calls(struct jail *from, struct jail *to);
/* Nobody waits for the open calls any more. */
void	 tool_forget_calls(struct jail *);
/* A jail is gone: layers that wait for it may be removed. */
void	 tool_layers(struct broker *);
/* Nobody waits for the removals any more. */
void	 tool_forget_layers(struct broker *);

#endif
