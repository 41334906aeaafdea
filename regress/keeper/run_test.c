/*
 * A run from RUN_ADD to RUN_END, as a broker sees it.
 */
#include <sys/socket.h>

#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "runs.h"

#define RUN	"{\"run\": \"%s\"}"

static void
say_done(struct fake *f, const char *run, const char *body, int failures)
{
	fake_say(f, IMSG_RUN_DONE, 0, body,
	    "{\"run\": \"%s\", \"failures\": %d}", run, failures);
}

static void
say_add(struct fake *f, const char *body)
{
	fake_say(f, IMSG_RUN_ADD, 9, body, "{\"uid\": 1000, \"gid\": 1000, "
	    "\"profile\": \"users\", \"tokens\": 500, \"name\": \"mine\", "
	    "\"workspace\": \"/src\", \"dev\": 1, \"ino\": 2}");
}

/* The result object of a run, as RUN_QUERY gives it. */
static struct got *
ask_result(struct fake *f, const char *run, int uid)
{
	fake_say(f, IMSG_RUN_QUERY, 3, NULL, "{\"what\": \"result\", "
	    "\"run\": \"%s\", \"uid\": %d, \"all\": false}", run, uid);
	return (fake_wait(f, IMSG_ANSWER));
}

static void
test_computing(void)
{
	struct fake	*f = fake_new(NULL);
	struct got	*g;
	char		 run[32];

	say_add(f, "{\"source\": \"return 1\", \"args\": {\"a\": [1.5]}}");
	g = fake_wait(f, IMSG_RUN_ADDED);
	test_case(g != NULL && g->id == 9, "a run is added");
	(void)snprintf(run, sizeof(run), "%s", got_str(g, "run"));
	g = fake_wait(f, IMSG_RUN_START);
	test_case(g != NULL && got_int(g, "uid") == 1000 &&
	    got_int(g, "tokens") == 500 && got_int(g, "ino") == 2 &&
	    strcmp(got_str(g, "workspace"), "/src") == 0,
	    "it is started with its owner, budget and workspace");
	fake_jail(f, run);
	g = fake_wait(f, IMSG_SCRIPT);
	test_case(g != NULL && strcmp(body_str(g, "source"), "return 1") == 0 &&
	    json_is_object(body_get(g, "args")) &&
	    got_int(g, "replay") == 0 && got_int(g, "now") > 0,
	    "its jail gets source and typed arguments");
	say_done(f, run, "{\"result\": {\"x\": 1}, \"failures\": []}", 0);
	g = fake_wait(f, IMSG_RUN_END);
	test_case(g != NULL && strcmp(got_str(g, "state"), "completed") == 0 &&
	    got_int(g, "exit") == 0, "its return ends it with exit 0");
	g = ask_result(f, run, 1000);
	test_case(g != NULL && json_integer_value(json_object_get(
	    body_get(g, "result"), "x")) == 1 &&
	    json_is_null(body_get(g, "error")) &&
	    json_is_array(body_get(g, "failures")) &&
	    json_is_object(body_get(g, "usage")), "its result is kept");
	fake_restart(f, NULL);
	g = ask_result(f, run, 1000);
	test_case(g != NULL && strcmp(body_str(g, "state"), "completed") == 0,
	    "its result is there after a restart");
	test_case(fake_count(f, IMSG_RUN_START) == 0,
	    "an ended run is not started again");
	fake_free(f);
}

/* The list of failures may be cut: it is said how many are not in it. */
static const struct {
	const char	*env;
	uint32_t	 type;
	int		 left_out;
} counts[] = {
	{ "\"failures\": 1", IMSG_RUN_DONE, 0 },
	{ "\"failures\": 20000", IMSG_RUN_DONE, 19999 },
	{ "\"failures\": 0", IMSG_RUN_DONE, 0 },		/* a lie */
	{ "\"class\": \"E\", \"failures\": 3", IMSG_RUN_FAIL, 2 },
};

