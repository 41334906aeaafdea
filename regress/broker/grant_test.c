/*
 * The one decision, as a table: scope and request to reason, and for denials
 * the words that the script or the person reads.
 */
#include <stdlib.h>
#include <string.h>

#include "grant.h"
#include "test.h"
#include "verb.h"

static const char	*none[] = { NULL };
static const char	*all[] = { "*", NULL };
static const char	*read_bash[] = { "bash", "read", NULL };
static const char	*small[] = { "small", NULL };
static const char	*reviewer[] = { "reviewer", NULL };

static const char	*read_only[] = { "read", NULL };

#define ALL_VERBS	0x1ff
#define SETS(t, m, a)	.tools = t, .models = m, .agents = a

static const struct {
	const char	*what;
	unsigned	 verbs;
	const char	**tools, **models, **agents;
	int64_t		 tokens, expires;
	struct request	 request;
	enum reason	 want;
	const char	*says;		/* part of the rule */
} cases[] = {
	/* verbs */
	{ "list is granted to who has it", .verbs = VERB_LIST,
	    SETS(none, none, none),
	    .request = { .want = WANT_VERB, .verb = VERB_LIST },
	    .want = GRANTED },
	{ "list is not granted with all other verbs",
	    .verbs = ALL_VERBS & ~VERB_LIST, SETS(all, all, all),
	    .request = { .want = WANT_VERB, .verb = VERB_LIST },
	    .want = DENIED_VERB, .says = "verbs { list } would allow it" },
	{ "no verbs grant nothing", .verbs = 0, SETS(all, all, all),
	    .request = { .want = WANT_VERB, .verb = VERB_CANCEL },
	    .want = DENIED_VERB,
	    .says = "\"cancel\" is not in profile \"default\"" },
	{ "two verbs need both: the missing one is named",
	    .verbs = VERB_LIST, SETS(all, all, all),
	    .request = { .want = WANT_VERB, .verb = VERB_LIST | VERB_ALL },
	    .want = DENIED_VERB, .says = "verbs { all } would allow it" },
	{ "two verbs, both there", .verbs = VERB_LIST | VERB_ALL,
	    SETS(none, none, none),
	    .request = { .want = WANT_VERB, .verb = VERB_LIST | VERB_ALL },
	    .want = GRANTED },
	/* submit */
	{ "submit needs run", .verbs = ALL_VERBS & ~VERB_RUN,
	    SETS(all, all, all),
	    .request = { .want = WANT_SUBMIT }, .want = DENIED_VERB,
	    .says = "verbs { run }" },
	{ "submit without a wish", .verbs = VERB_RUN, SETS(none, none, none),
	    .tokens = 100, .request = { .want = WANT_SUBMIT },
	    .want = GRANTED },
	{ "submit with all of the budget", .verbs = VERB_RUN,
	    SETS(none, none, none),
	    .tokens = 100, .request = { .want = WANT_SUBMIT, .tokens = 100 },
	    .want = GRANTED },
	{ "submit with one token too many", .verbs = VERB_RUN,
	    SETS(none, none, none),
	    .tokens = 100, .request = { .want = WANT_SUBMIT, .tokens = 101 },
	    .want = DENIED_TOKENS, .says = "tokens 101 would allow it" },
	{ "submit with any wish where there is no budget", .verbs = VERB_RUN,
	    SETS(none, none, none), .tokens = 0,
	    .request = { .want = WANT_SUBMIT, .tokens = INT64_MAX },
	    .want = GRANTED },
	/* tools */
	{ "a tool of the list", SETS(read_bash, none, none),
	    .request = { .want = WANT_TOOL, .tool = "bash" },
	    .want = GRANTED },
	{ "a tool outside of the list", SETS(read_bash, all, all),
	    .request = { .want = WANT_TOOL, .tool = "write" },
	    .want = DENIED_TOOL, .says = "tool(\"write\") is not in profile "
	    "\"default\": tools { \"write\" } would allow it" },
	{ "no tool in an empty list", SETS(none, all, all),
	    .request = { .want = WANT_TOOL, .tool = "read" },
	    .want = DENIED_TOOL },
	{ "any tool with *", SETS(all, none, none),
	    .request = { .want = WANT_TOOL, .tool = "what ever" },
	    .want = GRANTED },
	{ "a tool without a name, even with *", SETS(all, all, all),
	    .request = { .want = WANT_TOOL, .tool = "" },
	    .want = DENIED_TOOL },
	{ "a tool that is not there, even with *", SETS(all, all, all),
	    .request = { .want = WANT_TOOL }, .want = DENIED_TOOL },
	{ "a tool's name is not a pattern", SETS(read_bash, none, none),
	    .request = { .want = WANT_TOOL, .tool = "*" },
	    .want = DENIED_TOOL },
	{ "a tool's name has a case", SETS(read_bash, none, none),
	    .request = { .want = WANT_TOOL, .tool = "Bash" },
	    .want = DENIED_TOOL },
	{ "the beginning of a name is not the name",
	    SETS(read_bash, none, none),
	    .request = { .want = WANT_TOOL, .tool = "bas" },
	    .want = DENIED_TOOL },
	{ "a hostile name is encoded", SETS(none, none, none),
	    .request = { .want = WANT_TOOL, .tool = "a\n\x1b[31m\"" },
	    .want = DENIED_TOOL, .says = "\\x0a\\x1b[31m" },
	/* agents */
	{ "an agent with the default model", SETS(none, small, none),
	    .request = { .want = WANT_AGENT }, .want = GRANTED },
	{ "an agent where there is no model at all", SETS(all, none, all),
	    .request = { .want = WANT_AGENT },
	    .want = DENIED_MODEL, .says = "models { ... } would allow it" },
	{ "an agent with a model of the list", SETS(none, small, none),
	    .request = { .want = WANT_AGENT, .model = "small" },
	    .want = GRANTED },
	{ "an agent with another model", SETS(all, small, all),
	    .request = { .want = WANT_AGENT, .model = "x" },
	    .want = DENIED_MODEL, .says = "agent() with model \"x\" is not in "
	    "profile \"default\": models { \"x\" } would allow it" },
	{ "a named agent of the list", SETS(all, all, reviewer),
	    .request = { .want = WANT_AGENT, .agent = "reviewer" },
	    .want = GRANTED },
	{ "a named agent outside of it", SETS(all, all, reviewer),
	    .request = { .want = WANT_AGENT, .agent = "root" },
	    .want = DENIED_AGENT,
	    .says = "agents { \"root\" } would allow it" },
	{ "a named agent in an empty list", SETS(all, all, none),
	    .request = { .want = WANT_AGENT, .agent = "reviewer" },
	    .want = DENIED_AGENT },
	{ "an agent with tools of the list", SETS(read_bash, small, none),
	    .request = { .want = WANT_AGENT, .tools = "read,bash" },
	    .want = GRANTED },
	{ "an agent with any tool", SETS(all, small, none),
	    .request = { .want = WANT_AGENT, .tools = "read,x" },
	    .want = GRANTED },
	{ "an agent without tools", SETS(none, small, none),
	    .request = { .want = WANT_AGENT, .tools = "" },
	    .want = GRANTED },
	{ "an agent that does not name its tools", SETS(none, small, none),
	    .request = { .want = WANT_AGENT }, .want = GRANTED },
	{ "an agent with a tool that is not in the list",
	    SETS(read_only, small, none),
	    .request = { .want = WANT_AGENT, .tools = "read,bash" },
	    .want = DENIED_TOOL, .says = "agent() with tool \"bash\" is not "
	    "in profile \"default\": tools { \"bash\" } would allow it" },
	{ "an agent whose first tool is not", SETS(read_only, small, none),
	    .request = { .want = WANT_AGENT, .tools = "bash,read" },
	    .want = DENIED_TOOL, .says = "tools { \"bash\" }" },
	{ "an agent with a tool in one word of two",
	    SETS(read_only, small, none),
	    .request = { .want = WANT_AGENT, .tools = "rea,d" },
	    .want = DENIED_TOOL, .says = "tools { \"rea\" }" },
	{ "an agent called \"\" is one without a name", SETS(none, small, none),
	    .request = { .want = WANT_AGENT, .agent = "", .model = "" },
	    .want = GRANTED },
	/* sleep needs no right but a scope */
	{ "sleep with nothing", SETS(none, none, none),
	    .request = { .want = WANT_SLEEP }, .want = GRANTED },
	/* model calls */
	{ "a model call of the list", SETS(none, small, none),
	    .request = { .want = WANT_MODEL, .model = "small" },
	    .want = GRANTED },
	{ "a model call outside of it", SETS(all, small, all),
	    .request = { .want = WANT_MODEL, .model = "big" },
	    .want = DENIED_MODEL },
	{ "a model call without a model, even with *", SETS(all, all, all),
	    .request = { .want = WANT_MODEL }, .want = DENIED_MODEL },
	{ "a model call of an agent outside of the list",
	    SETS(all, all, reviewer), .request = { .want = WANT_MODEL,
	    .model = "small", .agent = "root" }, .want = DENIED_AGENT },
	/* expiry */
	{ "a moment before it expires", .verbs = ALL_VERBS, SETS(all, all, all),
	    .expires = 1000,
	    .request = { .want = WANT_SLEEP, .now = 999 }, .want = GRANTED },
	{ "at the moment of its expiry", .verbs = ALL_VERBS,
	    SETS(all, all, all),
	    .expires = 1000,
	    .request = { .want = WANT_SLEEP, .now = 1000 },
	    .want = DENIED_SCOPE, .says = "expired" },
	{ "expired scopes grant no verb", .verbs = ALL_VERBS,
	    SETS(all, all, all),
	    .expires = 1000, .request = { .want = WANT_VERB,
	    .verb = VERB_LIST, .now = 5000 }, .want = DENIED_SCOPE },
};

