/*
 * A run and its nodes, as the rest of the keeper sees them. The turn loop
 * (agent.h) is called with a node of kind "agent" and settles it once.
 */
#ifndef RUN_H
#define RUN_H

#include <jansson.h>
#include <stdint.h>

struct config;
struct event_base;
struct node;
struct run;
struct store;

int64_t			 run_num(const struct run *);	/* its row, runs.num */
struct store		*run_store(const struct run *);
struct event_base	*run_base(const struct run *);
/* The journal has so many bytes more of it: see quota.h. */
void			 run_grow(struct run *, int64_t bytes);
/* The configuration in force; ask again after every return to the loop. */
const struct config	*run_config(const struct run *);

struct run	*node_run(const struct node *);
const char	*node_path(const struct node *);
int64_t		 node_num(const struct node *);		/* its row, nodes.num */
/* The agent's own state of this node, NULL at first. */
void		*node_agent(const struct node *);
void		 node_set_agent(struct node *, void *);

/*
 * Record the outcome of a running node and tell the script. Takes body: the
 * value, or {"class", "message", "cause", "rule"}. Frees the node: it must
 * not be touched afterwards. Safe to call from within agent_start().
 */
void	 node_settle(struct node *, int ok, json_t *body);
/* An error outcome; cause and rule may be NULL. Frees the node too. */
void	 node_settle_error(struct node *, const char *class, const char *cause,
	    const char *rule, const char *fmt, ...)
	    __attribute__((format(printf, 5, 6)));
/* What a node has cost: counts for the node and for its run. */
void	 node_charge(struct node *, int64_t tokens_in, int64_t tokens_out);
/* The same for what belongs to no node. */
void	 run_charge(struct run *, int64_t tokens_in, int64_t tokens_out);

/*
 * A progress event. Takes body. kind has at most 16 bytes: "tool" {"node",
 * "tool", "ok"}, ... It is durable, numbered and goes to the followers.
 */
void	 run_event(struct run *, const char *kind, json_t *body);
/* The same of a body that is text already (taken). */
void	 run_event_text(struct run *, const char *kind, char *body);
/* Streamed text of a node, for those who follow just now: not recorded. */
void	 run_text(struct run *, const char *node, const char *text);

/* The number of the run's sandbox of this name: the same name is the same
 * sandbox. tool() uses "default"; an agent's own may be called by its path. */
int64_t	 sandbox_get(struct run *, const char *name);
/* No more calls to it: its jail ends, its layer stays until the run ends. */
void	 sandbox_close(struct run *, int64_t number);

#endif
