/*
 * Requests: what goes over the wire for each kind of message.
 */
#include <stdlib.h>
#include <string.h>

#include "openai_request.h"
#include "question.h"
#include "test.h"

#define HEAD	"{\"max_tokens\":9,\"messages\":["
#define TAIL	"],\"model\":\"x\",\"stream\":true," \
		"\"stream_options\":{\"include_usage\":true}}"

static const struct {
	const char	*what;
	const char	*messages;
	const char	*want;
} cases[] = {
	{ "system and user",
	    "{\"role\":\"system\",\"content\":\"s\"},"
	    "{\"role\":\"user\",\"content\":\"u\"}",
	    "{\"content\":\"s\",\"role\":\"system\"},"
	    "{\"content\":\"u\",\"role\":\"user\"}" },
	{ "text of an assistant",
	    "{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":[]}",
	    "{\"content\":\"a\",\"role\":\"assistant\"}" },
	{ "no content at all", "{\"role\":\"assistant\"}",
	    "{\"content\":null,\"role\":\"assistant\"}" },
	{ "calls: the arguments become text",
	    "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"
	    "\"i\",\"name\":\"f\",\"arguments\":{\"a\":[1,\"b\"]}}]}",
	    "{\"content\":null,\"role\":\"assistant\",\"tool_calls\":[{"
	    "\"function\":{\"arguments\":\"{\\\"a\\\":[1,\\\"b\\\"]}\","
	    "\"name\":\"f\"},\"id\":\"i\",\"type\":\"function\"}]}" },
	{ "calls: arguments that were no object go back as they came",
	    "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"
	    "\"i\",\"name\":\"f\",\"arguments\":\"{}{}\"}]}",
	    "{\"content\":null,\"role\":\"assistant\",\"tool_calls\":[{"
	    "\"function\":{\"arguments\":\"{}{}\","
	    "\"name\":\"f\"},\"id\":\"i\",\"type\":\"function\"}]}" },
	{ "a tool's answer",
	    "{\"role\":\"tool\",\"id\":\"i\",\"name\":\"f\",\"content\":\"\"}",
	    "{\"content\":\"\",\"role\":\"tool\",\"tool_call_id\":\"i\"}" },
};

/* The request for a body, as sorted JSON. NULL if the body is refused. */
static char *
request(const char *body, int64_t max_tokens)
{
	char	 why[256], *text = NULL;
	json_t	*v = json_loads(body, 0, NULL), *made;

	if (v != NULL && question_check(v, why, sizeof(why)) == 0) {
		made = openai_request(v, "x", "max_tokens", max_tokens);
		text = json_dumps(made, JSON_COMPACT | JSON_SORT_KEYS);
		json_decref(made);
	}
	json_decref(v);
	return (text);
}

static void
test_messages(void)
{
	char	body[1024], want[1024], *got;
	size_t	i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)snprintf(body, sizeof(body), "{\"messages\":[%s]}",
		    cases[i].messages);
		(void)snprintf(want, sizeof(want), HEAD "%s" TAIL,
		    cases[i].want);
		got = request(body, 9);
		if (!test_case(got != NULL && strcmp(got, want) == 0, "%s",
		    cases[i].what))
			printf("got %s\n", got == NULL ? "nothing" : got);
		free(got);
	}
}

static void
test_tools(void)
{
	char	*got;

	got = request("{\"messages\":[{\"role\":\"user\",\"content\":\"u\"}],"
	    "\"tools\":[{\"name\":\"f\",\"description\":\"d\",\"input\":"
	    "{\"type\":\"object\"}}]}", 0);
	test_case(got != NULL && strstr(got, "\"tools\":[{\"function\":{"
	    "\"description\":\"d\",\"name\":\"f\",\"parameters\":{\"type\":"
	    "\"object\"}},\"type\":\"function\"}]") != NULL, "tools");
	test_case(got != NULL && strstr(got, "max_tokens") == NULL,
	    "no limit is not sent");
	free(got);
	got = request("{\"messages\":[{\"role\":\"user\",\"content\":\"u\"}],"
	    "\"tools\":[]}", 0);
	test_case(got != NULL && strstr(got, "tools") == NULL,
	    "no tools are not sent as an empty list");
	free(got);
}

int
main(void)
{
	test_messages();
	test_tools();
	return (test_end());
}
