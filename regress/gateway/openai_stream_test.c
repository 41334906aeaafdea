/*
 * Chunks of Chat Completions, as they should be and as servers send them.
 */
#include <stdlib.h>
#include <string.h>

#include "openai_stream.h"
#include "test.h"

#define D(delta)	"{\"choices\":[{\"index\":0,\"delta\":" delta "}]}\n"
#define F(word)		"{\"choices\":[{\"index\":0,\"delta\":{}," \
			"\"finish_reason\":\"" word "\"}]}\n"
#define T(fragment)	D("{\"tool_calls\":[" fragment "]}")
#define DONE		"[DONE]\n"

#define TEXT(t)		"{\"content\":\"" t "\",\"role\":\"assistant\"}"
#define CALLS(c)	"{\"content\":null,\"role\":\"assistant\"," \
			"\"tool_calls\":[" c "]}"
#define CALL(id, name, args)						\
	"{\"arguments\":" args ",\"id\":\"" id "\",\"name\":\"" name "\"}"

static const struct {
	const char	*what;
	const char	*chunks;	/* one a line */
	const char	*finish;
	const char	*message;
} good[] = {
	{ "text in pieces", D("{\"role\":\"assistant\",\"content\":\"\"}")
	    D("{\"content\":\"a\"}") D("{\"content\":\"b\"}") F("stop") DONE,
	    "stop", TEXT("ab") },
	{ "no [DONE], but a finish", D("{\"content\":\"a\"}") F("stop"),
	    "stop", TEXT("a") },
	{ "[DONE], but no finish", D("{\"content\":\"a\"}") DONE,
	    "stop", TEXT("a") },
	{ "[DONE] with blanks and CR", D("{\"content\":\"a\"}")
	    F("stop") "  [DONE] \r\n", "stop", TEXT("a") },
	{ "content is null", D("{\"content\":null}") F("stop"), "stop",
	    TEXT("") },
	{ "a delta of null", D("null") D("{\"content\":\"a\"}") F("stop"),
	    "stop", TEXT("a") },
	{ "no choices, empty choices, choices of null", "{}\n"
	    "{\"choices\":[]}\n{\"choices\":null}\n" D("{\"content\":\"a\"}")
	    F("stop"), "stop", TEXT("a") },
	{ "a second choice is not ours", D("{\"content\":\"a\"}")
	    "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"x\"}}]}\n"
	    F("stop"), "stop", TEXT("a") },
	{ "unknown keys are skipped",
	    "{\"object\":\"x\",\"obfuscation\":\"zzz\",\"choices\":[{"
	    "\"index\":0,\"logprobs\":null,\"delta\":{\"content\":\"a\",\"reasoning\":"
	    "\"hm\"}}]}\n" F("stop"), "stop", TEXT("a") },
	{ "error: null is none", "{\"error\":null,\"choices\":[]}\n"
	    D("{\"content\":\"a\"}") F("stop"), "stop", TEXT("a") },
	{ "a refusal is text", D("{\"refusal\":\"no\"}") F("stop"), "stop",
	    TEXT("no") },
	{ "a whole response", "{\"choices\":[{\"index\":0,\"message\":"
	    "{\"role\":\"assistant\",\"content\":\"a\"},"
	    "\"finish_reason\":\"stop\"}]}\n", "stop", TEXT("a") },
	{ "a whole response with a call", "{\"choices\":[{\"message\":"
	    "{\"content\":null,\"tool_calls\":[{\"id\":\"i\",\"type\":"
	    "\"function\",\"function\":{\"name\":\"f\",\"arguments\":"
	    "\"{\\\"a\\\":1}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n",
	    "tool_calls", CALLS(CALL("i", "f", "{\"a\":1}")) },

	{ "a call in pieces",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"\"}}")
	    T("{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\"\"}}")
	    T("{\"index\":0,\"function\":{\"arguments\":\":1}\"}}")
	    F("tool_calls") DONE,
	    "tool_calls", CALLS(CALL("i", "f", "{\"a\":1}")) },
	{ "two calls whose pieces alternate",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{\"}}")
	    T("{\"index\":1,\"id\":\"j\",\"function\":{\"name\":\"g\","
	    "\"arguments\":\"{\"}}")
	    T("{\"index\":0,\"function\":{\"arguments\":\"}\"}},"
	    "{\"index\":1,\"function\":{\"arguments\":\"}\"}}")
	    F("tool_calls"),
	    "tool_calls", CALLS(CALL("i", "f", "{}") ","
	    CALL("j", "g", "{}")) },
	{ "id and name repeated in each piece",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{\\\"a\\\":\"}}")
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"1}\"}}") F("tool_calls"),
	    "tool_calls", CALLS(CALL("i", "f", "{\"a\":1}")) },
	{ "no index: the id tells",
	    T("{\"id\":\"i\",\"function\":{\"name\":\"f\",\"arguments\":"
	    "\"{}\"}},{\"id\":\"j\",\"function\":{\"name\":\"g\","
	    "\"arguments\":\"{}\"}}") F("tool_calls"),
	    "tool_calls", CALLS(CALL("i", "f", "{}") ","
	    CALL("j", "g", "{}")) },
	{ "no index, no id, arguments as an object",
	    T("{\"function\":{\"name\":\"f\",\"arguments\":{\"a\":1}}},"
	    "{\"function\":{\"name\":\"f\",\"arguments\":{\"a\":2}}}")
	    F("stop"),
	    "tool_calls", CALLS(CALL("call_4", "f", "{\"a\":1}") ","
	    CALL("call_5", "f", "{\"a\":2}")) },
	{ "index 0 for every call",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{}\"}}")
	    T("{\"index\":0,\"id\":\"j\",\"function\":{\"name\":\"g\","
	    "\"arguments\":\"{}\"}}") F("tool_calls"),
	    "tool_calls", CALLS(CALL("i", "f", "{}") ","
	    CALL("j", "g", "{}")) },
	{ "gaps between indexes",
	    T("{\"index\":3,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{}\"}}") F("tool_calls"),
	    "tool_calls", CALLS(CALL("i", "f", "{}")) },
	{ "the same id twice",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{}\"}},{\"index\":1,\"id\":\"i\",\"function\":"
	    "{\"name\":\"g\",\"arguments\":\"{}\"}}") F("tool_calls"),
	    "tool_calls", CALLS(CALL("i", "f", "{}") ","
	    CALL("call_5", "g", "{}")) },
	{ "no arguments are none",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":null}}") F("tool_calls"),
	    "tool_calls", CALLS(CALL("i", "f", "{}")) },
	{ "calls that come with stop are calls",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{}\"}}") F("end_turn"),
	    "tool_calls", CALLS(CALL("i", "f", "{}")) },
	{ "text and calls", D("{\"content\":\"a\"}")
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{}\"}}") F("tool_calls"), "tool_calls",
	    "{\"content\":\"a\",\"role\":\"assistant\",\"tool_calls\":["
	    CALL("i", "f", "{}") "]}" },
	{ "calls of an answer cut by its length are not made",
	    D("{\"content\":\"a\"}") T("{\"index\":0,\"id\":\"i\","
	    "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}")
	    F("length"), "length", TEXT("a") },
	{ "nor those of a filtered one",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{}\"}}") F("content_filter"),
	    "content_filter", TEXT("") },
	{ "an unknown finish keeps the text", D("{\"content\":\"a\"}")
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{}\"}}") F("tired"), "unknown", TEXT("a") },
	{ "two objects glued together stay text",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{}{}\"}}") F("tool_calls"),
	    "tool_calls", CALLS(CALL("i", "f", "\"{}{}\"")) },
	{ "arguments that are no object stay text",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"[1]\"}}") F("tool_calls"),
	    "tool_calls", CALLS(CALL("i", "f", "\"[1]\"")) },
	{ "arguments with 1e400 stay text",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{\\\"a\\\":1e400}\"}}") F("tool_calls"),
	    "tool_calls", CALLS(CALL("i", "f", "\"{\\\"a\\\":1e400}\"")) },
	{ "arguments with a duplicate key stay text",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{\\\"a\\\":1,\\\"a\\\":2}\"}}")
	    F("tool_calls"), "tool_calls", CALLS(CALL("i", "f",
	    "\"{\\\"a\\\":1,\\\"a\\\":2}\"")) },
	{ "arguments with \\u0000 stay text",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\","
	    "\"arguments\":\"{\\\"a\\\":\\\"\\\\u0000\\\"}\"}}")
	    F("tool_calls"), "tool_calls", CALLS(CALL("i", "f",
	    "\"{\\\"a\\\":\\\"\\\\u0000\\\"}\"")) },
};

