/*
 * The body of MODEL_CALL: the check that it is what the catalogue says, and
 * an estimate of its size. Pure.
 */
#ifndef QUESTION_H
#define QUESTION_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Returns 0, or -1 with in why the path and what is wrong with it. */
int	 question_check(const json_t *body, char *why, size_t whylen)
	    __attribute__((warn_unused_result));

/* A quarter of the characters of all texts, arguments and schemas. */
int64_t	 question_tokens(const json_t *body);
int64_t	 message_tokens(const json_t *message);

#endif
