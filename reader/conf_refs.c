/*
 * Names in a configuration that are names of something: tools, models, agents,
 * profiles.
 */
#include <string.h>

#include "conf_parse.h"

static int
has_model(const struct conf *c, const char *name)
{
	const struct conf_model	*v;

	STAILQ_FOREACH(v, &c->models, entry)
		if (strcmp(v->name, name) == 0)
			return (1);
	return (0);
}

static int
has_agent(const struct conf *c, const char *name)
{
	const struct conf_agent	*v;

	STAILQ_FOREACH(v, &c->agents, entry)
		if (strcmp(v->name, name) == 0)
			return (1);
	return (0);
}

/* Those that the keeper offers. */
static int
has_tool(const struct conf *c, const char *name)
{
	static const char *const	tools[] = {
		"read", "write", "edit", "bash", "grep", "glob",
	};
	size_t				i;

	(void)c;
	for (i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (strcmp(tools[i], name) == 0)
			return (1);
	return (0);
}

static int
has_profile(const struct conf *c, const char *name)
{
	const struct conf_profile	*v;

	STAILQ_FOREACH(v, &c->profiles, entry)
		if (strcmp(v->name, name) == 0)
			return (1);
	return (0);
}

/* Each word of a list is the name of a what, or "*". */
static void
check_words(struct parser *p, const struct conf_words *words,
    int (*has)(const struct conf *, const char *), const char *what)
{
	const struct conf_word	*w = NULL;

	STAILQ_FOREACH(w, words, entry) {
		p->line = w->line;
		if (strcmp(w->word, "*") != 0 && !has(p->conf, w->word))
			conf_error(p, "no %s \"%s\"", what, w->word);
	}
}

/* Root may do all, unless rules say who may what. */
void
conf_default_profile(struct parser *p)
{
	struct conf_profile	*v;

	if (!STAILQ_EMPTY(&p->conf->allows))
		return;
	if (!has_profile(p->conf, "admin")) {
		v = conf_profile_add(p, "admin");
		conf_words_add(&v->verbs, "*", 0);
		conf_words_add(&v->tools, "*", 0);
		conf_words_add(&v->models, "*", 0);
		conf_words_add(&v->agents, "*", 0);
	}
	conf_allow_add(p, WHO_USER, "0", "admin");
}

void
conf_check_references(struct parser *p)
{
	struct conf		*c = p->conf;
	struct conf_allow	*allow = NULL;
	struct conf_agent	*agent = NULL;
	struct conf_profile	*profile = NULL;

	STAILQ_FOREACH(allow, &c->allows, entry) {
		p->line = allow->line;
		if (!has_profile(c, allow->profile))
			conf_error(p, "no profile \"%s\"", allow->profile);
	}
	STAILQ_FOREACH(profile, &c->profiles, entry) {
		check_words(p, &profile->tools, has_tool, "tool");
		check_words(p, &profile->models, has_model, "model");
		check_words(p, &profile->agents, has_agent, "agent");
	}
	STAILQ_FOREACH(agent, &c->agents, entry) {
		check_words(p, &agent->tools, has_tool, "tool");
		p->line = agent->line;
		if (agent->model != NULL && !has_model(c, agent->model))
			conf_error(p, "agent \"%s\": no model \"%s\"",
			    agent->name, agent->model);
	}
	p->line = c->default_line;
	if (c->default_model != NULL && !has_model(c, c->default_model))
		conf_error(p, "default model: no model \"%s\"",
		    c->default_model);
}
