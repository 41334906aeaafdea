/*
 * Responses as a whole: what status, headers and bytes make of a call.
 */
#include <stdlib.h>
#include <string.h>

#include "response.h"
#include "test.h"

#define STREAM	"data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n"
#define FINISH	"data: {\"choices\":[{\"delta\":{},\"finish_reason\":" \
		"\"stop\"}]}\n\n"
#define WHOLE	"{\"choices\":[{\"message\":{\"content\":\"hi\"}," \
		"\"finish_reason\":\"stop\"}]}"

static const struct {
	const char	*what;
	int		 status;
	const char	*header, *value;
	const char	*body;
	enum http_end	 end;
	const char	*text;	/* NULL: a failure */
	enum failure_class class;
	const char	*why;
	int64_t		 after;
} cases[] = {
	{ "a stream", 200, "Content-Type", "text/event-stream",
	    STREAM FINISH "data: [DONE]\n\n", HTTP_DONE, "hi", 0, NULL, 0 },
	{ "a stream that begins with a comment", 200, "x", "y",
	    ": ping\n\n" STREAM FINISH, HTTP_DONE, "hi", 0, NULL, 0 },
	{ "a stream that begins with blank lines", 200, "x", "y",
	    "\r\n\n" STREAM FINISH, HTTP_DONE, "hi", 0, NULL, 0 },
	{ "a stream that calls itself text", 200, "content-type",
	    "text/plain", STREAM FINISH, HTTP_DONE, "hi", 0, NULL, 0 },
	{ "a stream that breaks after its finish", 200, "x", "y",
	    STREAM FINISH, HTTP_BROKEN, "hi", 0, NULL, 0 },
	{ "a stream stopped after [DONE]", 200, "x", "y",
	    STREAM "data: [DONE]\n\n", HTTP_STOPPED, "hi", 0, NULL, 0 },
	{ "a whole completion", 200, "Content-Type", "application/json",
	    WHOLE, HTTP_DONE, "hi", 0, NULL, 0 },
	{ "half a completion", 200, "Content-Type", "application/json",
	    WHOLE, HTTP_BROKEN, NULL, FAIL_TRANSIENT, "broke", 0 },
	{ "a stream without an end", 200, "x", "y", STREAM, HTTP_DONE, NULL,
	    FAIL_TRANSIENT, "cut short", 0 },
	{ "a stream that breaks", 200, "x", "y", STREAM, HTTP_BROKEN, NULL,
	    FAIL_TRANSIENT, "the connection broke: why", 0 },
	{ "a stream that falls silent", 200, "x", "y", STREAM,
	    HTTP_IDLE_TIMEOUT, NULL, FAIL_TRANSIENT, "silent", 0 },
	{ "a stream that never ends", 200, "x", "y", STREAM,
	    HTTP_TOTAL_TIMEOUT, NULL, FAIL_TRANSIENT, "too long", 0 },
	{ "nothing", 200, "x", "y", "", HTTP_DONE, NULL, FAIL_TRANSIENT,
	    "empty", 0 },
	{ "204", 204, "x", "y", "", HTTP_DONE, NULL, FAIL_TRANSIENT,
	    "empty", 0 },
	{ "a page", 200, "content-type", "text/html",
	    "<html>log in</html>", HTTP_STOPPED, NULL, FAIL_PROTOCOL,
	    "text/html: <html>log in", 0 },
	{ "a page of no type", 200, "x", "y", "<html>", HTTP_STOPPED, NULL,
	    FAIL_PROTOCOL, "no known type: <html>", 0 },
	{ "compressed", 200, "Content-Encoding", "gzip", "\x1f\x8b",
	    HTTP_STOPPED, NULL, FAIL_PROTOCOL, "compressed (gzip)", 0 },
	{ "an error in a good response", 200, "x", "y",
	    "{\"error\":{\"message\":\"Overloaded\"}}", HTTP_DONE, NULL,
	    FAIL_TRANSIENT, "Overloaded", 0 },
	{ "an error in a stream", 200, "x", "y", STREAM
	    "data: {\"error\":{\"type\":\"rate_limit_error\"}}\n\n",
	    HTTP_STOPPED, NULL, FAIL_RATE_LIMIT, "rate_limit_error", 0 },
	{ "429 with Retry-After", 429, "Retry-After", "3",
	    "{\"error\":{\"message\":\"slow\"}}", HTTP_DONE, NULL,
	    FAIL_RATE_LIMIT, "the provider says 429: slow", 3000 },
	{ "429 with retry-after-ms", 429, "retry-after-ms", "30", "",
	    HTTP_DONE, NULL, FAIL_RATE_LIMIT, "429: nothing more", 30 },
	{ "500 with a page", 500, "x", "y", "<h1>oops</h1>", HTTP_DONE, NULL,
	    FAIL_TRANSIENT, "500: <h1>oops", 0 },
	{ "500 that breaks", 500, "x", "y", "oo", HTTP_BROKEN, NULL,
	    FAIL_TRANSIENT, "500: oo", 0 },
	{ "401", 401, "x", "y", "{\"error\":{\"message\":\"no key\"}}",
	    HTTP_DONE, NULL, FAIL_AUTH, "no key", 0 },
	{ "a redirection", 307, "Location", "https://elsewhere/", "",
	    HTTP_DONE, NULL, FAIL_PROTOCOL, "redirects (307)", 0 },
	{ "400, too long", 400, "x", "y", "{\"error\":{\"code\":"
	    "\"context_length_exceeded\",\"message\":\"m\"}}", HTTP_DONE,
	    NULL, FAIL_OVERFLOW, "m", 0 },
	{ "x-should-retry", 400, "x-should-retry", "true", "no", HTTP_DONE,
	    NULL, FAIL_TRANSIENT, "no", 0 },
	{ "unreachable", 0, NULL, NULL, NULL, HTTP_UNREACHABLE, NULL,
	    FAIL_TRANSIENT, "can't reach the provider: why", 0 },
	{ "untrusted", 0, NULL, NULL, NULL, HTTP_UNTRUSTED, NULL, FAIL_FATAL,
	    "can't trust the provider: why", 0 },
	{ "no connection in time", 0, NULL, NULL, NULL, HTTP_CONNECT_TIMEOUT,
	    NULL, FAIL_TRANSIENT, "no connection", 0 },
	{ "not HTTP", 0, NULL, NULL, NULL, HTTP_NONSENSE, NULL,
	    FAIL_PROTOCOL, "does not speak HTTP", 0 },
	{ "too long", 200, "x", "y", STREAM, HTTP_TOO_LONG, NULL,
	    FAIL_PROTOCOL, "too long", 0 },
};

