/*
 * Error objects and the result object, in the shape that users see.
 */
#include <string.h>

#include "log.h"
#include "runs.h"

json_t *
error_new(const char *class, const char *cause, const char *node,
    const char *message)
{
	return (keeper_pack("{s:s, s:s, s:s?, s:s?, s:n, s:n}", "class",
	    class, "message", message, "cause", cause, "node", node, "line",
	    "traceback"));
}

/* What a script says of its error is shown, so its types are made sure. */
static json_t *
text_or(const json_t *body, const char *key, json_t *otherwise)
{
	json_t	*v = json_object_get(body, key);

	if (json_string_length(v) == 0)
		return (otherwise);
	json_decref(otherwise);
	return (json_incref(v));
}

json_t *
error_from(const json_t *body, const char *class)
{
	json_t	*line = json_object_get(body, "line");

	return (keeper_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "class", class,
	    "message", text_or(body, "message", json_string("")),
	    "cause", text_or(body, "cause", json_null()),
	    "node", text_or(body, "node", json_null()),
	    "line", json_is_integer(line) ? json_incref(line) : json_null(),
	    "traceback", text_or(body, "traceback", json_null())));
}

static json_t *
usage_new(struct keeper *k, int64_t num, int64_t tokens_in,
    int64_t tokens_out, int64_t wall)
{
	int64_t	nodes, agents;

	nodes = store_int(k->store, 0,
	    "SELECT count(*) FROM nodes WHERE run = ?", "i", num);
	agents = store_int(k->store, 0,
	    "SELECT count(*) FROM nodes WHERE run = ? AND kind = 'agent'",
	    "i", num);
	return (keeper_pack("{s:I, s:I, s:I, s:I, s:n, s:I}", "nodes",
	    (json_int_t)nodes, "agents", (json_int_t)agents, "tokens_in",
	    (json_int_t)tokens_in, "tokens_out", (json_int_t)tokens_out,
	    "cost", "wall_ms", (json_int_t)(wall > 0 ? wall : 0)));
}

/* A new reference to v, or null. */
static json_t *
or_null(const json_t *v)
{
	if (v == NULL)
		return (json_null());
	return (json_incref((json_t *)(uintptr_t)v));
}

/* Of count failures so many are not in the list. */
static json_int_t
left_out(const json_t *failures, int64_t count)
{
	int64_t	listed = (int64_t)json_array_size(failures);

	return (count > listed ? count - listed : 0);
}

json_t *
result_new(struct run *run, const char *state, const json_t *result,
    const json_t *error, const json_t *failures, int64_t count,
    int64_t ended)
{
	int64_t	wall = run->started == 0 ? 0 : ended - run->started;

	return (keeper_pack("{s:s, s:s, s:o, s:o, s:o, s:I, s:o}", "run",
	    run->id, "state", state, "result", or_null(result), "error",
	    or_null(error), "failures", json_is_array(failures) ?
	    or_null(failures) : json_array(), "failures_left_out",
	    left_out(failures, count), "usage",
	    usage_new(run->keeper, run->num, run->tokens_in, run->tokens_out,
	    wall)));
}

/* The recorded text of an ended run: ours, so it parses. */
static json_t *
result_recorded(struct keeper *k, int64_t num)
{
	sqlite3_stmt	*stmt;
	json_t		*o = NULL;

	stmt = store_query(k->store,
	    "SELECT result FROM runs WHERE num = ? AND result NOT NULL", "i",
	    num);
	if (!store_row(k->store, stmt))
		return (NULL);
	o = json_loads(store_text(stmt, 0), 0, NULL);
	(void)sqlite3_reset(stmt);	/* one row is all there is */
	if (o == NULL)
		fatalx("store: the result of run %lld is damaged",
		    (long long)num);
	return (o);
}

json_t *
result_get(struct keeper *k, int64_t num)
{
	struct run_facts	 facts;
	struct run		*run;
	json_t			*o;
	char			 on[RUN_ON_MAX];

	if ((o = result_recorded(k, num)) != NULL)
		return (o);
	RB_FOREACH(run, run_tree, &k->runs)
		if (run->num == num)
			break;
	if (run == NULL)
		return (NULL);
	memset(&facts, 0, sizeof(facts));
	facts.phase = run->phase;
	facts.waiting = run_waits_on(run, on, sizeof(on)) != NULL;
	return (result_new(run, run_state_name(run_state(&facts)), NULL, NULL,
	    NULL, 0, store_now_ms()));
}
