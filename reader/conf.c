/*
 * A configuration's parts: made with their defaults, filled in by the
 * grammar, freed.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_parse.h"
#include "log.h"
#include "log_send.h"

#define ERRORS_SHOWN	20
#define MEGABYTE	(INT64_C(1) << 20)

void
conf_error(struct parser *p, const char *fmt, ...)
{
	char	what[512], text[1024], clean[512];
	va_list	ap;

	/* A file that is none must not fill a screen, or a log. */
	if (p->errors++ >= ERRORS_SHOWN)
		return;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	/* A stray byte of the file must not reach the terminal as it is. */
	log_clean(clean, sizeof(clean), what);
	(void)snprintf(text, sizeof(text), "%s:%d: %s", p->name, p->line,
	    clean);
	p->report(text, p->ctx);
}

void *
conf_alloc(size_t n)
{
	void	*p;

	if ((p = calloc(1, n)) == NULL)
		fatal("configuration");
	return (p);
}

char *
conf_strdup(const char *s)
{
	char	*copy;

	if ((copy = strdup(s)) == NULL)
		fatal("configuration");
	return (copy);
}

void
conf_set(char **dst, const char *src)
{
	free(*dst);
	*dst = src == NULL ? NULL : conf_strdup(src);
}

void
conf_words_add(struct conf_words *words, const char *text, int line)
{
	struct conf_word	*word = conf_alloc(sizeof(*word));

	word->word = conf_strdup(text);
	word->line = line;
	STAILQ_INSERT_TAIL(words, word, entry);
}

struct conf *
conf_new(void)
{
	struct conf	*conf = conf_alloc(sizeof(*conf));

	conf->state = conf_strdup("/var/lib/wfsup");
	conf->control = conf_strdup("/run/wfsup/control.sock");
	conf->control_mode = 0660;
	conf->log = conf_strdup("/dev/log");
	conf->jail_base = 0x70000000;
	conf->jails = 256;
	conf->recycle = 1000;
	conf->spares = 2;
	conf->runs = 64;
	conf->queue = 10000;
	conf->retain = 10000;
	STAILQ_INIT(&conf->providers);
	STAILQ_INIT(&conf->models);
	STAILQ_INIT(&conf->agents);
	STAILQ_INIT(&conf->profiles);
	STAILQ_INIT(&conf->allows);
	return (conf);
}

/* A second member of one name, or a name that is too long, is an error. */
#define CHECK_NAME(p, list, what, text) do {				\
	__typeof__(STAILQ_FIRST(list)) other;				\
	if (strlen(text) > CONF_NAME_MAX || (text)[0] == '\0')		\
		conf_error(p, what " name \"%s\" is not 1 to %d bytes",	\
		    text, CONF_NAME_MAX);				\
	STAILQ_FOREACH(other, list, entry)				\
		if (strcmp(other->name, text) == 0)			\
			conf_error(p, what " \"%s\" is there already",	\
			    text);					\
} while (0)

struct conf_provider *
conf_provider_add(struct parser *p, const char *name)
{
	struct conf_provider	*v = conf_alloc(sizeof(*v));

	CHECK_NAME(p, &p->conf->providers, "provider", name);
	v->name = conf_strdup(name);
	v->type = PROVIDER_OPENAI;
	v->connect_timeout = 10;
	v->idle_timeout = 120;
	v->total_timeout = 900;
	v->line = p->line;
	STAILQ_INSERT_TAIL(&p->conf->providers, v, entry);
	return (v);
}

struct conf_model *
conf_model_add(struct parser *p, const char *name)
{
	struct conf_model	*v = conf_alloc(sizeof(*v));

	CHECK_NAME(p, &p->conf->models, "model", name);
	v->name = conf_strdup(name);
	v->max_tokens = 4096;
	v->window = 128000;
	v->line = p->line;
	STAILQ_INSERT_TAIL(&p->conf->models, v, entry);
	return (v);
}

struct conf_agent *
conf_agent_add(struct parser *p, const char *name)
{
	struct conf_agent	*v = conf_alloc(sizeof(*v));

	CHECK_NAME(p, &p->conf->agents, "agent", name);
	v->name = conf_strdup(name);
	STAILQ_INIT(&v->tools);
	v->line = p->line;
	STAILQ_INSERT_TAIL(&p->conf->agents, v, entry);
	return (v);
}

struct conf_profile *
conf_profile_add(struct parser *p, const char *name)
{
	struct conf_profile	*v = conf_alloc(sizeof(*v));

	CHECK_NAME(p, &p->conf->profiles, "profile", name);
	v->name = conf_strdup(name);
	STAILQ_INIT(&v->verbs);
	STAILQ_INIT(&v->tools);
	STAILQ_INIT(&v->models);
	STAILQ_INIT(&v->agents);
	v->runs = 1000;
	v->memory = 512 * MEGABYTE;
	v->fsize = 256 * MEGABYTE;
	v->pids = 128;
	v->files = 256;
	v->cpu = 60;
	v->wall = 86400;
	v->output = CONF_OUTPUT_MAX;
	v->frame = 4 * MEGABYTE;
	v->calls = 4096;
	v->rate = 500;
	v->depth = 4;
	v->line = p->line;
	STAILQ_INSERT_TAIL(&p->conf->profiles, v, entry);
	return (v);
}

void
conf_words_clear(struct conf_words *words)
{
	struct conf_word	*word;

	while ((word = STAILQ_FIRST(words)) != NULL) {
		STAILQ_REMOVE_HEAD(words, entry);
		free(word->word);
		free(word);
	}
}

static void
providers_free(struct conf *conf)
{
	struct conf_provider	*v;

	while ((v = STAILQ_FIRST(&conf->providers)) != NULL) {
		STAILQ_REMOVE_HEAD(&conf->providers, entry);
		free(v->name);
		free(v->url);
		free(v->rules);
		free(v->key_file);
		free(v->credential);
		free(v);
	}
}

static void
models_free(struct conf *conf)
{
	struct conf_model	*v;

	while ((v = STAILQ_FIRST(&conf->models)) != NULL) {
		STAILQ_REMOVE_HEAD(&conf->models, entry);
		free(v->name);
		free(v->provider);
		free(v->remote);
		free(v);
	}
}

static void
agents_free(struct conf *conf)
{
	struct conf_agent	*v;

	while ((v = STAILQ_FIRST(&conf->agents)) != NULL) {
		STAILQ_REMOVE_HEAD(&conf->agents, entry);
		conf_words_clear(&v->tools);
		free(v->name);
		free(v->model);
		free(v->instructions);
		free(v);
	}
}

static void
profiles_free(struct conf *conf)
{
	struct conf_profile	*v;

	while ((v = STAILQ_FIRST(&conf->profiles)) != NULL) {
		STAILQ_REMOVE_HEAD(&conf->profiles, entry);
		conf_words_clear(&v->verbs);
		conf_words_clear(&v->tools);
		conf_words_clear(&v->models);
		conf_words_clear(&v->agents);
		free(v->name);
		free(v);
	}
}

void
conf_free(struct conf *conf)
{
	struct conf_allow	*v;

	if (conf == NULL)
		return;
	while ((v = STAILQ_FIRST(&conf->allows)) != NULL) {
		STAILQ_REMOVE_HEAD(&conf->allows, entry);
		free(v->profile);
		free(v);
	}
	providers_free(conf);
	models_free(conf);
	agents_free(conf);
	profiles_free(conf);
	free(conf->state);
	free(conf->control);
	free(conf->log);
	free(conf->cgroup);
	free(conf->default_model);
	free(conf);
}
