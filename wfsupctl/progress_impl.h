/*
 * What progress.c collects and progress_lines.c shows.
 */
#ifndef PROGRESS_IMPL_H
#define PROGRESS_IMPL_H

#include <sys/queue.h>

#include <bsd/sys/tree.h>

#include "progress.h"

/* Phases that are kept apart; a script that makes more gets them in one. */
#define PHASES_MAX	256

/* Nodes that have ended. */
struct count {
	size_t	 done, failed, cancelled;
};

struct phase {
	char		*title;		/* encoded */
	size_t		 started;
	struct count	 count;
};

/* A node that is running. */
struct node {
	RB_ENTRY(node)		 tree;
	TAILQ_ENTRY(node)	 list;
	char			*path;
	char			*about;		/* encoded */
	char			*tool;		/* encoded, or NULL */
	size_t			 phase;
	int64_t			 since;
};
RB_HEAD(node_tree, node);
TAILQ_HEAD(node_list, node);

struct progress {
	char			 run[40];
	char			 state[128];	/* encoded */
	int64_t			 begun;
	int64_t			 ended;		/* 0: not yet */
	struct phase		 phases[PHASES_MAX];
	size_t			 nphases;
	size_t			 current;	/* phase; nphases if none */
	struct node_tree	 tree;
	struct node_list	 list;
	size_t			 nrunning;
	struct count		 count;
	int64_t			 tokens_in, tokens_out;
};

#endif