static void
test_left_out(void)
{
	struct fake	*f = fake_new(NULL);
	struct got	*g;
	const char	*run;
	size_t		 i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		run = fake_run(f, "1");
		fake_jail(f, run);
		fake_say(f, counts[i].type, 0,
		    "{\"result\": 1, \"failures\": [{\"node\": \"/a\"}]}",
		    "{\"run\": \"%s\", %s}", run, counts[i].env);
		(void)fake_wait(f, IMSG_RUN_END);
		g = ask_result(f, run, 1000);
		test_case(g != NULL && json_integer_value(body_get(g,
		    "failures_left_out")) == counts[i].left_out &&
		    json_array_size(body_get(g, "failures")) == 1,
		    "%s: %d are left out", counts[i].env, counts[i].left_out);
	}
	fake_free(f);
}

static const struct {
	const char	*what, *body;
} refused[] = {
	{ "no JSON",		"{\"source\": " },
	{ "an array",		"[1]" },
	{ "no args",		"{\"source\": \"x\"}" },
	{ "a key too many",	"{\"source\": \"x\", \"args\": 1, \"b\": 2}" },
	{ "an empty script",	"{\"source\": \"\", \"args\": null}" },
	{ "a script that is a number", "{\"source\": 1, \"args\": null}" },
	{ "an integer beyond 64 bits",
	    "{\"source\": \"x\", \"args\": 9223372036854775808}" },
	{ "a key twice",
	    "{\"source\": \"x\", \"args\": {\"a\": 1, \"a\": 2}}" },
	{ "half a surrogate pair",
	    "{\"source\": \"x\", \"args\": \"\\ud800\"}" },
	{ "NUL in a string",
	    "{\"source\": \"x\", \"args\": \"\\u0000\"}" },
};

static void
test_refused(void)
{
	struct fake	*f = fake_new(NULL);
	struct got	*g;
	char		*long_body;
	size_t		 i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		say_add(f, refused[i].body);
		g = fake_wait(f, IMSG_REFUSED);
		test_case(g != NULL && got_int(g, "exit") == 1 &&
		    strcmp(got_str(g, "class"), "ScriptError") == 0,
		    "%s is refused", refused[i].what);
	}
	if ((long_body = malloc(SOURCE_MAX + 64)) == NULL)
		return;
	i = (size_t)sprintf(long_body, "{\"args\": 1, \"source\": \"");
	memset(long_body + i, 'x', SOURCE_MAX + 1);
	(void)strcpy(long_body + i + SOURCE_MAX + 1, "\"}");
	say_add(f, long_body);
	g = fake_wait(f, IMSG_REFUSED);
	test_case(g != NULL && strstr(got_str(g, "message"), "512 KiB") !=
	    NULL, "a script of 512 KiB and a byte is refused");
	(void)strcpy(long_body + i + SOURCE_MAX, "\"}");
	say_add(f, long_body);
	test_case(fake_wait(f, IMSG_RUN_ADDED) != NULL,
	    "a script of 512 KiB is taken");
	free(long_body);
	fake_free(f);
}

static void
add_limited(struct fake *f, uint32_t id, int uid, int runs)
{
	fake_say(f, IMSG_RUN_ADD, id, "{\"source\": \"1\", \"args\": {}}",
	    "{\"uid\": %d, \"gid\": 1, \"profile\": \"users\", "
	    "\"tokens\": 0, \"runs\": %d}", uid, runs);
}

/* The broker says how many, the keeper knows how many there are. */
static void
test_user_full(void)
{
	struct fake	*f = fake_new(NULL);
	struct got	*g;

	add_limited(f, 1, 1000, 2);
	add_limited(f, 2, 1000, 2);
	add_limited(f, 3, 1000, 2);
	add_limited(f, 4, 1001, 2);
	g = fake_wait(f, IMSG_REFUSED);
	test_case(g != NULL && g->id == 3 &&
	    strstr(got_str(g, "message"), "\"users\" grants: 2") != NULL &&
	    fake_count(f, IMSG_RUN_ADDED) == 3,
	    "a user has no more unfinished runs than his profile grants");
	fake_new_broker(f);
	add_limited(f, 5, 1000, 2);
	g = fake_wait(f, IMSG_REFUSED);
	test_case(g != NULL && g->id == 5, "nor after a restart of the broker");
	fake_free(f);
}

