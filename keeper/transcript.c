/*
 * Transcripts in the store.
 */
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "quota.h"
#include "store.h"
#include "submission.h"
#include "transcript.h"
#include "turn_decide.h"

static const char	*const stop_names[] = {
	[STOP_NONE] =		"none",
	[STOP_END] =		"stop",
	[STOP_LENGTH] =		"length",
	[STOP_TOOLS] =		"tool_calls",
	[STOP_ERROR] =		"error",
	[STOP_ABORTED] =	"aborted"
};

static const char	*const signal_names[] = {
	[SIGNAL_NONE] =		"none",
	[SIGNAL_INTERRUPTED] =	"stream_interrupted",
	[SIGNAL_CONTINUED] =	"stream_continued"
};

const char *
stop_name(enum stop stop)
{
	return (stop_names[stop]);
}

const char *
signal_name(enum signal_kind signal)
{
	return (signal_names[signal]);
}

static size_t
find(const char *const *names, size_t n, const char *name)
{
	size_t	i;

	for (i = 1; i < n; i++)
		if (name != NULL && strcmp(names[i], name) == 0)
			return (i);
	return (0);
}

static void
view_assistant(struct entry_view *v, const json_t *body)
{
	const char	*class;

	v->stop = (enum stop)find(stop_names, 6,
	    json_string_value(json_object_get(body, "stop")));
	v->calls = json_array_size(json_object_get(body, "tool_calls"));
	class = json_string_value(json_object_get(json_object_get(body,
	    "error"), "class"));
	if (v->stop == STOP_ERROR)
		v->fault = turn_fault(class == NULL ? "" : class);
}

static void
view_entry(struct entry *e, enum entry_kind kind, int64_t submission)
{
	struct entry_view	*v = &e->view;

	v->kind = kind;
	switch (kind) {
	case ENTRY_USER:
		v->own = json_integer_value(json_object_get(e->body,
		    "submission")) == submission;
		return;
	case ENTRY_ASSISTANT:
		view_assistant(v, e->body);
		return;
	case ENTRY_SIGNAL:
		v->signal = (enum signal_kind)find(signal_names, 3,
		    json_string_value(json_object_get(e->body, "signal")));
		return;
	case ENTRY_TOOL:
		return;
	}
}

static void
count_outcomes(struct store *s, int64_t submission, struct entry *e)
{
	if (e->view.stop != STOP_TOOLS)
		return;
	e->view.known = (size_t)store_int(s, 0, "SELECT count(*)"
	    " FROM outcomes WHERE submission = ? AND entry = ?", "ii",
	    submission, e->num);
	e->view.ends = (size_t)store_int(s, 0, "SELECT sum(ends)"
	    " FROM outcomes WHERE submission = ? AND entry = ?", "ii",
	    submission, e->num);
}

static void
append(struct transcript *t, int64_t num, enum entry_kind kind, json_t *body,
    int64_t submission)
{
	struct entry	*e;

	t->entries = reallocarray(t->entries, t->n + 1, sizeof(*t->entries));
	if (t->entries == NULL)
		fatal("reallocarray");
	e = &t->entries[t->n++];
	memset(e, 0, sizeof(*e));
	e->num = num;
	e->body = body;
	view_entry(e, kind, submission);
}

/* Parents are older than their children: one walk from leaf to root. */
void
transcript_load(struct store *s, int64_t submission, struct transcript *t)
{
	sqlite3_stmt	*st;
	json_t		*body;
	size_t		 i;

	memset(t, 0, sizeof(*t));
	st = store_query(s, "WITH RECURSIVE path(num, parent, kind, body) AS"
	    " (SELECT num, parent, kind, body FROM entries WHERE num ="
	    "  (SELECT leaf FROM submissions WHERE num = ?1)"
	    "  UNION ALL SELECT e.num, e.parent, e.kind, e.body"
	    "  FROM entries e JOIN path ON e.num = path.parent)"
	    " SELECT num, kind, body FROM path ORDER BY num", "i",
	    submission);
	while (store_row(s, st)) {
		body = json_loads(store_text(st, 2), 0, NULL);
		if (body == NULL)
			fatalx("entry %lld is damaged",
			    (long long)sqlite3_column_int64(st, 0));
		append(t, sqlite3_column_int64(st, 0),
		    (enum entry_kind)sqlite3_column_int(st, 1), body,
		    submission);
	}
	if (t->n > 0)
		t->leaf = t->entries[t->n - 1].num;
	for (i = t->n; i > 0; i--)
		if (t->entries[i - 1].view.kind == ENTRY_ASSISTANT)
			break;
	if (i > 0)
		count_outcomes(s, submission, &t->entries[i - 1]);
}

