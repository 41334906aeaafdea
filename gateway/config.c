/*
 * The gateway's configuration: JSON to structs. Pure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config.h"
#include "shape.h"

#define DEFAULT_CONNECT_TIMEOUT	10
#define DEFAULT_IDLE_TIMEOUT	60
#define DEFAULT_TOTAL_TIMEOUT	600
#define TIMEOUT_MAX		86400
#define NAME_LENGTH_MAX		128
#define URL_LENGTH_MAX		1024

static const char *const top_keys[] = { "providers", "models", NULL };
static const char *const provider_keys[] = { "type", "url", "key",
	"connect_timeout", "idle_timeout", "total_timeout", NULL };
static const char *const model_keys[] = { "provider", "name", "max_tokens",
	NULL };

static int
name_check(struct shape *s, const char *path, const char *name)
{
	if (*name == '\0' || strlen(name) > NAME_LENGTH_MAX)
		return (shape_bad(s, path, "a name has 1 to %d bytes",
		    NAME_LENGTH_MAX));
	return (0);
}

/* An URL with a scheme of ours, a host, and nothing to be sent along. */
static int
url_check(struct shape *s, const char *path, const char *url)
{
	const char	*host;

	if (strncasecmp(url, "https://", 8) == 0)
		host = url + 8;
	else if (strncasecmp(url, "http://", 7) == 0)
		host = url + 7;
	else
		return (shape_bad(s, path, "must begin with https:// or "
		    "http://"));
	if (*host == '\0' || *host == '/' || *host == ':')
		return (shape_bad(s, path, "has no host"));
	if (strpbrk(url, "?# \t\r\n") != NULL)
		return (shape_bad(s, path, "must not have a query, a fragment "
		    "or blanks"));
	if (memchr(host, '@', strcspn(host, "/")) != NULL)
		return (shape_bad(s, path, "must not have a user or password; "
		    "use a key"));
	return (0);
}

static int
type_parse(struct shape *s, const char *path, const json_t *v,
    enum provider_type *type)
{
	const char	*word = NULL;
	char		 below[SHAPE_PATH_MAX];

	if (shape_str(s, path, v, "type", NAME_LENGTH_MAX, &word) == -1)
		return (-1);
	shape_key(below, path, "type");
	if (word == NULL)
		return (shape_bad(s, below, "is missing"));
	if (strcmp(word, "canned") == 0)
		*type = PROVIDER_CANNED;
	else if (strcmp(word, "openai") == 0)
		*type = PROVIDER_OPENAI;
	else
		return (shape_bad(s, below, "must be \"canned\" or "
		    "\"openai\""));
	return (0);
}

static int
timeouts_parse(struct shape *s, const char *path, const json_t *v,
    struct provider_config *p)
{
	p->connect_timeout = DEFAULT_CONNECT_TIMEOUT;
	p->idle_timeout = DEFAULT_IDLE_TIMEOUT;
	p->total_timeout = DEFAULT_TOTAL_TIMEOUT;
	if (shape_int(s, path, v, "connect_timeout", 1, TIMEOUT_MAX,
	    &p->connect_timeout) == -1 ||
	    shape_int(s, path, v, "idle_timeout", 1, TIMEOUT_MAX,
	    &p->idle_timeout) == -1)
		return (-1);
	return (shape_int(s, path, v, "total_timeout", 1, TIMEOUT_MAX,
	    &p->total_timeout));
}

static int
url_parse(struct shape *s, const char *path, const json_t *v,
    struct provider_config *p)
{
	const char	*url = NULL;
	char		 below[SHAPE_PATH_MAX];

	if (shape_str(s, path, v, "url", URL_LENGTH_MAX, &url) == -1)
		return (-1);
	shape_key(below, path, "url");
	if (shape_bool(s, path, v, "key", &p->has_key) == -1)
		return (-1);
	if (p->type == PROVIDER_CANNED)
		return (url == NULL ? 0 :
		    shape_bad(s, below, "a canned provider has none"));
	if (url == NULL)
		return (shape_bad(s, below, "is missing"));
	if (url_check(s, below, url) == -1)
		return (-1);
	if ((p->url = strdup(url)) == NULL)
		return (shape_bad(s, below, "out of memory"));
	return (0);
}

static int
provider_parse(struct shape *s, const char *name, const json_t *v,
    struct provider_config *p)
{
	char	path[SHAPE_PATH_MAX];

	shape_key(path, "providers", name);
	if (name_check(s, path, name) == -1 ||
	    shape_object(s, path, v, provider_keys) == -1 ||
	    type_parse(s, path, v, &p->type) == -1 ||
	    url_parse(s, path, v, p) == -1 ||
	    timeouts_parse(s, path, v, p) == -1)
		return (-1);
	if ((p->name = strdup(name)) == NULL)
		return (shape_bad(s, path, "out of memory"));
	return (0);
}

