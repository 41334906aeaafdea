/*
 * Submissions, journal slots and transcripts in a real store: who owns what,
 * what a stale attempt can do (nothing), and what the model gets to see.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store.h"
#include "submission.h"
#include "test.h"
#include "transcript.h"
#include "turn_journal.h"

static char	dir[40], path[64];

static struct store *
store_new(void)
{
	struct store	*s;
	char		 why[512];

	(void)snprintf(path, sizeof(path), "%s/db", dir);
	(void)unlink(path);
	if ((s = store_open(path, why, sizeof(why))) == NULL)
		errx(1, "%s", why);
	(void)store_run(s, "INSERT INTO runs (id, uid, gid, profile, budget,"
	    " script, seed, phase, added) VALUES ('r', 1, 1, 'p', 0, '{}',"
	    " 's', 1, 0)", "");
	return (s);
}

/* A running submission of node 7, its attempt in *attempt. */
static int64_t
running(struct store *s, int64_t *attempt)
{
	int64_t	num = submission_admit(s, 1, 7, 2, 10);

	if (!submission_claim(s, num, 0, 1000, attempt))
		errx(1, "claim");
	return (num);
}

static json_t *
user(const char *text)
{
	return (json_pack("{s:s, s:i}", "text", text, "submission", 1));
}

static int64_t
entry_append(struct store *s, int64_t num, int64_t attempt,
    enum entry_kind kind, const char *key, json_t *body)
{
	int64_t	grown;

	return (transcript_append(s, num, attempt, kind, key, body, &grown));
}

static int
outcome_add(struct store *s, int64_t num, int64_t attempt, int64_t entry,
    size_t call, struct outcome o)
{
	int64_t	grown;

	return (outcome_record(s, num, attempt, entry, call, o, &grown));
}

static void
test_rows(void)
{
	struct store		*s = store_new();
	struct submission	 sub;
	int64_t			 num, first = 0, second = 0, third = 0;

	num = submission_admit(s, 1, 7, 2, 10);
	test_case(submission_admit(s, 1, 7, 5, 5) == num,
	    "the same node again is the same submission");
	test_case(submission_load(s, 7, &sub) && sub.status == STATUS_QUEUED
	    && sub.attempt == 0 && sub.deadline == 0,
	    "before the claim no attempt and no deadline");
	test_case(!submission_load(s, 8, &sub), "another node has none");
	test_case(submission_claim(s, num, 0, 1000, &first) && first == 1,
	    "a claim is the first attempt");
	test_case(!submission_claim(s, num, 0, 2000, &third),
	    "what runs can't be claimed");
	test_case(submission_requeue(s, num, first) &&
	    submission_claim(s, num, 0, 2000, &second) && second == 2 &&
	    submission_load(s, 7, &sub) && sub.deadline == 1000,
	    "requeued and claimed, it is the second, with the old deadline");
	test_case(!submission_requeue(s, num, first) &&
	    !submission_apply(s, num, first) &&
	    !submission_replace(s, num, first, 0, &third) &&
	    !submission_use_retry(s, num, first) &&
	    !submission_settle(s, num, first, NULL),
	    "a stale attempt can't write");
	test_case(submission_use_retry(s, num, second) &&
	    submission_use_retry(s, num, second) &&
	    !submission_use_retry(s, num, second),
	    "of two retries there are two");
	test_case(submission_abort(s, num) && !submission_abort(s, num),
	    "an end is asked for once");
	test_case(submission_settle(s, num, second, "first") &&
	    !submission_settle(s, num, second, NULL) &&
	    !submission_replace(s, num, second, 0, &third),
	    "the first end stays");
	store_close(s);
}

static void
test_requeue(void)
{
	struct store	*s = store_new();
	int64_t		 attempt, num = running(s, &attempt);

	(void)entry_append(s, num, attempt, ENTRY_USER, "u0", user("x"));
	test_case(!submission_requeue(s, num, attempt),
	    "with its input in the transcript it is not requeued");
	store_close(s);
}

