/*
 * The init of a tool jail: takes calls, runs each in a child, answers with
 * what the child wrote into a pipe, and reaps whatever else dies in here.
 */
#include <sys/prctl.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../starter.h"
#include "../wire.h"
#include "clock.h"
#include "room.h"
#include "serve.h"
#include "task.h"
#include "tree.h"

/* Calls that wait or run, and processes of the jail for each that runs. */
#define TASKS_MAX	10000
#define TASK_PIDS	8
#define RUNNING_MAX	32

struct server {
	struct tasks	 tasks;		/* in the order of their coming */
	size_t		 ntasks;
	size_t		 running;
	size_t		 running_max;
	const struct limits *limits;
	int		 fd;		/* to the broker */
	int		 dead;		/* a signalfd for SIGCHLD */
	int		 gone;		/* the broker has closed */
};

/* ---- answers ---- */

static void
answer(struct server *s, uint32_t id, int ok, const char *body, size_t len)
{
	if (wire_send(IMSG_SANDBOX_DONE, id, ok ? "{\"ok\":true}" :
	    "{\"ok\":false}", body, len) == -1)
		s->gone = 1;
}

static void
answer_error(struct server *s, uint32_t id, const char *message,
    const char *cause)
{
	json_t	*error;
	char	*text = NULL;

	error = json_pack("{s:s,s:s,s:s?}", "class", "ToolError", "message",
	    message, "cause", cause);
	if (error != NULL)
		text = json_dumps(error, JSON_COMPACT);
	json_decref(error);
	if (text == NULL)
		s->gone = 1;
	else
		answer(s, id, 0, text, strlen(text));
	free(text);
}

static void
task_done(struct server *s, struct task *t)
{
	task_free(&s->tasks, t);
	s->ntasks--;
}

/* The process of the call itself was killed: by a limit? */
static void
answer_killed(struct server *s, struct task *t, int sig)
{
	struct toll_end	 end = { .signal = sig };
	char		 text[TOLL_TEXT + 64], toll[TOLL_TEXT], signal[32];
	const char	*cause;

	(void)snprintf(signal, sizeof(signal), "signal %s", sigabbrev_np(sig));
	cause = toll_take(&t->toll, &end, toll);
	toll[strcspn(toll, "\n")] = '\0';
	(void)snprintf(text, sizeof(text), "the call was killed by %s%s%s",
	    signal, toll[0] != '\0' ? ": " : "", toll);
	answer_error(s, t->id, text, cause != NULL ? cause : signal);
}

/* No file can grow into what is left of the disk. */
static void
answer_full(struct server *s, struct task *t)
{
	answer_error(s, t->id, "there is no more room on the disk for what "
	    "sandboxes write, or the file would be longer than one may be",
	    "space");
}

/* The call has ended: answer in its name. */
static void
task_answer(struct server *s, struct task *t, int status)
{
	if (t->state == TASK_CANCELLED)
		answer_error(s, t->id, "the call was cancelled", "cancel");
	else if (t->state == TASK_LATE)
		answer_error(s, t->id, "the call took too long", "timeout");
	else if (t->state == TASK_FULL ||
	    (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ))
		answer_full(s, t);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && t->len > 1)
		answer(s, t->id, t->data[0] == TASK_OK, t->data + 1,
		    t->len - 1);
	else if (WIFSIGNALED(status))
		answer_killed(s, t, WTERMSIG(status));
	else
		answer_error(s, t->id, "the call died", "exit");
}

/* ---- deaths ---- */

static int
is_task(pid_t pid, void *ctx)
{
	struct server	*s = ctx;

	return (task_find_pid(&s->tasks, pid) != NULL);
}

static void
server_reap(struct server *s)
{
	struct signalfd_siginfo	 si;
	struct task		*t;
	pid_t			 pid;
	int			 status, strays = 0;

	(void)!read(s->dead, &si, sizeof(si));
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		/* A call's process that was killed leaves its tree to us,
		 * and nothing may live longer than its call. */
		strays |= WIFSIGNALED(status);
		if ((t = task_find_pid(&s->tasks, pid)) == NULL) {
			strays = 1;
			continue;
		}
		task_read(t);
		task_answer(s, t, status);
		s->running--;
		task_done(s, t);
	}
	if (strays)
		tree_kill_strays(is_task, s);
}

/* Kill it and all that descends from it; the answer comes at its reaping. */
static void
task_kill(struct task *t, enum task_state why)
{
	if (t->state != TASK_RUNS)
		return;
	t->state = why;
	tree_kill(t->pid, 1);
}

/* One that waits never runs. */
static void
task_cancel(struct server *s, struct task *t)
{
	if (t->state != TASK_WAITS) {
		task_kill(t, TASK_CANCELLED);
		return;
	}
	t->state = TASK_CANCELLED;
	task_answer(s, t, 0);
	task_done(s, t);
}

/* Start what waits, as far as there is room. */
static void
tasks_start(struct server *s)
{
	struct task	*t, *next;

	for (t = TAILQ_FIRST(&s->tasks); t != NULL &&
	    s->running < s->running_max; t = next) {
		next = TAILQ_NEXT(t, entry);
		if (t->state != TASK_WAITS)
			continue;
		toll_begin(&t->toll, s->limits, s->running);
		if (task_start(t) == 0) {
			s->running++;
			continue;
		}
		/* With others under way there will be room. */
		if (s->running > 0)
			return;
		answer_error(s, t->id, strerror(errno), "pids");
		task_done(s, t);
	}
}

