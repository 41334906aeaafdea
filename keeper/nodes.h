/*
 * Nodes, for the core: their rows and their life. What others may do with
 * one is in run.h.
 */
#ifndef NODES_H
#define NODES_H

#include "keeper.h"

/* The row of a new running node; fills in num. */
void	 node_insert(struct node *, const struct msg *, const char *input,
	    size_t len);
void	 node_save_again(struct node *, const struct msg *);
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
/* Is a node whose input has len bytes refused, whatever comes? Then the cause
 * of its error, and a sentence in why; else NULL. */
const char	*node_refuses(const struct node *, size_t len, char *why,
		    size_t whylen);
/* The class of a kind's errors. */
const char	*node_error_class(const struct node *);
/* Set a node going: its row is written. May free it. */
void	 node_dispatch(struct node *);
/* Stop it and record that nobody waited. Frees it. */
void	 node_cancel(struct node *);
/* Record that the outcome can't be known. Frees it. */
void	 node_settle_lost(struct node *);
/* Is the body of this node harmless to repeat? */
int	 node_repeatable(const struct node *);
void	 sleep_arm(struct node *);

#endif
