/*
 * A provider answers model calls. The gateway knows it only by these few
 * functions; canned.c and openai.c are behind them.
 */
#ifndef PROVIDER_H
#define PROVIDER_H

#include <event2/event.h>

#include "call.h"
#include "attempts.h"
#include "canned.h"
#include "config.h"
#include "secret.h"

struct http;
struct provider;

struct provider_ops {
	/*
	 * Begin to answer. Everything is reported through call_delta(),
	 * call_done() and call_fail(), at once or later. A call that is
	 * not over when this returns has its work set.
	 */
	void	(*start)(struct provider *, struct call *);
	/* Stop at once and free the work; report nothing. */
	void	(*cancel)(struct call *);
};

extern const struct provider_ops	canned_ops, openai_ops;

/* A call that has begun doesn't need it any more: a reload may free it. */
struct provider {
	const struct provider_ops	*ops;
	const struct provider_config	*config;
	struct event_base		*base;
	/* openai */
	struct http			*http;
	struct secret			 key;
	/* canned */
	struct canned			*rules;
	char				*rules_error;
	struct attempts			*attempts;
};

#endif
