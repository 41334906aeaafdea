/*
 * The broker's state: made by main(), handed down everywhere.
 */
#ifndef BROKER_H
#define BROKER_H

#include <event2/event.h>

#include "jail.h"
#include "keeper.h"
#include "model.h"
#include "peer.h"
#include "pending.h"
#include "profile.h"
#include "run.h"
#include "scope.h"
#include "throttle.h"

struct control;
struct report;

/* The longest body of a client, a jail or the gateway: what the keeper
 * takes. And of the keeper: what the gateway takes, a whole transcript. */
#define BODY_MAX	(4 * 1024 * 1024)
#define KEEPER_BODY_MAX	(16 * 1024 * 1024)
/* What may wait for the keeper. Far above what throttle.c lets through, for
 * a keeper that is dropped takes all runs along. */
#define KEEPER_QUEUE_MAX	(512 * 1024 * 1024)

struct broker {
	struct event_base	*base;
	struct peer		*supervisor;	/* lent */
	struct peer		*warden;	/* there before the start */
	struct peer		*keeper;	/* NULL while it is away */
	struct peer		*gateway;	/* NULL while it is away */
	struct config		*config;	/* NULL before the first one */
	unsigned		 config_number;	/* counts the reloads */
	struct scopes		*scopes;
	struct pendings		*pendings;
	struct run_tree		 runs;
	struct jail_list	 jails;
	uint32_t		 jail_asks;	/* the last JAIL_START */
	struct throttles	*throttles;
	struct throttle		 gateway_throttle;
	struct removal_list	 removals;
	struct control		*control;
	struct report		*report;
};

/* What the supervisor may say; the context of its peer is the broker. */
extern const struct handler	broker_handlers[];

/* A broker without peers. Fatal without memory. */
struct broker	*broker_new(void);
/* Begin to work in this loop, for this supervisor. */
void		 broker_begin(struct broker *, struct event_base *,
		    struct peer *supervisor);
/* Close everything but the supervisor's peer. */
void		 broker_free(struct broker *);

#endif
