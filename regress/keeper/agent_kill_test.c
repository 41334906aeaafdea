/*
 * The keeper is killed while an agent works: what it does when it is back.
 */
#include <stdlib.h>
#include <string.h>

#include "fake_agent.h"

/* Waits for the back-off of one failure, two seconds at the most. */
static void
test_retry(void)
{
	struct play	 p;
	json_t		*body = NULL;
	uint32_t	 id;

	begin(&p);
	ask(&p, "{'prompt':'x'}");
	id = model_call(&p, NULL);
	say_fail(&p, id, "rate_limit");
	fake_turn(p.f, 50);
	test_case(phase(&p) == JOURNAL_BEFORE_PROVIDER &&
	    fake_count(p.f, IMSG_MODEL_CALL) == 0,
	    "after a transient failure it waits, and the slot says so");
	restart(&p);
	ask(&p, "{'prompt':'x'}");
	fake_turn(p.f, 300);
	test_case(fake_count(p.f, IMSG_MODEL_CALL) == 0 &&
	    row(&p).attempt == 2, "killed while waiting, it waits on");
	fake_turn(p.f, 1500);
	id = model_call(&p, &body);
	test_case(id != 0 && count(body, "messages") == 2,
	    "and then tries again");
	say_text(&p, id, "there");
	test_case(ends_with(&p, "'there'"), "with success");
	json_decref(body);
	end(&p);
}

static void
test_kill_model(void)
{
	struct play	 p;
	json_t		*body = NULL;
	uint32_t	 id;

	begin(&p);
	ask(&p, "{'prompt':'x'}");
	(void)model_call(&p, NULL);
	restart(&p);
	id = model_call(&p, &body);
	test_case(id != 0 && count(body, "messages") == 2 &&
	    row(&p).attempt == 2, "killed while the model answers: it is "
	    "asked again, in a new attempt");
	ask(&p, "{'prompt':'x'}");
	say_text(&p, id, "yes");
	test_case(ends_with(&p, "'yes'"), "and its answer is the node's");
	json_decref(body);
	end(&p);
}

/* In the replay the script withdraws the question before it is asked. */
static void
test_kill_dropped(void)
{
	struct play	 p;
	uint32_t	 id;
	struct got	*g;

	begin(&p);
	ask(&p, "{'prompt':'x'}");
	(void)model_call(&p, NULL);
	restart(&p);
	id = model_call(&p, NULL);
	fake_say(p.f, IMSG_NODE_DROP, 0, NULL,
	    "{\"run\": \"%s\", \"path\": \"" AGENT "\"}", p.run);
	g = fake_wait(p.f, IMSG_MODEL_CANCEL);
	test_case(g != NULL && g->id == id && row(&p).status ==
	    STATUS_SETTLED, "killed, taken up, and withdrawn before it is "
	    "asked for again: it is cancelled");
	fake_turn(p.f, 10);
	test_case(fake_count(p.f, IMSG_NODE_DONE) == 0 &&
	    fake_count(p.f, IMSG_MODEL_CALL) == 0, "and nobody is told");
	fake_say(p.f, IMSG_MODEL_FAIL, id, NULL, "{\"run\": \"%s\", "
	    "\"class\": \"cancelled\", \"message\": \"\", \"status\": 0, "
	    "\"after\": 0, \"tokens_in\": 30, \"tokens_out\": 4}", p.run);
	fake_turn(p.f, 10);
	test_case(store_int(p.f->keeper.store, 0, "SELECT tokens_in * 100 +"
	    " tokens_out FROM runs", "") == 3004,
	    "what it has cost by then is the run's to pay");
	end(&p);
}

static void
test_kill_stream(void)
{
	struct play	 p;
	json_t		*body = NULL;
	uint32_t	 id;

	begin(&p);
	ask(&p, "{'prompt':'x'}");
	id = model_call(&p, NULL);
	say_delta(&p, id, "Once upon ");
	fake_turn(p.f, 3200);
	say_delta(&p, id, "lost");
	fake_turn(p.f, 20);
	restart(&p);
	id = model_call(&p, &body);
	test_case(id != 0 && count(body, "messages") == 4 &&
	    strcmp(content(body, 2), "Once upon ") == 0 &&
	    strcmp(role(body, 3), "user") == 0,
	    "killed after text was kept: the model goes on from there");
	ask(&p, "{'prompt':'x'}");
	say_text(&p, id, "a time");
	test_case(ends_with(&p, "'Once upon a time'"),
	    "and the value is the whole text");
	json_decref(body);
	end(&p);
}

