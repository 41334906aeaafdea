/*
 * Rules of the canned model: every complaint about a file, and what a good
 * one answers.
 */
#include <stdlib.h>
#include <string.h>

#include "canned.h"
#include "test.h"

#define RULE(r)		"{\"rules\":[{\"text\":\"x\"},{" r "}]}"
#define WHEN(w)		RULE("\"text\":\"x\",\"when\":{" w "}")
#define MESSAGES(m)	WHEN("\"messages\":[{" m "}]")
#define LET(l)		RULE("\"text\":\"x\",\"let\":{" l "}")

static const struct {
	const char	*what;
	const char	*file;
	const char	*why;	/* its begin */
} bad[] = {
	{ "empty", "", "unexpected token near end of file" },
	{ "not JSON", "{\"rules\":[}", "unexpected token" },
	{ "a duplicate key", "{\"rules\":[],\"rules\":[]}", "duplicate" },
	{ "an array", "[]", "top: must be an object" },
	{ "without rules", "{}", "rules: is missing" },
	{ "an unknown key", "{\"rules\":[],\"rule\":1}",
	    "rule: unknown key" },
	{ "rules that are none", "{\"rules\":7}", "rules: must be an array" },
	{ "a rule that is none", "{\"rules\":[7]}",
	    "rules[0]: must be an object" },
	{ "an unknown key of a rule", RULE("\"text\":\"x\",\"then\":1"),
	    "rules[1].then: unknown key" },
	{ "a rule without an answer", RULE(""), "rules[1]: must have "
	    "\"text\", \"calls\" or \"fail\"" },
	{ "when that is none", RULE("\"text\":\"x\",\"when\":[]"),
	    "rules[1].when: must be an object" },
	{ "an unknown condition", WHEN("\"moon\":\"full\""),
	    "rules[1].when.moon: unknown key" },
	{ "a model of no name", WHEN("\"model\":\"\""),
	    "rules[1].when.model: must not be empty" },
	{ "a turn that is text", WHEN("\"turn\":\"first\""),
	    "rules[1].when.turn: must be an integer or an object" },
	{ "a range with another key", WHEN("\"turn\":{\"least\":1}"),
	    "rules[1].when.turn.least: unknown key" },
	{ "a range of text", WHEN("\"attempt\":{\"min\":\"1\"}"),
	    "rules[1].when.attempt.min: must be an integer" },
	{ "offers of numbers", WHEN("\"offers\":[\"a\",1]"),
	    "rules[1].when.offers[1]: must be a string" },
	{ "offers that are text", WHEN("\"offers\":\"a\""),
	    "rules[1].when.offers: must be an array" },
	{ "a message with an unknown key", MESSAGES("\"text\":\"x\""),
	    "rules[1].when.messages[0].text: unknown key" },
	{ "an unknown role", MESSAGES("\"role\":\"judge\""),
	    "rules[1].when.messages[0].role: must be one of system, user, "
	    "assistant, tool" },
	{ "last that is text", MESSAGES("\"last\":\"yes\""),
	    "rules[1].when.messages[0].last: must be true or false" },
	{ "a bad regex", MESSAGES("\"regex\":\"(\""),
	    "rules[1].when.messages[0].regex: Unmatched (" },
	{ "a regex with a back-reference", MESSAGES("\"regex\":\"(a)\\\\1\""),
	    "rules[1].when.messages[0].regex: back-references" },
	{ "a regex that repeats too much",
	    MESSAGES("\"regex\":\"((a{100}){100})\""),
	    "rules[1].when.messages[0].regex: repeats more than 1000" },
	{ "a regex with ten groups",
	    MESSAGES("\"regex\":\"()()()()()()()()()()\""),
	    "rules[1].when.messages[0].regex: has more than 9 groups" },
	{ "names without a regex", MESSAGES("\"as\":[\"a\"]"),
	    "rules[1].when.messages[0].as: needs a \"regex\"" },
	{ "more names than groups",
	    MESSAGES("\"regex\":\"(a)\",\"as\":[\"a\",\"b\"]"),
	    "rules[1].when.messages[0].as: has 2 names, the regex has 1" },
	{ "a name that is none",
	    MESSAGES("\"regex\":\"(a)\",\"as\":[\"a-b\"]"),
	    "rules[1].when.messages[0].as[0]: a name has" },
	{ "a name that is taken",
	    MESSAGES("\"regex\":\"(a)(b)\",\"as\":[\"a\",\"a\"]"),
	    "rules[1].when.messages[0].as[1]: \"a\" is taken" },
	{ "a name of ours", MESSAGES("\"regex\":\"(a)\",\"as\":[\"turn\"]"),
	    "rules[1].when.messages[0].as[0]: \"turn\" is taken" },
	{ "let that is none", RULE("\"text\":\"x\",\"let\":[]"),
	    "rules[1].let: must be an object" },
	{ "a value that is none", LET("\"n\":1"),
	    "rules[1].let.n: must be an object" },
	{ "a value without an operation", LET("\"n\":{\"else\":1}"),
	    "rules[1].let.n: must have exactly one of lines, count" },
	{ "a value with two", LET("\"n\":{\"count\":\"a\",\"max\":\"a\"}"),
	    "rules[1].let.n: must have exactly one" },
	{ "lines of text", LET("\"n\":{\"lines\":\"a\"}"),
	    "rules[1].let.n.lines: must be true" },
	{ "count of a number", LET("\"n\":{\"count\":1}"),
	    "rules[1].let.n.count: must be a string, a regex" },
	{ "count of a bad regex", LET("\"n\":{\"count\":\"[\"}"),
	    "rules[1].let.n.count: " },
	{ "in a message of no name",
	    LET("\"n\":{\"lines\":true,\"in\":\"source\"}"),
	    "rules[1].let.n.in: no message of \"when\" has the name "
	    "\"source\"" },
	{ "a condition on no name",
	    RULE("\"text\":\"x\",\"where\":{\"n\":1}"),
	    "rules[1].where.n: nothing is called \"n\"" },
	{ "a condition of text",
	    RULE("\"text\":\"x\",\"where\":{\"turn\":\"1\"}"),
	    "rules[1].where.turn: must be an integer" },
	{ "a delay that is negative", RULE("\"text\":\"x\",\"delay\":-1"),
	    "rules[1].delay: is -1, must be 0 to 600000" },
	{ "a text that is none", RULE("\"text\":7"),
	    "rules[1].text: must be a string" },
	{ "a template of no name", RULE("\"text\":\"a ${b} c\""),
	    "rules[1].text: nothing is called \"b\"" },
	{ "a template without an end", RULE("\"text\":\"a ${b\""),
	    "rules[1].text: \"${\" without a name" },
	{ "no calls", RULE("\"calls\":[]"),
	    "rules[1].calls: must not be empty" },
	{ "a call that is none", RULE("\"calls\":[7]"),
	    "rules[1].calls[0]: must be an object" },
	{ "a call without a name", RULE("\"calls\":[{\"arguments\":{}}]"),
	    "rules[1].calls[0].name: is missing" },
	{ "a call without arguments", RULE("\"calls\":[{\"name\":\"f\"}]"),
	    "rules[1].calls[0].arguments: is missing" },
	{ "a template within arguments", RULE("\"calls\":[{\"name\":\"f\","
	    "\"arguments\":{\"a\":[1,{\"b\":\"${c}\"}]}}]"),
	    "rules[1].calls[0].arguments.a[1].b: nothing is called \"c\"" },
	{ "an unknown finish", RULE("\"text\":\"x\",\"finish\":\"end\""),
	    "rules[1].finish: must be one of stop, length" },
	{ "a failure without a class", RULE("\"fail\":{}"),
	    "rules[1].fail.class: is missing" },
	{ "a failure of no class", RULE("\"fail\":{\"class\":\"bad\"}"),
	    "rules[1].fail.class: there is no failure \"bad\"" },
	{ "a failure with an unknown key",
	    RULE("\"fail\":{\"class\":\"auth\",\"why\":1}"),
	    "rules[1].fail.why: unknown key" },
	{ "a failure with a status of 1000",
	    RULE("\"fail\":{\"class\":\"auth\",\"status\":1000}"),
	    "rules[1].fail.status: is 1000" },
	{ "a failure with calls", RULE("\"fail\":{\"class\":\"auth\"},"
	    "\"calls\":[{\"name\":\"f\",\"arguments\":{}}]"),
	    "rules[1]: \"fail\" goes with \"text\" only" },
};

