/*
 * The registry of scopes: what a channel may ask for. A scope is named by
 * its number, which is never used twice; whoever keeps the number asks the
 * registry each time and may find the scope gone.
 */
#ifndef SCOPE_H
#define SCOPE_H

#include <sys/queue.h>
#include <sys/types.h>

#include <jansson.h>
#include <stdint.h>

#include "budget.h"
#include "names.h"
#include "profile.h"
#include "tree.h"

#define RUN_ID_MAX	32

TAILQ_HEAD(scope_list, scope);

struct scope {
	uint64_t		 id;
	struct scope		*parent;	/* NULL for a root */
	struct scope_list	 children;
	TAILQ_ENTRY(scope)	 sibling;
	RB_ENTRY(scope)		 entry;

	char			 run[RUN_ID_MAX + 1];	/* or empty */
	char			 profile[PROFILE_NAME_MAX + 1];
	uid_t			 uid;
	gid_t			 gid;
	unsigned		 verbs;
	struct names		 tools, models, agents;
	int64_t			 depth;
	int64_t			 expires;	/* in ms since 1970, 0: never */
	struct budget		 budget;
};

struct scopes;

/* What a child wishes to have of its parent: NULL and 0 ask for all of it,
 * verbs for these. */
struct scope_wish {
	const char		*run;
	unsigned		 verbs;
	const struct names	*tools, *models, *agents;
	int64_t			 depth, expires, tokens;
};

struct scopes	*scopes_new(void);
void		 scopes_free(struct scopes *);

/* A root scope: all that the profile grants to this owner, until then
 * (0: for good). */
struct scope	*scope_create(struct scopes *, const struct profile *,
		    uid_t, gid_t, int64_t expires);
/* A child: what is both wished and the parent's, never more. */
struct scope	*scope_attenuate(struct scopes *, struct scope *parent,
		    const struct scope_wish *);
/* Lent until the next revoke or expire. NULL if there is none. */
struct scope	*scope_find(struct scopes *, uint64_t id);
/* Gone with all its children. */
void		 scope_revoke(struct scopes *, uint64_t id);
/* Revoke what has expired by now; each is audited. */
void		 scope_expire(struct scopes *, int64_t now);
/* In the order of their numbers: the first after this number, or NULL. */
struct scope	*scope_next(struct scopes *, uint64_t id);
/* For people: a new object. */
json_t		*scope_json(const struct scope *);

#endif
