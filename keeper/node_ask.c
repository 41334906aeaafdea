/*
 * What a script asks: a node begins, or is no longer waited for.
 */
#include <stdio.h>
#include <string.h>

#include "agent.h"
#include "dump.h"
#include "handlers.h"
#include "json.h"
#include "log.h"
#include "nodes.h"
#include "quota.h"
#include "runs.h"

/* An input that is longer is looked at before it is recorded. */
#define INPUT_LONG	(16 * 1024)

/* What the store knows of a path. */
struct record {
	int64_t		 num;
	enum node_state	 state;
	char		 kind[17];
	char		 digest[65];
};

static enum node_state
state_get(int64_t n)
{
	if (n != NODE_RUNNING && n != NODE_SETTLED && n != NODE_CANCELLED)
		fatalx("store: a node's state is %lld", (long long)n);
	return ((enum node_state)n);
}

static void
record_find(struct run *run, const char *path, struct record *rec)
{
	struct store	*st = run->keeper->store;
	sqlite3_stmt	*stmt;

	memset(rec, 0, sizeof(*rec));
	stmt = store_query(st,
	    "SELECT num, state, kind, digest FROM nodes"
	    " WHERE run = ? AND path = ?", "is", run->num, path);
	if (!store_row(st, stmt))
		return;
	rec->num = sqlite3_column_int64(stmt, 0);
	rec->state = state_get(sqlite3_column_int64(stmt, 1));
	(void)snprintf(rec->kind, sizeof(rec->kind), "%s",
	    store_text(stmt, 2));
	(void)snprintf(rec->digest, sizeof(rec->digest), "%s",
	    store_text(stmt, 3));
	(void)sqlite3_reset(stmt);	/* one row is all there is */
}

void
node_answer(struct run *run, int64_t num, const char *path)
{
	struct store	*st = run->keeper->store;
	sqlite3_stmt	*stmt;
	const char	*value;

	stmt = store_query(st,
	    "SELECT ok, now, spent, value FROM nodes WHERE num = ?", "i",
	    num);
	if (!store_row(st, stmt) || (value = store_text(stmt, 3)) == NULL)
		fatalx("store: the outcome of %s is missing", path);
	keeper_send(run->keeper, IMSG_NODE_DONE, 0,
	    keeper_pack("{s:s, s:s, s:b, s:I, s:I}", "run", run->id, "path",
	    path, "ok", sqlite3_column_int(stmt, 0), "now",
	    (json_int_t)sqlite3_column_int64(stmt, 1), "spent",
	    (json_int_t)sqlite3_column_int64(stmt, 2)), value,
	    strlen(value));
	(void)sqlite3_reset(stmt);	/* one row is all there is */
}

static void
start_event(struct node *node, const struct msg *m)
{
	run_event_text(node->run, "node.start", dump_members("node:s,kind:s,"
	    "label:s*,phase:s*,tool:s*,agent:s*,model:s*", node->path,
	    msg_str(m->env, "kind"), msg_str(m->env, "label"),
	    msg_str(m->env, "phase"), msg_str(m->env, "tool"),
	    msg_str(m->env, "agent"), msg_str(m->env, "model")));
}

/* Of what is refused the journal has how long it was, not a long input. */
static void
ask_record(struct node *node, const struct msg *m, int refused)
{
	char	stub[48];
	int	n;

	if (!refused || m->bodylen <= INPUT_LONG) {
		node_insert(node, m, m->body, m->bodylen);
		return;
	}
	n = snprintf(stub, sizeof(stub), "{\"bytes\":%zu}", m->bodylen);
	node_insert(node, m, stub, (size_t)n);
}

/* A node that the store does not know. */
static void
ask_start(struct node *node, const struct msg *m)
{
	const char	*denied = msg_str(m->env, "denied"), *cause = NULL;
	char		 why[512];

	if (denied == NULL && m->bodylen > INPUT_LONG)
		cause = node_refuses(node, m->bodylen, why, sizeof(why));
	ask_record(node, m, denied != NULL || cause != NULL);
	start_event(node, m);
	if (denied != NULL)
		node_settle_error(node, "ScopeError", "denied", denied, "%s",
		    denied);
	else if (cause != NULL)
		node_settle_error(node, node_error_class(node), cause, NULL,
		    "%s", why);
	else
		node_dispatch(node);
}

static void
ask_differs(struct run *run, const struct msg *m, const struct record *rec)
{
	const char	*path = msg_str(m->env, "path");
	char		 message[1600];

	(void)snprintf(message, sizeof(message),
	    "the script is not deterministic: %.1024s was %s with input "
	    "%.12s, and is %s with input %.12s", path, rec->kind,
	    rec->digest, msg_str(m->env, "kind"), msg_str(m->env, "digest"));
	run_fail(run, BY_KEEPER, error_new("NondeterminismError", NULL, path,
	    message), NULL, 0);
}

/* Running: the answer will come, unless it waits to be asked for again. */
static void
ask_attach(struct run *run, const char *path)
{
	struct node	*node = node_find(run, path);

	if (node == NULL)
		fatalx("store: %s runs, but not in memory", path);
	node->asked = 1;
	if (node->parked)
		node_dispatch(node);
}

static json_t	*input_get(struct run *, const struct msg *);

