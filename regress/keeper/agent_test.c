/*
 * The turn loop: a real keeper and store, and a test that plays the broker,
 * the model and the tools.
 */
#include <stdlib.h>
#include <string.h>

#include "fake_agent.h"

/* ---- text and tools ---- */

static void
test_text(void)
{
	struct play	 p;
	json_t		*body = NULL;
	uint32_t	 id;

	begin(&p);
	ask(&p, "{'prompt':'Say hello.'}");
	id = model_call(&p, &body);
	test_case(id != 0 && count(body, "messages") == 2 &&
	    strcmp(role(body, 0), "system") == 0 &&
	    strcmp(role(body, 1), "user") == 0 &&
	    strcmp(content(body, 1), "Say hello.") == 0 &&
	    count(body, "tools") == 6 && json_integer_value(json_object_get(
	    body, "max_tokens")) == 1000,
	    "the model gets instructions, prompt, and all tools");
	test_case(phase(&p) == JOURNAL_PROVIDER_STARTED,
	    "the slot says provider_started while the model answers");
	say_text(&p, id, "Hello.");
	test_case(ends_with(&p, "'Hello.'"), "its text is the node's value");
	test_case(phase(&p) == JOURNAL_COMMITTED && row(&p).status ==
	    STATUS_SETTLED, "the slot is committed, the row is settled");
	test_case(store_int(p.f->keeper.store, 0, "SELECT tokens_in * 100 +"
	    " tokens_out FROM nodes", "") == 1005, "its cost is counted");
	json_decref(body);
	end(&p);
}

static void
test_tools(void)
{
	struct play	 p;
	json_t		*body = NULL;
	uint32_t	 id, first, second;

	begin(&p);
	ask(&p, "{'prompt':'Read both.'}");
	id = model_call(&p, NULL);
	say_calls(&p, id, READ("x", "a.c") "," READ("y", "b.c"));
	first = tool_call(&p, "read");
	second = tool_call(&p, "read");
	test_case(first != 0 && second != 0,
	    "the calls of a batch run in parallel");
	test_case(phase(&p) == JOURNAL_TOOLS_RECORDED,
	    "the slot says tool_request_recorded while they do");
	say_tool(&p, second, 1, "'bbb'");
	fake_turn(p.f, 10);
	test_case(store_int(p.f->keeper.store, 0,
	    "SELECT count(*) FROM outcomes", "") == 1 &&
	    fake_count(p.f, IMSG_MODEL_CALL) == 0,
	    "an outcome is recorded as it lands, and not published alone");
	say_tool(&p, first, 0, "{'class':'ToolError','message':'no such "
	    "file','cause':'ENOENT'}");
	id = model_call(&p, &body);
	test_case(id != 0 && count(body, "messages") == 5 &&
	    strcmp(role(body, 2), "assistant") == 0 &&
	    strcmp(content(body, 3), "Error: no such file (ENOENT)") == 0 &&
	    strcmp(content(body, 4), "bbb") == 0,
	    "the model gets the outcomes in the order of its calls");
	say_text(&p, id, "done");
	test_case(ends_with(&p, "'done'"), "and then gives its answer");
	test_case(fake_wait(p.f, IMSG_SANDBOX_CLOSE) != NULL,
	    "a sandbox of its own is closed behind it");
	json_decref(body);
	end(&p);
}

static const struct {
	const char	*what, *calls, *text;
} slips[] = {
	{ "a tool that there is not",
	    "{'id':'a','name':'fetch','arguments':{}}",
	    "Error: there is no tool \"fetch\" here; there are: read, grep "
	    "(unknown)" },
	{ "a tool that it was not given", BASH("a"),
	    "Error: there is no tool \"bash\" here; there are: read, grep "
	    "(unknown)" },
	{ "an input that breaks the schema",
	    "{'id':'a','name':'read','arguments':{'file':'x'}}",
	    "Error: read: \"path\" is missing (input)" },
	{ "arguments that are no object",
	    "{'id':'a','name':'read','arguments':'{broken'}",
	    "Error: read: \"path\" is missing (input)" },
	{ "no arguments", "{'id':'a','name':'read'}",
	    "Error: read: \"path\" is missing (input)" },
	{ "no name", "{'id':'a'}",
	    "Error: there is no tool \"\" here; there are: read, grep "
	    "(unknown)" },
	{ "no id", "{'name':'fetch'}",
	    "Error: there is no tool \"fetch\" here; there are: read, grep "
	    "(unknown)" },
	{ "something that is no call", "7",
	    "Error: there is no tool \"\" here; there are: read, grep "
	    "(unknown)" },
};