static void
test_queue(void)
{
	struct fake	*f = fake_new("{\"runs\": 1, \"queue\": 1}");
	struct got	*g;
	char		 first[32], second[32];

	(void)snprintf(first, sizeof(first), "%s", fake_run(f, "1"));
	(void)snprintf(second, sizeof(second), "%s", fake_run(f, "2"));
	test_case(fake_count(f, IMSG_RUN_START) == 1,
	    "one run at once: the second waits");
	say_add(f, "{\"source\": \"3\", \"args\": null}");
	g = fake_wait(f, IMSG_REFUSED);
	test_case(g != NULL && got_int(g, "exit") == 6, "a third is refused");
	g = ask_result(f, second, 1000);
	test_case(g != NULL && strcmp(body_str(g, "state"), "queued") == 0,
	    "the second says that it is queued");
	fake_clear(f);
	fake_jail(f, first);
	say_done(f, first, "{\"result\": null, \"failures\": []}", 0);
	g = fake_wait(f, IMSG_RUN_START);
	test_case(g != NULL && strcmp(got_str(g, "run"), second) == 0,
	    "the second starts when the first has ended");
	fake_free(f);
}

static const struct {
	const char	*what;
	uint32_t	 type;
	const char	*env, *body, *state, *class;
	int		 exit;
} ends[] = {
	{ "a hole", IMSG_RUN_DONE, "\"failures\": 1",
	    "{\"result\": 1, \"failures\": [{\"node\": \"/a\"}]}",
	    "completed_with_failures", NULL, 3 },
	{ "an exception", IMSG_RUN_FAIL, "\"class\": \"TypeError\", \"failures\": 0",
	    "{\"class\": \"TypeError\", \"message\": \"m\", \"line\": 3, "
	    "\"cause\": null, \"node\": null, \"traceback\": \"t\", "
	    "\"failures\": []}", "failed", "TypeError", 1 },
	{ "an error of odd types", IMSG_RUN_FAIL, "\"class\": \"X\", \"failures\": 0",
	    "{\"class\": 1, \"message\": [], \"line\": \"3\"}",
	    "failed", "X", 1 },
	{ "memory that there is not", IMSG_RUN_FAIL,
	    "\"class\": \"MemoryError\", \"failures\": 0", "{\"cause\": \"oom\"}",
	    "failed", "MemoryError", 6 },
	{ "a result that is no JSON", IMSG_RUN_DONE, "\"failures\": 0",
	    "{\"result\": nan}", "failed", "JailError", 9 },
	{ "a result that is no object", IMSG_RUN_DONE, "\"failures\": 0",
	    "[]", "failed", "JailError", 9 },
	{ "a jail out of memory", IMSG_RUN_JAIL_GONE,
	    "\"cause\": \"oom\", \"ours\": false, \"cpu_ms\": 1, \"peak\": 1",
	    NULL, "failed", "JailError", 6 },
	{ "a jail that could not be made", IMSG_RUN_JAIL_GONE,
	    "\"cause\": \"failed cgroup: full\", \"ours\": false, "
	    "\"cpu_ms\": 0, \"peak\": 0", NULL, "failed", "InternalError",
	    11 },
};

/* show says why a run has failed, and of others null. */
static int
is_shown(struct fake *f, const char *run, const char *class)
{
	const json_t	*error;
	struct got	*g;

	fake_say(f, IMSG_RUN_QUERY, 5, NULL, "{\"what\": \"show\", "
	    "\"run\": \"%s\", \"uid\": 1000, \"all\": false}", run);
	g = fake_wait(f, IMSG_ANSWER);
	error = g == NULL ? NULL : body_get(g, "error");
	if (class == NULL)
		return (json_is_null(error));
	return (json_is_string(json_object_get(error, "class")) &&
	    strcmp(json_string_value(json_object_get(error, "class")),
	    class) == 0 && json_is_string(json_object_get(error,
	    "message")) && json_object_get(error, "line") != NULL &&
	    json_object_get(error, "traceback") == NULL);
}

