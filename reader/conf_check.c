/*
 * What a configuration refers to must be there: accounts, providers, models,
 * profiles. And the numbers in it, read with their units.
 */
#include <bsd/stdlib.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_parse.h"

/* The factor of a suffix, 0 if there is no such suffix of this unit. */
static int64_t
suffix_factor(char c, enum conf_unit unit)
{
	static const struct {
		char		c;
		enum conf_unit	unit;
		int64_t		factor;
	} suffixes[] = {
		{ 'k', UNIT_BYTES,	INT64_C(1) << 10 },
		{ 'K', UNIT_BYTES,	INT64_C(1) << 10 },
		{ 'M', UNIT_BYTES,	INT64_C(1) << 20 },
		{ 'G', UNIT_BYTES,	INT64_C(1) << 30 },
		{ 's', UNIT_SECONDS,	1 },
		{ 'm', UNIT_SECONDS,	60 },
		{ 'h', UNIT_SECONDS,	3600 },
		{ 'd', UNIT_SECONDS,	86400 },
	};
	size_t	i;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (suffixes[i].c == c && suffixes[i].unit == unit)
			return (suffixes[i].factor);
	return (0);
}

int64_t
conf_number(struct parser *p, const char *text, enum conf_unit unit,
    int64_t least, int64_t most)
{
	const char	*error;
	char		 digits[32];
	int64_t		 factor = 1, n;
	size_t		 len = strlen(text);

	if (len > 1 && len < sizeof(digits) &&
	    suffix_factor(text[len - 1], unit) != 0)
		factor = suffix_factor(text[--len], unit);
	(void)snprintf(digits, sizeof(digits), "%.*s",
	    (int)(len < sizeof(digits) ? len : sizeof(digits) - 1), text);
	n = strtonum(digits, 0, INT64_MAX, &error);
	if (len >= sizeof(digits) || error != NULL ||
	    __builtin_mul_overflow(n, factor, &n) || n < least || n > most) {
		conf_error(p, "\"%s\" is not a number from %" PRId64 " to %"
		    PRId64 "%s", text, least, most,
		    unit == UNIT_BYTES ? " (bytes; k, M, G)" :
		    unit == UNIT_SECONDS ? " (seconds; s, m, h, d)" : "");
		return (least);
	}
	return (n);
}

/* A plain number that may stand for an account. Returns 0, or -1. */
static int
plain_id(const char *text, uint32_t *id)
{
	const char	*error;

	*id = (uint32_t)strtonum(text, 0, UINT32_MAX - 1, &error);
	return (error == NULL ? 0 : -1);
}

gid_t
conf_group(struct parser *p, const char *text)
{
	uint32_t	gid;

	if (plain_id(text, &gid) == 0)
		return (gid);
	if (p->names->group(p->names->arg, text, &gid) == 0)
		return (gid);
	conf_error(p, "no group \"%s\" on this system", text);
	return (0);
}

void
conf_ids_set(struct parser *p, struct conf_ids *ids, const char *user,
    const char *group)
{
	uint32_t	uid;
	gid_t		gid;

	if (plain_id(user, &uid) == 0)
		gid = uid;
	else if (p->names->user(p->names->arg, user, &uid, &gid) == -1) {
		conf_error(p, "no user \"%s\" on this system", user);
		return;
	}
	if (group != NULL)
		gid = conf_group(p, group);
	if (uid == 0 || gid == 0)
		conf_error(p, "\"%s\" is root: no room runs as root", user);
	ids->uid = uid;
	ids->gid = gid;
}

void
conf_allow_add(struct parser *p, enum conf_who who, const char *name,
    const char *profile)
{
	struct conf_allow	*allow = conf_alloc(sizeof(*allow));
	uint32_t		 id = 0;
	gid_t			 gid;

	if (who == WHO_GROUP)
		id = conf_group(p, name);
	else if (who == WHO_USER && plain_id(name, &id) == -1 &&
	    p->names->user(p->names->arg, name, &id, &gid) == -1)
		conf_error(p, "no user \"%s\" on this system", name);
	allow->line = p->line;
	allow->who = who;
	allow->id = id;
	allow->profile = conf_strdup(profile);
	STAILQ_INSERT_TAIL(&p->conf->allows, allow, entry);
}

/* ---- after the last line ---- */

/* No line is to blame for an account that none names: that of its directive
 * is missing, so say which. */