static void
test_slips(void)
{
	struct play	 p;
	json_t		*body;
	uint32_t	 id;
	size_t		 i;

	begin(&p);
	ask(&p, "{'prompt':'x','agent':'reader'}");
	id = model_call(&p, NULL);
	for (i = 0; i < sizeof(slips) / sizeof(slips[0]); i++) {
		say_calls(&p, id, slips[i].calls);
		body = NULL;
		id = model_call(&p, &body);
		test_case(id != 0 && strcmp(content(body,
		    count(body, "messages") - 1), slips[i].text) == 0,
		    "%s: the model reads %s", slips[i].what,
		    content(body, count(body, "messages") - 1));
		json_decref(body);
	}
	say_text(&p, id, "sorry");
	test_case(ends_with(&p, "'sorry'"), "and the loop goes on");
	end(&p);
}

static void
test_nulls(void)
{
	struct play	 p;
	struct got	*g;
	uint32_t	 id;

	begin(&p);
	ask(&p, "{'prompt':'x'}");
	id = model_call(&p, NULL);
	say_calls(&p, id, "{'id':'a','name':'read','arguments':{'path':'x',"
	    "'offset':null,'limit':null}}");
	g = fake_wait(p.f, IMSG_TOOL_CALL);
	test_case(g != NULL && json_object_size(g->body) == 1,
	    "an argument of null is as good as none");
	end(&p);
}

/* The sandbox's jail was lost, and not by its own fault. */
static void
test_restarts(void)
{
	static const char	lost[] = "{'class':'ToolError','message':"
				    "'restarted','cause':'restart'}";
	struct play		p;
	json_t			*body = NULL;
	uint32_t		 id, bash, read;
	int			 i;

	begin(&p);
	ask(&p, "{'prompt':'x'}");
	id = model_call(&p, NULL);
	say_calls(&p, id, READ("a", "x") "," BASH("b"));
	read = tool_call(&p, "read");
	bash = tool_call(&p, "bash");
	say_tool(&p, bash, 0, lost);
	say_tool(&p, read, 0, lost);
	for (i = 0; i < 2; i++) {
		read = tool_call(&p, "read");
		say_tool(&p, read, 0, lost);
	}
	read = tool_call(&p, "read");
	test_case(read != 0, "a read whose sandbox was restarted is repeated");
	say_tool(&p, read, 0, lost);
	id = model_call(&p, &body);
	test_case(id != 0 && fake_count(p.f, IMSG_TOOL_CALL) == 0 &&
	    strstr(content(body, 3), "(restart)") != NULL &&
	    strstr(content(body, 4), "(restart)") != NULL,
	    "but not for ever, and bash never");
	json_decref(body);
	end(&p);
}

/* Arguments that could not be sent back within a conversation. */
static void
test_deep(void)
{
	struct play	 p;
	json_t		*body = NULL;
	char		 call[256], deep[128] = "";
	uint32_t	 id;
	int		 i;

	for (i = 0; i < 50; i++)
		deep[i] = '[';
	for (; i < 100; i++)
		deep[i] = ']';
	(void)snprintf(call, sizeof(call), "{'id':'a','name':'read',"
	    "'arguments':{'path':%s}}", deep);
	begin(&p);
	ask(&p, "{'prompt':'x'}");
	id = model_call(&p, NULL);
	say_calls(&p, id, call);
	id = model_call(&p, &body);
	test_case(id != 0 && strstr(content(body, 3), "\"path\" is missing")
	    != NULL, "arguments that are nested too deeply are not kept");
	json_decref(body);
	end(&p);
	memset(deep, '[', 58);
	memset(deep + 58, ']', 58);
	(void)snprintf(call, sizeof(call), "{'prompt':'x','schema':{"
	    "'const':%.116s}}", deep);
	begin(&p);
	ask(&p, call);
	test_case(fails_with(&p, "AgentError", "input"),
	    "a schema that is nested too deeply is refused");
	end(&p);
}

