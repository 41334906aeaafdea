/*
 * What a jail asks and a broker answers, a call a message.
 */
#include <stdio.h>

#include "fake_node.h"

struct fake *
fake_begun(char run[32])
{
	struct fake	*f = fake_new(NULL);

	(void)snprintf(run, 32, "%s", fake_run(f, "x"));
	fake_jail(f, run);
	(void)fake_wait(f, IMSG_SCRIPT);
	fake_clear(f);
	return (f);
}

void
fake_node(struct fake *f, const char *run, const char *path, const char *kind,
    const char *digest, const char *input)
{
	json_t		*body = json_loads(input, 0, NULL);
	const char	*tool = json_string_value(json_object_get(body,
	    "name"));

	fake_say(f, IMSG_NODE_BEGIN, 0, input, "{\"run\": \"%s\", "
	    "\"path\": \"%s\", \"kind\": \"%s\", \"digest\": \"%s\"%s%s%s}",
	    run, path, kind, digest, tool == NULL ? "" : ", \"tool\": \"",
	    tool == NULL ? "" : tool, tool == NULL ? "" : "\"");
	json_decref(body);
}

void
fake_tool(struct fake *f, const char *run, const char *path,
    const char *input)
{
	fake_node(f, run, path, "tool", DIGEST_A, input);
}

void
fake_tool_done(struct fake *f, const char *run, uint32_t id, const char *ok,
    const char *value)
{
	fake_say(f, IMSG_TOOL_DONE, id, value,
	    "{\"run\": \"%s\", \"ok\": %s}", run, ok);
}

void
fake_again(struct fake *f, const char *run)
{
	fake_restart(f, NULL);
	(void)fake_wait(f, IMSG_RUN_START);
	fake_jail(f, run);
}

const char *
got_cause(const struct got *g)
{
	return (g == NULL ? "nothing came" : body_str(g, "cause"));
}
