/*
 * The rule text names the line of wfsupd.conf(5) that would allow what was
 * asked. Names come from scripts: they are encoded, and cut.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "grant.h"
#include "log.h"
#include "verb.h"

/* A name, encoded: at most this long in a rule. */
#define SHOWN_MAX	144

static struct verdict
granted(void)
{
	struct verdict	v = { .reason = GRANTED };

	return (v);
}

static struct verdict __attribute__((format(printf, 2, 3)))
denied(enum reason reason, const char *fmt, ...)
{
	struct verdict	v = { .reason = reason };
	va_list		ap;

	va_start(ap, fmt);
	(void)vsnprintf(v.rule, sizeof(v.rule), fmt, ap);
	va_end(ap);
	return (v);
}

static const char *
shown(char *buf, const char *name)
{
	return (log_vis(buf, SHOWN_MAX, name, strlen(name)));
}

static int
named(const char *s)
{
	return (s != NULL && s[0] != '\0');
}

static struct verdict
decide_verb(const struct scope *scope, unsigned verb)
{
	unsigned	 missing = verb & ~scope->verbs;
	const char	*name;

	if (missing == 0)
		return (granted());
	name = verb_name(missing & -missing);
	return (denied(DENIED_VERB, "\"%s\" is not in profile \"%s\": "
	    "verbs { %s } would allow it", name, scope->profile, name));
}

static struct verdict
decide_submit(const struct scope *scope, int64_t tokens)
{
	struct verdict	v = decide_verb(scope, VERB_RUN);

	if (v.reason != GRANTED)
		return (v);
	if (scope->budget.tokens == 0 || tokens <= scope->budget.tokens)
		return (v);
	return (denied(DENIED_TOKENS, "a budget of %" PRId64 " tokens is more "
	    "than the %" PRId64 " of profile \"%s\": tokens %" PRId64
	    " would allow it", tokens, scope->budget.tokens, scope->profile,
	    tokens));
}

static struct verdict
decide_tool(const struct scope *scope, const char *tool)
{
	char	name[SHOWN_MAX];

	if (named(tool) && names_has(&scope->tools, tool))
		return (granted());
	shown(name, named(tool) ? tool : "");
	return (denied(DENIED_TOOL, "tool(\"%s\") is not in profile \"%s\": "
	    "tools { \"%s\" } would allow it", name, scope->profile, name));
}

static struct verdict
deny_model(const struct scope *scope, const char *model)
{
	char	name[SHOWN_MAX];

	if (!named(model))
		return (denied(DENIED_MODEL, "agent() needs a model, and "
		    "profile \"%s\" has none: models { ... } would allow it",
		    scope->profile));
	shown(name, model);
	return (denied(DENIED_MODEL, "agent() with model \"%s\" is not in "
	    "profile \"%s\": models { \"%s\" } would allow it", name,
	    scope->profile, name));
}

static struct verdict
deny_agent(const struct scope *scope, const char *agent)
{
	char	name[SHOWN_MAX];

	shown(name, agent);
	return (denied(DENIED_AGENT, "agent(agent=\"%s\") is not in profile "
	    "\"%s\": agents { \"%s\" } would allow it", name, scope->profile,
	    name));
}

/* An agent that names its tools has to be allowed all of them. One that does
 * not is offered what there is, and each of its calls is judged. */
static struct verdict
decide_tools(const struct scope *scope, const char *tools)
{
	char	one[NAME_MAX_LEN + 1], name[SHOWN_MAX];
	size_t	len;

	for (; named(tools); tools += tools[len] == ',' ? len + 1 : len) {
		len = strcspn(tools, ",");
		(void)snprintf(one, sizeof(one), "%.*s",
		    len < sizeof(one) ? (int)len : NAME_MAX_LEN, tools);
		if (len < sizeof(one) && names_has(&scope->tools, one))
			continue;
		shown(name, one);
		return (denied(DENIED_TOOL, "agent() with tool \"%s\" is not "
		    "in profile \"%s\": tools { \"%s\" } would allow it",
		    name, scope->profile, name));
	}
	return (granted());
}

/* An agent without a name needs no rule of its own, but some model. */
static struct verdict
decide_agent(const struct scope *scope, const struct request *r)
{
	if (named(r->agent) && !names_has(&scope->agents, r->agent))
		return (deny_agent(scope, r->agent));
	if (named(r->model) ? !names_has(&scope->models, r->model) :
	    names_empty(&scope->models))
		return (deny_model(scope, r->model));
	return (decide_tools(scope, r->tools));
}

/* A model call always names its model. */
static struct verdict
decide_model(const struct scope *scope, const struct request *r)
{
	if (!named(r->model))
		return (deny_model(scope, ""));
	return (decide_agent(scope, r));
}

struct verdict
grant_decide(const struct scope *scope, const struct request *r)
{
	if (scope == NULL)
		return (denied(DENIED_SCOPE, "there is no scope"));
	if (scope->expires != 0 && scope->expires <= r->now)
		return (denied(DENIED_SCOPE, "the scope has expired"));
	switch (r->want) {
	case WANT_VERB:
		return (decide_verb(scope, r->verb));
	case WANT_SUBMIT:
		return (decide_submit(scope, r->tokens));
	case WANT_TOOL:
		return (decide_tool(scope, r->tool));
	case WANT_AGENT:
		return (decide_agent(scope, r));
	case WANT_SLEEP:
		return (granted());
	case WANT_MODEL:
		return (decide_model(scope, r));
	}
	fatalx("grant_decide: %d", (int)r->want);
}