static void
test_bad(void)
{
	struct canned	*c;
	char		 why[256];
	size_t		 i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		(void)snprintf(why, sizeof(why), "nothing");
		c = canned_parse(bad[i].file, strlen(bad[i].file), why,
		    sizeof(why));
		if (!test_case(c == NULL && strncmp(why, bad[i].why,
		    strlen(bad[i].why)) == 0, "refused: %s", bad[i].what))
			printf("got %s\n", why);
		canned_free(c);
	}
}

#define USER(t)		"{\"role\":\"user\",\"content\":\"" t "\"}"
#define TOOL(n, t)	"{\"role\":\"tool\",\"id\":\"1\",\"name\":\"" n \
			"\",\"content\":\"" t "\"}"
#define SAID		"{\"role\":\"assistant\",\"content\":null," \
			"\"tool_calls\":[{\"id\":\"1\",\"name\":\"read\"," \
			"\"arguments\":{}}]}"
#define ONE(r)		"{\"rules\":[{" r "}]}"
#define ASK(m)		"{\"messages\":[" m "],\"tools\":[{\"name\":\"read\"," \
			"\"description\":\"\",\"input\":{}}]}"
#define NO_RULE		NULL

/* The text that a file answers, or the JSON of its calls' arguments. */
static const struct {
	const char	*what;
	const char	*file;
	const char	*ask;
	int64_t		 attempt;
	const char	*want;
} cases[] = {
	{ "a rule without conditions", ONE("\"text\":\"x\""),
	    ASK(USER("a")), 0, "x" },
	{ "no rules", "{\"rules\":[]}", ASK(USER("a")), 0, NO_RULE },
	{ "the model's name fits", ONE("\"text\":\"x\",\"when\":"
	    "{\"model\":\"m\"}"), ASK(USER("a")), 0, "x" },
	{ "the model's name does not", ONE("\"text\":\"x\",\"when\":"
	    "{\"model\":\"n\"}"), ASK(USER("a")), 0, NO_RULE },
	{ "the first turn", ONE("\"text\":\"${turn}\",\"when\":"
	    "{\"turn\":0}"), ASK(USER("a")), 0, "0" },
	{ "not the first turn", ONE("\"text\":\"x\",\"when\":{\"turn\":0}"),
	    ASK(USER("a") "," SAID "," TOOL("read", "b")), 0, NO_RULE },
	{ "turns from 1 on", ONE("\"text\":\"x\",\"when\":{\"turn\":"
	    "{\"min\":1}}"), ASK(USER("a") "," SAID), 0, "x" },
	{ "the first attempts", ONE("\"text\":\"${attempt}\",\"when\":"
	    "{\"attempt\":{\"max\":1}}"), ASK(USER("a")), 1, "1" },
	{ "one attempt too many", ONE("\"text\":\"x\",\"when\":"
	    "{\"attempt\":{\"max\":1}}"), ASK(USER("a")), 2, NO_RULE },
	{ "a tool is offered", ONE("\"text\":\"x\",\"when\":{\"offers\":"
	    "[\"read\"]}"), ASK(USER("a")), 0, "x" },
	{ "a tool is not", ONE("\"text\":\"x\",\"when\":{\"offers\":"
	    "[\"read\",\"bash\"]}"), ASK(USER("a")), 0, NO_RULE },
	{ "contains", ONE("\"text\":\"x\",\"when\":{\"messages\":"
	    "[{\"contains\":\"b.\"}]}"), ASK(USER("ab.c")), 0, "x" },
	{ "does not contain", ONE("\"text\":\"x\",\"when\":{\"messages\":"
	    "[{\"contains\":\"b.\"}]}"), ASK(USER("abc")), 0, NO_RULE },
	{ "role and last", ONE("\"text\":\"x\",\"when\":{\"messages\":"
	    "[{\"role\":\"user\",\"last\":true}]}"),
	    ASK(USER("a") "," SAID), 0, NO_RULE },
	{ "a tool's message", ONE("\"text\":\"x\",\"when\":{\"messages\":"
	    "[{\"tool\":\"read\"}]}"),
	    ASK(USER("a") "," SAID "," TOOL("read", "b")), 0, "x" },
	{ "captures", ONE("\"text\":\"${b}-${a}\",\"when\":{\"messages\":"
	    "[{\"regex\":\"(x+)(y+)\",\"as\":[\"a\",\"b\"]}]}"),
	    ASK(USER("xxyyy")), 0, "yyy-xx" },
	{ "a group without a part in the match", ONE("\"text\":\"<${a}>\","
	    "\"when\":{\"messages\":[{\"regex\":\"x(y)?\",\"as\":[\"a\"]}]}"),
	    ASK(USER("xz")), 0, "<>" },
	{ "half a character becomes a question mark", ONE("\"text\":\"${a}\","
	    "\"when\":{\"messages\":[{\"regex\":\"(.)\",\"as\":[\"a\"]}]}"),
	    ASK(USER("\xc3\xa4")), 0, "?" },
	{ "^ and $ match at lines", ONE("\"text\":\"${a}\",\"when\":"
	    "{\"messages\":[{\"regex\":\"^(b.*)$\",\"as\":[\"a\"]}]}"),
	    ASK(USER("a\\nbc\\nd")), 0, "bc" },
	{ "the newest message that fits", ONE("\"text\":\"${a}\",\"when\":"
	    "{\"messages\":[{\"role\":\"user\",\"regex\":\"n(.)\",\"as\":"
	    "[\"a\"]}]}"), ASK(USER("n1") "," USER("n2") "," USER("m3")), 0,
	    "2" },
	{ "the first rule wins", "{\"rules\":[{\"text\":\"x\",\"when\":"
	    "{\"turn\":1}},{\"text\":\"y\"},{\"text\":\"z\"}]}",
	    ASK(USER("a")), 0, "y" },

	{ "lines", ONE("\"text\":\"${n}\",\"let\":{\"n\":{\"lines\":true}}"),
	    ASK(USER("a\\nb\\n\\nc")), 0, "4" },
	{ "lines with a newline at the end", ONE("\"text\":\"${n}\",\"let\":"
	    "{\"n\":{\"lines\":true}}"), ASK(USER("a\\nb\\n")), 0, "2" },
	{ "lines of nothing", ONE("\"text\":\"${n}\",\"let\":{\"n\":"
	    "{\"lines\":true}}"), ASK(USER("")), 0, "0" },
	{ "count counts lines", ONE("\"text\":\"${n}\",\"let\":{\"n\":"
	    "{\"count\":\"a\"}}"), ASK(USER("a a\\nb\\na")), 0, "2" },
	{ "count of nothing", ONE("\"text\":\"${n}\",\"let\":{\"n\":"
	    "{\"count\":\"z\"}}"), ASK(USER("a")), 0, "0" },
	{ "first", ONE("\"text\":\"${n}\",\"let\":{\"n\":{\"first\":"
	    "\"a(.)\"}}"), ASK(USER("xa1 a2\\na3")), 0, "1" },
	{ "last", ONE("\"text\":\"${n}\",\"let\":{\"n\":{\"last\":"
	    "\"a(.)\"}}"), ASK(USER("xa1 a2\\na3")), 0, "3" },
	{ "all", ONE("\"text\":\"${n}\",\"let\":{\"n\":{\"all\":\"a.\"}}"),
	    ASK(USER("xa1 a2\\na3")), 0, "[\"a1\", \"a2\", \"a3\"]" },
	{ "sum", ONE("\"text\":\"${n}\",\"let\":{\"n\":{\"sum\":"
	    "\"([0-9]+)\"}}"), ASK(USER("1 20\\n300")), 0, "321" },
	{ "max", ONE("\"text\":\"${n}\",\"let\":{\"n\":{\"max\":"
	    "\"(-?[0-9]+)\"}}"), ASK(USER("-5 -20\\n-300")), 0, "-5" },
	{ "max of what is no number", ONE("\"text\":\"${n}\",\"let\":{\"n\":"
	    "{\"max\":\"a\",\"else\":\"none\"}}"), ASK(USER("a")), 0,
	    "none" },
	{ "first of nothing is null", ONE("\"text\":\"${n}\",\"let\":{\"n\":"
	    "{\"first\":\"z\"}}"), ASK(USER("a")), 0, "null" },
	{ "or something else", ONE("\"text\":\"${n}\",\"let\":{\"n\":"
	    "{\"first\":\"z\",\"else\":\"-\"}}"), ASK(USER("a")), 0, "-" },
	{ "empty matches end", ONE("\"text\":\"${n}\",\"let\":{\"n\":"
	    "{\"all\":\"x*\"}}"), ASK(USER("axb")), 0,
	    "[\"\", \"x\", \"\", \"\"]" },
	{ "^ matches once a line", ONE("\"text\":\"${n}\",\"let\":{\"n\":"
	    "{\"all\":\"^a\"}}"), ASK(USER("aa\\naa")), 0,
	    "[\"a\", \"a\"]" },
	{ "in a named message", ONE("\"text\":\"${n}\",\"when\":{\"messages\":"
	    "[{\"name\":\"q\",\"role\":\"user\"}]},\"let\":{\"n\":{\"first\":"
	    "\".*\",\"in\":\"q\"}}"),
	    ASK(USER("a") "," SAID "," TOOL("read", "b")), 0, "a" },
	{ "where holds", ONE("\"text\":\"x\",\"let\":{\"n\":{\"count\":"
	    "\"a\"}},\"where\":{\"n\":{\"min\":2}}"),
	    ASK(USER("a\\na")), 0, "x" },
	{ "where does not", ONE("\"text\":\"x\",\"let\":{\"n\":{\"count\":"
	    "\"a\"}},\"where\":{\"n\":{\"min\":2}}"), ASK(USER("a")), 0,
	    NO_RULE },
	{ "where counts the items of a list", ONE("\"text\":\"x\",\"let\":"
	    "{\"n\":{\"all\":\"a\"}},\"where\":{\"n\":2}"),
	    ASK(USER("a a")), 0, "x" },
	{ "a template alone keeps its type", ONE("\"calls\":[{\"name\":\"f\","
	    "\"arguments\":{\"n\":\"${n}\",\"s\":\"n=${n}\",\"l\":[\"${n}\","
	    "true,null,1.5]}}],\"let\":{\"n\":{\"lines\":true}}"),
	    ASK(USER("a")), 0,
	    "{\"n\": 1, \"s\": \"n=1\", \"l\": [1, true, null, 1.5]}" },
	{ "a capture is not a template", ONE("\"text\":\"${a}\",\"when\":"
	    "{\"messages\":[{\"regex\":\"(.*)\",\"as\":[\"a\"]}]}"),
	    ASK(USER("${turn}")), 0, "${turn}" },
};