static void
test_kill_tools(void)
{
	struct play	 p;
	json_t		*body = NULL;
	uint32_t	 id, first;

	begin(&p);
	ask(&p, "{'prompt':'x'}");
	id = model_call(&p, NULL);
	say_calls(&p, id, READ("a", "a.c") "," BASH("b") ","
	    READ("c", "c.c") "," BASH("d"));
	first = tool_call(&p, "read");
	(void)tool_call(&p, "bash");
	(void)tool_call(&p, "read");
	id = tool_call(&p, "bash");
	say_tool(&p, first, 1, "'aaa'");
	say_tool(&p, id, 1, "{'exit':0,'stdout':'ok','stderr':''}");
	fake_turn(p.f, 20);
	restart(&p);
	id = tool_call(&p, "read");
	test_case(id != 0 && fake_count(p.f, IMSG_TOOL_CALL) == 0,
	    "killed with two of four done: only the other read runs again");
	ask(&p, "{'prompt':'x'}");
	say_tool(&p, id, 1, "'ccc'");
	id = model_call(&p, &body);
	test_case(id != 0 && count(body, "messages") == 7 &&
	    strcmp(content(body, 3), "aaa") == 0 &&
	    strstr(content(body, 4), "unknown") != NULL &&
	    strcmp(content(body, 5), "ccc") == 0 &&
	    strcmp(content(body, 6), "ok") == 0,
	    "what was recorded is kept, of the other bash the outcome is "
	    "unknown");
	restart(&p);
	json_decref(body);
	body = NULL;
	id = model_call(&p, &body);
	test_case(id != 0 && count(body, "messages") == 7 &&
	    fake_count(p.f, IMSG_TOOL_CALL) == 0,
	    "killed after that: the batch stands");
	ask(&p, "{'prompt':'x'}");
	say_text(&p, id, "end");
	test_case(ends_with(&p, "'end'"), "and it comes to its end");
	json_decref(body);
	end(&p);
}

/* Each start is an attempt, and there are ten. */
static void
test_kill_often(void)
{
	struct play	p;
	uint32_t	id = 0;
	int		i;

	begin(&p);
	ask(&p, "{'prompt':'x'}");
	id = model_call(&p, NULL);
	for (i = 1; i < 10 && id != 0; i++) {
		restart(&p);
		id = model_call(&p, NULL);
	}
	test_case(id != 0 && row(&p).attempt == 10, "nine kills are borne");
	restart(&p);
	ask(&p, "{'prompt':'x'}");
	test_case(fails_with(&p, "AgentError", "attempts"),
	    "the tenth is one too many");
	end(&p);
}

/* ---- every window in which a kill can fall ---- */

#define ENTRY								\
    "INSERT INTO entries (num, submission, parent, kind, key, at, body)"\
    " VALUES (2, 1, 1, 1, 'a1', 0, "
#define FINAL								\
    ENTRY "'{\"stop\": \"stop\", \"content\": \"fin\"}')",		\
    "UPDATE submissions SET leaf = 2"
#define REFUSED								\
    ENTRY "'{\"stop\": \"error\", \"error\": {\"class\": \"auth\","	\
    " \"message\": \"no\"}}')",						\
    "UPDATE submissions SET leaf = 2"
#define SEGMENT								\
    "INSERT INTO segments (submission, stream, n, text)"		\
    " VALUES (1, '1:1:1', 0, 'Once ')"
#define OUTCOME(call)							\
    "INSERT INTO outcomes (submission, entry, call, attempt, at, ok,"	\
    " ends, body) VALUES (1, 2, " call ", 1, 0, 1, 0, '\"kept\"')"

/* What the store looks like when the keeper is back, and what then happens:
 * so many messages in the next model call, or 0 and the node's end. */
