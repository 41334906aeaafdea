/*
 * What each room is told of the configuration: its part, and no more.
 */
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "log.h"

/* Out of memory is the only way in which building these can fail. */
static json_t *
must(json_t *v)
{
	if (v == NULL)
		fatalx("configuration: out of memory");
	return (v);
}

static void
put(json_t *object, const char *key, json_t *v)
{
	if (json_object_set_new(object, key, must(v)) == -1)
		fatalx("configuration: out of memory");
}

static json_t *
words_json(const struct conf_words *words)
{
	const struct conf_word	*w;
	json_t			*list = must(json_array());

	STAILQ_FOREACH(w, words, entry)
		if (json_array_append_new(list, must(json_string(w->word))) ==
		    -1)
			fatalx("configuration: out of memory");
	return (list);
}

static json_t *
profile_json(const struct conf_profile *v)
{
	return (json_pack("{s:o,s:o,s:o,s:o,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,"
	    "s:I,s:I,s:I,s:I,s:I}",
	    "verbs", words_json(&v->verbs), "tools", words_json(&v->tools),
	    "models", words_json(&v->models),
	    "agents", words_json(&v->agents),
	    "tokens", (json_int_t)v->tokens, "runs", (json_int_t)v->runs,
	    "memory", (json_int_t)v->memory, "fsize", (json_int_t)v->fsize,
	    "pids", (json_int_t)v->pids, "files", (json_int_t)v->files,
	    "cpu", (json_int_t)v->cpu, "wall", (json_int_t)v->wall,
	    "output", (json_int_t)v->output, "frame", (json_int_t)v->frame,
	    "calls", (json_int_t)v->calls, "rate", (json_int_t)v->rate,
	    "depth", (json_int_t)v->depth));
}

static json_t *
allow_json(const struct conf_allow *v)
{
	switch (v->who) {
	case WHO_USER:
		return (json_pack("{s:s,s:I,s:s}", "who", "user", "id",
		    (json_int_t)v->id, "profile", v->profile));
	case WHO_GROUP:
		return (json_pack("{s:s,s:I,s:s}", "who", "group", "id",
		    (json_int_t)v->id, "profile", v->profile));
	case WHO_ANY:
		return (json_pack("{s:s,s:s}", "who", "any", "profile",
		    v->profile));
	}
	fatalx("allow_json: %d", (int)v->who);
}

json_t *
conf_broker_json(const struct conf *c)
{
	const struct conf_profile	*profile;
	const struct conf_allow		*v;
	json_t				*profiles = must(json_object());
	json_t				*allow = must(json_array());

	STAILQ_FOREACH(profile, &c->profiles, entry)
		put(profiles, profile->name, profile_json(profile));
	STAILQ_FOREACH(v, &c->allows, entry)
		if (json_array_append_new(allow, must(allow_json(v))) == -1)
			fatalx("configuration: out of memory");
	return (must(json_pack("{s:o,s:o,s:I}", "profiles", profiles,
	    "allow", allow, "jails", (json_int_t)c->jails)));
}

static json_t *
agent_json(const struct conf_agent *v)
{
	return (json_pack("{s:s?,s:s?,s:o}", "model", v->model,
	    "instructions", v->instructions,
	    "tools", v->has_tools ? words_json(&v->tools) : json_null()));
}

json_t *
conf_keeper_json(const struct conf *c)
{
	const struct conf_model	*model;
	const struct conf_agent	*agent;
	json_t			*models = must(json_object());
	json_t			*agents = must(json_object());

	STAILQ_FOREACH(model, &c->models, entry)
		put(models, model->name, json_pack("{s:I,s:I}",
		    "max_tokens", (json_int_t)model->max_tokens,
		    "window", (json_int_t)model->window));
	STAILQ_FOREACH(agent, &c->agents, entry)
		put(agents, agent->name, agent_json(agent));
	return (must(json_pack("{s:I,s:I,s:I,s:I,s:o,s:s?,s:o}",
	    "runs", (json_int_t)c->runs, "queue", (json_int_t)c->queue,
	    "retain", (json_int_t)c->retain, "journal",
	    (json_int_t)c->journal, "models", models, "default_model",
	    c->default_model, "agents", agents)));
}

static json_t *
provider_json(const struct conf_provider *v)
{
	json_t	*o;

	o = must(json_pack("{s:s,s:I,s:I,s:I}",
	    "type", v->type == PROVIDER_CANNED ? "canned" : "openai",
	    "connect_timeout", (json_int_t)v->connect_timeout,
	    "idle_timeout", (json_int_t)v->idle_timeout,
	    "total_timeout", (json_int_t)v->total_timeout));
	if (v->url != NULL)
		put(o, "url", json_string(v->url));
	/* Whether a key follows, in a message of its own. */
	if (v->key_file != NULL || v->credential != NULL)
		put(o, "key", json_true());
	return (o);
}

json_t *
conf_gateway_json(const struct conf *c)
{
	const struct conf_provider	*provider;
	const struct conf_model		*model;
	json_t				*providers = must(json_object());
	json_t				*models = must(json_object());

	STAILQ_FOREACH(provider, &c->providers, entry)
		put(providers, provider->name, provider_json(provider));
	STAILQ_FOREACH(model, &c->models, entry)
		put(models, model->name, json_pack("{s:s,s:s,s:I}",
		    "provider", model->provider, "name", model->remote,
		    "max_tokens", (json_int_t)model->max_tokens));
	return (must(json_pack("{s:o,s:o}", "providers", providers,
	    "models", models)));
}

/* The profile that is granted first: there is one, if only root's. */
static const struct conf_profile *
first_profile(const struct conf *c)
{
	const struct conf_allow		*allow = STAILQ_FIRST(&c->allows);
	const struct conf_profile	*p;

	STAILQ_FOREACH(p, &c->profiles, entry)
		if (strcmp(p->name, allow->profile) == 0)
			return (p);
	fatalx("profile \"%s\" is gone", allow->profile);
}

/* As the broker would ask for the first run's jail. */
static json_t *
first_json(const struct conf_profile *p)
{
	return (must(json_pack("{s:s,s:s,s:i,s:i,s:I,s:I,s:I,s:I,s:I,s:I}",
	    "kind", "script", "run", "", "uid", 0, "gid", 0,
	    "memory", (json_int_t)p->memory, "pids", (json_int_t)p->pids,
	    "cpu", (json_int_t)p->cpu, "wall", (json_int_t)p->wall,
	    "fsize", (json_int_t)p->fsize, "files", (json_int_t)p->files)));
}

json_t *
conf_warden_json(const struct conf *c)
{
	return (must(json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:o}",
	    "state", c->state,
	    "sandbox_uid", (json_int_t)c->sandbox.uid,
	    "sandbox_gid", (json_int_t)c->sandbox.gid,
	    "jail_base", (json_int_t)c->jail_base,
	    "jails", (json_int_t)c->jails, "spares", (json_int_t)c->spares,
	    "recycle", (json_int_t)c->recycle,
	    "first", first_json(first_profile(c)))));
}
