/*
 * Errors name the place as a path: profiles.default.verbs[2].
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "profile.h"
#include "verb.h"

enum who { WHO_USER, WHO_GROUP, WHO_ANY };

struct allow {
	enum who		 who;
	uint32_t		 id;
	const struct profile	*profile;
};

struct config {
	struct profile	*profiles;
	size_t		 nprofiles;
	struct allow	*allows;
	size_t		 nallows;
	int64_t		 jails;
};

/* Where an error goes, and the place that is being read. */
struct reader {
	char	*why;
	size_t	 whylen;
	char	 place[160];
};

/* The ranges are those of JAIL_START where the warden is asked. */
static const struct {
	const char	*name;
	size_t		 offset;
	int64_t		 min, max;
} numbers[] = {
#define NUMBER(name, field, min, max)					\
	{ name, offsetof(struct profile, field), min, max }
	NUMBER("tokens", tokens,	0,		INT64_MAX),
	NUMBER("runs",	 runs,		0,		INT64_MAX),
	NUMBER("memory", limits.memory,	1048576,	INT64_MAX),
	NUMBER("pids",	 limits.pids,	1,		65536),
	NUMBER("cpu",	 limits.cpu,	1,		1000000),
	NUMBER("wall",	 limits.wall,	1,		100000000),
	NUMBER("fsize",	 limits.fsize,	0,		INT64_MAX),
	NUMBER("files",	 limits.files,	8,		65536),
	NUMBER("output", limits.output,	4096,		4194304),
	NUMBER("frame",	 limits.frame,	65536,		4194304),
	NUMBER("calls",	 limits.calls,	1,		4096),
	NUMBER("rate",	 limits.rate,	1,		1000000),
	NUMBER("depth",	 depth,		0,		64),
#undef NUMBER
};
#define NNUMBERS	(sizeof(numbers) / sizeof(numbers[0]))

static const struct {
	const char	*name;
	size_t		 offset;
} sets[] = {
	{ "tools",	offsetof(struct profile, tools) },
	{ "models",	offsetof(struct profile, models) },
	{ "agents",	offsetof(struct profile, agents) },
};
#define NSETS	(sizeof(sets) / sizeof(sets[0]))

/* Always -1. */
static int __attribute__((format(printf, 2, 3)))
complain(struct reader *r, const char *fmt, ...)
{
	char	text[256];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)snprintf(r->why, r->whylen, "%s%s", r->place, text);
	return (-1);
}

static int
verbs_read(struct reader *r, struct profile *p, const json_t *list)
{
	const json_t	*v;
	size_t		 i;
	unsigned	 verb;

	if (!json_is_array(list))
		return (complain(r, ".verbs is not a list of verbs"));
	json_array_foreach(list, i, v) {
		if (!json_is_string(v))
			return (complain(r, ".verbs[%zu] is not a verb", i));
		if ((verb = verb_find(json_string_value(v))) == 0)
			return (complain(r, ".verbs[%zu]: \"%.64s\" is not a "
			    "verb", i, json_string_value(v)));
		p->verbs |= verb;
	}
	return (0);
}

/* A number within its range, or -1 with an error: numbers are never negative.
 * name begins with a dot where something stands before it. */
static int64_t
number_read(struct reader *r, const char *name, const json_t *v, int64_t min,
    int64_t max)
{
	int64_t	n;

	if (v == NULL)
		return (complain(r, "%s is missing", name));
	if (!json_is_integer(v))
		return (complain(r, "%s is not a whole number", name));
	n = json_integer_value(v);
	if (n < min || n > max)
		return (complain(r, "%s is %" PRId64 ", not %" PRId64 " to %"
		    PRId64, name, n, min, max));
	return (n);
}

static int
numbers_read(struct reader *r, struct profile *p, const json_t *o)
{
	char	 name[32];
	int64_t	 n;
	size_t	 i;

	for (i = 0; i < NNUMBERS; i++) {
		(void)snprintf(name, sizeof(name), ".%s", numbers[i].name);
		n = number_read(r, name, json_object_get(o, numbers[i].name),
		    numbers[i].min, numbers[i].max);
		if (n == -1)
			return (-1);
		memcpy((char *)p + numbers[i].offset, &n, sizeof(n));
	}
	return (0);
}

static int
sets_read(struct reader *r, struct profile *p, const json_t *o)
{
	const json_t	*v;
	struct names	*set;
	char		 why[64];
	size_t		 i;

	for (i = 0; i < NSETS; i++) {
		if ((v = json_object_get(o, sets[i].name)) == NULL)
			return (complain(r, ".%s is missing", sets[i].name));
		set = (struct names *)(void *)((char *)p + sets[i].offset);
		if (names_parse(set, v, why, sizeof(why)) == -1)
			return (complain(r, ".%s%s", sets[i].name, why));
	}
	return (0);
}

static int
key_known(const char *key)
{
	size_t	i;

	if (strcmp(key, "verbs") == 0)
		return (1);
	for (i = 0; i < NSETS; i++)
		if (strcmp(key, sets[i].name) == 0)
			return (1);
	for (i = 0; i < NNUMBERS; i++)
		if (strcmp(key, numbers[i].name) == 0)
			return (1);
	return (0);
}

static int
profile_read(struct reader *r, struct profile *p, const char *name,
    json_t *o)
{
	const char	*key;
	json_t		*v;

	(void)snprintf(r->place, sizeof(r->place), "profiles.%.64s", name);
	if (strlen(name) == 0 || strlen(name) > PROFILE_NAME_MAX)
		return (complain(r, " is not a name of 1 to %d bytes",
		    PROFILE_NAME_MAX));
	(void)snprintf(p->name, sizeof(p->name), "%s", name);
	if (!json_is_object(o))
		return (complain(r, " is not an object"));
	json_object_foreach(o, key, v)
		if (!key_known(key))
			return (complain(r, ".%.64s is not a key", key));
	if (json_object_get(o, "verbs") == NULL)
		return (complain(r, ".verbs is missing"));
	if (verbs_read(r, p, json_object_get(o, "verbs")) == -1 ||
	    sets_read(r, p, o) == -1)
		return (-1);
	return (numbers_read(r, p, o));
}