/* ---- the slot ---- */

static void
test_slot(void)
{
	struct store	*s = store_new();
	struct journal	 j;
	int64_t		 next, attempt, num = running(s, &attempt);

	journal_load(s, num, &j);
	test_case(j.phase == JOURNAL_NONE,
	    "no slot: the provider was never reached");
	test_case(!journal_provider_started(s, num, attempt) &&
	    !journal_commit(s, num, attempt, 1),
	    "nothing advances what has not begun");
	test_case(journal_before_provider(s, num, attempt, 1, 11),
	    "before_provider");
	test_case(journal_provider_started(s, num, attempt) &&
	    !journal_provider_started(s, num, attempt),
	    "provider_started, once");
	journal_load(s, num, &j);
	test_case(strcmp(j.stream_key, "1:1:1") == 0 &&
	    j.checkpoint_leaf == 11 && j.revision == 2,
	    "the stream key is submission, turn, attempt");
	test_case(journal_tools_recorded(s, num, attempt, 12) &&
	    !journal_provider_started(s, num, attempt),
	    "tool_request_recorded, and not back");
	test_case(journal_before_provider(s, num, attempt, 2, 12) &&
	    journal_provider_started(s, num, attempt),
	    "the next turn begins again");
	test_case(submission_replace(s, num, attempt, 0, &next) &&
	    !journal_commit(s, num, attempt, 13),
	    "the slot follows the new attempt, the old one is fenced");
	test_case(journal_commit(s, num, next, 13) &&
	    !journal_commit(s, num, next, 14) &&
	    !journal_tools_recorded(s, num, next, 13),
	    "committed once, and for good");
	journal_load(s, num, &j);
	test_case(j.phase == JOURNAL_COMMITTED && j.committed_leaf == 13 &&
	    j.attempt == next && j.revision == 6,
	    "every write is a revision");
	store_close(s);
}

static void
test_segments(void)
{
	struct store	*s = store_new();
	char		*text;
	int64_t		 attempt, num = running(s, &attempt);

	test_case(!journal_segment(s, num, attempt, 0, "x", 1),
	    "no stream, no segment");
	(void)journal_before_provider(s, num, attempt, 1, 1);
	(void)journal_provider_started(s, num, attempt);
	test_case(journal_segment(s, num, attempt, 1, "world", 5) &&
	    journal_segment(s, num, attempt, 0, "hello ", 6) &&
	    !journal_segment(s, num, attempt, 0, "other ", 6) &&
	    !journal_segment(s, num, attempt + 1, 2, "!", 1),
	    "a segment is written once, by its owner");
	text = journal_stream_text(s, num, "1:1:1");
	test_case(text != NULL && strcmp(text, "hello world") == 0,
	    "they are read in order");
	free(text);
	test_case(journal_consume_stream(s, num, attempt) &&
	    !journal_consume_stream(s, num, attempt),
	    "a stream is consumed once");
	(void)journal_before_provider(s, num, attempt, 2, 1);
	text = journal_stream_text(s, num, "1:1:1");
	test_case(text == NULL, "the next checkpoint deletes them");
	free(text);
	store_close(s);
}

/* ---- the transcript ---- */

static void
test_tree(void)
{
	struct store		*s = store_new();
	struct transcript	 t;
	int64_t			 attempt, num = running(s, &attempt), a, b, c;

	a = entry_append(s, num, attempt, ENTRY_USER, "u0", user("x"));
	b = entry_append(s, num, attempt, ENTRY_ASSISTANT, "a1",
	    json_pack("{s:s}", "stop", "stop"));
	test_case(a != 0 && b > a, "entries are appended");
	test_case(entry_append(s, num, attempt, ENTRY_ASSISTANT, "a1",
	    json_pack("{s:s}", "stop", "error")) == b,
	    "the same key again changes nothing");
	test_case(entry_append(s, num, attempt + 1, ENTRY_USER, "u1",
	    user("y")) == 0 && entry_append(s, num, attempt + 1,
	    ENTRY_ASSISTANT, "a1", user("y")) == 0 &&
	    !transcript_rewind(s, num, attempt + 1, a),
	    "another attempt can't write");
	test_case(transcript_rewind(s, num, attempt, a), "the leaf goes back");
	c = entry_append(s, num, attempt, ENTRY_ASSISTANT, "a2",
	    json_pack("{s:s}", "stop", "length"));
	transcript_load(s, num, &t);
	test_case(t.n == 2 && t.entries[0].num == a && t.entries[1].num == c
	    && t.leaf == c && t.entries[1].view.stop == STOP_LENGTH,
	    "the active path is the new branch");
	transcript_free(&t);
	test_case(store_int(s, 0, "SELECT count(*) FROM entries", "") == 3,
	    "the old one stays stored");
	store_close(s);
}

