/*
 * What a run takes in the journal is counted, all of it and no more, and has
 * an end; what is refused for being long is not in it.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "fake_agent.h"
#include "fake_node.h"
#include "quota.h"

/* ---- exactly ---- */

/* The bytes of all texts in a table's rows, and how many rows there are. */
static int64_t
texts_of(struct store *st, const char *table, int64_t *rows)
{
	sqlite3_stmt	*stmt;
	char		 sql[1024];
	int64_t		 bytes = 0;
	int		 i;

	(void)snprintf(sql, sizeof(sql), "SELECT * FROM %s", table);
	if (sqlite3_prepare_v2(store_db(st), sql, -1, &stmt, NULL) !=
	    SQLITE_OK)
		errx(1, "%s", sql);
	for (*rows = 0; sqlite3_step(stmt) == SQLITE_ROW; ++*rows)
		for (i = 0; i < sqlite3_column_count(stmt); i++)
			if (sqlite3_column_type(stmt, i) == SQLITE_TEXT)
				bytes += sqlite3_column_bytes(stmt, i);
	(void)sqlite3_finalize(stmt);
	return (bytes);
}

/* What a row may be counted for beyond its texts. */
#define ROW_MOST	1024

/* Are these bytes the texts that the store has, and some for each row? */
static int
is_stored(struct store *st, int64_t counted)
{
	static const char *const	tables[] = { "runs", "nodes",
	    "events", "submissions", "entries", "outcomes", "journal" };
	int64_t				bytes = 0, all = 0, rows;
	size_t				i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		bytes += texts_of(st, tables[i], &rows);
		all += rows;
	}
	return (counted >= bytes && counted <= bytes + all * ROW_MOST);
}

/* Is the run that there is counted as the store says? */
static int
is_exact(struct fake *f)
{
	const struct run	*run = RB_MIN(run_tree, &f->keeper.runs);

	return (run != NULL && f->keeper.bytes == run->bytes &&
	    run->bytes == store_int(f->keeper.store, 0, store_weigh, "i",
	    run->num) && is_stored(f->keeper.store, run->bytes));
}

/* Has the last ended run been? */
static int
was_exact(struct fake *f)
{
	struct store	*st = f->keeper.store;
	int64_t		 num, bytes;

	num = store_int(st, 0, "SELECT max(num) FROM ended", "");
	bytes = store_int(st, 0, "SELECT bytes FROM ended WHERE num = ?",
	    "i", num);
	return (f->keeper.bytes == 0 && bytes == f->keeper.ended_bytes &&
	    bytes == store_int(st, 0, store_weigh, "i", num) &&
	    is_stored(st, bytes));
}

static void
test_exact_agent(void)
{
	struct play	 p;
	char		 text[3000];
	uint32_t	 id;

	begin(&p);
	test_case(is_exact(p.f), "a run that has begun is counted");
	ask(&p, "{'prompt':'Gr\xc3\xbc\xc3\x9f' ,'retries':1,"
	    "'schema':{'type':'object'}}");
	id = model_call(&p, NULL);
	test_case(is_exact(p.f), "an agent's prompt is, twice as it is there");
	say_calls(&p, id, READ("x", "a.c") "," BASH("y"));
	memset(text, 'z', sizeof(text) - 1);
	text[0] = text[sizeof(text) - 2] = '\'';
	text[sizeof(text) - 1] = '\0';
	say_tool(&p, tool_call(&p, "read"), 1, text);
	say_tool(&p, tool_call(&p, "bash"), 1,
	    "{'exit':0,'stdout':'','stderr':''}");
	id = model_call(&p, NULL);
	test_case(is_exact(p.f), "so are calls, outcomes and what is told of "
	    "them");
	restart(&p);
	test_case(is_exact(p.f), "and after a restart");
	ask(&p, "{'prompt':'Gr\xc3\xbc\xc3\x9f' ,'retries':1,"
	    "'schema':{'type':'object'}}");
	id = model_call(&p, NULL);
	say_calls(&p, id, "{'id':'f','name':'finish','arguments':{}}");
	(void)fake_wait(p.f, IMSG_NODE_DONE);
	test_case(is_exact(p.f), "and the answer");
	fake_say(p.f, IMSG_RUN_DONE, 0, "{\"result\": [1], \"failures\": []}",
	    "{\"run\": \"%s\", \"failures\": 0}", p.run);
	(void)fake_wait(p.f, IMSG_RUN_END);
	test_case(was_exact(p.f), "and all of it when the run has ended");
	end(&p);
}

