/*
 * What the core calls of the turn loop, for nodes of kind "agent".
 */
#ifndef AGENT_H
#define AGENT_H

#include <jansson.h>

struct node;
struct run;

/* The tables of submissions, transcripts and journal slots. */
extern const char	turn_schema_sql[];

/* The longest conversation that is sent: a message has to carry it. */
#define CONVERSATION_MAX	(960 * 1024)

/* Is an agent with this input, of so many bytes, refused before anything of
 * it is recorded? Then its cause, and a sentence in why; else NULL. */
const char	*agent_refuses(struct run *, const json_t *input, size_t len,
		    char *why, size_t whylen);
/* A new agent node, its row durable with this wake-up's commit. input is
 * lent. Settles it with node_settle(), at once or later. */
void	 agent_start(struct run *, struct node *, const json_t *input);
/* The same after a restart, for a node whose row was found running. */
void	 agent_recover(struct run *, struct node *, const json_t *input);
/* Nobody waits any more: cancel its effects, record it as aborted, free
 * what node_agent() holds. Must not settle the node. */
void	 agent_cancel(struct node *);
/* The broker is gone: forget effects (effect_forget) and free what
 * node_agent() holds; the rows stay as they are for agent_recover(). */
void	 agent_forget(struct node *);

#endif