static int
profiles_read(struct reader *r, struct config *c, json_t *o)
{
	const char	*name;
	json_t		*v;

	if (!json_is_object(o))
		return (complain(r, "profiles is not an object"));
	c->profiles = calloc(json_object_size(o) + 1, sizeof(*c->profiles));
	if (c->profiles == NULL)
		fatal("config");
	json_object_foreach(o, name, v)
		if (profile_read(r, &c->profiles[c->nprofiles++], name,
		    v) == -1)
			return (-1);
	r->place[0] = '\0';
	return (0);
}

static int
who_read(struct reader *r, struct allow *a, const json_t *o)
{
	const char	*who = json_string_value(json_object_get(o, "who"));
	int64_t		 id;

	if (who == NULL)
		return (complain(r, ".who is missing"));
	if (strcmp(who, "any") == 0) {
		a->who = WHO_ANY;
		return (0);
	}
	if (strcmp(who, "user") == 0)
		a->who = WHO_USER;
	else if (strcmp(who, "group") == 0)
		a->who = WHO_GROUP;
	else
		return (complain(r, ".who: \"%.64s\" is not user, group or "
		    "any", who));
	id = number_read(r, ".id", json_object_get(o, "id"), 0, UINT32_MAX);
	if (id == -1)
		return (-1);
	a->id = (uint32_t)id;
	return (0);
}

static int
allow_read(struct reader *r, struct config *c, struct allow *a,
    const json_t *o, size_t i)
{
	const char	*name;

	(void)snprintf(r->place, sizeof(r->place), "allow[%zu]", i);
	if (!json_is_object(o))
		return (complain(r, " is not an object"));
	if (who_read(r, a, o) == -1)
		return (-1);
	name = json_string_value(json_object_get(o, "profile"));
	if (name == NULL)
		return (complain(r, ".profile is missing"));
	if ((a->profile = config_profile(c, name)) == NULL)
		return (complain(r, ".profile: there is no profile \"%.64s\"",
		    name));
	return (0);
}

static int
allows_read(struct reader *r, struct config *c, const json_t *list)
{
	const json_t	*v;
	size_t		 i;

	if (!json_is_array(list))
		return (complain(r, "allow is not a list"));
	c->allows = calloc(json_array_size(list) + 1, sizeof(*c->allows));
	if (c->allows == NULL)
		fatal("config");
	json_array_foreach(list, i, v)
		if (allow_read(r, c, &c->allows[c->nallows++], v, i) == -1)
			return (-1);
	r->place[0] = '\0';
	return (0);
}

static int
config_read(struct reader *r, struct config *c, json_t *o)
{
	const char	*key;
	json_t		*v;

	if (!json_is_object(o))
		return (complain(r, "the configuration is not an object"));
	json_object_foreach(o, key, v)
		if (strcmp(key, "profiles") != 0 && strcmp(key, "allow") != 0 &&
		    strcmp(key, "jails") != 0)
			return (complain(r, "%.64s is not a key", key));
	if (profiles_read(r, c, json_object_get(o, "profiles")) == -1 ||
	    allows_read(r, c, json_object_get(o, "allow")) == -1)
		return (-1);
	c->jails = number_read(r, "jails", json_object_get(o, "jails"), 1,
	    100000);
	return (c->jails == -1 ? -1 : 0);
}

struct config *
config_parse(json_t *o, char *why, size_t whylen)
{
	struct reader	 r = { .why = why, .whylen = whylen };
	struct config	*c;

	if ((c = calloc(1, sizeof(*c))) == NULL)
		fatal("config");
	if (config_read(&r, c, o) == 0)
		return (c);
	config_free(c);
	return (NULL);
}

void
config_free(struct config *c)
{
	size_t	i;

	if (c == NULL)
		return;
	for (i = 0; i < c->nprofiles; i++) {
		names_clear(&c->profiles[i].tools);
		names_clear(&c->profiles[i].models);
		names_clear(&c->profiles[i].agents);
	}
	free(c->profiles);
	free(c->allows);
	free(c);
}

const struct profile *
config_profile(const struct config *c, const char *name)
{
	size_t	i;

	for (i = 0; i < c->nprofiles; i++)
		if (strcmp(c->profiles[i].name, name) == 0)
			return (&c->profiles[i]);
	return (NULL);
}

static int
allow_matches(const struct allow *a, uid_t uid, gid_t gid,
    const gid_t *groups, size_t ngroups)
{
	size_t	i;

	switch (a->who) {
	case WHO_ANY:
		return (1);
	case WHO_USER:
		return (a->id == uid);
	case WHO_GROUP:
		if (a->id == gid)
			return (1);
		for (i = 0; i < ngroups; i++)
			if (a->id == groups[i])
				return (1);
		return (0);
	}
	fatalx("allow_matches: %d", (int)a->who);
}

const struct profile *
config_match(const struct config *c, uid_t uid, gid_t gid,
    const gid_t *groups, size_t ngroups)
{
	size_t	i;

	for (i = 0; i < c->nallows; i++)
		if (allow_matches(&c->allows[i], uid, gid, groups, ngroups))
			return (c->allows[i].profile);
	return (NULL);
}

int64_t
config_jails(const struct config *c)
{
	return (c->jails);
}
