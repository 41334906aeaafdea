/*
 * The table of open questions: found by our number and by the asker's,
 * each once, whatever numbers the askers choose.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pending.h"
#include "test.h"

/* Never looked into: an asker is only compared. */
static char	askers[4];
#define ASKER(i)	((struct peer *)(void *)&askers[i])

static void
test_find(void)
{
	struct pendings	*t = pending_table();
	struct pending	*a, *b, *c;

	a = pending_new(t, ASK_TOOL, ASKER(0), 7);
	b = pending_new(t, ASK_MODEL, ASKER(0), 7);
	c = pending_new(t, ASK_TOOL, ASKER(1), 7);
	test_case(a->id != 0 && a->id != b->id && b->id != c->id,
	    "each question has a number of its own, never 0");
	test_case(pending_find(t, b->id) == b && pending_find(t, 0) == NULL &&
	    pending_find(t, c->id + 1) == NULL, "found by our number");
	test_case(pending_of(t, ASKER(0), ASK_TOOL, 7) == a &&
	    pending_of(t, ASKER(0), ASK_MODEL, 7) == b &&
	    pending_of(t, ASKER(1), ASK_TOOL, 7) == c,
	    "found by asker, kind and the asker's number");
	test_case(pending_of(t, ASKER(0), ASK_TOOL, 8) == NULL &&
	    pending_of(t, ASKER(0), ASK_QUERY, 7) == NULL &&
	    pending_of(t, ASKER(2), ASK_TOOL, 7) == NULL,
	    "and nobody else's");
	pending_orphan(t, a);
	test_case(pending_of(t, ASKER(0), ASK_TOOL, 7) == NULL &&
	    pending_find(t, a->id) == a, "without its asker it stays");
	pending_free(t, b);
	test_case(pending_count(t) == 2 && pending_next(t, 0) == a &&
	    pending_next(t, a->id) == c && pending_next(t, c->id) == NULL,
	    "walked in order of numbers");
	test_case(pending_next(t, UINT32_MAX) == NULL,
	    "the walk ends at the last number");
	pending_table_free(t);
}

static void
test_same_number(void)
{
	struct pendings	*t = pending_table();
	struct pending	*a, *b;

	a = pending_new(t, ASK_QUERY, ASKER(0), 1);
	b = pending_new(t, ASK_QUERY, ASKER(0), 1);
	test_case(pending_of(t, ASKER(0), ASK_QUERY, 1) == a,
	    "a number used twice: the older one first");
	pending_free(t, a);
	test_case(pending_of(t, ASKER(0), ASK_QUERY, 1) == b,
	    "then the younger one");
	pending_table_free(t);
}

static void
test_fd(void)
{
	struct pendings	*t = pending_table();
	struct pending	*p = pending_new(t, ASK_SUBMIT, ASKER(0), 1);
	int		 fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	test_case(p->u.submit.fd == -1, "a submit has no workspace at first");
	p->u.submit.fd = fd;
	pending_table_free(t);
	test_case(fcntl(fd, F_GETFD) == -1,
	    "a question that is freed closes its workspace");
}

/* Random questions come and go; an array knows what must be there. */
static void
test_random(void)
{
	struct pendings	*t = pending_table();
	struct pending	*live[64] = { NULL };
	unsigned	 seed = 4711, i, slot;
	int		 right = 1;

	for (i = 0; i < 20000; i++) {
		seed = seed * 1103515245 + 12345;
		slot = (seed >> 16) % 64;
		if (live[slot] == NULL)
			live[slot] = pending_new(t, ASK_TOOL,
			    ASKER(slot % 4), slot);
		else {
			right = right && pending_of(t, ASKER(slot % 4),
			    ASK_TOOL, slot) == live[slot] &&
			    pending_find(t, live[slot]->id) == live[slot];
			pending_free(t, live[slot]);
			live[slot] = NULL;
		}
	}
	for (i = 0, slot = 0; i < 64; i++)
		slot += live[i] != NULL;
	test_case(right && pending_count(t) == slot,
	    "20,000 questions come and go");
	pending_table_free(t);
}

int
main(void)
{
	test_find();
	test_same_number();
	test_fd();
	test_random();
	return (test_end());
}