/* What the answer says: its text or its first call's arguments. */
static char *
answer_text(const struct canned_answer *a)
{
	const json_t	*content, *call;

	content = json_object_get(a->message, "content");
	if (json_is_string(content))
		return (strdup(json_string_value(content)));
	call = json_array_get(json_object_get(a->message, "tool_calls"), 0);
	return (json_dumps(json_object_get(call, "arguments"), 0));
}

static void
ask(const char *file, const char *body, int64_t attempt,
    struct canned_answer *a)
{
	struct canned_question	 q = { "m", attempt, NULL };
	json_t			*v = json_loads(body, 0, NULL);
	struct canned		*c;
	char			 why[256] = "";

	memset(a, 0, sizeof(*a));
	c = canned_parse(file, strlen(file), why, sizeof(why));
	if (c == NULL || v == NULL) {
		printf("bad test: %s\n", why);
		test_failures++;
	} else {
		q.body = v;
		canned_answer(c, &q, a);
	}
	canned_free(c);
	json_decref(v);
}

static void
test_cases(void)
{
	struct canned_answer	 a;
	char			*got;
	size_t			 i;
	int			 ok;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ask(cases[i].file, cases[i].ask, cases[i].attempt, &a);
		got = a.message == NULL ? NULL : answer_text(&a);
		ok = cases[i].want == NULL ? got == NULL &&
		    a.failure.class == FAIL_INVALID :
		    got != NULL && strcmp(got, cases[i].want) == 0;
		if (!test_case(ok, "%s", cases[i].what))
			printf("got %s %s\n", got == NULL ? "nothing" : got,
			    a.failure.text);
		free(got);
		json_decref(a.message);
	}
}

