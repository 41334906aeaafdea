/*
 * What a new jail is told: the script, and all recorded outcomes in the
 * order of their completion, in as few messages as will hold them.
 */
#include <bsd/stdlib.h>
#include <event2/buffer.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "keeper.h"
#include "log.h"

/* A batch is closed once it has so many bytes; one outcome always fits. */
#define BATCH_BYTES	(512 * 1024)

struct batch {
	TAILQ_ENTRY(batch)	 entry;
	struct evbuffer		*text;
	int64_t			 count;
};
TAILQ_HEAD(batch_list, batch);

static void
add(struct evbuffer *buf, const char *text)
{
	if (evbuffer_add(buf, text, strlen(text)) == -1)
		fatalx("evbuffer_add");
}

static struct batch *
batch_new(struct batch_list *list)
{
	struct batch	*b;

	if ((b = calloc(1, sizeof(*b))) == NULL ||
	    (b->text = evbuffer_new()) == NULL)
		fatal("calloc");
	TAILQ_INSERT_TAIL(list, b, entry);
	return (b);
}

/* [path, digest, now, spent, ok, value or error]; the value is stored JSON. */
static void
batch_add(struct batch *b, sqlite3_stmt *stmt)
{
	json_t	*head;
	char	*text;

	head = keeper_pack("[s, s, I, I, b]", store_text(stmt, 0),
	    store_text(stmt, 1), (json_int_t)sqlite3_column_int64(stmt, 2),
	    (json_int_t)sqlite3_column_int64(stmt, 3),
	    sqlite3_column_int(stmt, 4));
	text = dump_json(head);
	json_decref(head);
	add(b->text, b->count++ == 0 ? "[" : ",");
	text[strlen(text) - 1] = ',';
	add(b->text, text);
	add(b->text, store_text(stmt, 5));
	add(b->text, "]");
	free(text);
}

/* ---- the order of completions ---- */

struct past {
	struct place {
		int64_t	done, num;
	}	*places;
	size_t	 n, room;
};

static int
place_cmp(const void *a, const void *b)
{
	int64_t	x = ((const struct place *)a)->done;
	int64_t	y = ((const struct place *)b)->done;

	return (x < y ? -1 : x > y);
}

static void
past_add(struct past *past, int64_t done, int64_t num)
{
	if (past->n == past->room) {
		past->room = past->room * 2 + 64;
		past->places = reallocarray(past->places, past->room,
		    sizeof(*past->places));
		if (past->places == NULL)
			fatal("reallocarray");
	}
	past->places[past->n++] = (struct place){ done, num };
}

/* Sorted here: an index would cost each node a page in its transaction, and
 * SQLite's own sort would hold all outcomes in memory. */
static void
past_read(struct run *run, struct past *past)
{
	struct store	*st = run->keeper->store;
	sqlite3_stmt	*stmt;

	memset(past, 0, sizeof(*past));
	stmt = store_query(st, "SELECT done, num FROM nodes"
	    " WHERE run = ? AND done IS NOT NULL", "i", run->num);
	while (store_row(st, stmt))
		past_add(past, sqlite3_column_int64(stmt, 0),
		    sqlite3_column_int64(stmt, 1));
	/* Not qsort(3), which asks for the size of memory when it has much to
	 * do: a call that no room has. */
	if (past->n > 0 && heapsort(past->places, past->n,
	    sizeof(*past->places), place_cmp) == -1)
		fatal("heapsort");
}

static sqlite3_stmt *
outcome_find(struct store *st, int64_t num)
{
	sqlite3_stmt	*stmt;

	stmt = store_query(st, "SELECT path, digest, now, spent, ok, value"
	    " FROM nodes WHERE num = ?", "i", num);
	if (!store_row(st, stmt))
		fatalx("store: node %lld is missing", (long long)num);
	return (stmt);
}

static int64_t
batches_read(struct run *run, struct batch_list *list)
{
	struct batch	*b = NULL;
	struct past	 past;
	sqlite3_stmt	*stmt;
	int64_t		 n = 0;
	size_t		 i;

	past_read(run, &past);
	for (i = 0; i < past.n; i++) {
		stmt = outcome_find(run->keeper->store, past.places[i].num);
		if (b == NULL || evbuffer_get_length(b->text) > BATCH_BYTES) {
			b = batch_new(list);
			n++;
		}
		batch_add(b, stmt);
		(void)sqlite3_reset(stmt);	/* one row is all there is */
	}
	free(past.places);
	return (n);
}

/* Send a batch and free it. */
static void
batch_send(struct run *run, struct batch *b)
{
	size_t	n;

	add(b->text, "]");
	n = evbuffer_get_length(b->text);
	keeper_send(run->keeper, IMSG_REPLAY, 0, keeper_pack("{s:s, s:I}",
	    "run", run->id, "count", (json_int_t)b->count),
	    evbuffer_pullup(b->text, -1), n);
	evbuffer_free(b->text);
	free(b);
}

/* spent is 0: what the script sees when it begins, each time. */
static void
script_send(struct run *run, int64_t batches)
{
	struct store	*st = run->keeper->store;
	sqlite3_stmt	*stmt;

	stmt = store_query(st, "SELECT script FROM runs WHERE num = ?", "i",
	    run->num);
	if (!store_row(st, stmt))
		fatalx("store: the script of run %s is missing", run->id);
	keeper_send(run->keeper, IMSG_SCRIPT, 0, keeper_pack(
	    "{s:s, s:s, s:I, s:I, s:I, s:i}", "run", run->id, "seed",
	    run->seed, "now", (json_int_t)run->started, "replay",
	    (json_int_t)batches, "tokens", (json_int_t)run->budget, "spent",
	    0), sqlite3_column_text(stmt, 0),
	    (size_t)sqlite3_column_bytes(stmt, 0));
	(void)sqlite3_reset(stmt);	/* one row is all there is */
}

void
replay_send(struct run *run)
{
	struct batch_list	 list = TAILQ_HEAD_INITIALIZER(list);
	struct batch		*b;
	struct node		*node;

	/* This jail has asked for nothing yet. */
	RB_FOREACH(node, node_tree, &run->nodes)
		node->asked = 0;
	script_send(run, batches_read(run, &list));
	while ((b = TAILQ_FIRST(&list)) != NULL) {
		TAILQ_REMOVE(&list, b, entry);
		batch_send(run, b);
	}
}
