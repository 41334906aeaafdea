/*
 * What the supervisor tells of the configuration.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "warden.h"

void
config_free(struct config *c)
{
	if (c == NULL)
		return;
	json_decref(c->first);
	free(c);
}

struct config *
config_parse(const json_t *body, char *why, size_t whylen)
{
	json_int_t	 uid, gid, base, jails, spares, recycle;
	const char	*state;
	struct config	*c;
	json_error_t	 error;
	json_t		*first;

	if (json_unpack_ex((json_t *)(uintptr_t)body, &error, JSON_STRICT,
	    "{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:o}", "state", &state,
	    "sandbox_uid", &uid, "sandbox_gid", &gid, "jail_base", &base,
	    "jails", &jails, "spares", &spares, "recycle", &recycle,
	    "first", &first) == -1) {
		(void)snprintf(why, whylen, "%s", error.text);
		return (NULL);
	}
	if ((c = calloc(1, sizeof(*c))) == NULL)
		fatal("config_parse");
	(void)snprintf(c->state, sizeof(c->state), "%s", state);
	c->sandbox_uid = (uid_t)uid;
	c->sandbox_gid = (gid_t)gid;
	c->jail_base = (uint32_t)base;
	c->jails = jails;
	c->spares = spares;
	c->recycle = recycle;
	c->first = json_incref(first);
	return (c);
}
