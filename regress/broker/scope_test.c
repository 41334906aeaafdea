/*
 * Scopes: whatever is wished, a child has no more than its parent; and what
 * is revoked is gone with all that came of it.
 */
#include <stdlib.h>
#include <string.h>

#include "grant.h"
#include "log.h"
#include "scope.h"
#include "test.h"

#define ROUNDS	400

static const char *const	words[] = { "a", "b", "c", "d", "e", "f" };
#define NWORDS	(sizeof(words) / sizeof(words[0]))

static unsigned	seed = 12345;

static unsigned
chance(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return ((seed >> 16) % n);
}

static void
names_random(struct names *set)
{
	json_t	*v = json_array();
	char	 why[64];
	size_t	 i;

	for (i = 0; i < NWORDS; i++)
		if (chance(2) == 0)
			json_array_append_new(v, json_string(words[i]));
	if (chance(6) == 0)
		json_array_append_new(v, json_string("*"));
	if (names_parse(set, v, why, sizeof(why)) == -1)
		abort();
	json_decref(v);
}

static void
profile_random(struct profile *p)
{
	memset(p, 0, sizeof(*p));
	strcpy(p->name, "random");
	p->verbs = chance(512);
	names_random(&p->tools);
	names_random(&p->models);
	names_random(&p->agents);
	p->depth = chance(5);
	p->tokens = chance(3) == 0 ? 0 : 1 + chance(1000);
}

/* Every request that the child may make the parent may make too. */
static int
child_is_narrower(const struct scope *parent, const struct scope *child)
{
	struct request	r = { .want = WANT_TOOL, .now = 500 };
	size_t		i, j;
	enum want	wants[] = { WANT_TOOL, WANT_AGENT, WANT_MODEL };

	for (i = 0; i <= NWORDS; i++)
		for (j = 0; j < 3; j++) {
			r.want = wants[j];
			r.tool = r.model = r.agent = i == NWORDS ?
			    "unheard-of" : words[i];
			if (grant_decide(child, &r).reason == GRANTED &&
			    grant_decide(parent, &r).reason != GRANTED)
				return (0);
		}
	if ((child->verbs & ~parent->verbs) != 0 ||
	    child->depth > parent->depth)
		return (0);
	if (parent->budget.tokens != 0 && (child->budget.tokens == 0 ||
	    child->budget.tokens > parent->budget.tokens))
		return (0);
	return (parent->expires == 0 || (child->expires != 0 &&
	    child->expires <= parent->expires));
}

/* Nothing that both the parent has and the child has wished is lost. */
static int
wish_is_kept(const struct scope *parent, const struct names *wish,
    const struct scope *child)
{
	size_t	i;

	for (i = 0; i < NWORDS; i++)
		if (names_has(&parent->tools, words[i]) &&
		    (wish == NULL || names_has(wish, words[i])) &&
		    !names_has(&child->tools, words[i]))
			return (0);
	return (1);
}

static void
test_random(void)
{
	struct scopes		*s = scopes_new();
	struct profile		 p;
	struct scope		*parent, *child;
	struct names		 tools = { 0 };
	struct scope_wish	 wish;
	int			 round, depth, narrower = 1, kept = 1;

	for (round = 0; round < ROUNDS; round++) {
		profile_random(&p);
		parent = scope_create(s, &p, 1000, 1000,
		    chance(2) == 0 ? 0 : 1 + chance(1000));
		for (depth = 0; depth < 4; depth++) {
			memset(&wish, 0, sizeof(wish));
			wish.verbs = chance(512);
			wish.tokens = chance(2000);
			wish.expires = chance(2) == 0 ? 0 : chance(2000);
			wish.depth = chance(8);
			if (chance(2) == 0) {
				names_random(&tools);
				wish.tools = &tools;
			}
			child = scope_attenuate(s, parent, &wish);
			narrower = narrower &&
			    child_is_narrower(parent, child);
			kept = kept &&
			    wish_is_kept(parent, wish.tools, child);
			names_clear(&tools);
			parent = child;
		}
		names_clear(&p.tools);
		names_clear(&p.models);
		names_clear(&p.agents);
	}
	test_case(narrower, "no child of %d random families is wider than its "
	    "parent", ROUNDS);
	test_case(kept, "what is both wished and the parent's is the child's");
	scopes_free(s);
}

