/*
 * A run's life: queued, started, restarted when its jail was lost, ended
 * once. Every end is durable before the broker hears of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dump.h"
#include "log.h"
#include "nodes.h"
#include "runs.h"

#define RESTART_DELAY		100	/* ms, doubled for each lost jail */
#define RESTART_DELAY_MAX	30000

static void
state_event(struct run *run, const char *state, const char *on)
{
	run_event(run, "state", keeper_pack("{s:s, s:s*}", "state", state,
	    "on", on));
}

/* ---- start ---- */

static json_t *
start_envelope(const struct run *run)
{
	json_t	*env;

	env = keeper_pack("{s:s, s:I, s:I, s:s, s:I, s:I}", "run", run->id,
	    "uid", (json_int_t)run->uid, "gid", (json_int_t)run->gid,
	    "profile", run->profile, "tokens", (json_int_t)run->budget,
	    "spent", (json_int_t)(run->tokens_in + run->tokens_out));
	if (run->workspace == NULL)
		return (env);
	if (json_object_set_new(env, "workspace",
	    json_string(run->workspace)) == -1 ||
	    json_object_set_new(env, "dev", json_integer(run->dev)) == -1 ||
	    json_object_set_new(env, "ino", json_integer(run->ino)) == -1)
		fatalx("out of memory");
	return (env);
}

static void
start_due(int fd, short what, void *arg)
{
	struct run	*run = arg;

	(void)fd;
	(void)what;
	run->phase = PHASE_ACTIVE;
	run->epoch++;
	if (run->started == 0) {
		run->started = run->now = store_now_ms();
		state_event(run, "running", NULL);
	}
	run_save_start(run);
	keeper_send(run->keeper, IMSG_RUN_START, 0, start_envelope(run),
	    NULL, 0);
}

void
run_start(struct run *run, int64_t delay)
{
	struct timeval	tv = { .tv_sec = delay / 1000,
	    .tv_usec = delay % 1000 * 1000 };

	if (run->timer == NULL && (run->timer = evtimer_new(run->keeper->base,
	    start_due, run)) == NULL)
		fatalx("evtimer_new");
	if (delay == 0)
		start_due(-1, EV_TIMEOUT, run);
	else if (evtimer_add(run->timer, &tv) == -1)
		fatalx("evtimer_add");
}

static size_t
run_count(struct keeper *k)
{
	struct run	*run;
	size_t		 n = 0;

	RB_FOREACH(run, run_tree, &k->runs)
		n++;
	return (n);
}

/* How many active runs a user has. */
struct share {
	int64_t	uid, active;
};

static struct share *
share_find(struct share *shares, size_t *n, int64_t uid)
{
	size_t	i;

	for (i = 0; i < *n; i++)
		if (shares[i].uid == uid)
			return (&shares[i]);
	shares[*n] = (struct share){ .uid = uid };
	return (&shares[(*n)++]);
}

/*
 * The next run to start: the oldest of the user that has fewest active ones.
 * Ids are in the order of time, and so is the tree.
 */
static struct run *
run_next(struct keeper *k, const struct share *shares, size_t n,
    int64_t slots)
{
	struct run	*run, *best = NULL;
	int64_t		 active, least = INT64_MAX;
	size_t		 i;

	RB_FOREACH(run, run_tree, &k->runs) {
		if (run->phase != PHASE_QUEUED)
			continue;
		for (i = 0; i < n && shares[i].uid != run->uid; i++)
			continue;
		active = i < n ? shares[i].active : 0;
		if (active < least && run_may_start(active, slots)) {
			least = active;
			best = run;
		}
		if (least == 0)
			break;		/* nobody has fewer */
	}
	return (best);
}