static void
test_end_of(struct fake *f, size_t i)
{
	struct got	*g;
	char		 run[32];
	int		 ok;

	(void)snprintf(run, sizeof(run), "%s", fake_run(f, "1"));
	fake_jail(f, run);
	fake_say(f, ends[i].type, 0, ends[i].body, "{\"run\": \"%s\", %s}",
	    run, ends[i].env);
	g = fake_wait(f, IMSG_RUN_END);
	ok = g != NULL && got_int(g, "exit") == ends[i].exit &&
	    strcmp(got_str(g, "state"), ends[i].state) == 0;
	g = ask_result(f, run, 1000);
	ok = ok && g != NULL && (ends[i].class == NULL ?
	    json_is_null(body_get(g, "error")) :
	    strcmp(json_string_value(json_object_get(body_get(g, "error"),
	    "class")), ends[i].class) == 0);
	ok = ok && is_shown(f, run, ends[i].class);
	test_case(ok, "%s: %s, exit %d", ends[i].what, ends[i].state,
	    ends[i].exit);
}

static void
test_ends(void)
{
	struct fake	*f = fake_new(NULL);
	size_t		 i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		test_end_of(f, i);
	fake_free(f);
}

static void
test_lost_jail(void)
{
	struct fake	*f = fake_new(NULL);
	const char	*run = fake_run(f, "1");

	(void)fake_wait(f, IMSG_RUN_START);
	fake_say(f, IMSG_RUN_JAIL_GONE, 0, NULL, "{\"run\": \"%s\", "
	    "\"cause\": \"restart\", \"ours\": true, \"cpu_ms\": 0, "
	    "\"peak\": 0}", run);
	test_case(fake_wait(f, IMSG_RUN_START) != NULL,
	    "a jail that was lost through our fault: the run starts again");
	fake_say(f, IMSG_RUN_WAIT, 0, NULL,
	    "{\"run\": \"%s\", \"on\": \"the workspace /src\"}", run);
	fake_say(f, IMSG_RUN_QUERY, 3, NULL, "{\"what\": \"show\", "
	    "\"run\": \"%s\", \"uid\": 1000, \"all\": false}", run);
	test_case(strcmp(body_str(fake_wait(f, IMSG_ANSWER), "waiting"),
	    "the workspace /src") == 0, "show says what a run waits for");
	test_case(run_restart_delay(0) == 0 && run_restart_delay(1) == 100 &&
	    run_restart_delay(3) == 400 && run_restart_delay(1000) == 30000,
	    "each further lost jail is waited for twice as long");
	fake_free(f);
}

static void
test_owner(void)
{
	struct fake	*f = fake_new(NULL);
	const char	*run = fake_run(f, "1");
	struct got	*g;

	fake_say(f, IMSG_RUN_CANCEL, 4, NULL,
	    "{\"run\": \"%s\", \"uid\": 1001, \"all\": false}", run);
	g = fake_wait(f, IMSG_REFUSED);
	test_case(g != NULL && got_int(g, "exit") == 2 && g->id == 4,
	    "another user's run can't be cancelled");
	test_case(ask_result(f, run, 1001) == NULL &&
	    fake_wait(f, IMSG_REFUSED) != NULL, "nor its result be read");
	fake_say(f, IMSG_RUN_FOLLOW, 5, NULL, "{\"run\": \"%s\", "
	    "\"after\": 0, \"live\": true, \"uid\": 1001, \"all\": false}",
	    run);
	test_case(fake_wait(f, IMSG_REFUSED) != NULL, "nor be followed");
	fake_say(f, IMSG_RUN_QUERY, 5, NULL,
	    "{\"what\": \"list\", \"uid\": 1001, \"all\": false}");
	g = fake_wait(f, IMSG_ANSWER);
	test_case(g != NULL && json_array_size(body_get(g, "runs")) == 0,
	    "nor is it listed");
	fake_say(f, IMSG_RUN_QUERY, 5, NULL,
	    "{\"what\": \"list\", \"uid\": 1001, \"all\": true}");
	g = fake_wait(f, IMSG_ANSWER);
	test_case(g != NULL && json_array_size(body_get(g, "runs")) == 1,
	    "except by who may see all");
	fake_say(f, IMSG_RUN_CANCEL, 4, NULL,
	    "{\"run\": \"%s\", \"uid\": 1000, \"all\": false}", run);
	test_case(fake_wait(f, IMSG_OK) != NULL, "its owner may cancel it");
	g = fake_wait(f, IMSG_RUN_END);
	test_case(g != NULL && got_int(g, "exit") == 4,
	    "a cancelled run ends with exit 4");
	fake_free(f);
}