static int
provider_index(const struct config *c, const char *name, size_t *index)
{
	size_t	i;

	for (i = 0; i < c->nproviders; i++)
		if (strcmp(c->providers[i].name, name) == 0) {
			*index = i;
			return (0);
		}
	return (-1);
}

static int
model_parse(struct shape *s, const struct config *c, const char *name,
    const json_t *v, struct model_config *m)
{
	const char	*provider = NULL, *upstream = name;
	char		 path[SHAPE_PATH_MAX], below[SHAPE_PATH_MAX];

	shape_key(path, "models", name);
	if (name_check(s, path, name) == -1 ||
	    shape_object(s, path, v, model_keys) == -1 ||
	    shape_str(s, path, v, "provider", NAME_LENGTH_MAX,
	    &provider) == -1 ||
	    shape_str(s, path, v, "name", NAME_LENGTH_MAX, &upstream) == -1 ||
	    shape_int(s, path, v, "max_tokens", 0, INT32_MAX,
	    &m->max_tokens) == -1)
		return (-1);
	shape_key(below, path, "provider");
	if (provider == NULL)
		return (shape_bad(s, below, "is missing"));
	if (provider_index(c, provider, &m->provider) == -1)
		return (shape_bad(s, below, "there is no provider \"%s\"",
		    provider));
	m->name = strdup(name);
	m->upstream = strdup(upstream);
	if (m->name == NULL || m->upstream == NULL)
		return (shape_bad(s, path, "out of memory"));
	return (0);
}

/* The object below key, checked for its size; missing is an empty one. */
static int
table_get(struct shape *s, const json_t *v, const char *key, size_t max,
    json_t **table)
{
	*table = json_object_get(v, key);
	if (*table != NULL && !json_is_object(*table))
		return (shape_bad(s, key, "must be an object"));
	if (json_object_size(*table) > max)
		return (shape_bad(s, key, "at most %zu are allowed", max));
	return (0);
}

static int
providers_parse(struct shape *s, const json_t *v, struct config *c)
{
	const char	*name;
	json_t		*table, *item;

	if (table_get(s, v, "providers", CONFIG_PROVIDERS_MAX, &table) == -1)
		return (-1);
	c->providers = calloc(json_object_size(table) + 1,
	    sizeof(*c->providers));
	if (c->providers == NULL)
		return (shape_bad(s, "providers", "out of memory"));
	json_object_foreach(table, name, item)
		if (provider_parse(s, name, item,
		    &c->providers[c->nproviders++]) == -1)
			return (-1);
	return (0);
}

static int
models_parse(struct shape *s, const json_t *v, struct config *c)
{
	const char	*name;
	json_t		*table, *item;

	if (table_get(s, v, "models", CONFIG_MODELS_MAX, &table) == -1)
		return (-1);
	c->models = calloc(json_object_size(table) + 1, sizeof(*c->models));
	if (c->models == NULL)
		return (shape_bad(s, "models", "out of memory"));
	json_object_foreach(table, name, item)
		if (model_parse(s, c, name, item,
		    &c->models[c->nmodels++]) == -1)
			return (-1);
	return (0);
}

struct config *
config_parse(const json_t *v, char *why, size_t whylen)
{
	struct shape	 s = { why, whylen };
	struct config	*c;

	if ((c = calloc(1, sizeof(*c))) == NULL) {
		(void)shape_bad(&s, "", "out of memory");
		return (NULL);
	}
	if (shape_object(&s, "", v, top_keys) == -1 ||
	    providers_parse(&s, v, c) == -1 ||
	    models_parse(&s, v, c) == -1) {
		config_free(c);
		return (NULL);
	}
	return (c);
}

void
config_free(struct config *c)
{
	size_t	i;

	if (c == NULL)
		return;
	for (i = 0; i < c->nproviders; i++) {
		free(c->providers[i].name);
		free(c->providers[i].url);
	}
	for (i = 0; i < c->nmodels; i++) {
		free(c->models[i].name);
		free(c->models[i].upstream);
	}
	free(c->providers);
	free(c->models);
	free(c);
}

const struct model_config *
config_model(const struct config *c, const char *name)
{
	size_t	i;

	for (i = 0; i < c->nmodels; i++)
		if (strcmp(c->models[i].name, name) == 0)
			return (&c->models[i]);
	return (NULL);
}

char *
config_model_names(const struct config *c, char *dst, size_t dstlen)
{
	size_t	i, used = 0;
	int	n;

	(void)snprintf(dst, dstlen, "none");
	for (i = 0; i < c->nmodels && used < dstlen; i++) {
		n = snprintf(dst + used, dstlen - used, "%s%s",
		    i == 0 ? "" : ", ", c->models[i].name);
		used += n < 0 ? dstlen : (size_t)n;
	}
	return (dst);
}