static void
test_exact_node(void)
{
	char		 run[32], path[1024 + 1];
	struct fake	*f = fake_begun(run);
	struct got	*g;

	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	fake_say(f, IMSG_NODE_BEGIN, 0, READ_INPUT, "{\"run\": \"%s\", "
	    "\"path\": \"%s\", \"kind\": \"tool\", \"digest\": \"%s\", "
	    "\"tool\": \"read\", \"label\": \"l\xc3\xa4ngs\", \"phase\": "
	    "\"one\"}", run, path, DIGEST_A);
	if ((g = fake_wait(f, IMSG_TOOL_CALL)) == NULL)
		errx(1, "no call");
	test_case(is_exact(f), "a tool's call is counted, with a long path");
	fake_tool_done(f, run, g->id, "true", "\"abc\"");
	(void)fake_wait(f, IMSG_NODE_DONE);
	test_case(is_exact(f), "and what came of it");
	fake_say(f, IMSG_RUN_EVENT_ADD, 0, "{\"message\": \"hello\"}",
	    "{\"run\": \"%s\", \"kind\": \"log\", \"n\": 0}", run);
	fake_turn(f, 10);
	test_case(is_exact(f), "and what the script says");
	fake_free(f);
}

/* ---- an end ---- */

static void
test_run_share(void)
{
	char		 run[32];
	struct fake	*f = fake_begun(run);
	struct got	*g;

	f->keeper.share = RB_MIN(run_tree, &f->keeper.runs)->bytes + 100;
	fake_tool(f, run, "/tool#0", READ_INPUT);
	test_case(fake_wait(f, IMSG_TOOL_CALL) != NULL,
	    "a run that has less than its share may ask");
	fake_tool(f, run, "/tool#1", READ_INPUT);
	g = fake_wait(f, IMSG_RUN_END);
	test_case(g != NULL && got_int(g, "exit") == 6,
	    "one that has more ends with exit 6");
	fake_free(f);
}

static void
test_agent_share(void)
{
	struct play	 p;
	uint32_t	 id;

	begin(&p);
	ask(&p, "{'prompt':'Go on.','retries':3}");
	id = model_call(&p, NULL);
	p.f->keeper.share = RB_MIN(run_tree, &p.f->keeper.runs)->bytes;
	say_calls(&p, id, READ("x", "a.c"));
	say_tool(&p, tool_call(&p, "read"), 1, "'text'");
	test_case(fails_with(&p, "BudgetError", "journal"),
	    "an agent can't go on without end, either");
	end(&p);
}

/* Submit a script of so many bytes; what is said of it. */
static struct got *
submit(struct fake *f, int uid, size_t bytes, uint32_t type)
{
	char	*body;

	if ((body = malloc(bytes + 64)) == NULL)
		err(1, "malloc");
	(void)sprintf(body, "{\"args\":\"");
	memset(body + 9, 'a', bytes);
	(void)strcpy(body + 9 + bytes, "\",\"source\":\"1\"}");
	fake_say(f, IMSG_RUN_ADD, 7, body, "{\"uid\": %d, \"gid\": 1000, "
	    "\"profile\": \"users\", \"tokens\": 0}", uid);
	free(body);
	return (fake_wait(f, type));
}

static void
test_submit(void)
{
	struct fake	*f = fake_new("{\"runs\": 1}");
	struct got	*g;

	f->keeper.share = 100000;
	test_case(submit(f, 1001, 90000, IMSG_RUN_ADDED) != NULL &&
	    submit(f, 1001, 90000, IMSG_RUN_ADDED) != NULL,
	    "what waits to begin may have its share");
	g = submit(f, 1001, 90000, IMSG_REFUSED);
	test_case(g != NULL && strstr(got_str(g, "message"), "uid 1001") !=
	    NULL, "more of the same user is refused");
	test_case(submit(f, 1002, 90000, IMSG_RUN_ADDED) != NULL,
	    "another user's is not");
	g = submit(f, 1003, 100000, IMSG_REFUSED);
	test_case(g != NULL && strstr(got_str(g, "message"),
	    "more than the journal takes of a run: 100000") != NULL,
	    "one that would have more than its share at once is refused");
	fake_free(f);
}

/* ---- what is refused ---- */

#define LONG	(3 * 1024 * 1024)