static void
test_follow(void)
{
	struct fake	*f = fake_new(NULL);
	const char	*run = fake_run(f, "1");
	struct got	*g;
	int		 i;

	fake_jail(f, run);
	for (i = 0; i < 200; i++)
		fake_say(f, IMSG_RUN_EVENT_ADD, 0, "{\"message\": \"m\"}",
		    "{\"run\": \"%s\", \"kind\": \"log\", \"n\": %d}", run,
		    i);
	fake_say(f, IMSG_RUN_EVENT_ADD, 0, "{\"message\": \"again\"}",
	    "{\"run\": \"%s\", \"kind\": \"log\", \"n\": 7}", run);
	fake_say(f, IMSG_RUN_FOLLOW, 6, NULL, "{\"run\": \"%s\", "
	    "\"after\": 2, \"live\": true, \"uid\": 1000, \"all\": false}",
	    run);
	fake_turn(f, 60);
	test_case(fake_count(f, IMSG_EVENT) == 200,
	    "a follower gets every event once, replayed ones not again");
	g = fake_wait(f, IMSG_EVENT);
	test_case(g != NULL && got_int(g, "seq") == 3 && g->id == 6,
	    "from the number it asked for");
	fake_clear(f);
	fake_say(f, IMSG_RUN_EVENT_ADD, 0, "{\"title\": \"t\"}",
	    "{\"run\": \"%s\", \"kind\": \"phase\", \"n\": 200}", run);
	g = fake_wait(f, IMSG_EVENT);
	test_case(g != NULL && got_int(g, "seq") == 203 &&
	    strcmp(got_str(g, "kind"), "phase") == 0,
	    "then each as it happens");
	say_done(f, run, "{\"result\": 5, \"failures\": []}", 0);
	g = fake_wait(f, IMSG_FOLLOW_END);
	test_case(g != NULL && got_int(g, "ended") == 1 &&
	    json_integer_value(body_get(g, "result")) == 5,
	    "and at the end the result");
	fake_say(f, IMSG_RUN_FOLLOW, 8, NULL, "{\"run\": \"%s\", "
	    "\"after\": 0, \"live\": false, \"uid\": 1000, \"all\": false}",
	    run);
	g = fake_wait(f, IMSG_FOLLOW_END);
	test_case(g != NULL && g->id == 8 &&
	    fake_count(f, IMSG_EVENT) == 205,
	    "an ended run can be followed from its beginning");
	fake_free(f);
}