static size_t
scopes_count(struct scopes *s)
{
	struct scope	*scope;
	uint64_t	 last = 0;
	size_t		 n = 0;

	while ((scope = scope_next(s, last)) != NULL) {
		last = scope->id;
		n++;
	}
	return (n);
}

static void
test_revoke(void)
{
	struct scopes		*s = scopes_new();
	struct profile		 p = { .name = "p" };
	struct scope_wish	 wish = { .run = "r1" };
	struct scope		*a, *b;
	uint64_t		 ids[4];

	a = scope_create(s, &p, 1, 1, 0);
	b = scope_create(s, &p, 2, 2, 0);
	ids[0] = a->id;
	ids[1] = scope_attenuate(s, a, &wish)->id;
	ids[2] = scope_attenuate(s, scope_find(s, ids[1]), &wish)->id;
	ids[3] = b->id;
	test_case(strcmp(scope_find(s, ids[2])->run, "r1") == 0,
	    "a child belongs to its run");
	scope_revoke(s, ids[0]);
	test_case(scope_find(s, ids[0]) == NULL &&
	    scope_find(s, ids[1]) == NULL && scope_find(s, ids[2]) == NULL,
	    "revoking a scope revokes its children and theirs");
	test_case(scope_find(s, ids[3]) != NULL,
	    "revoking one owner's scope leaves another's");
	scope_revoke(s, ids[0]);
	scope_revoke(s, 0);
	test_case(scopes_count(s) == 1, "revoking twice does nothing");
	test_case(scope_create(s, &p, 3, 3, 0)->id > ids[3],
	    "a number is never used twice");
	scopes_free(s);
}

static void
test_expire(void)
{
	struct scopes		*s = scopes_new();
	struct profile		 p = { .name = "p" };
	struct scope_wish	 wish = { .expires = 100 };
	struct scope		*parent, *child;
	uint64_t		 id;

	parent = scope_create(s, &p, 1, 1, 0);
	id = parent->id;
	child = scope_attenuate(s, parent, &wish);
	test_case(child->expires == 100, "a child may expire earlier");
	scope_expire(s, 99);
	test_case(scopes_count(s) == 2, "nothing expires before its time");
	scope_expire(s, 100);
	test_case(scopes_count(s) == 1 && scope_find(s, id) != NULL,
	    "the child expires, the parent stays");
	scope_revoke(s, id);
	parent = scope_create(s, &p, 1, 1, 200);
	wish.expires = 300;
	child = scope_attenuate(s, parent, &wish);
	test_case(child->expires == 200, "a child lives no longer than its "
	    "parent");
	scope_expire(s, 199);
	test_case(scopes_count(s) == 2, "the next expiry is known");
	scope_expire(s, 200);
	test_case(scopes_count(s) == 0, "an expired parent takes its children "
	    "along");
	scopes_free(s);
}

static void
test_pool(void)
{
	struct scopes		*s = scopes_new();
	struct profile		 p = { .name = "p", .tokens = 100 };
	struct scope_wish	 wish = { .tokens = 80 };
	struct scope		*parent, *a, *b;

	parent = scope_create(s, &p, 1, 1, 0);
	a = scope_attenuate(s, parent, &wish);
	b = scope_attenuate(s, parent, &wish);
	test_case(budget_reserve(&a->budget, 70) == 0,
	    "a child reserves within its own budget");
	test_case(budget_reserve(&b->budget, 40) == -1 &&
	    b->budget.reserved == 0 && parent->budget.reserved == 70,
	    "a sibling can't have what the pool has not");
	test_case(budget_reserve(&b->budget, 30) == 0,
	    "but the rest of it");
	scopes_free(s);
}

int
main(void)
{
	log_init("scope_test", 0);
	test_random();
	test_revoke();
	test_expire();
	test_pool();
	return (test_end());
}