static void
default_ids(struct parser *p, struct conf_ids *ids, const char *room,
    const char *user)
{
	if (ids->uid != 0)
		return;
	if (p->names->user(p->names->arg, user, &ids->uid, &ids->gid) == 0)
		conf_ids_set(p, ids, user, NULL);
	else
		conf_error(p, "no user \"%s\" on this system, which is the "
		    "default as there is no \"user %s\" line", user, room);
}

/* Two rooms that share a uid could kill and trace each other. */
static void
check_ids(struct parser *p)
{
	struct conf	*c = p->conf;
	uid_t		 ids[4];
	size_t		 i, j;

	default_ids(p, &c->broker, "broker", "_wfbroker");
	default_ids(p, &c->keeper, "keeper", "_wfkeeper");
	default_ids(p, &c->gateway, "gateway", "_wfgate");
	default_ids(p, &c->sandbox, "sandbox", "_wfsandbox");
	ids[0] = c->broker.uid;
	ids[1] = c->keeper.uid;
	ids[2] = c->gateway.uid;
	ids[3] = c->sandbox.uid;
	for (i = 0; i < 4 && p->errors == 0; i++)
		for (j = 0; j < i; j++)
			if (ids[i] == ids[j])
				conf_error(p, "two rooms have the uid %u",
				    ids[i]);
	for (i = 0; i < 4; i++)
		if (ids[i] >= c->jail_base && ids[i] - c->jail_base < 131072)
			conf_error(p, "uid %u is one of the jails'", ids[i]);
}

static void
check_provider(struct parser *p, const struct conf_provider *v)
{
	p->line = v->line;
	if (v->type == PROVIDER_CANNED && v->rules == NULL)
		conf_error(p, "provider \"%s\" has no rules", v->name);
	if (v->type == PROVIDER_OPENAI && v->url == NULL)
		conf_error(p, "provider \"%s\" has no url", v->name);
	if (v->url != NULL && strncmp(v->url, "http://", 7) != 0 &&
	    strncmp(v->url, "https://", 8) != 0)
		conf_error(p, "provider \"%s\": url \"%s\" is neither http "
		    "nor https", v->name, v->url);
	if (v->key_file != NULL && v->credential != NULL)
		conf_error(p, "provider \"%s\" has two keys", v->name);
}

static void
check_model(struct parser *p, struct conf_model *v)
{
	const struct conf_provider	*q;

	p->line = v->line;
	if (v->remote == NULL)
		v->remote = conf_strdup(v->name);
	if (v->provider == NULL) {
		conf_error(p, "model \"%s\" has no provider", v->name);
		return;
	}
	STAILQ_FOREACH(q, &p->conf->providers, entry)
		if (strcmp(q->name, v->provider) == 0)
			return;
	conf_error(p, "model \"%s\": no provider \"%s\"", v->name,
	    v->provider);
}

static const char *const	verbs[] = {
	"run", "list", "show", "result", "follow", "cancel", "scopes",
	"doctor", "all",
};

static int
is_verb(const char *word)
{
	size_t	i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(word, verbs[i]) == 0)
			return (1);
	return (0);
}

/* "*" becomes what it stands for. */
static void
check_verbs(struct parser *p, struct conf_profile *v)
{
	struct conf_word	*w;
	size_t			 i;

	p->line = v->line;
	STAILQ_FOREACH(w, &v->verbs, entry)
		if (strcmp(w->word, "*") == 0)
			break;
	if (w != NULL) {
		conf_words_clear(&v->verbs);
		for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
			conf_words_add(&v->verbs, verbs[i], v->line);
	}
}

/* Of a list that is being read: its line is known. */
void
conf_word_add(struct parser *p, const char *word)
{
	if (p->profile != NULL && p->words == &p->profile->verbs &&
	    strcmp(word, "*") != 0 && !is_verb(word))
		conf_error(p, "profile \"%s\": no verb \"%s\"",
		    p->profile->name, word);
	conf_words_add(p->words, word, p->line);
}

void
conf_check(struct parser *p)
{
	struct conf_provider	*provider;
	struct conf_model	*model;
	struct conf_profile	*profile;

	check_ids(p);
	STAILQ_FOREACH(provider, &p->conf->providers, entry)
		check_provider(p, provider);
	STAILQ_FOREACH(model, &p->conf->models, entry)
		check_model(p, model);
	conf_default_profile(p);
	STAILQ_FOREACH(profile, &p->conf->profiles, entry)
		check_verbs(p, profile);
	conf_check_references(p);
	/* With one model there is nothing to choose. */
	model = STAILQ_FIRST(&p->conf->models);
	if (p->conf->default_model == NULL && model != NULL)
		p->conf->default_model = conf_strdup(model->name);
}
