/*
 * The construction seam: from the spec of a session, the registry of tools
 * and the configuration in force to all that an attempt works with. It is
 * called for every attempt and takes nothing from the one before.
 */
#ifndef AGENT_SESSION_H
#define AGENT_SESSION_H

#include <jansson.h>
#include <stdint.h>

#include "toolbind.h"

struct config;

#define SESSION_RETRIES_MAX	9
#define SESSION_TIMEOUT_MAX	(7 * 24 * 3600)		/* seconds */
#define SESSION_MAX_TOKENS	4096			/* if none is known */

struct session {
	char		*agent;		/* NULL: a nameless one */
	char		*model;
	int64_t		 max_tokens, window;	/* window 0: not known */
	char		*system;	/* the system message */
	char		*prompt;
	struct toolset	*tools;
	json_t		*schema;	/* NULL: the answer is text */
	char		*sandbox;	/* NULL: one of its own */
	int64_t		 timeout_ms;	/* 0: none */
	int64_t		 retries;
};

/*
 * Build a session from the input of an agent node, which is lent. Returns
 * NULL with a sentence in why.
 */
struct session	*session_new(const json_t *input, const struct config *,
		    char *why, size_t whylen);
void		 session_free(struct session *);

#endif