static void
test_batches(void)
{
	struct play	 p;
	json_t		*body = NULL;
	char		 calls[2000] = "";
	uint32_t	 id;
	size_t		 i;
	int		 n;

	begin(&p);
	ask(&p, "{'prompt':'x'}");
	id = model_call(&p, NULL);
	answer(&p, id, "length", "{'content':'I will','tool_calls':["
	    READ("a", "x") "]}");
	id = model_call(&p, &body);
	test_case(id != 0 && strstr(content(body, 3), "cut off") != NULL &&
	    fake_count(p.f, IMSG_TOOL_CALL) == 0,
	    "calls of an answer that was cut off are not made");
	json_decref(body);
	for (i = 0; i < 66; i++)
		(void)snprintf(calls + strlen(calls),
		    sizeof(calls) - strlen(calls), "%s{'id':'same',"
		    "'name':'n'}", i > 0 ? "," : "");
	say_calls(&p, id, calls);
	body = NULL;
	id = model_call(&p, &body);
	n = 0;
	for (i = 4; i < count(body, "messages"); i++)
		n += strstr(content(body, i), "more than 64") != NULL;
	test_case(id != 0 && n == 2, "of 66 calls two are not made");
	json_decref(body);
	answer(&p, id, "tool_calls", "{'tool_calls':[]}");
	test_case(ends_with(&p, "''"), "an empty batch is an answer");
	end(&p);
}

static void
test_turns(void)
{
	struct play	 p;
	uint32_t	 id = 0;
	int		 i;

	begin(&p);
	ask(&p, "{'prompt':'x'}");
	for (i = 0; i < 64; i++) {
		id = model_call(&p, NULL);
		say_calls(&p, id, "{'id':'a','name':'none'}");
	}
	test_case(id != 0 && fails_with(&p, "AgentError", "turns"),
	    "after 64 answers without a result it ends");
	end(&p);
}

/* ---- a schema ---- */

#define FINISH(v)	"{'id':'f','name':'finish','arguments':" v "}"

static void
test_schema(void)
{
	struct play	 p;
	json_t		*body = NULL;
	uint32_t	 id;

	begin(&p);
	ask(&p, "{'prompt':'x','tools':[],'schema':{'type':'array',"
	    "'items':{'type':'integer'}}}");
	id = model_call(&p, &body);
	test_case(id != 0 && count(body, "tools") == 2,
	    "with a schema there are finish and give_up");
	json_decref(body);
	say_text(&p, id, "1, 2");
	body = NULL;
	id = model_call(&p, &body);
	test_case(id != 0 && strcmp(role(body, 3), "user") == 0 &&
	    strstr(content(body, 3), "finish") != NULL,
	    "a model that only talks is reminded");
	json_decref(body);
	say_calls(&p, id, FINISH("{'result':['a']}"));
	body = NULL;
	id = model_call(&p, &body);
	test_case(id != 0 && strcmp(content(body, 5), "Error: "
	    "finish.result[0]: expected integer, got string (input)") == 0,
	    "a wrong result is an error that it can read");
	json_decref(body);
	say_calls(&p, id, FINISH("{'result':[1]}") ","
	    FINISH("{'result':[2]}"));
	body = NULL;
	id = model_call(&p, &body);
	test_case(id != 0 && strstr(content(body, 7), "alone") != NULL,
	    "finish stands alone");
	json_decref(body);
	say_calls(&p, id, FINISH("{'result':[1,2]}"));
	test_case(ends_with(&p, "[1,2]"), "a right one is unwrapped");
	test_case(phase(&p) == JOURNAL_COMMITTED, "the slot is committed");
	end(&p);
}

/* Two wrong results in one answer are one mistake. */
static void
test_wrong_results(void)
{
	struct play	 p;
	struct got	*g;
	uint32_t	 id = 0;
	int		 i;

	begin(&p);
	ask(&p, "{'prompt':'x','tools':[],'retries':1,'schema':{'type':"
	    "'object','required':['n']}}");
	for (i = 0; i < 5; i++) {
		id = model_call(&p, NULL);
		say_calls(&p, id, i > 0 ? FINISH("{'m':1}") :
		    FINISH("{'m':1}") "," FINISH("{'m':2}"));
	}
	id = model_call(&p, NULL);
	test_case(id != 0 && row(&p).attempt == 2,
	    "five results that the schema does not allow end an attempt");
	for (i = 0; i < 5; i++) {
		say_calls(&p, id, FINISH("{'m':1}"));
		id = i < 4 ? model_call(&p, NULL) : id;
	}
	g = fake_wait(p.f, IMSG_NODE_DONE);
	test_case(g != NULL && strcmp(body_str(g, "cause"), "schema") == 0 &&
	    strstr(body_str(g, "message"), "\"n\" is missing") != NULL,
	    "and without a retry left the agent, which names the last: %s",
	    g == NULL ? "" : body_str(g, "message"));
	end(&p);
}

