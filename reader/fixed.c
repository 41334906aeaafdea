/*
 * What is fixed with the first configuration: users, directories, sockets,
 * and how many files may be open.
 */
#include <string.h>

#include "log.h"
#include "reader.h"

#define FILES_JAIL	4	/* for one jail, while it is made */
#define FILES_OWN	64	/* for all else */

/* Fields of the envelope, and what an administrator calls them. */
static const struct {
	const char	*field, *words;
} fixed[] = {
	{ "state",		"state directory" },
	{ "control",		"control socket" },
	{ "control_gid",	"control socket" },
	{ "control_mode",	"control socket" },
	{ "cgroup",		"cgroup" },
	{ "jail_base",		"jail ids" },
	{ "broker_uid",		"user broker" },
	{ "broker_gid",		"user broker" },
	{ "keeper_uid",		"user keeper" },
	{ "keeper_gid",		"user keeper" },
	{ "gateway_uid",	"user gateway" },
	{ "gateway_gid",	"user gateway" },
	{ "sandbox_uid",	"user sandbox" },
	{ "sandbox_gid",	"user sandbox" },
};

json_t *
fixed_json(const struct conf *c, rlim_t files)
{
	json_t	*env;

	env = json_pack("{s:s,s:s,s:I,s:i,s:s*,s:I,s:I,s:I,s:I,s:I,s:I,s:I,"
	    "s:I,s:I,s:s*,s:I}", "state", c->state, "control", c->control,
	    "control_gid", (json_int_t)c->control_gid, "control_mode",
	    (int)c->control_mode, "cgroup", c->cgroup, "jail_base",
	    (json_int_t)c->jail_base,
	    "broker_uid", (json_int_t)c->broker.uid,
	    "broker_gid", (json_int_t)c->broker.gid,
	    "keeper_uid", (json_int_t)c->keeper.uid,
	    "keeper_gid", (json_int_t)c->keeper.gid,
	    "gateway_uid", (json_int_t)c->gateway.uid,
	    "gateway_gid", (json_int_t)c->gateway.gid,
	    "sandbox_uid", (json_int_t)c->sandbox.uid,
	    "sandbox_gid", (json_int_t)c->sandbox.gid,
	    "log", c->log, "files", (json_int_t)files);
	if (env == NULL)
		fatalx("configuration: out of memory");
	return (env);
}

/* Two values of which each may be missing. */
static int
same(const json_t *a, const json_t *b)
{
	return (a == NULL || b == NULL ? a == b : json_equal(a, b));
}

const char *
fixed_differs(const json_t *old, const json_t *now)
{
	size_t	i;

	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (!same(json_object_get(old, fixed[i].field),
		    json_object_get(now, fixed[i].field)))
			return (fixed[i].words);
	/* No message tells a room to let go of a log socket. */
	if (json_object_get(old, "log") != NULL &&
	    json_object_get(now, "log") == NULL)
		return ("log stderr");
	return (NULL);
}

rlim_t
fixed_files(const struct conf *conf)
{
	const struct conf_profile	*p;
	int64_t				 n;

	n = (conf->jails + conf->spares) * FILES_JAIL + FILES_OWN;
	STAILQ_FOREACH(p, &conf->profiles, entry)
		if (n < p->files)
			n = p->files;
	return ((rlim_t)n);
}