static const struct {
	const char		*what;
	const char		*chunks;
	enum failure_class	 class;
	const char		*text;
} bad[] = {
	{ "a chunk that is not JSON", "data of no kind\n", FAIL_PROTOCOL,
	    "data of no kind" },
	{ "a chunk that is not an object", "[]\n", FAIL_PROTOCOL,
	    "not a completion" },
	{ "choices that are none", "{\"choices\":7}\n", FAIL_PROTOCOL,
	    "not a completion" },
	{ "content that is not text", D("{\"content\":7}"), FAIL_PROTOCOL,
	    "content is not a string" },
	{ "text with NUL", D("{\"content\":\"\\u0000\"}"), FAIL_PROTOCOL,
	    "not JSON" },
	{ "text with half a surrogate pair", D("{\"content\":\"\\ud800\"}"),
	    FAIL_PROTOCOL, "not JSON" },
	{ "a duplicate key", "{\"id\":\"1\",\"id\":\"2\"}\n", FAIL_PROTOCOL,
	    "duplicate" },
	{ "a call that is not an object", T("7"), FAIL_PROTOCOL,
	    "not an object" },
	{ "a call without a name",
	    T("{\"index\":0,\"id\":\"i\",\"function\":{\"arguments\":\"{}\"}}")
	    F("tool_calls"), FAIL_PROTOCOL, "no name" },
	{ "an error in the stream", D("{\"content\":\"a\"}")
	    "{\"error\":{\"message\":\"Overloaded\",\"type\":"
	    "\"overloaded_error\"}}\n", FAIL_TRANSIENT, "Overloaded" },
	{ "an error that is a text", "{\"error\":\"server_error\"}\n",
	    FAIL_TRANSIENT, "server_error" },
	{ "an error with the status as a string",
	    "{\"error\":{\"message\":\"slow down\",\"code\":\"429\"}}\n",
	    FAIL_RATE_LIMIT, "slow down" },
	{ "an error with the status as a number",
	    "{\"error\":{\"message\":\"who\",\"code\":401}}\n", FAIL_AUTH,
	    "who" },
	{ "an overflow in the stream",
	    "{\"error\":{\"message\":\"prompt is too long: 9 > 8\"}}\n",
	    FAIL_OVERFLOW, "too long" },
};

