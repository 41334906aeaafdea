/*
 * run and submit: hand a script to the daemon.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "follow.h"
#include "input.h"
#include "json_out.h"
#include "screen.h"
#include "signals.h"

#define ID_SUBMIT	1

/* A submission whose answer got lost may have been taken. */
static int
submit_lost(struct failure *f)
{
	size_t	len = strlen(f->message);

	if (strcmp(f->class, "UnavailableError") == 0 ||
	    f->exit >= EXIT_LEFT)
		(void)snprintf(f->message + len, sizeof(f->message) - len,
		    "%s Whether the run was taken, wfsupctl list shows.",
		    len > 0 && f->message[len - 1] == '.' ? "" : ".");
	return (-1);
}

/* Send in; the run's id to run. Takes in's envelope and workspace. */
static int
submit_send(struct wire *w, struct input *in, int sigfd, char *run,
    size_t runlen, struct failure *f)
{
	struct reply	 r;
	json_t		*env = in->env;
	int		 fd = in->workspace;

	in->env = NULL;
	in->workspace = -1;
	if (wire_send(w, IMSG_SUBMIT, ID_SUBMIT, fd, env, in->body,
	    in->bodylen, f) == -1)
		return (-1);
	if (wire_ask(w, ID_SUBMIT, sigfd, ASK_TIMEOUT, &r, f) == -1)
		return (submit_lost(f));
	if (r.def->type != IMSG_SUBMITTED ||
	    !is_run_id(msg_str(r.env, "run"))) {
		reply_free(&r);
		return (failure_set(f, EXIT_FAULT, "ProtocolError",
		    "the daemon did not say the run's id"));
	}
	snprintf(run, runlen, "%s", msg_str(r.env, "run"));
	reply_free(&r);
	return (0);
}

/* From an input to an accepted run. NULL with the failure. */
static struct wire *
submit(const struct options *o, struct input *in, int sigfd, char *run,
    size_t runlen, struct failure *f)
{
	struct wire	*w;

	if ((w = wire_open(o->control, f)) != NULL &&
	    submit_send(w, in, sigfd, run, runlen, f) == -1) {
		wire_close(w);
		w = NULL;
	}
	return (w);
}

int
cmd_submit(const struct options *o)
{
	struct input	 in;
	struct failure	 f;
	struct wire	*w = NULL;
	json_t		*obj;
	char		 run[33];

	if (input_read(&in, o, &f) == 0)
		w = submit(o, &in, -1, run, sizeof(run), &f);
	input_free(&in);
	if (w == NULL)
		return (result_failed(o, NULL, NULL, &f));
	wire_close(w);
	if (!o->json) {
		printf("%s\n", run);
		return (EXIT_COMPLETED);
	}
	if ((obj = json_pack("{s:s}", "run", run)) == NULL)
		oom();
	json_out_line(stdout, obj);
	json_decref(obj);
	return (EXIT_COMPLETED);
}

static enum view_kind
run_view(const struct options *o)
{
	if (o->quiet)
		return (VIEW_NONE);
	return (screen_usable(STDERR_FILENO) ? VIEW_SCREEN : VIEW_LINES);
}

/* Who may not follow a run has started it all the same. */
static void
run_refused(struct failure *f, const char *run)
{
	size_t	len = strlen(f->message);

	if (f->exit != EXIT_UNREACHABLE && f->exit < EXIT_LEFT)
		snprintf(f->message + len, sizeof(f->message) - len,
		    " (run %s was taken and goes on)", run);
}

/* Follow an accepted run and say how it ended. */
static int
run_follow(const struct options *o, struct wire *w, const char *run,
    int sigfd)
{
	struct follow	 how = { .control = o->control, .run = run, .live = 1,
			    .sigfd = sigfd };
	struct outcome	 out;
	struct failure	 f;
	enum view_kind	 kind = run_view(o);
	int		 ret;

	how.ask = isatty(STDERR_FILENO);
	how.view = view_new(kind, stderr, run);
	if (kind == VIEW_LINES)
		view_notice(how.view, "run %s", run);
	ret = follow(&how, w, &out, &f);
	view_free(how.view);
	if (ret == -1 && out.state[0] == '\0')
		run_refused(&f, run);
	ret = ret == 0 ? result_print(o, &out) :
	    result_failed(o, run, out.state[0] != '\0' ? out.state : "running",
	    &f);
	outcome_free(&out);
	return (ret);
}

int
cmd_run(const struct options *o)
{
	struct input	 in;
	struct failure	 f;
	struct wire	*w = NULL;
	char		 run[33];
	int		 ret, sigfd = -1;

	/* Until the script is read, Ctrl-C is what it always is. */
	if (input_read(&in, o, &f) == 0) {
		sigfd = signals_open();
		w = submit(o, &in, sigfd, run, sizeof(run), &f);
	}
	input_free(&in);
	if (w == NULL)
		ret = result_failed(o, NULL, NULL, &f);
	else
		ret = run_follow(o, w, run, sigfd);
	if (sigfd != -1)
		close(sigfd);
	return (ret);
}
