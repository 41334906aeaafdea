/*
 * Envelopes and small bodies.
 */
#ifndef ENV_H
#define ENV_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "peer.h"

/* json_pack(3) that is fatal instead of NULL. */
json_t	*env_new(const char *fmt, ...);
/* The envelope of a message that is done with, to be changed, kept or sent
 * on: a new reference. */
json_t	*env_of(const struct msg *);
void	 env_set_str(json_t *, const char *key, const char *value);

/* The body of a failed outcome. rule and cause may be NULL. */
json_t	*env_error(const char *class, const char *cause, const char *rule,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Send on the message as another type with the envelope (taken). */
void	 env_forward(struct peer *, uint32_t type, uint32_t id, json_t *,
	    const struct msg *);

/* Did a peer end of itself, rather than by what it said? */
int	 env_closed(const char *why);

#endif