void
run_schedule(struct keeper *k)
{
	struct run	*run;
	struct share	*shares;
	int64_t		 slots;
	size_t		 n = 0;

	if (k->broker == NULL || k->config == NULL || k->space != SPACE_GOOD)
		return;
	slots = config_runs(k->config);
	shares = calloc(run_count(k) + 1, sizeof(*shares));
	if (shares == NULL)
		fatal("calloc");
	RB_FOREACH(run, run_tree, &k->runs)
		if (run->phase == PHASE_ACTIVE) {
			share_find(shares, &n, run->uid)->active++;
			slots--;
		}
	while (slots > 0 && (run = run_next(k, shares, n, slots)) != NULL) {
		run_start(run, 0);
		share_find(shares, &n, run->uid)->active++;
		slots--;
	}
	free(shares);
}

/* on NULL: it waits no longer. */
void
run_wait(struct run *run, const char *on)
{
	if (on == NULL ? run->waiting == NULL :
	    run->waiting != NULL && strcmp(on, run->waiting) == 0)
		return;
	free(run->waiting);
	run->waiting = NULL;
	if (on != NULL && (run->waiting = strdup(on)) == NULL)
		fatal("strdup");
	run_save_waiting(run);
	state_event(run, on == NULL ? "running" : "waiting", on);
}

/* The first of its sleeps to end; 0 if it does something else besides. */
static int64_t
first_due(const struct run *run)
{
	struct node_tree	*nodes;
	struct node		*node;
	int64_t			 due = 0;

	nodes = &((struct run *)(uintptr_t)run)->nodes;
	RB_FOREACH(node, node_tree, nodes) {
		if (node->kind != KIND_SLEEP)
			return (0);
		if (due == 0 || node->due < due)
			due = node->due;
	}
	return (due);
}

