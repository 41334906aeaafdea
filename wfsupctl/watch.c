/*
 * follow, log and result: look at a run that is there already.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "follow.h"
#include "query.h"
#include "screen.h"
#include "signals.h"

static int
watch(const struct options *o, struct follow *how, enum view_kind kind,
    FILE *out, struct outcome *outcome, struct failure *f)
{
	int	ret;

	how->control = o->control;
	how->run = o->operands[0];
	how->sigfd = signals_open();
	how->view = view_new(kind, out, how->run);
	ret = follow(how, NULL, outcome, f);
	view_free(how->view);
	close(how->sigfd);
	return (ret);
}

/* The end of a run that was watched for its result. */
static int
watch_result(const struct options *o, int ret, struct outcome *out,
    const struct failure *f)
{
	if (ret == 0)
		ret = result_print(o, out);
	else
		ret = result_failed(o, o->operands[0], out->state, f);
	outcome_free(out);
	return (ret);
}

int
cmd_follow(const struct options *o)
{
	struct follow	 how = { .live = 1 };
	struct outcome	 out;
	struct failure	 f;
	enum view_kind	 kind = VIEW_LINES;
	int		 ret;

	if (o->json)
		kind = VIEW_JSON;
	else if (screen_usable(STDERR_FILENO))
		kind = VIEW_SCREEN;
	ret = watch(o, &how, kind, o->json ? stdout : stderr, &out, &f);
	return (watch_result(o, ret, &out, &f));
}

int
cmd_log(const struct options *o)
{
	struct follow	 how = { .live = 0 };
	struct outcome	 out;
	struct failure	 f;
	int		 ret;

	ret = watch(o, &how, o->json ? VIEW_JSON : VIEW_LINES, stdout, &out,
	    &f);
	outcome_free(&out);
	return (ret == 0 ? EXIT_COMPLETED : answer_failed(o, &f));
}

static int
result_wait(const struct options *o)
{
	struct follow	 how = { .live = 1, .after = INT64_MAX };
	struct outcome	 out;
	struct failure	 f;
	int		 ret;

	ret = watch(o, &how, VIEW_NONE, stderr, &out, &f);
	out.brief = 1;
	return (watch_result(o, ret, &out, &f));
}

static const struct {
	const char	*state;
	int		 exit;
} states[] = {
	{ "completed",			EXIT_COMPLETED },
	{ "completed_with_failures",	EXIT_HOLES },
	{ "cancelled",			EXIT_CANCELLED },
	{ "failed",			EXIT_SCRIPT },
};

/* What the state alone says; a run that goes on has no entry. */
static void
outcome_from_state(struct outcome *out)
{
	const char	*state;
	size_t		 i;

	state = json_string_value(json_object_get(out->body, "state"));
	if (state == NULL)
		state = "";
	snprintf(out->state, sizeof(out->state), "%s", state);
	out->exit = EXIT_RUNNING;
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strcmp(states[i].state, state) == 0) {
			out->exit = states[i].exit;
			out->ended = 1;
		}
}

/* Failed runs have several exit codes; `show` knows which. */
static void
outcome_exact(const struct options *o, struct outcome *out)
{
	struct failure	 f;
	struct answer	 a;
	int64_t		 code;

	if (out->exit != EXIT_SCRIPT)
		return;
	/* If show is not granted, the general code is not wrong either. */
	if (query(o, "show", o->operands[0], &a, &f) == 0) {
		code = member_int(a.body, "exit");
		if (code > 0 && code < EXIT_LEFT)
			out->exit = (int)code;
	}
	answer_free(&a);
}

int
cmd_result(const struct options *o)
{
	struct outcome	out;
	struct answer	a;
	struct failure	f;
	int		ret;

	if (o->wait)
		return (result_wait(o));
	memset(&out, 0, sizeof(out));
	out.brief = 1;
	ret = query(o, "result", o->operands[0], &a, &f);
	if (ret == 0) {
		out.text = a.text;
		out.body = a.body;
		outcome_from_state(&out);
		outcome_exact(o, &out);
	}
	return (watch_result(o, ret, &out, &f));
}
