/*
 * Events and those who follow them. An event is a row first. A follower that
 * is behind reads from the store, page by page and no faster than the broker
 * takes it; one that has caught up gets each event as it happens.
 */
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "handlers.h"
#include "log.h"
#include "quota.h"
#include "runs.h"

#define PAGE		64
/* Bytes on their way to the broker beyond which followers wait. */
#define QUEUE_FULL	(4 * 1024 * 1024)
#define QUEUE_WAIT_MS	20

struct follower {
	TAILQ_ENTRY(follower)	 entry;
	struct keeper		*keeper;
	uint32_t		 id;		/* RUN_FOLLOW's peerid */
	int64_t			 run;		/* its row */
	int64_t			 sent;		/* the last event's number */
	int			 live, caught_up;
	struct event		*pump;
};

static void
follower_free(struct follower *f)
{
	TAILQ_REMOVE(&f->keeper->followers, f, entry);
	event_free(f->pump);
	free(f);
}

static void
event_send(struct follower *f, int64_t seq, int64_t at, const char *kind,
    const char *body)
{
	keeper_send(f->keeper, IMSG_EVENT, f->id, keeper_pack(
	    "{s:I, s:I, s:s}", "seq", (json_int_t)seq, "at", (json_int_t)at,
	    "kind", kind), body, strlen(body));
}

static void
pump_after(struct follower *f, int ms)
{
	struct timeval	tv = { .tv_usec = ms * 1000 };

	if (evtimer_add(f->pump, &tv) == -1)
		fatalx("evtimer_add");
}

/* Send a page. Returns how many events it had. */
static int
page_send(struct follower *f)
{
	struct store	*st = f->keeper->store;
	sqlite3_stmt	*stmt;
	int		 n = 0;

	stmt = store_query(st,
	    "SELECT seq, at, kind, body FROM events"
	    " WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?", "iii", f->run,
	    f->sent, (int64_t)PAGE);
	while (store_row(st, stmt)) {
		f->sent = sqlite3_column_int64(stmt, 0);
		event_send(f, f->sent, sqlite3_column_int64(stmt, 1),
		    store_text(stmt, 2), store_text(stmt, 3));
		n++;
	}
	return (n);
}

/* Nothing more will come: say so, and forget the follower. */
static void
follower_end(struct follower *f, int ended)
{
	struct keeper	*k = f->keeper;
	json_t		*result = result_get(k, f->run), *env;
	const char	*state;

	state = json_string_value(json_object_get(result, "state"));
	if (state == NULL)
		fatalx("store: a run that is followed has gone");
	env = keeper_pack("{s:b, s:s, s:I}", "ended", ended, "state", state,
	    "exit", (json_int_t)store_int(k->store, 0,
	    "SELECT exit FROM runs WHERE num = ?", "i", f->run));
	keeper_send_json(k, IMSG_FOLLOW_END, f->id, env, result);
	follower_free(f);
}

static void
follower_pump(int fd, short what, void *arg)
{
	struct follower	*f = arg;
	struct keeper	*k = f->keeper;
	int		 ended;

	(void)fd;
	(void)what;
	if (k->broker != NULL && peer_queued(k->broker) > QUEUE_FULL) {
		pump_after(f, QUEUE_WAIT_MS);
		return;
	}
	if (page_send(f) == PAGE) {
		pump_after(f, 0);
		return;
	}
	f->caught_up = 1;
	ended = store_int(k->store, 0,
	    "SELECT phase FROM runs WHERE num = ?", "i", f->run) ==
	    PHASE_ENDED;
	if (ended || !f->live)
		follower_end(f, ended);
}

int
msg_run_follow(struct peer *p, struct msg *m)
{
	struct keeper	*k = peer_ctx(p);
	struct follower	*f;
	int64_t		 num;

	if ((num = run_lookup(k, msg_str(m->env, "run"),
	    msg_int(m->env, "uid"), msg_bool(m->env, "all"))) == 0) {
		keeper_refuse(k, m->id, REFUSE_NOT_FOUND, "no such run: %s",
		    msg_str(m->env, "run"));
		return (0);
	}
	if ((f = calloc(1, sizeof(*f))) == NULL ||
	    (f->pump = evtimer_new(k->base, follower_pump, f)) == NULL)
		fatal("calloc");
	f->keeper = k;
	f->id = m->id;
	f->run = num;
	f->sent = msg_int(m->env, "after");
	f->live = msg_bool(m->env, "live");
	TAILQ_INSERT_TAIL(&k->followers, f, entry);
	pump_after(f, 0);
	return (0);
}

int
msg_run_unfollow(struct peer *p, struct msg *m)
{
	struct keeper	*k = peer_ctx(p);
	struct follower	*f, *next;

	TAILQ_FOREACH_SAFE(f, &k->followers, entry, next)
		if (f->id == m->id)
			follower_free(f);
	return (0);
}

void
follow_ended(struct keeper *k, int64_t num)
{
	struct follower	*f;

	TAILQ_FOREACH(f, &k->followers, entry)
		if (f->run == num)
			pump_after(f, 0);
}

int
follow_any(struct keeper *k, int64_t num)
{
	struct follower	*f;

	TAILQ_FOREACH(f, &k->followers, entry)
		if (f->run == num)
			return (1);
	return (0);
}

void
follow_forget(struct keeper *k)
{
	struct follower	*f;

	while ((f = TAILQ_FIRST(&k->followers)) != NULL)
		follower_free(f);
}

/* To those who have caught up; the others will read it from the store. */
static void
follow_send(struct run *run, int64_t seq, const char *kind, const char *body)
{
	struct follower	*f;
	int64_t		 at = store_now_ms();

	TAILQ_FOREACH(f, &run->keeper->followers, entry)
		if (f->run == run->num && f->caught_up) {
			event_send(f, seq, at, kind, body);
			f->sent = seq;
		}
}

void
run_event(struct run *run, const char *kind, json_t *body)
{
	char	*text = dump_json(body);

	json_decref(body);
	run_event_text(run, kind, text);
}

void
run_event_text(struct run *run, const char *kind, char *text)
{
	(void)store_run(run->keeper->store,
	    "INSERT INTO events (run, seq, at, kind, body)"
	    " VALUES (?, ?, ?, ?, ?)", "iiiss", run->num, ++run->seq,
	    store_now_ms(), kind, text);
	run_grow(run, WEIGH_EVENT + (int64_t)strlen(text));
	follow_send(run, run->seq, kind, text);
	free(text);
}

void
run_text(struct run *run, const char *node, const char *text)
{
	json_t	*body;
	char	*dump;

	/* Nobody may be looking: most runs have no follower. */
	if (!follow_any(run->keeper, run->num))
		return;
	body = keeper_pack("{s:s, s:s}", "node", node, "text", text);
	dump = dump_json(body);
	follow_send(run, run->seq, "text", dump);
	free(dump);
	json_decref(body);
}
