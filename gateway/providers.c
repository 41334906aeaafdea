/*
 * The providers of one configuration.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "providers.h"
#include "readall.h"

#define RULES_WHY_MAX	512

static const struct provider_ops *
ops_of(enum provider_type type)
{
	switch (type) {
	case PROVIDER_CANNED:
		return (&canned_ops);
	case PROVIDER_OPENAI:
		return (&openai_ops);
	}
	fatalx("ops_of: type %d", (int)type);
}

struct provider *
providers_find(struct providers *ps, const char *name)
{
	size_t	i;

	for (i = 0; i < ps->config->nproviders; i++)
		if (strcmp(ps->config->providers[i].name, name) == 0)
			return (&ps->all[i]);
	return (NULL);
}

/* A key is for the server that it was given for, and no other. */
static int
same_server(const struct provider *p, const struct provider *old)
{
	return (p->config->url != NULL && p->config->has_key &&
	    strcmp(p->config->url, old->config->url) == 0);
}

/*
 * What was read for a provider of the old configuration goes on, until it is
 * read again.
 */
static void
provider_adopt(struct provider *p, struct provider *old)
{
	if (old == NULL || old->ops != p->ops)
		return;
	if (same_server(p, old))
		secret_move(&p->key, &old->key);
	p->rules = old->rules;
	p->rules_error = old->rules_error;
	old->rules = NULL;
	old->rules_error = NULL;
	attempts_free(p->attempts);
	p->attempts = old->attempts;
	old->attempts = NULL;
}

static int
provider_init(struct provider *p, const struct provider_config *config,
    struct event_base *base, struct http *http)
{
	p->config = config;
	p->ops = ops_of(config->type);
	p->base = base;
	p->http = http;
	p->attempts = attempts_new();
	return (p->attempts == NULL ? -1 : 0);
}

struct providers *
providers_new(struct config *config, struct providers *old,
    struct event_base *base, struct http *http)
{
	struct providers	*ps;
	size_t			 i;

	if ((ps = calloc(1, sizeof(*ps))) == NULL) {
		config_free(config);
		return (NULL);
	}
	ps->config = config;
	ps->all = calloc(config->nproviders + 1, sizeof(*ps->all));
	for (i = 0; ps->all != NULL && i < config->nproviders; i++)
		if (provider_init(&ps->all[i], &config->providers[i], base,
		    http) == -1)
			break;
	if (i < config->nproviders || ps->all == NULL) {
		providers_free(ps);
		return (NULL);
	}
	for (i = 0; old != NULL && i < config->nproviders; i++)
		provider_adopt(&ps->all[i],
		    providers_find(old, config->providers[i].name));
	return (ps);
}

void
providers_free(struct providers *ps)
{
	size_t	i;

	if (ps == NULL)
		return;
	for (i = 0; ps->all != NULL && i < ps->config->nproviders; i++) {
		secret_wipe(&ps->all[i].key);
		canned_free(ps->all[i].rules);
		free(ps->all[i].rules_error);
		attempts_free(ps->all[i].attempts);
	}
	free(ps->all);
	config_free(ps->config);
	free(ps);
}

void
provider_key(struct provider *p, int fd)
{
	char	why[128];

	if (secret_read(&p->key, fd, why, sizeof(why)) == -1)
		log_warnx("provider %s: key: %s", p->config->name, why);
	else
		log_debug("provider %s: has its key", p->config->name);
}

static void
rules_set(struct provider *p, struct canned *rules, const char *error)
{
	canned_free(p->rules);
	free(p->rules_error);
	p->rules = rules;
	p->rules_error = NULL;
	if (rules == NULL && (p->rules_error = strdup(error)) == NULL)
		log_warn("provider %s", p->config->name);
}

/* Bad rules are kept as what each call is told: nobody has to guess. */
void
provider_rules(struct provider *p, int fd)
{
	char		 why[RULES_WHY_MAX];
	struct canned	*rules;
	char		*text;
	size_t		 len;

	if (readall(fd, CANNED_FILE_MAX, &text, &len) == -1) {
		rules_set(p, NULL, errno == EFBIG ? "its rules are longer "
		    "than 1 MiB" : strerror(errno));
		log_warnx("provider %s: %s", p->config->name, p->rules_error);
		return;
	}
	rules = canned_parse(text, len, why, sizeof(why));
	free(text);
	if (rules == NULL)
		log_warnx("provider %s: rules: %s", p->config->name, why);
	else
		log_debug("provider %s: %zu rules", p->config->name,
		    canned_count(rules));
	rules_set(p, rules, why);
}
