/*
 * The command tool: a shell, or an argv.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bash.h"
#include "exec.h"
#include "text.h"

#define ARGS_MAX	4096

static const char *
shell(void)
{
	return (access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh");
}

/* The argv of the input, to be freed; its strings are lent. */
static const char **
command_argv(struct call *c, const json_t *command)
{
	const char	**argv;
	size_t		  i, n = json_array_size(command);

	if (n > ARGS_MAX || (!json_is_string(command) && n == 0)) {
		(void)call_fail(c, NULL, "command is neither a string nor a "
		    "list of 1 to %d strings", ARGS_MAX);
		return (NULL);
	}
	if ((argv = calloc(n + 4, sizeof(*argv))) == NULL) {
		(void)call_fail(c, NULL, "out of memory");
		return (NULL);
	}
	if (json_is_string(command)) {
		argv[0] = shell();
		argv[1] = "-c";
		argv[2] = json_string_value(command);
	}
	for (i = 0; i < n; i++)
		if ((argv[i] = json_string_value(json_array_get(command, i))) ==
		    NULL) {
			(void)call_fail(c, NULL, "command[%zu] is not a string",
			    i);
			free(argv);
			return (NULL);
		}
	return (argv);
}

/* The shorter of the call's time and the one that the input asks for. */
static int64_t
command_timeout(const struct call *c)
{
	const json_t	*v = json_object_get(c->input, "timeout");
	double		 ms;

	if (!json_is_number(v) || json_number_value(v) <= 0)
		return (c->timeout);
	ms = json_number_value(v) * 1000;
	if (ms < 1)
		ms = 1;
	if (ms > 1e12 || (c->timeout > 0 && ms > (double)c->timeout))
		return (c->timeout);
	return ((int64_t)ms);
}

/* Half of an output could be taken for all of it: too much is an error. */
static json_t *
flooded(struct call *c, const struct exec *e)
{
	return (call_fail(c, "size", "exit %d, but %zu bytes on standard "
	    "output and %zu on standard error are more than the %zu bytes of "
	    "JSON that a result may have: let the command write to a file, "
	    "and read that in pieces", e->exit, e->out.len + e->out.dropped,
	    e->err.len + e->err.dropped, c->output));
}

/* What killed the command, if that is known, and words about it. */
static const char *
command_cause(const struct call *c, const struct exec *e,
    char words[TOLL_TEXT])
{
	struct toll_end	 end = { e->exit, e->signal, e->cpu_ms };
	const char	*cause = toll_take(c->toll, &end, words);
	size_t		 n = strlen(words);

	if (cause != NULL || !e->late)
		return (cause);
	(void)snprintf(words + n, TOLL_TEXT - n, "killed: it took longer than "
	    "its timeout (%g seconds)\n", (double)e->timeout / 1000);
	return ("timeout");
}

static json_t *
outcome(struct call *c, struct exec *e)
{
	char		 words[TOLL_TEXT];
	const char	*cause = command_cause(c, e, words);
	json_t		*v;

	if (e->out.dropped > 0 || e->err.dropped > 0 ||
	    exec_say(e, words) == -1)
		return (flooded(c, e));
	v = json_pack("{s:i,s:o,s:o,s:s*}", "exit", e->exit,
	    "stdout", text_json(e->out.data, e->out.len, 0),
	    "stderr", text_json(e->err.data, e->err.len, 0),
	    "cause", cause);
	if (v == NULL)
		return (call_fail(c, NULL, "out of memory"));
	if (json_dumpb(v, NULL, 0, JSON_COMPACT) <= c->output)
		return (v);
	json_decref(v);
	return (flooded(c, e));
}

json_t *
tool_bash(struct call *c)
{
	struct exec	 e = { 0 };
	const char	**argv;
	const json_t	*command = json_object_get(c->input, "command");
	json_t		*v;

	if ((argv = command_argv(c, command)) == NULL)
		return (NULL);
	e.argv = argv;
	e.cwd = json_string_value(json_object_get(c->input, "cwd"));
	e.timeout = command_timeout(c);
	if (exec_run(&e) == -1)
		v = call_fail(c, NULL, "%s%s%s: %s", argv[0],
		    e.cwd == NULL ? "" : " in ", e.cwd == NULL ? "" : e.cwd,
		    strerror(errno));
	else
		v = outcome(c, &e);
	exec_free(&e);
	free(argv);
	return (v);
}
