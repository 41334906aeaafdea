/*
 * Which failure an error is, and how long to wait.
 */
#include <string.h>

#include "classify.h"
#include "test.h"

static const struct {
	const char		*what;
	struct complaint	 c;
	enum failure_class	 want;
} cases[] = {
	{ "429", { .status = 429, .message = "slow down" }, FAIL_RATE_LIMIT },
	{ "500", { .status = 500 }, FAIL_TRANSIENT },
	{ "502", { .status = 502 }, FAIL_TRANSIENT },
	{ "503", { .status = 503 }, FAIL_TRANSIENT },
	{ "504", { .status = 504 }, FAIL_TRANSIENT },
	{ "529", { .status = 529 }, FAIL_TRANSIENT },
	{ "408", { .status = 408 }, FAIL_TRANSIENT },
	{ "409", { .status = 409 }, FAIL_TRANSIENT },
	{ "400", { .status = 400, .message = "bad" }, FAIL_INVALID },
	{ "404", { .status = 404, .message = "no model" }, FAIL_INVALID },
	{ "413", { .status = 413, .message = "big" }, FAIL_INVALID },
	{ "422", { .status = 422, .message = "bad" }, FAIL_INVALID },
	{ "401", { .status = 401, .message = "who" }, FAIL_AUTH },
	{ "403", { .status = 403, .message = "no" }, FAIL_AUTH },
	{ "402", { .status = 402, .message = "pay" }, FAIL_FATAL },
	{ "307", { .status = 307 }, FAIL_PROTOCOL },
	{ "insufficient_quota in a 429", { .status = 429,
	    .code = "insufficient_quota" }, FAIL_FATAL },
	{ "billing_error", { .status = 400, .type = "billing_error" },
	    FAIL_FATAL },
	{ "budget_exceeded in a 429", { .status = 429,
	    .type = "budget_exceeded" }, FAIL_FATAL },
	{ "context_length_exceeded", { .status = 400,
	    .code = "context_length_exceeded" }, FAIL_OVERFLOW },
	{ "ContextWindowExceededError in a text", { .status = 400, .message =
	    "litellm.ContextWindowExceededError: OpenAIException - x" },
	    FAIL_OVERFLOW },
	{ "prompt is too long", { .status = 400, .message =
	    "prompt is too long: 212341 tokens > 200000 maximum" },
	    FAIL_OVERFLOW },
	{ "maximum context length is N tokens", { .status = 400, .message =
	    "This model's maximum context length is 8192 tokens." },
	    FAIL_OVERFLOW },
	{ "input token count exceeds", { .status = 400, .message = "The input "
	    "token count (1200000) exceeds the maximum number of tokens" },
	    FAIL_OVERFLOW },
	{ "exceeds the available context size", { .status = 500, .message =
	    "the request exceeds the available context size" },
	    FAIL_OVERFLOW },
	{ "too large for model with N", { .status = 422, .message =
	    "Prompt is too large for model with 32768 maximum" },
	    FAIL_OVERFLOW },
	{ "400 with an empty body", { .status = 400, .empty = 1 },
	    FAIL_OVERFLOW },
	{ "413 with an empty body", { .status = 413, .empty = 1 },
	    FAIL_OVERFLOW },
	{ "404 with an empty body is no overflow", { .status = 404,
	    .empty = 1 }, FAIL_INVALID },
	{ "a 429 is never an overflow", { .status = 429, .message =
	    "exceeds the limit of 30000 tokens per minute" },
	    FAIL_RATE_LIMIT },
	{ "rate limit by words", { .status = 200,
	    .type = "rate_limit_exceeded" }, FAIL_RATE_LIMIT },
	{ "throttling by words", { .status = 200,
	    .type = "throttling_error" }, FAIL_RATE_LIMIT },
	{ "overloaded by words", { .status = 200,
	    .type = "overloaded_error" }, FAIL_TRANSIENT },
	{ "authentication by words", { .status = 200,
	    .type = "authentication_error" }, FAIL_AUTH },
	{ "invalid by words", { .status = 200,
	    .type = "invalid_request_error" }, FAIL_INVALID },
	{ "no known word", { .status = 200, .message = "hm" },
	    FAIL_TRANSIENT },
	{ "code \"429\"", { .status = 200, .code = "429" },
	    FAIL_RATE_LIMIT },
	{ "code \"999\" is no status", { .status = 200, .code = "999" },
	    FAIL_TRANSIENT },
	{ "x-should-retry: true", { .status = 400, .message = "x",
	    .should_retry = "true" }, FAIL_TRANSIENT },
	{ "x-should-retry: false", { .status = 503,
	    .should_retry = "false" }, FAIL_FATAL },
	{ "x-should-retry: true keeps the rate limit", { .status = 429,
	    .should_retry = "true" }, FAIL_RATE_LIMIT },
	{ "x-should-retry of nonsense", { .status = 503,
	    .should_retry = "maybe" }, FAIL_TRANSIENT },
};

