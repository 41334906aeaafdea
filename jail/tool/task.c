/*
 * The process of a call, from both sides.
 */
#include <sys/prctl.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../starter.h"
#include "clock.h"
#include "room.h"
#include "task.h"

/* For a tool that keeps its time: what it may need to end in order. */
#define LATE_GRACE	5000

json_t *
call_fail(struct call *c, const char *cause, const char *fmt, ...)
{
	char	text[1024];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_decref(c->error);
	c->error = json_pack("{s:s,s:s,s:s?}", "class", "ToolError",
	    "message", text, "cause", cause);
	return (NULL);
}

/* ---- in the process of the call ---- */

static int
write_all(int fd, const char *data, size_t len)
{
	ssize_t	n;

	for (; len > 0; data += n, len -= (size_t)n)
		if ((n = write(fd, data, len)) == -1) {
			if (errno != EINTR)
				return (-1);
			n = 0;
		}
	return (0);
}

/* The answer as text, or why there is none. Sets *mark. */
static char *
answer_text(struct call *c, json_t *value, char *mark)
{
	char	*text = NULL;

	if (value != NULL)
		text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	if (text != NULL && strlen(text) <= c->output) {
		*mark = TASK_OK;
		return (text);
	}
	if (text != NULL)
		(void)call_fail(c, "size", "the result has %zu bytes of "
		    "JSON, more than %zu: keep it in a file, or take it in "
		    "pieces", strlen(text), c->output);
	else if (c->error == NULL)
		(void)call_fail(c, NULL, "the result is not JSON");
	*mark = TASK_FAILED;
	return (json_dumps(c->error, JSON_COMPACT));
}

static void __attribute__((noreturn))
task_main(const struct task *t, int out)
{
	struct call	 c = { .input = t->input, .timeout = t->timeout,
			    .output = t->output, .toll = &t->toll };
	const int	 fd = JAIL_FD;
	sigset_t	 none;
	char		*text, mark;

	/* The answer goes where the broker was, and nothing else is open but
	 * what counts: a tool has no business with it, nor with other calls. */
	(void)sigemptyset(&none);
	if (dup3(out, fd, O_CLOEXEC) == -1 ||
	    close_range(JAIL_FD + 1, JAIL_EVENTS_FD - 1, 0) == -1 ||
	    close_range(JAIL_EVENTS_FD + JAIL_EVENTS, ~0U, 0) == -1 ||
	    sigprocmask(SIG_SETMASK, &none, NULL) == -1 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) == -1 ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == -1 ||
	    chdir(WORKSPACE) == -1 || room_limit() == -1)
		_exit(1);
	text = answer_text(&c, t->op->fn(&c), &mark);
	if (text == NULL || write_all(fd, &mark, 1) == -1 ||
	    write_all(fd, text, strlen(text)) == -1)
		_exit(1);
	_exit(0);
}

/* ---- in the server ---- */

struct task *
task_new(struct tasks *tasks, uint32_t id, const struct op *op,
    json_t *input, int64_t timeout, int64_t output)
{
	struct task	*t;

	if ((t = calloc(1, sizeof(*t))) == NULL)
		return (NULL);
	t->id = id;
	t->op = op;
	t->input = json_incref(input);
	t->timeout = timeout;
	t->output = output < RESULT_MAX ? (size_t)output : RESULT_MAX;
	t->fd = -1;
	TAILQ_INSERT_TAIL(tasks, t, entry);
	return (t);
}

int
task_start(struct task *t)
{
	int	fds[2], saved;

	if (pipe2(fds, O_CLOEXEC) == -1)
		return (-1);
	if (fcntl(fds[0], F_SETFL, O_NONBLOCK) == -1 ||
	    (t->pid = fork()) == -1) {
		saved = errno;
		(void)close(fds[0]);
		(void)close(fds[1]);
		errno = saved;
		return (-1);
	}
	if (t->pid == 0)
		task_main(t, fds[1]);
	(void)close(fds[1]);
	t->fd = fds[0];
	t->state = TASK_RUNS;
	t->had_room = room_left_ms() > 0;
	if (t->timeout > 0)
		t->deadline = clock_ms() + t->timeout +
		    (t->op->keeps_time ? LATE_GRACE : 0);
	return (0);
}

static int
task_grow(struct task *t)
{
	char	*grown;
	size_t	 size = t->size == 0 ? 4096 : t->size * 2;

	if (t->size > RESULT_MAX || (grown = realloc(t->data, size)) == NULL)
		return (-1);
	t->data = grown;
	t->size = size;
	return (0);
}

void
task_read(struct task *t)
{
	ssize_t	n;

	while (t->fd != -1) {
		if (t->len == t->size && task_grow(t) == -1)
			break;
		n = read(t->fd, t->data + t->len, t->size - t->len);
		if (n > 0)
			t->len += (size_t)n;
		else if (n == -1 && errno == EAGAIN)
			return;
		else if (n == 0 || errno != EINTR)
			break;
	}
	if (t->fd != -1)
		(void)close(t->fd);
	t->fd = -1;
}

void
task_free(struct tasks *tasks, struct task *t)
{
	TAILQ_REMOVE(tasks, t, entry);
	if (t->fd != -1)
		(void)close(t->fd);
	json_decref(t->input);
	free(t->data);
	free(t);
}

struct task *
task_find_pid(struct tasks *tasks, pid_t pid)
{
	struct task	*t;

	TAILQ_FOREACH(t, tasks, entry)
		if (t->state != TASK_WAITS && t->pid == pid)
			break;
	return (t);
}

struct task *
task_find_id(struct tasks *tasks, uint32_t id)
{
	struct task	*t;

	TAILQ_FOREACH(t, tasks, entry)
		if (t->id == id)
			break;
	return (t);
}