static void
test_no_result(void)
{
	struct play	 p;
	uint32_t	 id = 0;
	int		 i;

	begin(&p);
	ask(&p, "{'prompt':'x','schema':{'type':'object'}}");
	id = model_call(&p, NULL);
	say_calls(&p, id, "{'id':'g','name':'give_up','arguments':"
	    "{'reason':'too hard'}}");
	test_case(fails_with(&p, "AgentError", "gave_up"),
	    "a model may give up");
	end(&p);
	begin(&p);
	ask(&p, "{'prompt':'x','schema':{'type':'object'}}");
	for (i = 0; i < 6; i++) {
		id = model_call(&p, NULL);
		say_text(&p, id, "well");
	}
	test_case(id != 0 && fails_with(&p, "AgentError", "no_result"),
	    "a model that never calls finish is reminded five times");
	end(&p);
}

/* ---- failures ---- */

static const struct {
	const char	*what, *input, *words;
} bad[] = {
	{ "no prompt", "{}", "prompt" },
	{ "an empty prompt", "{'prompt':''}", "prompt" },
	{ "an unknown model", "{'prompt':'x','model':'gpt'}",
	    "there is no model \"gpt\"; there is: canned, big" },
	{ "an unknown agent", "{'prompt':'x','agent':'a'}",
	    "there is no agent \"a\"" },
	{ "an unknown tool", "{'prompt':'x','tools':['fetch']}",
	    "there is no tool \"fetch\"" },
	{ "a tool that the agent has not",
	    "{'prompt':'x','agent':'reader','tools':['bash']}",
	    "not one of this agent's tools" },
	{ "a schema with a slip", "{'prompt':'x','schema':{'typ':'x'}}",
	    "the keyword \"typ\" is not supported" },
	{ "a timeout of nothing", "{'prompt':'x','timeout':0}", "timeout" },
	{ "a timeout that is a text", "{'prompt':'x','timeout':'1'}",
	    "timeout" },
	{ "too many retries", "{'prompt':'x','retries':10}", "retries" },
	{ "a sandbox called /", "{'prompt':'x','sandbox':'/x'}", "sandbox" },
	{ "a model that is a number", "{'prompt':'x','model':3}", "model" },
};

static void
test_bad(void)
{
	struct play	 p;
	struct got	*g;
	size_t		 i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		begin(&p);
		ask(&p, bad[i].input);
		g = fake_wait(p.f, IMSG_NODE_DONE);
		test_case(g != NULL && !got_int(g, "ok") &&
		    strcmp(body_str(g, "class"), "AgentError") == 0 &&
		    strstr(body_str(g, "message"), bad[i].words) != NULL,
		    "%s: %s", bad[i].what,
		    g == NULL ? "" : body_str(g, "message"));
		end(&p);
	}
}

static const struct {
	const char	*fault, *class, *cause;
} faults[] = {
	{ "auth",	"AgentError",	"provider" },
	{ "invalid",	"AgentError",	"provider" },
	{ "protocol",	"AgentError",	"provider" },
	{ "fatal",	"AgentError",	"provider" },
	{ "overflow",	"AgentError",	"overflow" },
	{ "denied",	"ScopeError",	"denied" },
	{ "budget",	"BudgetError",	"budget" },
};

static void
test_faults(void)
{
	struct play	p;
	uint32_t	id;
	size_t		i;

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		begin(&p);
		ask(&p, "{'prompt':'x'}");
		id = model_call(&p, NULL);
		say_fail(&p, id, faults[i].fault);
		test_case(fails_with(&p, faults[i].class, faults[i].cause),
		    "%s is %s, cause %s", faults[i].fault, faults[i].class,
		    faults[i].cause);
		end(&p);
	}
}

static void
test_timeout(void)
{
	struct play	p;
	uint32_t	id;

	begin(&p);
	ask(&p, "{'prompt':'x','timeout':0.2,'retries':1}");
	id = model_call(&p, NULL);
	say_calls(&p, id, BASH("a"));
	id = tool_call(&p, "bash");
	test_case(id != 0 && fake_wait(p.f, IMSG_TOOL_CANCEL) != NULL,
	    "a timeout cancels what runs");
	id = model_call(&p, NULL);
	test_case(id != 0 && row(&p).attempt == 2,
	    "a retry is a new attempt of the same node");
	test_case(fails_with(&p, "AgentError", "timeout") &&
	    fake_wait(p.f, IMSG_MODEL_CANCEL) != NULL,
	    "without a retry left it is an AgentError with cause timeout");
	end(&p);
}