static json_t *
play(struct response *r, size_t i)
{
	const char	*finish;

	response_init(r, 0);
	if (cases[i].header != NULL)
		response_header(r, cases[i].header, cases[i].value);
	if (cases[i].body != NULL && *cases[i].body != '\0')
		(void)response_data(r, cases[i].status, cases[i].body,
		    strlen(cases[i].body));
	return (response_end(r, cases[i].end, cases[i].status, "why", 0,
	    &finish));
}

static void
test_cases(void)
{
	struct response	*r = malloc(sizeof(*r));
	json_t		*m;
	size_t		 i;
	int		 ok;

	for (i = 0; r != NULL && i < sizeof(cases) / sizeof(cases[0]); i++) {
		m = play(r, i);
		if (cases[i].text != NULL)
			ok = m != NULL && strcmp(cases[i].text,
			    json_string_value(json_object_get(m,
			    "content"))) == 0;
		else
			ok = m == NULL && r->failure.class == cases[i].class &&
			    strstr(r->failure.text, cases[i].why) != NULL &&
			    r->failure.after == cases[i].after &&
			    r->failure.status == cases[i].status;
		if (!test_case(ok, "response: %s", cases[i].what))
			printf("got %s: %s\n", failure_name(r->failure.class),
			    r->failure.text);
		json_decref(m);
		response_free(r);
	}
	free(r);
}

/* An error of any length is read to its end, and kept up to a limit. */
static void
test_long_error(void)
{
	struct response	*r = malloc(sizeof(*r));
	char		 page[4096];
	const char	*finish;
	int		 i, ret = 0;

	if (r == NULL)
		return;
	memset(page, 'x', sizeof(page));
	response_init(r, 0);
	for (i = 0; i < 100; i++)
		ret |= response_data(r, 502, page, sizeof(page));
	test_case(ret == 0 && r->body.len == RESPONSE_ERROR_MAX &&
	    response_end(r, HTTP_DONE, 502, "", 0, &finish) == NULL &&
	    r->failure.class == FAIL_TRANSIENT,
	    "response: an error page of 400 KiB");
	response_free(r);
	free(r);
}

int
main(void)
{
	test_cases();
	test_long_error();
	return (test_end());
}