static void
test_limits(void)
{
	struct fake	*f = fake_new(NULL);
	const char	*run = fake_run(f, "1");
	static char	 line[900 * 1024];
	int		 i;

	memset(line, 'x', sizeof(line) - 1);
	memcpy(line, "{\"m\":\"", 6);
	memcpy(line + sizeof(line) - 3, "\"}", 2);
	fake_say(f, IMSG_RUN_FOLLOW, 6, NULL, "{\"run\": \"%s\", "
	    "\"after\": 2, \"live\": true, \"uid\": 1000, \"all\": false}",
	    run);
	fake_turn(f, 0);
	for (i = 0; i < 25; i++) {
		fake_say(f, IMSG_RUN_EVENT_ADD, 0, line, "{\"run\": \"%s\", "
		    "\"kind\": \"log\", \"n\": %d}", run, i);
		fake_turn(f, 0);
	}
	fake_turn(f, 100);
	test_case(fake_count(f, IMSG_EVENT) == 19,
	    "of what a script says, 16 MiB are kept, and that it was more");
	run_grow(run_find(&f->keeper, run), f->keeper.share + 1);
	fake_say(f, IMSG_NODE_BEGIN, 0, "{}", "{\"run\": \"%s\", "
	    "\"path\": \"/a\", \"kind\": \"sleep\", \"digest\": \"%s\"}",
	    run, DIGEST_A);
	test_case(got_int(fake_wait(f, IMSG_RUN_END), "exit") == 6,
	    "a run whose journal is full ends with exit 6");
	fake_free(f);
}

/* None of three runs has too much, but all together have. */
static void
test_user_bytes(void)
{
	struct fake	*f = fake_new(NULL);
	const char	*run = NULL;
	int64_t		 bytes;
	int		 i;

	for (i = 0; i < 3; i++) {
		run = fake_run(f, "1");
		run_grow(run_find(&f->keeper, run), f->keeper.share / 5 * 4);
	}
	bytes = f->keeper.bytes / 3;
	fake_say(f, IMSG_NODE_BEGIN, 0, "{}", "{\"run\": \"%s\", "
	    "\"path\": \"/a\", \"kind\": \"sleep\", \"digest\": \"%s\"}",
	    run, DIGEST_A);
	test_case(got_int(fake_wait(f, IMSG_RUN_END), "exit") == 6,
	    "a run of a user whose runs' journal is full ends with exit 6");
	test_case(f->keeper.bytes == 2 * bytes,
	    "and gives up its part of it");
	fake_free(f);
}

static void
test_timers(void)
{
	struct fake	*f = fake_new(NULL);
	const char	*run = fake_run(f, "1");
	struct got	*g;

	fake_say(f, IMSG_NODE_BEGIN, 0, "{\"seconds\": 1000}",
	    "{\"run\": \"%s\", \"path\": \"/s\", \"kind\": \"sleep\", "
	    "\"digest\": \"%s\"}", run, DIGEST_A);
	g = ask_result(f, run, 1000);
	test_case(g != NULL && strcmp(body_str(g, "state"), "waiting") == 0,
	    "a run that only sleeps is waiting");
	fake_free(f);
}

/* Messages for runs that are not there, and answers to no question. */
static void
test_strays(void)
{
	struct fake	*f = fake_new(NULL);
	const char	*no = "0000000000000000";

	fake_jail(f, no);
	say_done(f, no, "{}", 0);
	fake_say(f, IMSG_TOOL_DONE, 77, "1",
	    "{\"run\": \"%s\", \"ok\": true}", no);
	fake_say(f, IMSG_RUN_UNFOLLOW, 77, NULL, "{}");
	fake_say(f, IMSG_NODE_DROP, 0, NULL,
	    "{\"run\": \"%s\", \"path\": \"/a\"}", no);
	fake_turn(f, 10);
	test_case(!f->gone && fake_run(f, "1") != NULL,
	    "messages for runs that have gone are no fault");
	test_case(send(peer_fd(f->peer), "garbage", 7, 0) == 7 &&
	    (fake_turn(f, 10), f->gone), "garbage: the broker is dropped");
	fake_new_broker(f);
	test_case(fake_wait(f, IMSG_RUN_START) != NULL,
	    "a new broker is asked to start what has not ended");
	fake_free(f);
}

int
main(void)
{
	test_left_out();
	test_computing();
	test_refused();
	test_user_full();
	test_queue();
	test_ends();
	test_lost_jail();
	test_owner();
	test_follow();
	test_limits();
	test_user_bytes();
	test_timers();
	test_strays();
	return (test_end());
}
