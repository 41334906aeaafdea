/*
 * The configuration: the JSON body is kept and read in place, but only after
 * its shape has been checked as a whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "text.h"

struct config {
	json_t		*body;
	const json_t	*models, *agents;
	const char	*default_model;		/* NULL: none */
	int64_t		 runs, queue, retain, journal;
};

/* A number of at least least; a missing one is the fallback. */
static int
number_get(const json_t *o, const char *key, int64_t least, int64_t fallback,
    int64_t *n)
{
	const json_t	*v = json_object_get(o, key);

	*n = fallback;
	if (v == NULL)
		return (0);
	if (!json_is_integer(v) || json_integer_value(v) < least)
		return (-1);
	*n = json_integer_value(v);
	return (0);
}

/* A text or null, which is as good as missing. */
static int
text_get(const json_t *o, const char *key, const char **text)
{
	const json_t	*v = json_object_get(o, key);

	*text = json_string_value(v);
	return (v == NULL || json_is_null(v) || *text != NULL ? 0 : -1);
}

static int
model_check(const json_t *model)
{
	int64_t	n;

	return (json_is_object(model) &&
	    number_get(model, "max_tokens", 0, 0, &n) == 0 &&
	    number_get(model, "window", 0, 0, &n) == 0 ? 0 : -1);
}

static int
agent_check(const json_t *agent)
{
	const char	*text;
	const json_t	*tools, *name;
	size_t		 i;

	if (!json_is_object(agent) || text_get(agent, "model", &text) == -1 ||
	    text_get(agent, "instructions", &text) == -1)
		return (-1);
	tools = json_object_get(agent, "tools");
	if (tools == NULL || json_is_null(tools))
		return (0);
	if (!json_is_array(tools))
		return (-1);
	json_array_foreach(tools, i, name)
		if (!json_is_string(name))
			return (-1);
	return (0);
}

/* Lend a table of named objects, each passing check. */
static int
table_get(json_t *body, const char *key, int (*check)(const json_t *),
    const json_t **table, char *why, size_t whylen)
{
	json_t		*all = json_object_get(body, key), *one;
	const char	*name;

	*table = all;
	if (all != NULL && !json_is_object(all)) {
		(void)snprintf(why, whylen, "%s is not an object", key);
		return (-1);
	}
	json_object_foreach(all, name, one)
		if (check(one) == -1) {
			(void)snprintf(why, whylen, "%s: %s is malformed",
			    key, name);
			return (-1);
		}
	return (0);
}

static int
config_read(struct config *c, char *why, size_t whylen)
{
	if (!json_is_object(c->body)) {
		(void)snprintf(why, whylen, "not an object");
		return (-1);
	}
	if (number_get(c->body, "runs", 1, 16, &c->runs) == -1 ||
	    number_get(c->body, "queue", 0, 1000, &c->queue) == -1 ||
	    number_get(c->body, "retain", 0, 1000, &c->retain) == -1 ||
	    number_get(c->body, "journal", 0, 0, &c->journal) == -1) {
		(void)snprintf(why, whylen,
		    "runs, queue, retain or journal is bad");
		return (-1);
	}
	if (table_get(c->body, "models", model_check, &c->models, why,
	    whylen) == -1 || table_get(c->body, "agents", agent_check,
	    &c->agents, why, whylen) == -1)
		return (-1);
	if (text_get(c->body, "default_model", &c->default_model) == -1) {
		(void)snprintf(why, whylen, "default_model is not a text");
		return (-1);
	}
	return (0);
}

struct config *
config_new(json_t *body, char *why, size_t whylen)
{
	struct config	*c;

	if ((c = calloc(1, sizeof(*c))) == NULL) {
		(void)snprintf(why, whylen, "out of memory");
		return (NULL);
	}
	c->body = json_incref(body);
	if (config_read(c, why, whylen) == -1) {
		config_free(c);
		return (NULL);
	}
	return (c);
}

void
config_free(struct config *c)
{
	if (c == NULL)
		return;
	json_decref(c->body);
	free(c);
}

int64_t
config_runs(const struct config *c)
{
	return (c->runs);
}

int64_t
config_queue(const struct config *c)
{
	return (c->queue);
}

int64_t
config_retain(const struct config *c)
{
	return (c->retain);
}

int64_t
config_journal(const struct config *c)
{
	return (c->journal);
}

int
config_model(const struct config *c, const char *name, struct model_conf *m)
{
	const json_t	*model;

	if (name == NULL)
		name = c->default_model;
	if (name == NULL || (model = json_object_get(c->models, name)) == NULL)
		return (-1);
	m->name = name;
	m->max_tokens =
	    json_integer_value(json_object_get(model, "max_tokens"));
	m->window = json_integer_value(json_object_get(model, "window"));
	return (0);
}

static const char *
table_names(const json_t *table, char *buf, size_t buflen)
{
	const char	*name;
	json_t		*one;
	size_t		 n = 0;

	(void)snprintf(buf, buflen, "none");
	json_object_foreach((json_t *)(uintptr_t)table, name, one)
		if (n < buflen)
			n += (size_t)snprintf(buf + n, buflen - n, "%s%s",
			    n > 0 ? ", " : "", name);
	text_trim(buf);
	return (buf);
}

const char *
config_model_names(const struct config *c, char *buf, size_t buflen)
{
	return (table_names(c->models, buf, buflen));
}

const char *
config_agent_names(const struct config *c, char *buf, size_t buflen)
{
	return (table_names(c->agents, buf, buflen));
}

int
config_agent(const struct config *c, const char *name, struct agent_conf *a)
{
	const json_t	*agent;

	if ((agent = json_object_get(c->agents, name)) == NULL)
		return (-1);
	a->model = json_string_value(json_object_get(agent, "model"));
	a->instructions =
	    json_string_value(json_object_get(agent, "instructions"));
	if (a->instructions == NULL)
		a->instructions = "";
	a->tools = json_object_get(agent, "tools");
	if (json_is_null(a->tools))
		a->tools = NULL;
	return (0);
}
