/*
 * Our question as a request of the Chat Completions API. Pure.
 */
#ifndef OPENAI_REQUEST_H
#define OPENAI_REQUEST_H

#include <jansson.h>
#include <stdint.h>

/*
 * body has passed question_check(). max_tokens of 0 is left out; limit_key
 * is what the server calls it. Returns a new object, NULL without memory.
 */
json_t	*openai_request(const json_t *body, const char *model,
	    const char *limit_key, int64_t max_tokens);

#endif