static const struct {
	const char	*what;
	int		 in_tools;	/* the model has asked for tools */
	const char	*sql[4];
	const char	*tool;		/* is run again */
	size_t		 messages;
	const char	*value, *class, *cause;
} windows[] = {
	{ "claimed, input not saved: from the start", 0,
	    { "UPDATE submissions SET leaf = NULL, applied = NULL",
	    "DELETE FROM journal", "DELETE FROM entries" }, NULL, 2,
	    NULL, NULL, NULL },
	{ "input saved, not marked: the transcript is the truth", 0,
	    { "UPDATE submissions SET applied = NULL",
	    "DELETE FROM journal" }, NULL, 2, NULL, NULL, NULL },
	{ "before_provider: the call is made", 0,
	    { "UPDATE journal SET phase = 1, stream_key = NULL" }, NULL, 2,
	    NULL, NULL, NULL },
	{ "provider_started, nothing kept: the call is made again", 0,
	    { NULL }, NULL, 2, NULL, NULL, NULL },
	{ "text kept: it is gone on with", 0, { SEGMENT }, NULL, 4,
	    NULL, NULL, NULL },
	{ "text kept, but used before: not twice", 0, { SEGMENT,
	    "UPDATE journal SET stream_consumed = 1" }, NULL, 2,
	    NULL, NULL, NULL },
	{ "text kept, but the leaf is newer: not used", 0, { SEGMENT,
	    "UPDATE journal SET checkpoint_leaf = 0" }, NULL, 2,
	    NULL, NULL, NULL },
	{ "calls saved, phase not advanced: repaired", 1,
	    { "UPDATE journal SET phase = 2, tool_request = NULL" }, "read",
	    5, NULL, NULL, NULL },
	{ "tools running, nothing recorded: repaired", 1, { NULL }, "read", 5,
	    NULL, NULL, NULL },
	{ "one outcome recorded: kept", 1, { OUTCOME("0") }, NULL, 5,
	    NULL, NULL, NULL },
	{ "all outcomes recorded, phase stale: on to the model", 1,
	    { OUTCOME("0"), OUTCOME("1") }, NULL, 5, NULL, NULL, NULL },
	{ "final entry saved, not committed: success", 0, { FINAL }, NULL, 0,
	    "'fin'", NULL, NULL },
	{ "committed, not settled: success", 0, { FINAL, "UPDATE journal "
	    "SET phase = 4, committed_leaf = 2" }, NULL, 0,
	    "'fin'", NULL, NULL },
	{ "final entry saved, out of attempts and time: success", 0,
	    { FINAL, "UPDATE submissions SET attempt = 10, deadline = 1" },
	    NULL, 0, "'fin'", NULL, NULL },
	{ "refused for good, not settled: failure", 0, { REFUSED }, NULL, 0,
	    NULL, "AgentError", "provider" },
	{ "its end asked for, not seen: ended before the model is asked", 0,
	    { "UPDATE submissions SET abort_requested = 1" }, NULL, 0,
	    NULL, "CancelledError", "cancelled" },
	{ "time over meanwhile: failure", 0,
	    { "UPDATE submissions SET deadline = 1" }, NULL, 0,
	    NULL, "AgentError", "timeout" },
	{ "its own timeout over meanwhile: failure", 0,
	    { "UPDATE submissions SET due = 1" }, NULL, 0,
	    NULL, "AgentError", "timeout" },
};

static void
window_open(struct play *p, size_t i)
{
	struct store	*s;
	uint32_t	 id;
	size_t		 n;

	begin(p);
	s = p->f->keeper.store;
	ask(p, "{'prompt':'x'}");
	id = model_call(p, NULL);
	if (windows[i].in_tools) {
		say_calls(p, id, READ("a", "a.c") "," BASH("b"));
		(void)tool_call(p, "read");
		(void)tool_call(p, "bash");
	}
	for (n = 0; n < 4 && windows[i].sql[n] != NULL; n++)
		(void)store_run(s, windows[i].sql[n], "");
	store_commit(s);
	restart(p);
	ask(p, "{'prompt':'x'}");
}

/* Runs what is asked for again; how many messages the model then gets. */
static size_t
window_goes_on(struct play *p, const char *tool)
{
	json_t		*body = NULL;
	uint32_t	 id;
	size_t		 n = 0;

	if (tool != NULL) {
		id = tool_call(p, tool);
		say_tool(p, id, 1, "'again'");
	}
	if (model_call(p, &body) != 0)
		n = count(body, "messages");
	json_decref(body);
	return (n);
}

static void
test_windows(void)
{
	struct play	p;
	size_t		i;
	int		good;

	for (i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		window_open(&p, i);
		if (windows[i].messages > 0)
			good = window_goes_on(&p, windows[i].tool) ==
			    windows[i].messages && row(&p).attempt == 2;
		else if (windows[i].value != NULL)
			good = ends_with(&p, windows[i].value);
		else
			good = fails_with(&p, windows[i].class,
			    windows[i].cause);
		test_case(good && fake_count(p.f, IMSG_TOOL_CALL) == 0 &&
		    fake_count(p.f, IMSG_MODEL_CALL) == 0, "killed: %s",
		    windows[i].what);
		end(&p);
	}
}

int
main(void)
{
	test_retry();
	test_kill_model();
	test_kill_dropped();
	test_kill_stream();
	test_kill_tools();
	test_kill_often();
	test_windows();
	return (test_end());
}