static void
ask(struct run *run, const struct msg *m)
{
	const char	*path = msg_str(m->env, "path");
	struct record	 rec;
	struct node	*node = NULL;
	json_t		*input;

	record_find(run, path, &rec);
	/* In memory already if it runs, and answered if it is recorded: then
	 * its input is not read again. Else made, to know its effect. */
	if (rec.state == NODE_NONE || rec.state == NODE_CANCELLED) {
		if ((input = input_get(run, m)) == NULL)
			return;
		node = node_new(run, path,
		    node_kind(msg_str(m->env, "kind")), input);
		node->num = rec.num;
		node->asked = 1;
	}
	switch (ask_decide(rec.state,
	    strcmp(rec.digest, msg_str(m->env, "digest")) == 0,
	    node != NULL && node_repeatable(node))) {
	case ASK_START:
		ask_start(node, m);
		return;
	case ASK_RECORDED:
		node_answer(run, rec.num, path);
		return;
	case ASK_ATTACH:
		ask_attach(run, path);
		return;
	case ASK_RESTART:
		node_save_again(node, m);
		start_event(node, m);
		node_dispatch(node);
		return;
	case ASK_LOST:
		node_settle_lost(node);
		return;
	case ASK_DIFFERS:
		if (node != NULL)
			node_free(node);
		ask_differs(run, m, &rec);
		return;
	}
}

/* Is a name in the input what the envelope says, or missing in both? */
static int
same_word(const struct msg *m, const char *field, const json_t *input,
    const char *key)
{
	const char	*judged = msg_str(m->env, field);
	const char	*asked;

	asked = json_string_value(json_object_get(input, key));
	if (asked == NULL || judged == NULL)
		return (asked == judged);
	return (strcmp(judged, asked) == 0);
}

/* The same of an agent's tools: the envelope has their names in one text. */
static int
same_tools(const struct msg *m, const json_t *input)
{
	const char	*judged = msg_str(m->env, "tools"), *name;
	const json_t	*tools = json_object_get(input, "tools");
	size_t		 i, len;

	if (!json_is_array(tools))
		return (judged == NULL);
	for (i = 0; i < json_array_size(tools) && judged != NULL; i++) {
		name = json_string_value(json_array_get(tools, i));
		len = name == NULL ? 0 : strlen(name);
		if (name == NULL || strncmp(judged, name, len) != 0)
			return (0);
		judged += len;
		if (i + 1 < json_array_size(tools) && *judged++ != ',')
			return (0);
	}
	return (judged != NULL && *judged == '\0');
}

/*
 * The broker has judged the envelope, and we act on the input: a script may
 * not have one name judged and another one called.
 */
static int
is_judged(const struct msg *m, const json_t *input)
{
	switch (node_kind(msg_str(m->env, "kind"))) {
	case KIND_TOOL:
		return (same_word(m, "tool", input, "name"));
	case KIND_AGENT:
		return (same_word(m, "agent", input, "agent") &&
		    same_word(m, "model", input, "model") &&
		    same_tools(m, input));
	case KIND_SLEEP:
	case KIND_UNKNOWN:
		return (1);
	}
	fatalx("is_judged: %s", msg_str(m->env, "kind"));
}

/* No agent has such an input: it need not even be read to be refused. */
static int
is_hopeless(const struct msg *m)
{
	return (node_kind(msg_str(m->env, "kind")) == KIND_AGENT &&
	    m->bodylen > CONVERSATION_MAX);
}

/* The input of a node, or NULL after the run has been failed for it. */
static json_t *
input_get(struct run *run, const struct msg *m)
{
	const char	*bad = NULL;
	char		 why[160];
	json_t		*input;

	if (is_hopeless(m))
		return (json_object());
	if ((input = msg_body(m, why, sizeof(why))) == NULL)
		bad = why;
	else if (!json_is_object(input))
		bad = "not an object";
	else if (json_has_deep(input))
		bad = "a value is nested too deeply";
	else if (!is_judged(m, input))
		bad = "not what the envelope says";
	if (bad == NULL)
		return (input);
	json_decref(input);
	run_fail_protocol(run, "a node's input", bad);
	return (NULL);
}

static int
is_over(struct run *run)
{
	char	why[160];

	if (!quota_run_over(run, why, sizeof(why)))
		return (0);
	run_fail(run, BY_KEEPER, error_new("LimitError", "journal", NULL,
	    why), NULL, 0);
	return (1);
}

int
msg_node_begin(struct peer *p, struct msg *m)
{
	struct keeper	*k = peer_ctx(p);
	struct run	*run;

	/* The run may have ended while this was on its way. */
	if ((run = run_find(k, msg_str(m->env, "run"))) == NULL)
		return (0);
	if (!is_over(run))
		ask(run, m);
	return (0);
}

int
msg_node_drop(struct peer *p, struct msg *m)
{
	struct keeper	*k = peer_ctx(p);
	struct run	*run;
	struct node	*node;

	if ((run = run_find(k, msg_str(m->env, "run"))) == NULL)
		return (0);
	/* It may have settled while this was on its way. */
	if ((node = node_find(run, msg_str(m->env, "path"))) != NULL)
		node_cancel(node);
	return (0);
}
