#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "scope.h"
#include "verb.h"

RB_HEAD(scope_tree, scope);

struct scopes {
	struct scope_tree	tree;
	uint64_t		last;	/* the last number given */
	int64_t			soonest;	/* expiry of any, 0: none */
};

static int
scope_compare(const struct scope *a, const struct scope *b)
{
	return (a->id < b->id ? -1 : a->id > b->id);
}

TREE_GENERATE(scope_tree, scope, entry, scope_compare)

struct scopes *
scopes_new(void)
{
	struct scopes	*s;

	if ((s = calloc(1, sizeof(*s))) == NULL)
		fatal("scopes_new");
	RB_INIT(&s->tree);
	return (s);
}

void
scopes_free(struct scopes *s)
{
	struct scope	*scope;

	if (s == NULL)
		return;
	while ((scope = RB_MIN(scope_tree, &s->tree)) != NULL)
		scope_revoke(s, scope->id);
	free(s);
}

static struct scope *
scope_new(struct scopes *s)
{
	struct scope	*scope;

	if ((scope = calloc(1, sizeof(*scope))) == NULL)
		fatal("scope_new");
	scope->id = ++s->last;
	TAILQ_INIT(&scope->children);
	RB_INSERT(scope_tree, &s->tree, scope);
	return (scope);
}

/* The smaller of two limits, where 0 is none. */
static int64_t
tighter(int64_t a, int64_t b)
{
	if (a == 0 || b == 0)
		return (a == 0 ? b : a);
	return (a < b ? a : b);
}

/* Nothing expires before the earliest does. */
static void
scope_set_expiry(struct scopes *s, struct scope *scope, int64_t expires)
{
	scope->expires = expires;
	s->soonest = tighter(s->soonest, expires);
}

struct scope *
scope_create(struct scopes *s, const struct profile *p, uid_t uid, gid_t gid,
    int64_t expires)
{
	struct scope	*scope = scope_new(s);

	(void)snprintf(scope->profile, sizeof(scope->profile), "%s", p->name);
	scope->uid = uid;
	scope->gid = gid;
	scope->verbs = p->verbs;
	names_copy(&scope->tools, &p->tools);
	names_copy(&scope->models, &p->models);
	names_copy(&scope->agents, &p->agents);
	scope->depth = p->depth;
	scope->budget.tokens = p->tokens;
	scope_set_expiry(s, scope, expires);
	return (scope);
}

static void
names_narrow(struct names *dst, const struct names *parent,
    const struct names *wish)
{
	if (wish == NULL)
		names_copy(dst, parent);
	else
		names_intersect(dst, parent, wish);
}

struct scope *
scope_attenuate(struct scopes *s, struct scope *parent,
    const struct scope_wish *wish)
{
	struct scope	*scope = scope_new(s);

	scope->parent = parent;
	TAILQ_INSERT_TAIL(&parent->children, scope, sibling);
	(void)snprintf(scope->run, sizeof(scope->run), "%s",
	    wish->run != NULL ? wish->run : parent->run);
	memcpy(scope->profile, parent->profile, sizeof(scope->profile));
	scope->uid = parent->uid;
	scope->gid = parent->gid;
	scope->verbs = parent->verbs & wish->verbs;
	names_narrow(&scope->tools, &parent->tools, wish->tools);
	names_narrow(&scope->models, &parent->models, wish->models);
	names_narrow(&scope->agents, &parent->agents, wish->agents);
	/* Depth 0 is a limit too: no nesting at all. */
	scope->depth = parent->depth;
	if (wish->depth > 0 && wish->depth < parent->depth)
		scope->depth = wish->depth;
	scope_set_expiry(s, scope, tighter(parent->expires, wish->expires));
	scope->budget.parent = &parent->budget;
	scope->budget.tokens = tighter(parent->budget.tokens, wish->tokens);
	return (scope);
}

struct scope *
scope_find(struct scopes *s, uint64_t id)
{
	struct scope	key = { .id = id };

	return (RB_FIND(scope_tree, &s->tree, &key));
}

static void
scope_remove(struct scopes *s, struct scope *scope)
{
	struct scope	*child;

	while ((child = TAILQ_FIRST(&scope->children)) != NULL)
		scope_remove(s, child);
	if (scope->parent != NULL)
		TAILQ_REMOVE(&scope->parent->children, scope, sibling);
	RB_REMOVE(scope_tree, &s->tree, scope);
	names_clear(&scope->tools);
	names_clear(&scope->models);
	names_clear(&scope->agents);
	free(scope);
}

void
scope_revoke(struct scopes *s, uint64_t id)
{
	struct scope	*scope;

	if ((scope = scope_find(s, id)) != NULL)
		scope_remove(s, scope);
}

void
scope_expire(struct scopes *s, int64_t now)
{
	struct scope	*scope;
	uint64_t	 last = 0;
	int64_t		 soonest = 0;

	if (s->soonest == 0 || s->soonest > now)
		return;
	/* By number, for a parent takes its children along. */
	while ((scope = scope_next(s, last)) != NULL) {
		last = scope->id;
		if (scope->expires == 0 || scope->expires > now) {
			soonest = tighter(soonest, scope->expires);
			continue;
		}
		audit("scope.expire", "ok", "scope",
		    audit_int((long long)scope->id), "run",
		    scope->run[0] != '\0' ? scope->run : NULL, NULL);
		scope_remove(s, scope);
	}
	s->soonest = soonest;
}

struct scope *
scope_next(struct scopes *s, uint64_t id)
{
	struct scope	key = { .id = id + 1 };

	return (RB_NFIND(scope_tree, &s->tree, &key));
}

json_t *
scope_json(const struct scope *scope)
{
	json_t	*o;

	o = json_pack("{s:I, s:s, s:I, s:s, s:o, s:o, s:o, s:o, s:I, s:I, "
	    "s:I, s:I, s:I}",
	    "scope", (json_int_t)scope->id, "run", scope->run,
	    "uid", (json_int_t)scope->uid, "profile", scope->profile,
	    "verbs", verbs_json(scope->verbs),
	    "tools", names_json(&scope->tools),
	    "models", names_json(&scope->models),
	    "agents", names_json(&scope->agents),
	    "depth", (json_int_t)scope->depth,
	    "tokens", (json_int_t)scope->budget.tokens,
	    "spent", (json_int_t)scope->budget.spent,
	    "reserved", (json_int_t)scope->budget.reserved,
	    "expires", (json_int_t)scope->expires);
	if (o == NULL)
		fatalx("scope_json");
	return (o);
}
