/*
 * What the broker's peers say most often.
 */
#include "fake.h"

#define DIGEST	"0123456789abcdef0123456789abcdef"			\
	"0123456789abcdef0123456789abcdef"

void
say_node_ask(struct fake *jail, const char *path, const char *kind,
    const char *tool, const char *model)
{
	fake_send(jail, IMSG_NODE_ASK, 0, -1, json_pack(
	    "{s:s, s:s, s:s, s:s*, s:s*}", "path", path, "kind", kind,
	    "digest", DIGEST, "tool", tool, "model", model), "{\"x\":1}");
}

void
say_tool_call(struct rig *rig, uint32_t id, const char *run, int64_t sandbox,
    const char *tool)
{
	fake_send(rig->keeper, IMSG_TOOL_CALL, id, -1, json_pack(
	    "{s:s, s:s, s:s, s:I, s:i}", "run", run, "node", "/tool#0",
	    "tool", tool, "sandbox", (json_int_t)sandbox, "timeout", 5000),
	    "{\"command\":\"true\"}");
}

void
say_model_call(struct rig *rig, uint32_t id, const char *run,
    const char *model, int64_t reserve)
{
	fake_send(rig->keeper, IMSG_MODEL_CALL, id, -1, json_pack(
	    "{s:s, s:s, s:s, s:I}", "run", run, "node", "/agent#0", "model",
	    model, "reserve", (json_int_t)reserve), "{\"messages\":[]}");
}

void
say_run_end(struct rig *rig, const char *run)
{
	fake_send(rig->keeper, IMSG_RUN_END, 0, -1, json_pack(
	    "{s:s, s:s, s:i}", "run", run, "state", "completed", "exit", 0),
	    NULL);
}

void
say_query(struct fake *client, uint32_t id, const char *what,
    const char *run, int all)
{
	fake_send(client, IMSG_QUERY, id, -1, json_pack("{s:s, s:s*, s:b}",
	    "what", what, "run", run, "all", all), NULL);
}

void
say_submit(struct fake *client, uint32_t id, const char *workspace, int fd,
    int64_t tokens)
{
	fake_send(client, IMSG_SUBMIT, id, fd, json_pack("{s:s*, s:o*}",
	    "workspace", workspace, "tokens",
	    tokens > 0 ? json_integer(tokens) : NULL), "{}");
}
