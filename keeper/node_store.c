/*
 * Nodes in the store and in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "effect.h"
#include "json.h"
#include "log.h"
#include "quota.h"
#include "nodes.h"
#include "runs.h"

RB_GENERATE(node_tree, node, entry, node_cmp)

int
node_cmp(const struct node *a, const struct node *b)
{
	return (strcmp(a->path, b->path));
}

/* Takes input. The node is the run's from now on. */
struct node *
node_new(struct run *run, const char *path, enum node_kind kind,
    json_t *input)
{
	struct node	*node;

	if ((node = calloc(1, sizeof(*node))) == NULL ||
	    (node->path = strdup(path)) == NULL)
		fatal("calloc");
	node->run = run;
	node->kind = kind;
	node->input = input;
	node->started = store_now_ms();
	RB_INSERT(node_tree, &run->nodes, node);
	return (node);
}

/* What node->agent holds must have been freed. */
void
node_free(struct node *node)
{
	RB_REMOVE(node_tree, &node->run->nodes, node);
	effect_forget(node->effect);
	if (node->timer != NULL)
		event_free(node->timer);
	json_decref(node->input);
	free(node->path);
	free(node);
}

struct node *
node_find(struct run *run, const char *path)
{
	struct node	key;

	key.path = (char *)(uintptr_t)path;
	return (RB_FIND(node_tree, &run->nodes, &key));
}

static size_t
len_of(const char *text)
{
	return (text == NULL ? 0 : strlen(text));
}

/* The tool or the agent that a node names. */
static const char *
what_of(const struct msg *m)
{
	const char	*what = msg_str(m->env, "tool");

	return (what != NULL ? what : msg_str(m->env, "agent"));
}

void
node_insert(struct node *node, const struct msg *m, const char *input,
    size_t len)
{
	struct store	*st = node->run->keeper->store;
	const char	*label = msg_str(m->env, "label");
	const char	*phase = msg_str(m->env, "phase");

	(void)store_run(st,
	    "INSERT INTO nodes (run, path, kind, digest, what, model, label,"
	    " phase, input, state, started)"
	    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)", "isssssssti",
	    node->run->num, node->path, msg_str(m->env, "kind"),
	    msg_str(m->env, "digest"), what_of(m), msg_str(m->env, "model"),
	    label, phase, input, len, node->started);
	node->num = sqlite3_last_insert_rowid(store_db(st));
	run_grow(node->run, WEIGH_NODE + (int64_t)(2 * strlen(node->path) +
	    len_of(label) + len_of(phase) + len));
}

/* How long the input and its like are in the store. */
static int64_t
len_stored(const struct node *node)
{
	return (store_int(node->run->keeper->store, 0,
	    "SELECT length(CAST(input AS BLOB))"
	    " + coalesce(length(CAST(label AS BLOB)), 0)"
	    " + coalesce(length(CAST(phase AS BLOB)), 0)"
	    " FROM nodes WHERE num = ?", "i", node->num));
}

/* A cancelled node runs anew: with what is asked for this time, of which
 * nothing but the digest need be as it was. */
void
node_save_again(struct node *node, const struct msg *m)
{
	const char	*label = msg_str(m->env, "label");
	const char	*phase = msg_str(m->env, "phase");

	run_grow(node->run, (int64_t)(m->bodylen + len_of(label) +
	    len_of(phase)) - len_stored(node));
	(void)store_run(node->run->keeper->store,
	    "UPDATE nodes SET state = 1, started = ?, due = NULL,"
	    " ended = NULL, kind = ?, what = ?, model = ?, label = ?,"
	    " phase = ?, input = ? WHERE num = ?", "isssssti", node->started,
	    msg_str(m->env, "kind"), what_of(m), msg_str(m->env, "model"),
	    label, phase, m->body, m->bodylen, node->num);
}

void
node_save_due(struct node *node)
{
	(void)store_run(node->run->keeper->store,
	    "UPDATE nodes SET due = ? WHERE num = ?", "ii", node->due,
	    node->num);
}

/* The outcome, with its place in the order of the run's completions. */
static void
save_settled(struct node *node, int ok, const char *value)
{
	struct run	*run = node->run;
	int64_t		 now = store_now_ms();

	if (run->now < now)
		run->now = now;
	run_grow(run, (int64_t)strlen(value));
	(void)store_run(run->keeper->store,
	    "UPDATE nodes SET state = 2, ended = ?, done = ?, now = ?,"
	    " spent = ?, tokens_in = ?, tokens_out = ?, ok = ?, value = ?"
	    " WHERE num = ?", "iiiiiiisi", now, ++run->done, run->now,
	    run->tokens_in + run->tokens_out, node->tokens_in,
	    node->tokens_out, (int64_t)ok, value, node->num);
}

void
node_save_end(struct node *node, enum node_state state, int ok,
    const char *value)
{
	if (state == NODE_SETTLED)
		save_settled(node, ok, value);
	else
		(void)store_run(node->run->keeper->store,
		    "UPDATE nodes SET state = ?, ended = ?, tokens_in = ?,"
		    " tokens_out = ? WHERE num = ?", "iiiii", (int64_t)state,
		    store_now_ms(), node->tokens_in, node->tokens_out,
		    node->num);
}

static struct node *
node_load_row(struct run *run, sqlite3_stmt *stmt)
{
	struct node	*node;
	const char	*text = store_text(stmt, 3);
	char		 why[128];
	json_t		*input;

	input = json_parse(text, strlen(text), JSON_BODY_DEPTH, why,
	    sizeof(why));
	if (input == NULL)
		fatalx("store: the input of node %s is damaged: %s",
		    store_text(stmt, 1), why);
	node = node_new(run, store_text(stmt, 1),
	    node_kind(store_text(stmt, 2)), input);
	node->num = sqlite3_column_int64(stmt, 0);
	node->started = sqlite3_column_int64(stmt, 4);
	node->due = sqlite3_column_int64(stmt, 5);
	node->tokens_in = sqlite3_column_int64(stmt, 6);
	node->tokens_out = sqlite3_column_int64(stmt, 7);
	return (node);
}

void
node_load(struct run *run)
{
	struct store	*st = run->keeper->store;
	sqlite3_stmt	*stmt;

	stmt = store_query(st,
	    "SELECT num, path, kind, input, started, due, tokens_in,"
	    " tokens_out FROM nodes WHERE run = ? AND state = 1", "i",
	    run->num);
	while (store_row(st, stmt))
		(void)node_load_row(run, stmt);	/* the tree has it */
}

/* ---- what others may know of a node ---- */

struct run *
node_run(const struct node *node)
{
	return (node->run);
}

const char *
node_path(const struct node *node)
{
	return (node->path);
}

int64_t
node_num(const struct node *node)
{
	return (node->num);
}

void *
node_agent(const struct node *node)
{
	return (node->agent);
}

void
node_set_agent(struct node *node, void *agent)
{
	node->agent = agent;
}

void
node_charge(struct node *node, int64_t tokens_in, int64_t tokens_out)
{
	node->tokens_in += tokens_in;
	node->tokens_out += tokens_out;
	(void)store_run(node->run->keeper->store,
	    "UPDATE nodes SET tokens_in = ?, tokens_out = ? WHERE num = ?",
	    "iii", node->tokens_in, node->tokens_out, node->num);
	run_charge(node->run, tokens_in, tokens_out);
}
