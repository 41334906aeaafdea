/*
 * Building a session.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent_session.h"
#include "config.h"
#include "json.h"
#include "log.h"
#include "schema.h"
#include "text.h"

/* What the model is told nests it up to six levels deeper. */
#define SCHEMA_NESTED_MAX	56
#define SANDBOX_NAME_MAX	128

static const char	base_words[] =
    "You are one step of an automated workflow: nobody reads along and nobody "
    "can answer questions. ";
static const char	text_words[] =
    "Your last message is the result of this step: give what was asked for "
    "and nothing else.";
static const char	schema_words[] =
    "Give the result by calling finish. If the task can't be done, call "
    "give_up with the reason.";

struct build {
	struct session		*session;
	const json_t		*input;
	const struct config	*config;
	char			*why;
	size_t			 whylen;
};

static int __attribute__((format(printf, 2, 3)))
refuse(struct build *b, const char *fmt, ...)
{
	va_list	ap;

	va_start(ap, fmt);
	vsnprintf(b->why, b->whylen, fmt, ap);
	va_end(ap);
	text_trim(b->why);
	return (-1);
}

/* A member of the input; null is as good as missing. */
static const json_t *
given(const struct build *b, const char *key)
{
	const json_t	*value = json_object_get(b->input, key);

	return (json_is_null(value) ? NULL : value);
}

static char *
copy(const char *text)
{
	char	*s;

	if ((s = strdup(text)) == NULL)
		fatal("strdup");
	return (s);
}

static int
take_text(struct build *b, const char *key, char **to)
{
	const json_t	*value = given(b, key);

	if (value == NULL)
		return (0);
	if (!json_is_string(value))
		return (refuse(b, "%s must be a string", key));
	*to = copy(json_string_value(value));
	return (0);
}

static int
take_limits(struct build *b)
{
	const json_t	*timeout = given(b, "timeout");
	const json_t	*retries = given(b, "retries");
	double		 seconds = json_number_value(timeout);

	if (timeout != NULL && (!json_is_number(timeout) || seconds <= 0 ||
	    seconds > SESSION_TIMEOUT_MAX))
		return (refuse(b, "timeout must be a number of seconds above "
		    "0, at most %d", SESSION_TIMEOUT_MAX));
	if (timeout != NULL)
		b->session->timeout_ms = (int64_t)(seconds * 1000) + 1;
	if (retries != NULL && (!json_is_integer(retries) ||
	    json_integer_value(retries) < 0 ||
	    json_integer_value(retries) > SESSION_RETRIES_MAX))
		return (refuse(b, "retries must be an integer from 0 to %d",
		    SESSION_RETRIES_MAX));
	b->session->retries = json_integer_value(retries);
	return (0);
}

static int
take_schema(struct build *b)
{
	const json_t	*schema = given(b, "schema");
	char		 why[256], *text;
	size_t		 depth;

	if (schema == NULL)
		return (0);
	if ((text = json_dumps(schema, JSON_COMPACT | JSON_ENCODE_ANY)) ==
	    NULL)
		fatalx("json: a schema");
	depth = json_text_depth(text, strlen(text));
	free(text);
	if (depth > SCHEMA_NESTED_MAX)
		return (refuse(b, "the schema is nested more than %d deep",
		    SCHEMA_NESTED_MAX));
	if (schema_check_definition(schema, why, sizeof(why)) == -1)
		return (refuse(b, "%s", why));
	b->session->schema = json_incref((json_t *)schema);
	return (0);
}

/* The names of input that are not another agent's or sandbox's own. */
static int
take_sandbox(struct build *b)
{
	if (take_text(b, "sandbox", &b->session->sandbox) == -1)
		return (-1);
	if (b->session->sandbox != NULL && (b->session->sandbox[0] == '/' ||
	    b->session->sandbox[0] == '\0' ||
	    strlen(b->session->sandbox) > SANDBOX_NAME_MAX))
		return (refuse(b, "the name of a sandbox can't be empty, "
		    "begin with / or be longer than %d bytes",
		    SANDBOX_NAME_MAX));
	return (0);
}

