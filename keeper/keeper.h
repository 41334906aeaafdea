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

#include "config.h"
#include "node_decide.h"
#include "peer.h"
#include "run.h"
#include "run_state.h"
#include "store.h"

#define RUN_ID_LEN	16
#define RUN_SEED_LEN	32
/* The longest script, and the longest outcome of a node, in bytes. */
#define SOURCE_MAX	(512 * 1024)
#define VALUE_MAX	(1024 * 1024 - 16 * 1024)
/* What a run may have in the journal: nodes, and what its script says. */
#define JOURNAL_MAX	(512LL * 1024 * 1024)
#define SAID_MAX	(16LL * 1024 * 1024)

struct effect;
struct follower;

RB_HEAD(node_tree, node);
RB_HEAD(run_tree, run);
RB_HEAD(effect_tree, effect);
TAILQ_HEAD(follower_list, follower);

struct keeper {
	struct event_base	*base;
	struct peer		*broker;	/* NULL while it is away */
	struct store		*store;
	struct config		*config;	/* NULL before ROOM_CONFIG */
	int			 started;	/* ROOM_START has come */
	struct run_tree		 runs;
	struct effect_tree	 effects;
	uint32_t		 effect_id;	/* the last one given */
	struct follower_list	 followers;
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
	int64_t			 seq;		/* the last event's */
	int64_t			 said;		/* events of the script */
	int64_t			 said_bytes;	/* and how long they are */
	int64_t			 bytes;		/* inputs and outcomes */
	int			 restarts;	/* lost jails in a row */
	struct event		*timer;		/* until the next start */
	struct node_tree	 nodes;
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
void	 keeper_refuse(struct keeper *, uint32_t id, int exit,
	    const char *class, const char *fmt, ...)
	    __attribute__((format(printf, 5, 6)));
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

/* ---- run_store.c: rows of runs ---- */

/* All of run's fields are set; fills in num. */
void	 run_insert(struct run *, const char *script, size_t len);
/* The run of a row of RUN_COLUMNS, linked into the keeper. */
struct run	*run_load(struct keeper *, sqlite3_stmt *);
extern const char	run_select_unended[];
void	 run_save_start(struct run *);
void	 run_save_waiting(struct run *);
void	 run_save_said(struct run *);
void	 run_save_end(struct run *, const char *state, int exit,
	    const char *result);
struct run	*run_new(struct keeper *);
void	 run_free(struct run *);
/* A run that has not ended; NULL if there is none of this id. */
struct run	*run_find(struct keeper *, const char *id);
/* The row of a run that uid may see, 0 if there is none. */
int64_t	 run_lookup(struct keeper *, const char *id, int64_t uid, int all);

/* ---- run.c: a run's life ---- */

/* Start queued runs as long as there is room. */
void	 run_schedule(struct keeper *);
/* Ask the broker for a jail, after delay milliseconds. */
void	 run_start(struct run *, int64_t delay);
void	 run_wait(struct run *, const char *on);
/* How long to wait before the next jail, when some were lost in a row. */
int64_t	 run_restart_delay(int restarts);
/* The ends. Each frees the run. error is taken; failures is lent or NULL. */
void	 run_complete(struct run *, const json_t *result,
	    const json_t *failures, int64_t count);
void	 run_fail(struct run *, enum blamer, json_t *error,
	    const json_t *failures);
void	 run_cancel(struct run *);
/* What the script's process sent can't be used. */
void	 run_fail_protocol(struct run *, const char *what, const char *why);

/* ---- result.c: errors and results ---- */

/* {"class", "message", "cause", "node", "line", "traceback"}. */
json_t	*error_new(const char *class, const char *cause, const char *node,
	    const char *message);
/* Make the six keys be there, of their types; class wins. Lends body. */
json_t	*error_from(const json_t *body, const char *class);
/* The result object of a run as DESIGN says. Lends all. */
json_t	*result_new(struct run *, const char *state, const json_t *result,
	    const json_t *error, const json_t *failures, int64_t ended);
/* The recorded one, or that of a run that has not ended. */
json_t	*result_get(struct keeper *, int64_t num);

/* ---- node.c, node_store.c, node_kind.c, node_ask.c ---- */

struct msg;
/* The row of a new running node; fills in num. */
void	 node_insert(struct node *, const struct msg *);
void	 node_save_again(struct node *);
void	 node_save_due(struct node *);
void	 node_save_end(struct node *, enum node_state, int ok,
	    const char *value);
struct node	*node_new(struct run *, const char *path, enum node_kind,
		    json_t *input);
void	 node_free(struct node *);
struct node	*node_find(struct run *, const char *path);
/* Load a run's running nodes into memory; none is set going. */
void	 node_load(struct run *);
/* Answer an ask from the record. */
void	 node_answer(struct run *, int64_t num, const char *path);
/* Set a node going: its row is written. May free it. */
void	 node_dispatch(struct node *);
/* Stop it and record that nobody waited. Frees it. */
void	 node_cancel(struct node *);
/* Record that the outcome can't be known. Frees it. */
void	 node_settle_lost(struct node *);
/* Is the body of this node harmless to repeat? */
int	 node_repeatable(const struct node *);
void	 sleep_arm(struct node *);

/* ---- replay.c, recover.c, retain.c ---- */

/* SCRIPT and REPLAY, for a jail that has said hello. */
void	 replay_send(struct run *);
/* Take up every run that has not ended. */
void	 recover_all(struct keeper *);
/* Delete the oldest ended runs beyond what the config retains. */
void	 retain_prune(struct keeper *);

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
