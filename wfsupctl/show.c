/*
 * show and scopes: all that is known about one run, and what runs may ask.
 */
#include <stdio.h>

#include "fields.h"
#include "json_out.h"
#include "query.h"
#include "result.h"

/* In the order in which people ask. */
static const struct field run_fields[] = {
	{ "run",	"Run",		AS_TEXT },
	{ "name",	"Name",		AS_TEXT },
	{ "state",	"State",	AS_TEXT },
	{ "waiting",	"Waiting for",	AS_TEXT },
	{ "exit",	"Exit code",	AS_TEXT },
	{ "error",	"Error",	AS_ERROR },
	{ "uid",	"User",		AS_USER },
	{ "gid",	"Group",	AS_TEXT },
	{ "profile",	"Profile",	AS_TEXT },
	{ "created",	"Submitted",	AS_DATE },
	{ "started",	"Started",	AS_DATE },
	{ "ended",	"Ended",	AS_DATE },
	{ "epoch",	"Times started", AS_COUNT },
	{ "nodes",	"Nodes",	AS_NODES },
	{ "running",	"Running",	AS_RUNNING },
	{ "failed",	"Failed",	AS_FAILED },
	{ "tokens_in",	"Tokens in",	AS_COUNT },
	{ "tokens_out",	"Tokens out",	AS_COUNT },
	{ "budget",	"Token budget",	AS_LIMIT },
	{ "workspace",	"Workspace",	AS_TEXT },
	{ "python",	"Python",	AS_TEXT },
	{ "policy",	NULL,		AS_TABLE },
	{ NULL, NULL, AS_TEXT },
};

/* What the run may ask for; its profile and budget are said above. */
static const struct field policy_fields[] = {
	{ "tools",	"May use tools", AS_NAMES },
	{ "models",	"Models",	AS_NAMES },
	{ "agents",	"Agents",	AS_NAMES },
	{ "profile",	NULL,		AS_TABLE },
	{ "tokens",	NULL,		AS_TABLE },
	{ "limits",	NULL,		AS_TABLE },
	{ NULL, NULL, AS_TEXT },
};

/* What each of its jails may use. */
static const struct field limit_fields[] = {
	{ "memory",	"Memory",	AS_SIZE },
	{ "pids",	"Processes",	AS_COUNT },
	{ "cpu",	"CPU seconds",	AS_COUNT },
	{ "wall",	"Wall seconds",	AS_COUNT },
	{ "fsize",	"File size",	AS_SIZE },
	{ "files",	"Open files",	AS_COUNT },
	{ "output",	"Result size",	AS_SIZE },
	{ "frame",	"Message size",	AS_SIZE },
	{ "calls",	"Pending calls", AS_COUNT },
	{ "rate",	"Logs a second", AS_COUNT },
	{ NULL, NULL, AS_TEXT },
};

static const struct field scope_fields[] = {
	{ "scope",	"Scope",	AS_COUNT },
	{ "run",	"Run",		AS_TEXT },
	{ "uid",	"User",		AS_USER },
	{ "profile",	"Profile",	AS_TEXT },
	{ "verbs",	"Verbs",	AS_NAMES },
	{ "tools",	"Tools",	AS_NAMES },
	{ "models",	"Models",	AS_NAMES },
	{ "agents",	"Agents",	AS_NAMES },
	{ "depth",	"Depth",	AS_COUNT },
	{ "tokens",	"Token budget",	AS_LIMIT },
	{ "spent",	"Spent",	AS_COUNT },
	{ "reserved",	"Reserved",	AS_COUNT },
	{ "expires",	"Expires",	AS_EXPIRY },
	{ NULL, NULL, AS_TEXT },
};

static void
show_print(const json_t *run)
{
	const json_t	*policy = json_object_get(run, "policy");

	fields_print(run_fields, run);
	if (policy == NULL)
		return;
	fields_print(policy_fields, policy);
	fields_print(limit_fields, json_object_get(policy, "limits"));
}

int
cmd_show(const struct options *o)
{
	struct failure	f;
	struct answer	a;

	if (query(o, "show", o->operands[0], &a, &f) == -1)
		return (answer_failed(o, &f));
	if (o->json)
		json_out_text(stdout, a.text);
	else
		show_print(a.body);
	answer_free(&a);
	return (EXIT_COMPLETED);
}

static void
scopes_print(const json_t *scopes)
{
	json_t	*scope;
	size_t	 i;

	if (json_array_size(scopes) == 0)
		printf("no scopes\n");
	json_array_foreach(scopes, i, scope) {
		if (i > 0)
			putchar('\n');
		fields_print(scope_fields, scope);
	}
}

int
cmd_scopes(const struct options *o)
{
	struct failure	f;
	struct answer	a;

	if (query(o, "scopes", NULL, &a, &f) == -1)
		return (answer_failed(o, &f));
	if (o->json)
		json_out_text(stdout, a.text);
	else
		scopes_print(json_object_get(a.body, "scopes"));
	answer_free(&a);
	return (EXIT_COMPLETED);
}