static int
take_agent(struct build *b, struct agent_conf *conf)
{
	char	names[256];

	memset(conf, 0, sizeof(*conf));
	conf->instructions = "";
	if (take_text(b, "agent", &b->session->agent) == -1)
		return (-1);
	if (b->session->agent != NULL &&
	    config_agent(b->config, b->session->agent, conf) == -1)
		return (refuse(b, "there is no agent \"%.64s\"; there is: %s",
		    b->session->agent, config_agent_names(b->config, names,
		    sizeof(names))));
	return (0);
}

/* The call's word, else the agent's, else the configuration's. */
static int
take_model(struct build *b, const struct agent_conf *agent)
{
	struct model_conf	 conf;
	const char		*name;
	char			 names[256];

	if (given(b, "model") != NULL && !json_is_string(given(b, "model")))
		return (refuse(b, "model must be a string"));
	name = json_string_value(given(b, "model"));
	if (name == NULL)
		name = agent->model;
	if (config_model(b->config, name, &conf) == -1 && name == NULL)
		return (refuse(b, "no model: name one with model=, or set a "
		    "default in the configuration"));
	if (config_model(b->config, name, &conf) == -1)
		return (refuse(b, "there is no model \"%.64s\"; there is: %s",
		    name, config_model_names(b->config, names,
		    sizeof(names))));
	b->session->model = copy(conf.name);
	b->session->window = conf.window;
	b->session->max_tokens = conf.max_tokens > 0 ? conf.max_tokens :
	    SESSION_MAX_TOKENS;
	return (0);
}

static void
write_system(struct session *s, const struct agent_conf *agent)
{
	if (asprintf(&s->system, "%s%s%s%s%s", base_words,
	    s->schema != NULL ? schema_words : text_words,
	    json_array_size(toolset_advert(s->tools)) > 0 ?
	    " Paths are relative to the workspace." : "",
	    agent->instructions[0] != '\0' ? "\n\n" : "",
	    agent->instructions) == -1)
		fatal("asprintf");
}

static int
build(struct build *b)
{
	struct session		*s = b->session;
	struct agent_conf	 agent;

	if (take_text(b, "prompt", &s->prompt) == -1)
		return (-1);
	if (s->prompt == NULL || s->prompt[0] == '\0')
		return (refuse(b, "prompt must be a string that is not "
		    "empty"));
	if (take_limits(b) == -1 || take_schema(b) == -1 ||
	    take_sandbox(b) == -1 || take_agent(b, &agent) == -1 ||
	    take_model(b, &agent) == -1)
		return (-1);
	s->tools = toolset_bind(given(b, "tools"), agent.tools, s->schema,
	    b->why, b->whylen);
	if (s->tools == NULL)
		return (-1);
	write_system(s, &agent);
	return (0);
}

/* Of several calls in a line: whose argument is it? */
static void
name_call(char *why, size_t whylen)
{
	char	*text;

	if (asprintf(&text, "agent: %s", why) == -1)
		fatal("asprintf");
	(void)snprintf(why, whylen, "%s", text);
	text_trim(why);
	free(text);
}

struct session *
session_new(const json_t *input, const struct config *config, char *why,
    size_t whylen)
{
	struct build	b = { .input = input, .config = config, .why = why,
			    .whylen = whylen };

	if ((b.session = calloc(1, sizeof(*b.session))) == NULL)
		fatal("calloc");
	if (build(&b) == -1) {
		name_call(why, whylen);
		session_free(b.session);
		return (NULL);
	}
	return (b.session);
}

void
session_free(struct session *s)
{
	if (s == NULL)
		return;
	free(s->agent);
	free(s->model);
	free(s->system);
	free(s->prompt);
	free(s->sandbox);
	toolset_free(s->tools);
	json_decref(s->schema);
	free(s);
}
