/*
 * Binding: the tools of one session, from its spec and the registry of
 * definitions. It happens once for every attempt and takes nothing from the
 * one before.
 */
#ifndef TOOLBIND_H
#define TOOLBIND_H

#include <jansson.h>
#include <stddef.h>

#include "tooldef.h"

struct tool {
	const struct tooldef	*def;
	json_t			*input;		/* what a call must look like */
};

struct toolset;

/*
 * Bind the tools named by `wanted` (an array of names; NULL: all of
 * `allowed`), which must be among `allowed` (NULL: the whole registry). With
 * a schema, a valid definition, finish and give_up are added. Returns NULL
 * with a sentence in why if a name is unknown, reserved, not allowed or twice.
 */
struct toolset	*toolset_bind(const json_t *wanted, const json_t *allowed,
		    const json_t *schema, char *why, size_t whylen);
void		 toolset_free(struct toolset *);

/* Lent; NULL if the session has no such tool. */
const struct tool	*toolset_find(const struct toolset *,
			    const char *name);
/* "bash, edit, ..." for an error text; lent. */
const char		*toolset_names(const struct toolset *);
/* The "tools" of a MODEL_CALL: lent. */
json_t			*toolset_advert(const struct toolset *);

/*
 * finish(): a schema whose top isn't an object is wrapped as {"result": ...}
 * for the model. toolset_result() checks the arguments of finish against
 * schema itself and gives the value without the wrapping: a new reference,
 * or NULL with why.
 */
json_t		*toolset_result(const json_t *schema, const json_t *arguments,
		    char *why, size_t whylen);

#endif