/* ---- from the broker ---- */

static const struct op *
op_find(const char *name)
{
	const struct op	*op;

	for (op = ops; op->name != NULL; op++)
		if (strcmp(op->name, name) == 0)
			return (op);
	return (NULL);
}

static void
call_in(struct server *s, const struct wire *w, const json_t *env)
{
	const struct op	*op;
	json_t		*input;

	if ((op = op_find(msg_str(env, "op"))) == NULL) {
		answer_error(s, w->id, "there is no such tool", NULL);
		return;
	}
	input = json_loadb(w->body != NULL ? w->body : "", w->bodylen,
	    JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(input))
		answer_error(s, w->id, "the input is not an object", NULL);
	else if (task_find_id(&s->tasks, w->id) != NULL)
		answer_error(s, w->id, "the call is already running", NULL);
	else if (s->ntasks >= TASKS_MAX)
		answer_error(s, w->id, "too many calls at once", "pids");
	else if (task_new(&s->tasks, w->id, op, input,
	    msg_int(env, "timeout"), msg_int(env, "output")) == NULL)
		answer_error(s, w->id, strerror(errno), NULL);
	else
		s->ntasks++;
	json_decref(input);
}

/* The broker's word is checked like anybody's: a message that is not as the
 * catalogue says is answered by our end. */
static void
message_in(struct server *s, const struct wire *w)
{
	const struct msgdef	*def = msgdef_find(w->type);
	struct task		*t;
	json_t			*env;
	char			 why[128];

	env = msg_parse(w->env, w->envlen, why, sizeof(why));
	if (env == NULL || def == NULL || (def->to & TOOL) == 0 ||
	    msgdef_check(def, env, why, sizeof(why)) == -1)
		s->gone = 1;
	else if (def->type == IMSG_SANDBOX_CALL)
		call_in(s, w, env);
	else if ((t = task_find_id(&s->tasks, w->id)) != NULL)
		task_cancel(s, t);
	json_decref(env);
}

static void
server_in(struct server *s)
{
	struct wire	w;

	if (wire_recv(&w) != WIRE_GOT) {
		s->gone = 1;
		return;
	}
	message_in(s, &w);
	wire_free(&w);
}

/* ---- the loop ---- */

/* Kill what is late. Returns milliseconds until the next is, or -1. */
static int
server_clock(struct server *s)
{
	struct task	*t, *next;
	int64_t		 left, least = -1;

	for (t = TAILQ_FIRST(&s->tasks); t != NULL; t = next) {
		next = TAILQ_NEXT(t, entry);
		if (t->state != TASK_RUNS || t->deadline == 0)
			continue;
		if ((left = t->deadline - clock_ms()) <= 0)
			task_kill(t, TASK_LATE);
		else if (least == -1 || left < least)
			least = left;
	}
	return (least > 60000 ? 60000 : (int)least);
}

/* End what fills the disk; who of them did it is not known, but not one that
 * found it full, may write nothing, and perhaps removes something. Returns
 * milliseconds until the next look, no more than until. */
static int
server_room(struct server *s, int until)
{
	struct task	*t;
	int		 ms;

	if (s->running == 0)
		return (until);
	if ((ms = room_left_ms()) == 0) {
		TAILQ_FOREACH(t, &s->tasks, entry)
			if (t->had_room)
				task_kill(t, TASK_FULL);
		return (until);
	}
	return (until == -1 || until > ms ? ms : until);
}

static void
server_turn(struct server *s, struct pollfd *pfd)
{
	struct task	*t;
	nfds_t		 n = 2;
	int		 ms;

	tasks_start(s);
	ms = server_room(s, server_clock(s));
	pfd[0] = (struct pollfd){ .fd = s->fd, .events = POLLIN };
	pfd[1] = (struct pollfd){ .fd = s->dead, .events = POLLIN };
	TAILQ_FOREACH(t, &s->tasks, entry)
		if (t->state != TASK_WAITS)
			pfd[n++] = (struct pollfd){ .fd = t->fd,
			    .events = POLLIN };
	if (poll(pfd, n, ms) <= 0)
		return;
	n = 2;
	TAILQ_FOREACH(t, &s->tasks, entry)
		if (t->state != TASK_WAITS && pfd[n++].revents != 0)
			task_read(t);
	if (pfd[1].revents != 0)
		server_reap(s);
	if (pfd[0].revents != 0)
		server_in(s);
}

/* As many calls at once as the jail's limit of processes has room for. */
static size_t
running_limit(void)
{
	struct rlimit	rl;

	if (getrlimit(RLIMIT_NPROC, &rl) == -1 ||
	    rl.rlim_cur >= RUNNING_MAX * TASK_PIDS)
		return (RUNNING_MAX);
	return (rl.rlim_cur < TASK_PIDS ? 1 : rl.rlim_cur / TASK_PIDS);
}

int
serve(int fd, const struct limits *limits)
{
	struct server	s = { .fd = fd, .running_max = running_limit(),
			    .limits = limits };
	struct pollfd	pfd[2 + RUNNING_MAX];
	sigset_t	set;

	TAILQ_INIT(&s.tasks);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) == -1 ||
	    (s.dead = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC)) == -1)
		return (1);
	while (!s.gone)
		server_turn(&s, pfd);
	/* Our end is everybody's: the kernel kills the pid namespace. */
	return (0);
}
