/*
 * The gateway's state, and the handlers of what it is told.
 */
#ifndef GATEWAY_H
#define GATEWAY_H

#include "call.h"
#include "channel.h"
#include "http.h"
#include "providers.h"
#include "room.h"

struct gateway {
	struct room		 room;
	struct http		*http;
	struct providers	*providers;	/* NULL: not configured yet */
	struct calls		 calls;
	struct peer		*broker;	/* NULL: not connected */
	struct channel_wait	 broker_wait;
};

/* From the supervisor, and from the broker. */
extern const struct handler	supervisor_handlers[], broker_handlers[];

/* The calls that this room needs beyond confine_base, ends with -1. */
extern const int		gateway_syscalls[];

#endif
