/*
 * Questions that we have passed on and that are still open: from our own
 * question's number to who asked, under which number, and what for.
 */
#ifndef PENDING_H
#define PENDING_H

#include <sys/queue.h>

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "peer.h"
#include "scope.h"
#include "tree.h"

enum ask {
	ASK_SUBMIT,	/* client -> keeper */
	ASK_FOLLOW,
	ASK_QUERY,
	ASK_CANCEL,
	ASK_TOOL,	/* keeper -> tool jail */
	ASK_MODEL,	/* keeper -> gateway */
};

struct jail;

TAILQ_HEAD(call_list, pending);

struct pending {
	uint32_t		 id;		/* our question */
	enum ask		 ask;
	struct peer		*asker;		/* lent; NULL: gone */
	uint32_t		 asker_id;	/* the asker's question */
	char			 run[RUN_ID_MAX + 1];	/* or empty */
	uid_t			 uid;		/* a client's */
	size_t			 owed;		/* its answer may have */
	RB_ENTRY(pending)	 by_id, by_asker;
	union {
		struct {		/* ASK_SUBMIT */
			int	 fd;	/* the workspace, or -1 */
		} submit;
		struct {		/* ASK_FOLLOW */
			int64_t	 after;	/* the last event passed on */
			int	 live, all;
		} follow;
		struct {		/* ASK_QUERY */
			int	 show;	/* the run's policy belongs to it */
		} query;
		struct {		/* ASK_MODEL */
			int64_t			 reserved;
			int64_t			 input;	/* of this */
			int64_t			 streamed;	/* bytes */
			/* While it waits for the run's budget: */
			TAILQ_ENTRY(pending)	 entry;
			json_t			*env;	/* NULL: it is sent */
			char			*body;
			size_t			 bodylen;
		} model;
		struct {		/* ASK_TOOL */
			struct jail		*jail;
			TAILQ_ENTRY(pending)	 entry;	/* in jail's calls */
			json_t			*env;
			char			*body;
			size_t			 bodylen;
			int			 sent, cancelled;
		} tool;
	} u;
};

struct pendings;

struct pendings	*pending_table(void);
void		 pending_table_free(struct pendings *);

/* A new entry with a number of its own; fatal without memory. */
struct pending	*pending_new(struct pendings *, enum ask, struct peer *asker,
		    uint32_t asker_id);
/* Closes and frees what the entry owns. */
void		 pending_free(struct pendings *, struct pending *);

/* NULL if there is none. */
struct pending	*pending_find(struct pendings *, uint32_t id);
struct pending	*pending_of(struct pendings *, const struct peer *asker,
		    enum ask, uint32_t asker_id);
/* In order of numbers: the first after this one, or NULL. */
struct pending	*pending_next(struct pendings *, uint32_t id);
/* The asker has gone: its entries stay without it. */
void		 pending_orphan(struct pendings *, struct pending *);
size_t		 pending_count(const struct pendings *);

#endif