/* Feed the lines; returns the message or NULL with failure filled in. */
static json_t *
play(struct openai_stream *s, const char *chunks, const char **finish)
{
	size_t	n;

	openai_stream_init(s, 3);
	for (; *chunks != '\0'; chunks += n + 1) {
		n = strcspn(chunks, "\n");
		if (openai_stream_chunk(s, chunks, n) == -1)
			break;
	}
	if (!openai_stream_complete(s))
		return (NULL);
	return (openai_stream_message(s, finish));
}

static void
test_good(void)
{
	struct openai_stream	*s = malloc(sizeof(*s));
	const char		*finish = "none";
	json_t			*message;
	char			*text;
	size_t			 i;

	for (i = 0; s != NULL && i < sizeof(good) / sizeof(good[0]); i++) {
		message = play(s, good[i].chunks, &finish);
		text = message == NULL ? NULL :
		    json_dumps(message, JSON_COMPACT | JSON_SORT_KEYS);
		if (!test_case(text != NULL &&
		    strcmp(text, good[i].message) == 0 &&
		    strcmp(finish, good[i].finish) == 0, "%s", good[i].what))
			printf("got %s %s (%s)\n", finish, text == NULL ?
			    "nothing" : text, s->failure.text);
		free(text);
		json_decref(message);
		openai_stream_free(s);
	}
	free(s);
}

