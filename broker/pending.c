#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "pending.h"

RB_HEAD(id_tree, pending);
RB_HEAD(asker_tree, pending);

struct pendings {
	struct id_tree		by_id;
	struct asker_tree	by_asker;
	uint32_t		last;
	size_t			n;
};

static int
id_compare(const struct pending *a, const struct pending *b)
{
	return (a->id < b->id ? -1 : a->id > b->id);
}

/* An asker may use a number twice: then ours tells them apart. */
static int
asker_compare(const struct pending *a, const struct pending *b)
{
	if (a->asker != b->asker)
		return ((uintptr_t)a->asker < (uintptr_t)b->asker ? -1 : 1);
	if (a->ask != b->ask)
		return (a->ask < b->ask ? -1 : 1);
	if (a->asker_id != b->asker_id)
		return (a->asker_id < b->asker_id ? -1 : 1);
	return (id_compare(a, b));
}

TREE_GENERATE(id_tree, pending, by_id, id_compare)
TREE_GENERATE(asker_tree, pending, by_asker, asker_compare)

struct pendings *
pending_table(void)
{
	struct pendings	*t;

	if ((t = calloc(1, sizeof(*t))) == NULL)
		fatal("pending_table");
	RB_INIT(&t->by_id);
	RB_INIT(&t->by_asker);
	return (t);
}

void
pending_table_free(struct pendings *t)
{
	struct pending	*p;

	if (t == NULL)
		return;
	while ((p = pending_next(t, 0)) != NULL)
		pending_free(t, p);
	free(t);
}

/* A number that is free; 0 is never one. */
static uint32_t
pending_number(struct pendings *t)
{
	do {
		t->last++;
	} while (t->last == 0 || pending_find(t, t->last) != NULL);
	return (t->last);
}

struct pending *
pending_new(struct pendings *t, enum ask ask, struct peer *asker,
    uint32_t asker_id)
{
	struct pending	*p;

	if ((p = calloc(1, sizeof(*p))) == NULL)
		fatal("pending_new");
	p->id = pending_number(t);
	p->ask = ask;
	p->asker = asker;
	p->asker_id = asker_id;
	if (ask == ASK_SUBMIT)
		p->u.submit.fd = -1;
	RB_INSERT(id_tree, &t->by_id, p);
	RB_INSERT(asker_tree, &t->by_asker, p);
	t->n++;
	return (p);
}

void
pending_free(struct pendings *t, struct pending *p)
{
	RB_REMOVE(id_tree, &t->by_id, p);
	RB_REMOVE(asker_tree, &t->by_asker, p);
	t->n--;
	switch (p->ask) {
	case ASK_SUBMIT:
		if (p->u.submit.fd != -1)
			(void)close(p->u.submit.fd);
		break;
	case ASK_TOOL:
		json_decref(p->u.tool.env);
		free(p->u.tool.body);
		break;
	case ASK_MODEL:
		json_decref(p->u.model.env);
		free(p->u.model.body);
		break;
	case ASK_FOLLOW:
	case ASK_QUERY:
	case ASK_CANCEL:
		break;
	}
	free(p);
}

struct pending *
pending_find(struct pendings *t, uint32_t id)
{
	struct pending	key = { .id = id };

	return (RB_FIND(id_tree, &t->by_id, &key));
}

struct pending *
pending_of(struct pendings *t, const struct peer *asker, enum ask ask,
    uint32_t asker_id)
{
	struct pending	 key = { .ask = ask, .asker_id = asker_id };
	struct pending	*p;

	key.asker = (struct peer *)(uintptr_t)asker;
	p = RB_NFIND(asker_tree, &t->by_asker, &key);
	if (p == NULL || p->asker != asker || p->ask != ask ||
	    p->asker_id != asker_id)
		return (NULL);
	return (p);
}

struct pending *
pending_next(struct pendings *t, uint32_t id)
{
	struct pending	key = { .id = id + 1 };

	if (id == UINT32_MAX)
		return (NULL);
	return (RB_NFIND(id_tree, &t->by_id, &key));
}

void
pending_orphan(struct pendings *t, struct pending *p)
{
	RB_REMOVE(asker_tree, &t->by_asker, p);
	p->asker = NULL;
	RB_INSERT(asker_tree, &t->by_asker, p);
}

size_t
pending_count(const struct pendings *t)
{
	return (t->n);
}
