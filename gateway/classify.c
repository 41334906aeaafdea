/*
 * Errors of providers. The words are those that OpenAI, LiteLLM and the
 * servers behind it are known to use; they are matched wherever they stand,
 * because gateways wrap one error in the text of another.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "classify.h"
#include "log.h"

/* The conversation is too long for the model. */
static const char overflow_regex[] =
    "prompt is too long"
    "|input is too long for requested model"
    "|exceeds the context window"
    "|input token count.*exceeds the maximum"
    "|maximum prompt length is [0-9,]+"
    "|reduce the length of the messages"
    "|maximum context length (is|of) [0-9,]+ tokens"
    "|exceeds the limit of [0-9,]+"
    "|exceeds the available context size"
    "|greater than the context length"
    "|context window exceeds limit"
    "|exceeded model token limit"
    "|too large for model with [0-9,]+"
    "|context_length_exceeded"
    "|ContextWindowExceededError"
    "|model_context_window_exceeded";

/* Money: no other try will help until somebody pays. */
static const char quota_regex[] =
    "insufficient_quota|billing_error|billing_hard_limit|budget_exceeded"
    "|BudgetExceededError|usage_not_included|credit balance is too low";

static const struct {
	const char		*regex;
	enum failure_class	 class;
} words[] = {
	{ "rate.?limit|throttl|too many requests",	FAIL_RATE_LIMIT },
	{ "authentication|invalid.api.key|permission",	FAIL_AUTH },
	{ "invalid.request|not.found|unprocessable|BadRequest",
	    FAIL_INVALID },
	{ "overloaded|server.error|api.error|timeout|unavailable|internal",
	    FAIL_TRANSIENT },
};

static int
says(const char *regex, const char *text)
{
	regex_t	re;
	int	error, found;

	if (text == NULL)
		return (0);
	error = regcomp(&re, regex, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	if (error == REG_ESPACE)
		return (0);	/* no memory: it stays unknown */
	if (error != 0)
		fatalx("classify: regcomp");
	found = regexec(&re, text, 0, NULL, 0) == 0;
	regfree(&re);
	return (found);
}

static int
complains(const struct complaint *c, const char *regex)
{
	return (says(regex, c->type) || says(regex, c->code) ||
	    says(regex, c->message));
}

static const char *
text_at(const json_t *v, const char *key)
{
	return (json_string_value(json_object_get(v, key)));
}

int
complaint_read(struct complaint *c, const json_t *v)
{
	const json_t	*error = json_object_get(v, "error"), *code;

	c->type = c->code = c->message = NULL;
	if (json_is_string(error)) {
		c->message = json_string_value(error);
		return (1);
	}
	if (json_is_object(error))
		v = error;
	c->type = text_at(v, "type");
	c->code = text_at(v, "code");
	if ((c->message = text_at(v, "message")) == NULL)
		c->message = text_at(v, "detail");
	code = json_object_get(v, "code");
	if (c->status == 200 && json_is_integer(code) &&
	    json_integer_value(code) >= 400 && json_integer_value(code) < 600)
		c->status = (int)json_integer_value(code);
	return (json_is_object(error) || c->message != NULL);
}

/* By the words alone: an error that came in a good response. */
static enum failure_class
by_words(const struct complaint *c)
{
	size_t	i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (complains(c, words[i].regex))
			return (words[i].class);
	return (FAIL_TRANSIENT);
}

static enum failure_class
by_status(const struct complaint *c, int status)
{
	switch (status) {
	case 401:
	case 403:
		return (FAIL_AUTH);
	case 402:
	case 501:
	case 505:
		return (FAIL_FATAL);
	case 408:
	case 409:
	case 425:
		return (FAIL_TRANSIENT);
	case 429:
		return (FAIL_RATE_LIMIT);
	}
	if (status >= 500)
		return (FAIL_TRANSIENT);
	if (status >= 400)
		return (FAIL_INVALID);
	if (status >= 300)
		return (FAIL_PROTOCOL);
	return (by_words(c));
}

/* LiteLLM gives the HTTP status as a string in code. */
static int
real_status(const struct complaint *c)
{
	int	n;

	if (c->status != 200 || c->code == NULL || strlen(c->code) != 3 ||
	    strspn(c->code, "0123456789") != 3)
		return (c->status);
	n = (c->code[0] - '0') * 100 + (c->code[1] - '0') * 10 +
	    c->code[2] - '0';
	return (n >= 400 && n < 600 ? n : c->status);
}

enum failure_class
classify(const struct complaint *c)
{
	int			status = real_status(c);
	enum failure_class	class;

	if (complains(c, quota_regex))
		return (FAIL_FATAL);
	if (status != 429 && complains(c, overflow_regex))
		return (FAIL_OVERFLOW);
	if (c->empty && (status == 400 || status == 413))
		return (FAIL_OVERFLOW);
	class = by_status(c, status);
	if (c->should_retry == NULL)
		return (class);
	if (strcasecmp(c->should_retry, "true") == 0 &&
	    class != FAIL_RATE_LIMIT)
		return (FAIL_TRANSIENT);
	if (strcasecmp(c->should_retry, "false") == 0 &&
	    (class == FAIL_RATE_LIMIT || class == FAIL_TRANSIENT))
		return (FAIL_FATAL);
	return (class);
}
