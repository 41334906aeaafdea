/*
 * The keeper's own state: what main() makes and hands down. In memory are
 * the runs that have not ended and their nodes that have no outcome yet; all
 * else is in the store only.
 */
#ifndef KEEPER_H
#define KEEPER_H

#include <sys/types.h>

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#include <event2/event.h>
#include <jansson.h>
#include <stdint.h>

#include "channel.h"
#include "config.h"
#include "node_decide.h"
#include "peer.h"
#include "refusal.h"
#include "run.h"
#include "run_state.h"
#include "space.h"
#include "store.h"

#define RUN_ID_LEN	16
#define RUN_SEED_LEN	32
/* Room for what a run waits for. */
#define RUN_ON_MAX	384
/* The longest outcome of a node, in bytes. */
#define VALUE_MAX	(4 * 1024 * 1024 - 16 * 1024)
/* What a run's script may say, in the journal; of nodes see space_share(). */
#define SAID_MAX	(16LL * 1024 * 1024)

struct agent_slots;
struct effect;
struct follower;

RB_HEAD(node_tree, node);
RB_HEAD(run_tree, run);
RB_HEAD(effect_tree, effect);
TAILQ_HEAD(follower_list, follower);
STAILQ_HEAD(run_end_list, run_end);

struct keeper {
	struct event_base	*base;
	struct peer		*broker;	/* NULL while it is away */
	struct channel_wait	 broker_wait;
	struct store		*store;
	enum space		 space;
	int64_t			 share;		/* of the journal, for a run */
	int64_t			 history;	/* and for all ended ones */
	int64_t			 bytes;		/* of all unfinished runs */
	struct event		*space_timer;	/* NULL before the first look */
	int			 lent;		/* the reserve for ends */
	int64_t			 promised;	/* to runs of this wake-up */
	struct config		*config;	/* NULL before ROOM_CONFIG */
	int			 started;	/* ROOM_START has come */
	int			 loaded, resumed;	/* unfinished runs */
	struct run_tree		 runs;
	struct effect_tree	 effects;
	uint32_t		 effect_id;	/* the last one given */
	struct follower_list	 followers;
	int64_t			 ended, ended_bytes;	/* runs */
	int64_t			 ended_last;	/* num of the last one */
	struct event		*tidy;		/* NULL before the first */
	struct agent_slots	*slots;		/* NULL before the first */
	struct run_end_list	 ends;		/* to be audited */
};

struct node {
	RB_ENTRY(node)		 entry;
	struct run		*run;
	int64_t			 num;
	char			*path;
	enum node_kind		 kind;
	json_t			*input;		/* the body of NODE_BEGIN */
	int64_t			 started, due;
	int64_t			 tokens_in, tokens_out;
	int			 asked;		/* by the jail there is */
	int			 parked;	/* runs once asked for again */
	int			 restarts;	/* sandboxes lost under it */
	struct effect		*effect;	/* a tool's call */
	struct event		*timer;		/* a sleep's */
	void			*agent;
};

struct run {
	RB_ENTRY(run)		 entry;
	struct keeper		*keeper;
	int64_t			 num;
	char			 id[RUN_ID_LEN + 1];
	int64_t			 uid, gid;
	char			*profile, *name;
	char			*workspace;	/* NULL: none */
	int64_t			 dev, ino;
	int64_t			 budget;	/* tokens, 0: none */
	char			 seed[RUN_SEED_LEN + 1];
	enum run_phase		 phase;
	char			*waiting;	/* on what, or NULL */
	int64_t			 epoch, added, started;
	int64_t			 now;		/* the script's clock */
	int64_t			 tokens_in, tokens_out;
	int64_t			 done;		/* nodes completed */
	int64_t			 past;		/* before its jail began */
	int64_t			 seq;		/* the last event's */
	int64_t			 said;		/* events of the script */
	int64_t			 said_bytes;	/* and how long they are */
	int64_t			 bytes;		/* in the journal: quota.h */
	int			 restarts;	/* lost jails in a row */
	struct event		*timer;		/* until the next start */
	struct node_tree	 nodes;
	size_t			 agents;	/* that have a slot */
};

int	node_cmp(const struct node *, const struct node *);
int	run_cmp(const struct run *, const struct run *);
RB_PROTOTYPE(node_tree, node, entry, node_cmp)
RB_PROTOTYPE(run_tree, run, entry, run_cmp)

/* Begin with the store at path. Returns 0, or -1 with a sentence in why. */
int	 keeper_open(struct keeper *, struct event_base *, const char *path,
	    char *why, size_t whylen) __attribute__((warn_unused_result));
/* Let go of everything; what was not committed is lost. */
void	 keeper_close(struct keeper *);

/* Send to the broker, if there is one. Takes env; copies body. */
void	 keeper_send(struct keeper *, uint32_t type, uint32_t id, json_t *env,
	    const void *body, size_t bodylen);
/* Takes env and body. */
void	 keeper_send_json(struct keeper *, uint32_t type, uint32_t id,
	    json_t *env, json_t *body);
void	 keeper_refuse(struct keeper *, uint32_t id, enum refusal,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* json_pack(3) that can't fail: what it is given has been checked. */
json_t	*keeper_pack(const char *fmt, ...);
/* A text of our own with words of a peer in it, maybe cut by snprintf(3). */
json_t	*keeper_string(char *);

/* ---- broker.c: the broker's socket ---- */

/* Use fd, a socket to a new broker (taken), and recover the runs. */
void	 broker_attach(struct keeper *, int fd);
/* ROOM_START: recover the runs and begin to listen to the broker. */
void	 broker_start(struct keeper *);
/* Drop all that is in memory: the broker knows nothing of it any more. */
void	 broker_forget(struct keeper *);

/* ---- replay.c, recover.c, retain.c ---- */

/* SCRIPT and REPLAY, for a jail that has said hello. */
void	 replay_send(struct run *);
/* Take up every run that has not ended. */
void	 recover_all(struct keeper *);
/* Count the ended runs of a store that has just been opened. */
void	 retain_load(struct keeper *);
/* This one has ended. */
void	 retain_add(const struct run *);
/* Delete the oldest ended runs beyond what the config retains, and give what
 * they had back to the disk; what is left to do is done when idle. */
void	 retain_prune(struct keeper *);
void	 retain_close(struct keeper *);

/* ---- sandbox.c ---- */

/* The run has ended: its layers may go. */
void	 sandbox_end(struct run *);
/* Ask again for those whose removal was not confirmed. */
void	 sandbox_remove_all(struct keeper *);

/* ---- follow.c ---- */

void	 follow_ended(struct keeper *, int64_t num);
int	 follow_any(struct keeper *, int64_t num);
void	 follow_forget(struct keeper *);

#endif