static void
test_bad(void)
{
	struct openai_stream	*s = malloc(sizeof(*s));
	const char		*finish;
	json_t			*message;
	size_t			 i;

	for (i = 0; s != NULL && i < sizeof(bad) / sizeof(bad[0]); i++) {
		message = play(s, bad[i].chunks, &finish);
		if (!test_case(message == NULL &&
		    s->failure.class == bad[i].class &&
		    strstr(s->failure.text, bad[i].text) != NULL,
		    "refused: %s", bad[i].what))
			printf("got %d %s\n", (int)s->failure.class,
			    s->failure.text);
		json_decref(message);
		openai_stream_free(s);
	}
	free(s);
}

static void
test_cut(void)
{
	struct openai_stream	*s = malloc(sizeof(*s));
	const char		*finish;

	if (s == NULL)
		return;
	test_case(play(s, D("{\"content\":\"a\"}"), &finish) == NULL &&
	    !s->failed, "text without an end is not complete");
	openai_stream_free(s);
	test_case(play(s, DONE, &finish) == NULL,
	    "nothing but [DONE] is not complete");
	openai_stream_free(s);
	free(s);
}

static void
test_usage(void)
{
	struct openai_stream	*s = malloc(sizeof(*s));
	const char		*finish;

	if (s == NULL)
		return;
	json_decref(play(s, D("{\"content\":\"a\"}") F("stop")
	    "{\"id\":\"chat-1\",\"choices\":[],\"usage\":{\"prompt_tokens\":3,"
	    "\"completion_tokens\":4,\"total_tokens\":7}}\n" DONE, &finish));
	test_case(s->tokens_in == 3 && s->tokens_out == 4, "usage is kept");
	test_case(strcmp(s->id, "chat-1") == 0, "and the provider's own id");
	openai_stream_free(s);
	json_decref(play(s, "{\"usage\":null,\"choices\":[]}\n" F("stop"),
	    &finish));
	test_case(s->tokens_in == -1 && s->tokens_out == -1,
	    "usage of null says nothing");
	openai_stream_free(s);
	json_decref(play(s, F("stop") "{\"usage\":{\"prompt_tokens\":-1,"
	    "\"completion_tokens\":\"x\"}}\n", &finish));
	test_case(s->tokens_in == -1 && s->tokens_out == -1,
	    "usage that makes no sense, neither");
	openai_stream_free(s);
	free(s);
}

static void
test_many(void)
{
	struct openai_stream	*s = malloc(sizeof(*s));
	char			 chunk[128];
	int			 i, ret = 0;

	if (s == NULL)
		return;
	openai_stream_init(s, 0);
	for (i = 0; i <= OPENAI_CALLS_MAX && ret == 0; i++) {
		(void)snprintf(chunk, sizeof(chunk), "{\"choices\":[{\"delta\":"
		    "{\"tool_calls\":[{\"index\":%d}]}}]}", i);
		ret = openai_stream_chunk(s, chunk, strlen(chunk));
	}
	test_case(i == OPENAI_CALLS_MAX + 1 && ret == -1 &&
	    s->failure.class == FAIL_PROTOCOL, "too many calls are refused");
	openai_stream_free(s);
	free(s);
}

int
main(void)
{
	test_good();
	test_bad();
	test_cut();
	test_usage();
	test_many();
	return (test_end());
}
