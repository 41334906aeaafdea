/*
 * Attempts, for the failures that a canned model is told to have.
 */
#include <sys/queue.h>

#include <stdlib.h>
#include <string.h>

#include "attempts.h"

struct attempt {
	TAILQ_ENTRY(attempt)	 entry;
	char			*run, *node;
	size_t			 messages;
	uint64_t		 hash;		/* of all three */
	int64_t			 n;
};

struct attempts {
	TAILQ_HEAD(attempt_list, attempt) list;		/* the latest first */
	size_t			 n;
};

struct attempts *
attempts_new(void)
{
	struct attempts	*a;

	if ((a = calloc(1, sizeof(*a))) == NULL)
		return (NULL);
	TAILQ_INIT(&a->list);
	return (a);
}

static void
attempt_remove(struct attempts *a, struct attempt *t)
{
	TAILQ_REMOVE(&a->list, t, entry);
	a->n--;
	free(t->run);
	free(t->node);
	free(t);
}

void
attempts_free(struct attempts *a)
{
	if (a == NULL)
		return;
	while (!TAILQ_EMPTY(&a->list))
		attempt_remove(a, TAILQ_FIRST(&a->list));
	free(a);
}

/* FNV-1a: one look at each of thousands must be cheap. */
static uint64_t
hash_add(uint64_t hash, const char *s)
{
	for (; *s != '\0'; s++)
		hash = (hash ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return (hash);
}

static uint64_t
attempt_hash(const char *run, const char *node, size_t messages)
{
	return (hash_add(hash_add(UINT64_C(14695981039346656037) + messages,
	    run), node));
}

static struct attempt *
attempt_find(struct attempts *a, const char *run, const char *node,
    size_t messages, uint64_t hash)
{
	struct attempt	*t;

	TAILQ_FOREACH(t, &a->list, entry)
		if (t->hash == hash && t->messages == messages &&
		    strcmp(t->run, run) == 0 && strcmp(t->node, node) == 0)
			return (t);
	return (NULL);
}

static void
attempt_add(struct attempts *a, const char *run, const char *node,
    size_t messages, uint64_t hash)
{
	struct attempt	*t;

	if (a->n >= ATTEMPTS_MAX)
		attempt_remove(a, TAILQ_LAST(&a->list, attempt_list));
	if ((t = calloc(1, sizeof(*t))) == NULL)
		return;
	TAILQ_INSERT_HEAD(&a->list, t, entry);
	a->n++;
	t->messages = messages;
	t->hash = hash;
	t->n = 1;
	t->run = strdup(run);
	t->node = strdup(node);
	if (t->run == NULL || t->node == NULL)
		attempt_remove(a, t);
}

int64_t
attempts_count(struct attempts *a, const char *run, const char *node,
    size_t messages)
{
	uint64_t	 hash = attempt_hash(run, node, messages);
	struct attempt	*t;

	if ((t = attempt_find(a, run, node, messages, hash)) != NULL)
		return (t->n++);
	attempt_add(a, run, node, messages, hash);
	return (0);
}
