/*
 * The tools of a sandbox. The file tools are functions from an input to a
 * value (files.h), called here.
 */
#include "bash.h"
#include "files.h"
#include "serve.h"

static json_t *
call_file(struct call *c, int (*fn)(const json_t *, json_t **, char *,
    size_t))
{
	json_t	*value = NULL;
	char	 why[1024];

	if (fn(c->input, &value, why, sizeof(why)) == -1)
		return (call_fail(c, NULL, "%s", why));
	return (value);
}

#define FILE_TOOL(name)							\
static json_t *								\
call_##name(struct call *c)						\
{									\
	return (call_file(c, op_##name));				\
}
FILE_TOOL(read)
FILE_TOOL(write)
FILE_TOOL(edit)
FILE_TOOL(grep)
FILE_TOOL(glob)

const struct op	ops[] = {
	{ "bash",	tool_bash,	1 },
	{ "edit",	call_edit,	0 },
	{ "glob",	call_glob,	0 },
	{ "grep",	call_grep,	0 },
	{ "read",	call_read,	0 },
	{ "write",	call_write,	0 },
	{ NULL,		NULL,		0 },
};