const char *
run_waits_on(const struct run *run, char *buf, size_t buflen)
{
	char		 text[32];
	struct tm	 tm;
	time_t		 due;

	if (run->waiting != NULL) {
		(void)snprintf(buf, buflen, "%s", run->waiting);
		return (buf);
	}
	if (run->phase != PHASE_ACTIVE || (due = first_due(run) / 1000) == 0)
		return (NULL);
	if (gmtime_r(&due, &tm) == NULL ||
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		return (NULL);
	(void)snprintf(buf, buflen, "a timer that ends at %s", text);
	return (buf);
}

/* ---- end ---- */

static void
nodes_end(struct run *run)
{
	struct node	*node;

	while ((node = RB_MIN(node_tree, &run->nodes)) != NULL)
		node_cancel(node);
}

/* The end of a run, until it is on the disk. */
struct run_end {
	STAILQ_ENTRY(run_end)	 entry;
	char			 run[RUN_ID_LEN + 1];
	int64_t			 uid, tokens;
	const char		*state;
	int			 exit;
};

static void
end_keep(const struct run *run, const char *state, int exit)
{
	struct run_end	*end;

	if ((end = calloc(1, sizeof(*end))) == NULL)
		fatal("run_end");
	(void)snprintf(end->run, sizeof(end->run), "%s", run->id);
	end->uid = run->uid;
	end->tokens = run->tokens_in + run->tokens_out;
	end->state = state;
	end->exit = exit;
	STAILQ_INSERT_TAIL(&run->keeper->ends, end, entry);
}

static struct run_end *
end_take(struct keeper *k)
{
	struct run_end	*end = STAILQ_FIRST(&k->ends);

	if (end != NULL)
		STAILQ_REMOVE_HEAD(&k->ends, entry);
	return (end);
}

void
run_ends_audit(struct keeper *k)
{
	struct run_end	*end;

	for (; (end = end_take(k)) != NULL; free(end))
		audit("run.end", end->exit == 0 || end->exit == 3 ? "ok" :
		    "fail", "run", end->run, "uid", audit_int(end->uid),
		    "state", end->state, "exit", audit_int(end->exit),
		    "tokens", audit_int(end->tokens), NULL);
}

void
run_ends_forget(struct keeper *k)
{
	struct run_end	*end;

	while ((end = end_take(k)) != NULL)
		free(end);
}

/* What the script's process is to be dropped for, or NULL. */
static const char *
offence_of(enum blamer by, const json_t *error)
{
	const char	*cause;

	cause = json_string_value(json_object_get(error, "cause"));
	if (by != BY_KEEPER || cause == NULL || strcmp(cause, "protocol") != 0)
		return (NULL);
	return (json_string_value(json_object_get(error, "message")));
}

/* Record the end, tell everybody, and let go of the run. */
static void
run_end(struct run *run, enum run_state end, int exit, json_t *result,
    const char *offence)
{
	struct keeper	*k = run->keeper;
	const char	*state = run_state_name(end);
	int64_t		 num = run->num;
	char		*text = dump_json(result);

	json_decref(result);
	run->phase = PHASE_ENDED;
	run_save_end(run, state, exit, text);
	free(text);
	state_event(run, state, NULL);
	retain_add(run);
	end_keep(run, state, exit);
	keeper_send(k, IMSG_RUN_END, 0, keeper_pack("{s:s, s:s, s:i, s:s*}",
	    "run", run->id, "state", state, "exit", exit, "offence",
	    offence), NULL, 0);
	sandbox_end(run);
	RB_REMOVE(run_tree, &k->runs, run);
	run_free(run);
	follow_ended(k, num);
	retain_prune(k);
	run_schedule(k);
}

/* A run ends with these facts; error and failures are lent or NULL. */
static void
run_finish(struct run *run, const struct run_facts *facts, enum blamer by,
    const json_t *result, const json_t *error, const json_t *failures)
{
	enum run_state	 end = run_state(facts);
	const char	*class, *cause;
	int		 exit;

	space_lend(run->keeper);
	nodes_end(run);
	class = json_string_value(json_object_get(error, "class"));
	cause = json_string_value(json_object_get(error, "cause"));
	if (by == BY_SCRIPT && error != NULL && !blame_holds(run, error))
		class = cause = NULL;
	exit = exit_code(end, by, class, cause);
	run_end(run, end, exit, result_new(run, run_state_name(end), result,
	    error, failures, facts->failures, store_now_ms()),
	    offence_of(by, error));
}

void
run_complete(struct run *run, const json_t *result, const json_t *failures,
    int64_t count)
{
	struct run_facts	facts = { .phase = PHASE_ENDED,
	    .failures = count };

	run_finish(run, &facts, BY_SCRIPT, result, NULL, failures);
}

void
run_fail(struct run *run, enum blamer by, json_t *error,
    const json_t *failures, int64_t count)
{
	struct run_facts	facts = { .phase = PHASE_ENDED, .failed = 1,
	    .failures = count };

	run_finish(run, &facts, by, NULL, error, failures);
	json_decref(error);
}

void
run_cancel(struct run *run)
{
	struct run_facts	 facts = { .phase = PHASE_ENDED,
	    .cancelled = 1 };
	json_t			*error;

	/* What could not be resumed has its nodes in the store only. */
	if (!run->keeper->resumed)
		node_load(run);
	error = error_new("CancelledError", "cancel", NULL,
	    "the run was cancelled");
	run_finish(run, &facts, BY_KEEPER, NULL, error, NULL);
	json_decref(error);
}

void
run_fail_protocol(struct run *run, const char *what, const char *why)
{
	char	message[400], text[256];

	log_vis(text, sizeof(text), why, strlen(why));
	(void)snprintf(message, sizeof(message),
	    "the script's process broke the protocol: %s: %s", what, text);
	run_fail(run, BY_KEEPER, error_new("JailError", "protocol", NULL,
	    message), NULL, 0);
}

int64_t
run_restart_delay(int restarts)
{
	int64_t	delay = RESTART_DELAY;

	if (restarts == 0)
		return (0);
	while (--restarts > 0 && delay < RESTART_DELAY_MAX)
		delay *= 2;
	return (delay < RESTART_DELAY_MAX ? delay : RESTART_DELAY_MAX);
}
