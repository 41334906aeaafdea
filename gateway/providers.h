/*
 * The providers of one configuration, and how they outlive a reload.
 */
#ifndef PROVIDERS_H
#define PROVIDERS_H

#include "provider.h"

struct providers {
	struct config	*config;
	struct provider	*all;		/* as config->providers */
};

/* Takes config. Keys and rules of old, which may be NULL, move to the
 * providers of the same name and type. NULL: out of memory. */
struct providers	*providers_new(struct config *, struct providers *old,
			    struct event_base *, struct http *);
void			 providers_free(struct providers *);
/* Lends the provider of that name, or NULL. */
struct provider		*providers_find(struct providers *, const char *name);
/* Read a key or rules from fd. What is wrong with them is logged. */
void			 provider_key(struct provider *, int fd);
void			 provider_rules(struct provider *, int fd);

#endif
