/*
 * The broker's part of the configuration: profiles, and who gets which.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <sys/types.h>

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "names.h"

/* What each jail of a run may use. */
struct limits {
	int64_t	memory, pids, cpu, wall, fsize, files;
	int64_t	output, frame;		/* bytes: of a tool's result, of a
					   script's message */
	int64_t	calls;			/* nodes of a script at once */
	int64_t	rate;			/* events of a script, a second */
};

#define PROFILE_NAME_MAX	64

struct profile {
	char		name[PROFILE_NAME_MAX + 1];
	unsigned	verbs;		/* of enum verb (verb.h) */
	struct names	tools, models, agents;
	int64_t		tokens;		/* of one run, 0: no budget */
	int64_t		runs;		/* of one user at once, 0: none */
	int64_t		depth;
	struct limits	limits;
};

struct config;

/*
 * Returns a new configuration, or NULL with in why where it is wrong and
 * how. The caller frees it with config_free().
 */
struct config		*config_parse(json_t *, char *why,
			    size_t whylen);
void			 config_free(struct config *);

/* All of it is lent. NULL if there is none. */
const struct profile	*config_profile(const struct config *, const char *);
/* The profile of the first rule that fits. */
const struct profile	*config_match(const struct config *, uid_t, gid_t,
			    const gid_t *groups, size_t ngroups);
int64_t			 config_jails(const struct config *);

#endif