static void
test_outcomes(void)
{
	struct store		*s = store_new();
	struct transcript	 t;
	struct outcome		*all;
	int64_t			 attempt, num = running(s, &attempt), e;

	(void)entry_append(s, num, attempt, ENTRY_USER, "u0", user("x"));
	e = entry_append(s, num, attempt, ENTRY_ASSISTANT, "a1",
	    json_pack("{s:s, s:[{},{}]}", "stop", "tool_calls",
	    "tool_calls"));
	test_case(outcome_add(s, num, attempt, e, 1,
	    (struct outcome){ 1, 0, json_string("late") }) &&
	    !outcome_add(s, num, attempt, e, 1,
	    (struct outcome){ 0, 0, json_string("later") }) &&
	    !outcome_add(s, num, attempt + 1, e, 0,
	    (struct outcome){ 1, 0, json_null() }),
	    "an outcome is recorded once, by its owner");
	all = outcomes_load(s, num, e, 2);
	test_case(all[0].body == NULL && all[1].ok &&
	    strcmp(json_string_value(all[1].body), "late") == 0,
	    "the first one stays");
	outcomes_free(all, 2);
	transcript_load(s, num, &t);
	test_case(t.n == 2 && t.entries[1].view.calls == 2 &&
	    t.entries[1].view.known == 1 && t.entries[1].view.ends == 0,
	    "the path says what is known of a batch");
	transcript_free(&t);
	(void)store_run(s, "DELETE FROM runs", "");
	test_case(store_int(s, 9, "SELECT (SELECT count(*) FROM outcomes) +"
	    " (SELECT count(*) FROM entries) +"
	    " (SELECT count(*) FROM submissions)", "") == 0,
	    "with the run all of it goes");
	store_close(s);
}

/* ---- what the model sees ---- */

#define USER(t)		"{'kind':0,'body':{'text':'" t "'}}"
#define TEXT(s, t)	"{'kind':1,'body':{'stop':'" s "','content':'" t "'}}"
#define CALLS(ids)	"{'kind':1,'body':{'stop':'tool_calls',"	\
			"'content':null,'tool_calls':[" ids "]}}"
#define CALL(id)	"{'id':'" id "','name':'n','arguments':{}}"
#define TOOL(id)	"{'kind':2,'body':{'id':'" id "','name':'n',"	\
			"'text':'o" id "'}}"
#define SIGNAL(s)	"{'kind':3,'body':{'signal':'" s "','stream':'k'}}"