void
transcript_free(struct transcript *t)
{
	size_t	i;

	for (i = 0; i < t->n; i++)
		json_decref(t->entries[i].body);
	free(t->entries);
	memset(t, 0, sizeof(*t));
}

/* The text of body, which is taken. */
static char *
dump(json_t *body)
{
	char	*text;

	text = json_dumps(body, JSON_COMPACT | JSON_ENCODE_ANY);
	if (text == NULL)
		fatalx("json_dumps: an entry");
	json_decref(body);
	return (text);
}

static int64_t
entry_find(struct store *s, int64_t submission, const char *key)
{
	return (store_int(s, 0, "SELECT num FROM entries"
	    " WHERE submission = ? AND key = ?", "is", submission, key));
}

int64_t
transcript_append(struct store *s, int64_t submission, int64_t attempt,
    enum entry_kind kind, const char *key, json_t *body, int64_t *grown)
{
	int64_t	 num;
	char	*text = dump(body);
	int	 added;

	added = store_run(s, "INSERT INTO entries (submission, parent, kind,"
	    " key, at, body) SELECT num, leaf, ?3, ?4, ?5, ?6"
	    " FROM submissions WHERE num = ?1 AND attempt = ?2"
	    " AND status = 1 ON CONFLICT DO NOTHING", "iiisis", submission,
	    attempt, (int64_t)kind, key, store_now_ms(), text) == 1;
	*grown = added ? WEIGH_ENTRY + (int64_t)(strlen(key) + strlen(text)) :
	    0;
	free(text);
	if (!added)
		return (store_int(s, 0, "SELECT e.num FROM entries e"
		    " JOIN submissions s ON s.num = e.submission"
		    " WHERE e.submission = ? AND e.key = ? AND s.attempt = ?"
		    " AND s.status = 1", "isi", submission, key, attempt));
	num = entry_find(s, submission, key);
	return (transcript_rewind(s, submission, attempt, num) ? num : 0);
}
_Static_assert(STATUS_RUNNING == 1, "transcript_append() says it in SQL");

int
transcript_rewind(struct store *s, int64_t submission, int64_t attempt,
    int64_t entry)
{
	return (store_run(s, "UPDATE submissions SET leaf = ?"
	    " WHERE num = ? AND attempt = ? AND status = ?", "iiii", entry,
	    submission, attempt, (int64_t)STATUS_RUNNING) == 1);
}

int
outcome_record(struct store *s, int64_t submission, int64_t attempt,
    int64_t entry, size_t call, struct outcome o, int64_t *grown)
{
	char	*text = dump(o.body);
	int	 held;

	held = store_run(s, "INSERT INTO outcomes (submission, entry, call,"
	    " attempt, at, ok, ends, body) SELECT num, ?3, ?4, ?2, ?5, ?6,"
	    " ?7, ?8 FROM submissions WHERE num = ?1 AND attempt = ?2"
	    " AND status = 1 ON CONFLICT DO NOTHING", "iiiiiiis", submission,
	    attempt, entry, (int64_t)call, store_now_ms(), (int64_t)o.ok,
	    (int64_t)o.ends, text) == 1;
	*grown = held ? WEIGH_OUTCOME + (int64_t)strlen(text) : 0;
	free(text);
	return (held);
}

struct outcome *
outcomes_load(struct store *s, int64_t submission, int64_t entry, size_t n)
{
	struct outcome	*outcomes;
	sqlite3_stmt	*st;
	int64_t		 call;

	if ((outcomes = calloc(n + 1, sizeof(*outcomes))) == NULL)
		fatal("calloc");
	st = store_query(s, "SELECT call, ok, ends, body FROM outcomes"
	    " WHERE submission = ? AND entry = ?", "ii", submission, entry);
	while (store_row(s, st)) {
		call = sqlite3_column_int64(st, 0);
		if (call < 0 || (uint64_t)call >= n)
			continue;
		outcomes[call].ok = sqlite3_column_int(st, 1);
		outcomes[call].ends = sqlite3_column_int(st, 2);
		outcomes[call].body = json_loads(store_text(st, 3),
		    JSON_DECODE_ANY, NULL);
		if (outcomes[call].body == NULL)
			fatalx("an outcome of entry %lld is damaged",
			    (long long)entry);
	}
	return (outcomes);
}

void
outcomes_free(struct outcome *outcomes, size_t n)
{
	size_t	i;

	if (outcomes == NULL)
		return;
	for (i = 0; i < n; i++)
		json_decref(outcomes[i].body);
	free(outcomes);
}