/* %s of input is a long text. */
static const struct {
	const char	*what, *kind, *words, *input, *class, *cause;
	size_t		 len;
} refused[] = {
	{ "an agent's prompt", "agent", "", "{\"prompt\":\"%s\"}",
	    "AgentError", "overflow", LONG },
	{ "a prompt that is too long with what comes with it", "agent", "",
	    "{\"prompt\":\"%s\"}", "AgentError", "overflow",
	    CONVERSATION_MAX - 64 },
	{ "an agent's label", "agent", "",
	    "{\"prompt\":\"p\",\"label\":\"%s\"}", "AgentError", "overflow",
	    LONG },
	{ "an agent that is no such", "agent", ",\"model\":\"none\"",
	    "{\"prompt\":\"%s\",\"model\":\"none\"}", "AgentError", "input",
	    100000 },
	{ "a call of no tool", "tool", ",\"tool\":\"nope\"",
	    "{\"name\":\"nope\",\"input\":{\"content\":\"%s\"}}",
	    "ToolError", "input", LONG },
	{ "a command", "tool", ",\"tool\":\"bash\"",
	    "{\"name\":\"bash\",\"input\":{\"command\":\"%s\"}}",
	    "ToolError", "input", LONG },
	{ "a call that is denied", "tool",
	    ",\"tool\":\"write\",\"denied\":\"no\"",
	    "{\"name\":\"write\",\"input\":{\"path\":\"a\",\"content\":"
	    "\"%s\"}}", "ScopeError", "denied", LONG },
	{ "a sleep", "sleep", "", "{\"seconds\":0,\"for\":\"%s\"}",
	    "NodeError", "input", LONG },
};

static char *
with_text(const char *input, size_t len)
{
	char	*text, *body;

	if ((text = malloc(len + 1)) == NULL)
		err(1, "malloc");
	memset(text, 'x', len);
	text[len] = '\0';
	if (asprintf(&body, input, text) == -1)
		err(1, "asprintf");
	free(text);
	return (body);
}

static void
test_refused(void)
{
	struct play	 p;
	struct got	*g;
	char		*body;
	int64_t		 before, after;
	size_t		 i;

	begin(&p);
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		body = with_text(refused[i].input, refused[i].len);
		before = p.f->keeper.bytes;
		fake_say(p.f, IMSG_NODE_BEGIN, 0, body, "{\"run\": \"%s\", "
		    "\"path\": \"/r#%zu\", \"kind\": \"%s\", \"digest\": "
		    "\"%s\"%s}", p.run, i, refused[i].kind, DIGEST_A,
		    refused[i].words);
		g = fake_wait(p.f, IMSG_NODE_DONE);
		after = p.f->keeper.bytes;
		test_case(g != NULL && strcmp(body_str(g, "class"),
		    refused[i].class) == 0 && strcmp(body_str(g, "cause"),
		    refused[i].cause) == 0 && after - before < 4096 &&
		    is_exact(p.f), "%s of %zu bytes is refused, and not in "
		    "the journal", refused[i].what, strlen(body));
		free(body);
	}
	restart(&p);
	body = with_text(refused[0].input, LONG);
	fake_say(p.f, IMSG_NODE_BEGIN, 0, body, "{\"run\": \"%s\", "
	    "\"path\": \"/r#0\", \"kind\": \"agent\", \"digest\": \"%s\"}",
	    p.run, DIGEST_A);
	g = fake_wait(p.f, IMSG_NODE_DONE);
	test_case(g != NULL && strcmp(body_str(g, "cause"), "overflow") == 0,
	    "a replay is told the same");
	free(body);
	end(&p);
}

static void
test_taken(void)
{
	char		 run[32], *body;
	struct fake	*f = fake_begun(run);
	int64_t		 before = f->keeper.bytes;

	body = with_text("{\"name\":\"write\",\"input\":{\"path\":\"a\","
	    "\"content\":\"%s\"}}", LONG);
	fake_tool(f, run, "/tool#0", body);
	test_case(fake_wait(f, IMSG_TOOL_CALL) != NULL && is_exact(f) &&
	    f->keeper.bytes > before + LONG,
	    "what is long and right is recorded, and counted once");
	free(body);
	fake_free(f);
}

int
main(void)
{
	test_exact_agent();
	test_exact_node();
	test_run_share();
	test_agent_share();
	test_submit();
	test_refused();
	test_taken();
	return (test_end());
}