static const struct {
	const char	*what, *entries;
	const char	*seen;	/* role letter and text of each message */
} views[] = {
	{ "input and answer", USER("hi") "," TEXT("stop", "yes"),
	    "u:hi a:yes" },
	{ "an answer at its limit", USER("hi") "," TEXT("length", "ye"),
	    "u:hi a:ye" },
	{ "a failed answer", USER("hi") "," TEXT("error", "x"), "u:hi" },
	{ "a cut answer", USER("hi") "," TEXT("aborted", "x"), "u:hi" },
	{ "a cut answer, gone on with", USER("hi") "," TEXT("aborted", "on")
	    "," SIGNAL("stream_interrupted") "," SIGNAL("stream_continued")
	    "," TEXT("stop", "ce"), "u:hi a:on u:[Your a:ce" },
	{ "a cut answer with half the pair", USER("hi") ","
	    TEXT("aborted", "on") "," SIGNAL("stream_interrupted"), "u:hi" },
	{ "a batch", USER("hi") "," CALLS(CALL("1") "," CALL("2")) ","
	    TOOL("1") "," TOOL("2"), "u:hi a:-2 t:o1 t:o2" },
	{ "a batch with one outcome", USER("hi") ","
	    CALLS(CALL("1") "," CALL("2")) "," TOOL("1"), "u:hi" },
	{ "a batch in another order", USER("hi") ","
	    CALLS(CALL("1") "," CALL("2")) "," TOOL("2") "," TOOL("1"),
	    "u:hi" },
	{ "a batch that something interrupts", USER("hi") ","
	    CALLS(CALL("1") "," CALL("2")) "," TOOL("1") "," USER("you") ","
	    TOOL("2"), "u:hi u:you" },
	{ "an outcome of nothing", USER("hi") "," TOOL("1"), "u:hi" },
};

static json_t *
json(const char *text)
{
	json_t	*value;
	char	*copy, *p;

	if ((copy = malloc(strlen(text) + 3)) == NULL)
		err(1, "malloc");
	(void)sprintf(copy, "[%s]", text);
	for (p = copy; (p = strchr(p, '\'')) != NULL; p++)
		*p = '"';
	if ((value = json_loads(copy, 0, NULL)) == NULL)
		errx(1, "%s", copy);
	free(copy);
	return (value);
}

/* Entries as they come out of the store. */
static void
fill(struct store *s, int64_t num, int64_t attempt, const char *text)
{
	json_t	*entries = json(text), *e;
	char	 key[32];
	size_t	 i;

	json_array_foreach(entries, i, e) {
		(void)snprintf(key, sizeof(key), "k%zu", i);
		(void)entry_append(s, num, attempt, (enum entry_kind)
		    json_integer_value(json_object_get(e, "kind")), key,
		    json_incref(json_object_get(e, "body")));
	}
	json_decref(entries);
}

static void
describe(const json_t *messages, char *buf, size_t buflen)
{
	const json_t	*m, *calls;
	const char	*content;
	size_t		 i, n = 0;

	buf[0] = '\0';
	json_array_foreach((json_t *)messages, i, m) {
		content = json_string_value(json_object_get(m, "content"));
		calls = json_object_get(m, "tool_calls");
		n += (size_t)snprintf(buf + n, buflen - n, "%s%c:",
		    i > 0 ? " " : "",
		    *json_string_value(json_object_get(m, "role")));
		if (calls != NULL)
			n += (size_t)snprintf(buf + n, buflen - n, "-%zu",
			    json_array_size(calls));
		else
			n += (size_t)snprintf(buf + n, buflen - n, "%.*s",
			    (int)strcspn(content, " "), content);
	}
}

static void
test_views(void)
{
	struct store		*s;
	struct transcript	 t;
	json_t			*messages;
	char			 seen[256];
	int64_t			 attempt, num;
	size_t			 i;

	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		s = store_new();
		num = running(s, &attempt);
		fill(s, num, attempt, views[i].entries);
		transcript_load(s, num, &t);
		messages = transcript_messages(&t);
		describe(messages, seen, sizeof(seen));
		test_case(strcmp(seen, views[i].seen) == 0,
		    "the model sees of %s: %s", views[i].what, seen);
		json_decref(messages);
		transcript_free(&t);
		store_close(s);
	}
}

int
main(void)
{
	(void)snprintf(dir, sizeof(dir), "%s/submission_test.XXXXXX",
	    test_memory());
	if (mkdtemp(dir) == NULL)
		err(1, "%s", dir);
	test_rows();
	test_requeue();
	test_slot();
	test_segments();
	test_tree();
	test_outcomes();
	test_views();
	(void)unlink(path);
	if (rmdir(dir) == -1)
		err(1, "%s", dir);
	return (test_end());
}