static void
test_answer(void)
{
	struct canned_answer	 a;
	const json_t		*calls;

	ask(ONE("\"text\":\"t\",\"calls\":[{\"name\":\"f\",\"arguments\":{}},"
	    "{\"name\":\"g\",\"arguments\":{}}],\"delay\":7"),
	    ASK(USER("a") "," SAID), 0, &a);
	calls = json_object_get(a.message, "tool_calls");
	test_case(json_array_size(calls) == 2 && a.delay == 7 &&
	    strcmp(json_string_value(json_object_get(json_array_get(calls, 0),
	    "id")), "call_2") == 0 &&
	    strcmp(json_string_value(json_object_get(json_array_get(calls, 1),
	    "id")), "call_3") == 0 && strcmp(a.finish, "tool_calls") == 0,
	    "calls are numbered through the conversation");
	json_decref(a.message);

	ask(ONE("\"text\":\"t${turn}\",\"fail\":{\"class\":\"rate_limit\","
	    "\"status\":429,\"after\":50,\"message\":\"slow\"}"),
	    ASK(USER("a")), 0, &a);
	test_case(a.message == NULL && a.failure.class == FAIL_RATE_LIMIT &&
	    a.failure.status == 429 && a.failure.after == 50 &&
	    strcmp(a.failure.text, "slow") == 0 &&
	    strcmp(json_string_value(a.partial), "t0") == 0,
	    "a failure after some text");
	json_decref(a.partial);

	ask(ONE("\"text\":\"x\",\"finish\":\"length\""), ASK(USER("a")), 0,
	    &a);
	test_case(strcmp(a.finish, "length") == 0, "a finish of its own");
	json_decref(a.message);

	ask("{\"rules\":[]}", ASK(USER("what\\u001b[31m now")), 0, &a);
	test_case(strstr(a.failure.text, "model m, 1 messages") != NULL &&
	    strchr(a.failure.text, 27) == NULL,
	    "that no rule fits says what was asked, without controls");
}

int
main(void)
{
	test_bad();
	test_cases();
	test_answer();
	return (test_end());
}