static void
names_fill(struct names *set, const char **list)
{
	json_t	*v = json_array();
	char	 why[64];

	for (; list != NULL && *list != NULL; list++)
		json_array_append_new(v, json_string(*list));
	if (names_parse(set, v, why, sizeof(why)) == -1)
		abort();
	json_decref(v);
}

static void
run_case(size_t i)
{
	struct scope	scope = { .profile = "default" };
	struct verdict	v;

	scope.verbs = cases[i].verbs;
	scope.budget.tokens = cases[i].tokens;
	scope.expires = cases[i].expires;
	names_fill(&scope.tools, cases[i].tools);
	names_fill(&scope.models, cases[i].models);
	names_fill(&scope.agents, cases[i].agents);
	v = grant_decide(&scope, &cases[i].request);
	test_case(v.reason == cases[i].want &&
	    (v.reason == GRANTED) == (v.rule[0] == '\0') &&
	    (cases[i].says == NULL || strstr(v.rule, cases[i].says) != NULL),
	    "%s (%d: %s)", cases[i].what, (int)v.reason, v.rule);
	names_clear(&scope.tools);
	names_clear(&scope.models);
	names_clear(&scope.agents);
}

/* Without a scope nothing is granted, whatever it is. */
static void
test_no_scope(void)
{
	static const enum want	 wants[] = { WANT_VERB, WANT_SUBMIT,
	    WANT_TOOL, WANT_AGENT, WANT_SLEEP, WANT_MODEL };
	struct request		 r = { .verb = VERB_LIST, .tool = "read",
	    .model = "small" };
	size_t			 i;

	for (i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		r.want = wants[i];
		test_case(grant_decide(NULL, &r).reason == DENIED_SCOPE,
		    "no scope grants nothing (%d)", (int)wants[i]);
	}
}

/* The longest names, all of them hostile: a rule is never cut. */
static void
test_long(void)
{
	struct scope	scope = { .expires = 0 };
	struct request	r = { .want = WANT_AGENT };
	struct verdict	v;
	char		name[129];

	memset(scope.profile, 'p', sizeof(scope.profile) - 1);
	memset(name, '\n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	r.model = name;
	v = grant_decide(&scope, &r);
	test_case(strstr(v.rule, "would allow it") != NULL &&
	    strlen(v.rule) <= 511, "a rule with the longest names is whole");
}

int
main(void)
{
	size_t	i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run_case(i);
	test_no_scope();
	test_long();
	return (test_end());
}
