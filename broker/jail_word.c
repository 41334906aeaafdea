/*
 * The warden's word about jails: started, failed, gone. Whoever waits
 * for a jail that is gone is told here, and nowhere else.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "broker.h"
#include "env.h"
#include "log.h"

/* A tool jail that could not start for our own reasons: how often it is
 * tried again, and after how many milliseconds more each time. */
#define TRIES_MAX	12
#define TRY_WAIT	100

static struct jail *
jail_by_ask(struct broker *b, uint32_t ask)
{
	struct jail	*jail;

	TAILQ_FOREACH(jail, &b->jails, entry)
		if (jail->state == JAIL_ASKED && jail->ask == ask)
			return (jail);
	return (NULL);
}

static struct jail *
jail_by_number(struct broker *b, int64_t number)
{
	struct jail	*jail;

	TAILQ_FOREACH(jail, &b->jails, entry)
		if (jail->number == number)
			return (jail);
	return (NULL);
}

/* A jail that nobody asked for, or no longer: away with it. */
static void
jail_reject(struct broker *b, int64_t number)
{
	peer_send(b->warden, IMSG_JAIL_KILL, 0, -1,
	    env_new("{s:I, s:s}", "jail", (json_int_t)number, "cause",
	    "cancel"), NULL, 0);
}

int
jail_started(struct peer *p, struct msg *m)
{
	struct broker	*b = peer_ctx(p);
	struct jail	*jail = jail_by_ask(b, m->id);

	if (jail == NULL) {
		jail_reject(b, msg_int(m->env, "jail"));
		return (0);
	}
	jail->number = msg_int(m->env, "jail");
	jail->state = JAIL_BORN;
	if (jail->run == NULL)
		jail_kill(jail, "cancel");
	else if (jail_connect(jail, msg_take_fd(m)) == -1) {
		log_warn("jail %" PRId64, jail->number);
		jail_kill(jail, "restart");
	}
	return (0);
}

/* Calls that have not been sent get another jail, when we are to blame. */
static void
jail_replace(struct jail *jail)
{
	struct jail	*next;

	if (TAILQ_EMPTY(&jail->calls) || jail->tries >= TRIES_MAX)
		return;
	next = jail_of_sandbox(jail->run, jail->sandbox);
	if (next == NULL) {
		next = jail_new(jail->run, TOOL, jail->sandbox);
		next->tries = jail->tries + 1;
		jail_wait(next, (int64_t)TRY_WAIT * next->tries);
	}
	tool_move_calls(jail, next);
}

/* Why a sandbox ended, as its calls are told beside the cause. */
static const struct {
	const char	*cause, *words;
} ends[] = {
	{ "restart",	"the sandbox had to be restarted" },
	{ "oom",	"the sandbox used more memory than its limit" },
	{ "cpu",	"the sandbox used up its CPU time" },
	{ "wall",	"the sandbox lived longer than its limit" },
	{ "pids",	"the sandbox wanted more processes than its limit" },
	{ "protocol",	"the sandbox's process broke the protocol" },
};

static void
jail_fail_calls(struct jail *jail, const char *cause)
{
	char	text[400];
	size_t	i;

	if (strncmp(cause, "failed ", 7) == 0) {
		(void)snprintf(text, sizeof(text), "no sandbox could be made: "
		    "%s", cause + 7);
		tool_fail_calls(jail, "jail", text);
		return;
	}
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strcmp(cause, ends[i].cause) == 0) {
			tool_fail_calls(jail, cause, ends[i].words);
			return;
		}
	tool_fail_calls(jail, cause, "the sandbox's process has died");
}

/* Tell whoever waits for the jail that it is gone. */
static void
jail_report(struct jail *jail, const char *cause, int ours, const json_t *env)
{
	if (jail->run == NULL)
		return;
	if (jail->role == TOOL) {
		jail->state = JAIL_DYING;
		if (ours)
			jail_replace(jail);
		jail_fail_calls(jail, ours ? "restart" : cause);
		return;
	}
	if (jail->broker->keeper == NULL)
		return;
	peer_send(jail->broker->keeper, IMSG_RUN_JAIL_GONE, 0, -1,
	    env_new("{s:s, s:s, s:b, s:I, s:I}", "run", jail->run->id,
	    "cause", cause, "ours", ours,
	    "cpu_ms", env != NULL ? msg_int(env, "cpu_ms") : (json_int_t)0,
	    "peak", env != NULL ? msg_int(env, "peak") : (json_int_t)0),
	    NULL, 0);
}

static void
jail_over(struct jail *jail)
{
	struct broker	*b = jail->broker;

	jail_free(jail);
	tool_layers(b);
	jail_schedule(b);
}

/* Does text begin with word, as a whole word? */
static int
begins(const char *text, const char *word)
{
	size_t	n = strlen(word);

	return (strncmp(text, word, n) == 0 &&
	    (text[n] == '\0' || text[n] == ' '));
}

/*
 * The warden could not begin, or the starter has died, or this host was
 * short of something: nothing that the jail itself, its workspace or its
 * layer is to blame for, and worth another try.
 */
static int
failed_ours(const char *step, const char *error)
{
	static const char *const	steps[] = { "cgroup", "socket",
					    "layer" };
	static const int		passing[] = { EINTR, EAGAIN, EMFILE,
					    ENFILE, ENOMEM };
	size_t				i, k;

	if (strcmp(step, "start") == 0 || strcmp(step, "starter") == 0)
		return (1);
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		for (k = 0; k < sizeof(passing) / sizeof(passing[0]); k++)
			if (begins(step, steps[i]) &&
			    strcmp(error, strerror(passing[k])) == 0)
				return (1);
	return (0);
}

int
jail_failed(struct peer *p, struct msg *m)
{
	struct broker	*b = peer_ctx(p);
	struct jail	*jail = jail_by_ask(b, m->id);
	const char	*step = msg_str(m->env, "step");
	const char	*error = msg_str(m->env, "error");
	char		 cause[320 + 1], text[240];

	if (jail == NULL)
		return (0);
	(void)snprintf(cause, sizeof(cause), "failed %s: %s", step,
	    log_vis(text, sizeof(text), error, strlen(error)));
	log_warnx("%s jail: %s", role_name(jail->role), cause);
	jail_report(jail, cause, failed_ours(step, error), NULL);
	jail_over(jail);
	return (0);
}

int
jail_exited(struct peer *p, struct msg *m)
{
	struct broker	*b = peer_ctx(p);
	struct jail	*jail = jail_by_number(b, msg_int(m->env, "jail"));

	if (jail == NULL)
		return (0);
	jail_report(jail, msg_str(m->env, "cause"), msg_bool(m->env, "ours"),
	    m->env);
	jail_over(jail);
	return (0);
}
