/*
 * A run's workspace: the directory that the client opened and passed along,
 * or, after a restart, the one that the warden opens again as the run's
 * owner. A run whose workspace is away waits, says so, and asks again.
 */
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker.h"
#include "env.h"
#include "log.h"

/* Seconds until it is looked for again. */
#define AGAIN_WAIT	10

static void
workspace_ask(struct run *run)
{
	struct workspace	*w = &run->workspace;

	w->state = WORKSPACE_ASKED;
	peer_send(run->broker->warden, IMSG_WORKSPACE_OPEN, 0, -1,
	    env_new("{s:s, s:s, s:I, s:I, s:I, s:I}", "run", run->id,
	    "path", w->path, "uid", (json_int_t)run->uid,
	    "gid", (json_int_t)run->gid, "dev", (json_int_t)w->dev,
	    "ino", (json_int_t)w->ino), NULL, 0);
}

static void
workspace_again(int fd, short what, void *arg)
{
	struct run	*run = arg;

	(void)fd;
	(void)what;
	if (run->workspace.state == WORKSPACE_AWAY)
		workspace_ask(run);
}

void
workspace_set(struct run *run, const json_t *env)
{
	struct workspace	*w = &run->workspace;
	const char		*path = msg_str(env, "workspace");

	if (path == NULL || w->state != WORKSPACE_NONE)
		return;
	w->dev = msg_int(env, "dev");
	w->ino = msg_int(env, "ino");
	w->again = evtimer_new(run->broker->base, workspace_again, run);
	if ((w->path = strdup(path)) == NULL || w->again == NULL)
		fatal("workspace_set");
	if (w->fd != -1)
		w->state = WORKSPACE_HERE;
	else
		workspace_ask(run);
}

void
workspace_clear(struct run *run)
{
	struct workspace	*w = &run->workspace;

	if (w->fd != -1)
		(void)close(w->fd);
	if (w->again != NULL)
		event_free(w->again);
	free(w->path);
	memset(w, 0, sizeof(*w));
	w->fd = -1;
}

int
workspace_ready(const struct run *run)
{
	switch (run->workspace.state) {
	case WORKSPACE_NONE:
	case WORKSPACE_HERE:
		return (1);
	case WORKSPACE_ASKED:
	case WORKSPACE_AWAY:
		return (0);
	}
	fatalx("workspace_ready: %d", (int)run->workspace.state);
}

/* Say what the run waits for, once. */
static void
workspace_tell(struct run *run, const char *error)
{
	char	path[160], text[120], on[320 + 1];

	if (run->workspace.told)
		return;
	run->workspace.told = 1;
	log_vis(path, sizeof(path), run->workspace.path,
	    strlen(run->workspace.path));
	log_vis(text, sizeof(text), error, strlen(error));
	(void)snprintf(on, sizeof(on), "workspace %s: %s", path, text);
	log_warnx("run %s waits for %s", run->id, on);
	if (run->broker->keeper != NULL)
		peer_send(run->broker->keeper, IMSG_RUN_WAIT, 0, -1,
		    env_new("{s:s, s:s}", "run", run->id, "on", on), NULL, 0);
}

/* It is not there: the run says so, and looks again in a while. */
static void
workspace_away(struct run *run, const char *error)
{
	struct timeval	tv = { AGAIN_WAIT, 0 };

	run->workspace.state = WORKSPACE_AWAY;
	if (evtimer_add(run->workspace.again, &tv) == -1)
		fatalx("evtimer_add");
	workspace_tell(run, error);
}

/* The run that an answer is for, if it still waits for one. */
static struct run *
workspace_for(struct peer *p, const struct msg *m)
{
	struct run	*run = run_find(peer_ctx(p), msg_str(m->env, "run"));

	if (run == NULL || run->workspace.state != WORKSPACE_ASKED)
		return (NULL);
	return (run);
}

int
workspace_opened(struct peer *p, struct msg *m)
{
	struct run	*run = workspace_for(p, m);

	if (run == NULL)
		return (0);
	run->workspace.fd = msg_take_fd(m);
	run->workspace.state = WORKSPACE_HERE;
	jail_schedule(run->broker);
	return (0);
}

int
workspace_lost(struct peer *p, struct msg *m)
{
	struct run	*run = workspace_for(p, m);

	if (run != NULL)
		workspace_away(run, msg_str(m->env, "error"));
	return (0);
}
