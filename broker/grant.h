/*
 * May it? One pure function says so: no clock, no registry, no peer.
 */
#ifndef GRANT_H
#define GRANT_H

#include <stdint.h>

#include "scope.h"

enum want {
	WANT_VERB,	/* a client: all of these verbs */
	WANT_SUBMIT,	/* a client: a run with a budget of tokens */
	WANT_TOOL,	/* a script or an agent: tool */
	WANT_AGENT,	/* a script: an agent, perhaps with a model */
	WANT_SLEEP,	/* a script */
	WANT_MODEL,	/* an agent: one call of model */
};

struct request {
	enum want	 want;
	int64_t		 now;		/* ms since 1970 */
	unsigned	 verb;
	const char	*tool;
	const char	*agent;		/* NULL or "": an agent without name */
	const char	*model;		/* NULL or "": the default model */
	const char	*tools;		/* an agent's, "a,b"; NULL: not named */
	int64_t		 tokens;	/* 0: what the profile gives */
};

enum reason {
	GRANTED,
	DENIED_SCOPE,	/* there is none, or it has expired */
	DENIED_VERB,
	DENIED_TOOL,
	DENIED_MODEL,
	DENIED_AGENT,
	DENIED_TOKENS,
};

/* rule is a sentence: what was denied, and which rule would allow it. */
struct verdict {
	enum reason	reason;
	char		rule[512];
};

/* scope may be NULL: everything is denied. */
struct verdict	 grant_decide(const struct scope *, const struct request *);

#endif