static const struct {
	const char	*what;
	const char	*after, *ms;
	int64_t		 want;
} waits[] = {
	{ "no header", NULL, NULL, 0 },
	{ "seconds", "7", NULL, 7000 },
	{ "parts of seconds", "1.5", NULL, 1500 },
	{ "milliseconds", NULL, "250", 250 },
	{ "milliseconds win", "7", "250", 250 },
	{ "bad milliseconds lose", "7", "soon", 7000 },
	{ "a date", "Sun, 06 Nov 1994 08:49:47 GMT", NULL, 10000 },
	{ "a date that is past", "Sun, 06 Nov 1994 08:49:27 GMT", NULL, 0 },
	{ "a date far away", "Sun, 06 Nov 2094 08:49:27 GMT", NULL,
	    RETRY_AFTER_MAX },
	{ "a negative number", "-5", NULL, 0 },
	{ "not a number", "NaN", NULL, 0 },
	{ "an exponent", "1e9", NULL, 0 },
	{ "a great number", "1000000000", NULL, RETRY_AFTER_MAX },
	{ "a number beyond all", "99999999999999999999999999", NULL,
	    RETRY_AFTER_MAX },
	{ "many decimals", "0.123456789", NULL, 123 },
	{ "empty", "", NULL, 0 },
	{ "text", "soon", NULL, 0 },
	{ "a number with a word", "5 minutes", NULL, 0 },
};

/* Sun, 06 Nov 1994 08:49:37 GMT */
#define NOW	784111777

static void
test_classes(void)
{
	size_t	i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_case(classify(&cases[i].c) == cases[i].want, "%s is %s",
		    cases[i].what, failure_name(cases[i].want));
}

static void
test_waits(void)
{
	size_t	i;
	int64_t	got;

	for (i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		got = retry_after(waits[i].after, waits[i].ms, NOW);
		if (!test_case(got == waits[i].want, "Retry-After: %s",
		    waits[i].what))
			printf("got %lld\n", (long long)got);
	}
}

static void
test_read(const char *what, const char *json, const char *want, int status)
{
	struct complaint	 c = { .status = 200 };
	json_t			*v = json_loads(json, 0, NULL);

	(void)complaint_read(&c, v);
	test_case(c.message != NULL && strcmp(c.message, want) == 0 &&
	    c.status == status, "an error %s", what);
	json_decref(v);
}

int
main(void)
{
	test_classes();
	test_waits();
	test_read("as an object", "{\"error\":{\"message\":\"m\"}}", "m", 200);
	test_read("as a text", "{\"error\":\"m\"}", "m", 200);
	test_read("at the top", "{\"message\":\"m\"}", "m", 200);
	test_read("as detail", "{\"detail\":\"m\"}", "m", 200);
	test_read("with its status", "{\"error\":{\"message\":\"m\",\"code\":"
	    "503}}", "m", 503);
	test_read("with a code that is none", "{\"error\":{\"message\":\"m\","
	    "\"code\":7}}", "m", 200);
	return (test_end());
}