static void
test_cancel(void)
{
	struct play	p;
	uint32_t	id;

	begin(&p);
	ask(&p, "{'prompt':'x'}");
	id = model_call(&p, NULL);
	say_calls(&p, id, BASH("a") "," READ("b", "x"));
	(void)tool_call(&p, "bash");
	fake_say(p.f, IMSG_NODE_DROP, 0, NULL, "{\"run\": \"%s\", "
	    "\"path\": \"" AGENT "\"}", p.run);
	test_case(fake_wait(p.f, IMSG_TOOL_CANCEL) != NULL &&
	    fake_wait(p.f, IMSG_TOOL_CANCEL) != NULL,
	    "a node that nobody waits for cancels its tools");
	test_case(row(&p).status == STATUS_SETTLED && row(&p).abort_requested,
	    "and its submission is settled as aborted");
	end(&p);
}

/* ---- slots ---- */

/* The script asks for n agents at once, from /p<k>.0 on. */
static void
ask_many(struct play *p, int k, int n)
{
	int	i;

	for (i = 0; i < n; i++)
		fake_say(p->f, IMSG_NODE_BEGIN, 0, "{\"prompt\":\"x\"}",
		    "{\"run\": \"%s\", \"path\": \"/p%d.%d/agent#0\", "
		    "\"kind\": \"agent\", \"digest\": \"%s\"}", p->run, k, i,
		    DIGEST_A);
	fake_turn(p->f, 50);
}

static void
test_slots(void)
{
	struct play	 p, other;
	struct got	*g;
	uint32_t	 id;

	begin(&p);
	ask_many(&p, 0, 110);
	test_case(fake_count(p.f, IMSG_MODEL_CALL) == 100 &&
	    store_int(p.f->keeper.store, 0, "SELECT count(*) FROM submissions"
	    " WHERE status = 0 AND deadline IS NULL", "") == 10,
	    "of 110 agents 100 work, the others' time has not begun");
	other = p;
	(void)snprintf(other.run, sizeof(other.run), "%s",
	    fake_run(p.f, "y"));
	fake_say(p.f, IMSG_RUN_JAIL, 0, NULL, "{\"run\": \"%s\", "
	    "\"jail\": 2, \"python\": \"\"}", other.run);
	ask_many(&other, 0, 1);
	id = model_call(&p, NULL);
	fake_turn(p.f, 20);
	say_text(&p, id, "done");
	fake_turn(p.f, 50);
	for (g = fake_wait(p.f, IMSG_MODEL_CALL); g != NULL &&
	    strcmp(got_str(g, "run"), other.run) != 0 &&
	    fake_count(p.f, IMSG_MODEL_CALL) > 0;)
		g = fake_wait(p.f, IMSG_MODEL_CALL);
	test_case(g != NULL && strcmp(got_str(g, "run"), other.run) == 0,
	    "a free slot goes to the run that has none");
	fake_say(p.f, IMSG_NODE_DROP, 0, NULL, "{\"run\": \"%s\", "
	    "\"path\": \"/p0.105/agent#0\"}", p.run);
	fake_turn(p.f, 50);
	test_case(store_int(p.f->keeper.store, 0, "SELECT count(*) FROM "
	    "submissions WHERE status = 0", "") == 9,
	    "one that waits can be cancelled");
	fake_restart(p.f, NULL);
	fake_turn(p.f, 100);
	test_case(fake_count(p.f, IMSG_MODEL_CALL) == 100 &&
	    store_int(p.f->keeper.store, 0, "SELECT count(*) FROM "
	    "submissions WHERE status = 0", "") == 9,
	    "after a restart the same ones work and wait");
	end(&p);
}

int
main(void)
{
	test_text();
	test_tools();
	test_slips();
	test_nulls();
	test_restarts();
	test_deep();
	test_batches();
	test_turns();
	test_schema();
	test_wrong_results();
	test_no_result();
	test_bad();
	test_faults();
	test_timeout();
	test_cancel();
	test_slots();
	return (test_end());
}
