#include <stdlib.h>
#include <string.h>

#include "fake_agent.h"

static const char	config[] =
    "{\"models\": {\"canned\": {\"max_tokens\": 1000, \"window\": 100000},"
    " \"big\": {}}, \"default_model\": \"canned\", \"agents\": {\"reader\":"
    " {\"model\": \"big\", \"instructions\": \"You read.\", \"tools\":"
    " [\"read\", \"grep\"]}}}";

/* ---- what a broker says ---- */

/* JSON with ' for ", so that it can be read here; lent until the next. */
static const char *
quoted(const char *text)
{
	static char	 copies[4][4096];
	static int	 next;
	char		*copy = copies[next++ % 4], *p;

	(void)snprintf(copy, sizeof(copies[0]), "%s", text);
	for (p = copy; (p = strchr(p, '\'')) != NULL; p++)
		*p = '"';
	return (copy);
}

void
begin(struct play *p)
{
	p->f = fake_new(config);
	(void)snprintf(p->run, sizeof(p->run), "%s", fake_run(p->f, "x"));
	fake_jail(p->f, p->run);
	(void)fake_wait(p->f, IMSG_SCRIPT);
	fake_clear(p->f);
}

void
end(struct play *p)
{
	fake_free(p->f);
}

void
restart(struct play *p)
{
	fake_restart(p->f, config);
	(void)fake_wait(p->f, IMSG_RUN_START);
	fake_jail(p->f, p->run);
	(void)fake_wait(p->f, IMSG_SCRIPT);
}

/* A name of the input as the broker judges it: in the envelope too. */
static const char *
judged(char *buf, size_t buflen, const json_t *input, const char *key)
{
	const char	*name = json_string_value(json_object_get(input, key));

	buf[0] = '\0';
	if (name != NULL)
		(void)snprintf(buf, buflen, ", \"%s\": \"%s\"", key, name);
	return (buf);
}

/* The same of its tools, in one text. */
static const char *
judged_tools(char *buf, size_t buflen, const json_t *input)
{
	json_t	*tools = json_object_get(input, "tools"), *name;
	size_t	 i, n;

	buf[0] = '\0';
	if (!json_is_array(tools))
		return (buf);
	n = (size_t)snprintf(buf, buflen, ", \"tools\": \"");
	json_array_foreach(tools, i, name)
		n += (size_t)snprintf(buf + n, buflen - n, "%s%s",
		    i > 0 ? "," : "", json_string_value(name));
	(void)snprintf(buf + n, buflen - n, "\"");
	return (buf);
}

/* The node is asked for, at first or as after a replay. */
void
ask(struct play *p, const char *input)
{
	json_t	*body = json_loads(quoted(input), 0, NULL);
	char	 agent[96], model[160], tools[256];

	fake_say(p->f, IMSG_NODE_BEGIN, 0, quoted(input), "{\"run\": \"%s\", "
	    "\"path\": \"" AGENT "\", \"kind\": \"agent\", \"digest\": \"%s\""
	    "%s%s%s}", p->run, DIGEST_A, judged(agent, sizeof(agent), body,
	    "agent"), judged(model, sizeof(model), body, "model"),
	    judged_tools(tools, sizeof(tools), body));
	json_decref(body);
}

void
answer(struct play *p, uint32_t id, const char *finish, const char *message)
{
	fake_say(p->f, IMSG_MODEL_DONE, id, quoted(message),
	    "{\"run\": \"%s\", \"finish\": \"%s\", \"tokens_in\": 10, "
	    "\"tokens_out\": 5}", p->run, finish);
}

void
say_text(struct play *p, uint32_t id, const char *text)
{
	char	message[1024];

	(void)snprintf(message, sizeof(message),
	    "{'role':'assistant','content':'%s'}", text);
	answer(p, id, "stop", message);
}

/* calls is the inside of the array of calls. */
void
say_calls(struct play *p, uint32_t id, const char *calls)
{
	char	message[2048];

	(void)snprintf(message, sizeof(message),
	    "{'role':'assistant','content':null,'tool_calls':[%s]}", calls);
	answer(p, id, "tool_calls", message);
}

void
say_delta(struct play *p, uint32_t id, const char *text)
{
	char	body[512];

	(void)snprintf(body, sizeof(body), "{'text':'%s'}", text);
	fake_say(p->f, IMSG_MODEL_DELTA, id, quoted(body),
	    "{\"run\": \"%s\"}", p->run);
}

void
say_fail(struct play *p, uint32_t id, const char *class)
{
	fake_say(p->f, IMSG_MODEL_FAIL, id, NULL, "{\"run\": \"%s\", "
	    "\"class\": \"%s\", \"message\": \"the model says no\", "
	    "\"status\": 0, \"after\": 0, \"tokens_in\": 3, "
	    "\"tokens_out\": 0}", p->run, class);
}

void
say_tool(struct play *p, uint32_t id, int ok, const char *value)
{
	fake_say(p->f, IMSG_TOOL_DONE, id, quoted(value), "{\"run\": \"%s\", "
	    "\"ok\": %s}", p->run, ok ? "true" : "false");
}

/* ---- what the keeper says ---- */

/* The number of the next model call, 0 if none comes; *body is kept. */
uint32_t
model_call(struct play *p, json_t **body)
{
	struct got	*g = fake_wait(p->f, IMSG_MODEL_CALL);

	if (g == NULL)
		return (0);
	if (body != NULL)
		*body = json_incref(g->body);
	return (g->id);
}

uint32_t
tool_call(struct play *p, const char *tool)
{
	struct got	*g = fake_wait(p->f, IMSG_TOOL_CALL);

	if (g == NULL || strcmp(got_str(g, "tool"), tool) != 0)
		return (0);
	return (g->id);
}

/* The text of the i-th message of a model call, "" if there is none. */
const char *
content(const json_t *body, size_t i)
{
	const char	*s;

	s = json_string_value(json_object_get(json_array_get(
	    json_object_get(body, "messages"), i), "content"));
	return (s == NULL ? "" : s);
}

const char *
role(const json_t *body, size_t i)
{
	const char	*s;

	s = json_string_value(json_object_get(json_array_get(
	    json_object_get(body, "messages"), i), "role"));
	return (s == NULL ? "" : s);
}

size_t
count(const json_t *body, const char *key)
{
	return (json_array_size(json_object_get(body, key)));
}

/* The node's end: is it ok with this value? */
int
ends_with(struct play *p, const char *value)
{
	struct got	*g = fake_wait(p->f, IMSG_NODE_DONE);
	json_t		*want;
	int		 same;

	if (g == NULL || !got_int(g, "ok"))
		return (0);
	want = json_loads(quoted(value), JSON_DECODE_ANY, NULL);
	same = json_equal(want, g->body);
	json_decref(want);
	return (same);
}

int
fails_with(struct play *p, const char *class, const char *cause)
{
	struct got	*g = fake_wait(p->f, IMSG_NODE_DONE);

	if (g == NULL || got_int(g, "ok"))
		return (0);
	return (strcmp(body_str(g, "class"), class) == 0 &&
	    strcmp(body_str(g, "cause"), cause) == 0);
}

enum journal_phase
phase(struct play *p)
{
	struct journal	j;

	journal_load(p->f->keeper.store, 1, &j);
	return (j.phase);
}

struct submission
row(struct play *p)
{
	struct submission	sub;

	memset(&sub, 0, sizeof(sub));
	(void)submission_load(p->f->keeper.store, 1, &sub);
	return (sub);
}
