/*
 * A command of a call: started in a session of its own, read from until it
 * has ended, and never waited for beyond that: a daemon that it left behind
 * holds our pipe, but not us.
 */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "exec.h"
#include "serve.h"
#include "tree.h"

/* Reads at a time: who floods us must not keep us from looking at the clock,
 * but what is in a pipe at the end is read to its last byte. */
#define READS	32

/* From the polite signal to the other one, in milliseconds. */
#define GRACE	2000

/* All that a command finds in its environment. */
static const char *const	environment[] = {
	"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	"HOME=" WORKSPACE, "USER=agent", "LANG=C.UTF-8", "TERM=dumb",
	"TMPDIR=/tmp", NULL
};

/* A command under way. */
struct run {
	struct exec	*x;
	pid_t		 pid;
	int		 out, err;	/* to read from, or -1 */
	int		 dead;		/* a signalfd for SIGCHLD */
	int64_t		 deadline;	/* of the present stage, 0: none */
	enum { ON_TIME, TERMINATED, KILLED } stage;
	int		 ended;
};

/* ---- the command's own process ---- */

static void __attribute__((noreturn))
command_main(const struct exec *x, int out, int err, int failed)
{
	sigset_t	none;
	int		null, saved;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (setsid() != -1 &&
	    (null = open("/dev/null", O_RDONLY | O_CLOEXEC)) != -1 &&
	    dup2(null, 0) != -1 && dup2(out, 1) != -1 && dup2(err, 2) != -1 &&
	    (x->cwd == NULL || chdir(x->cwd) == 0))
		(void)execvpe(x->argv[0], (char *const *)(uintptr_t)x->argv,
		    (char *const *)(uintptr_t)environment);
	saved = errno;
	(void)!write(failed, &saved, sizeof(saved));
	_exit(127);
}

/* ---- output ---- */

static void
output_add(struct exec_output *o, const char *data, size_t len)
{
	size_t	 take = EXEC_OUTPUT_MAX - o->len;
	char	*grown;

	if (take > len)
		take = len;
	if ((grown = realloc(o->data, o->len + take + 1)) != NULL) {
		o->data = grown;
		memcpy(o->data + o->len, data, take);
		o->len += take;
		o->data[o->len] = '\0';
	} else
		take = 0;
	o->dropped += len - take;
}

/* Read what is there. The descriptor is -1 afterwards if that was all. */
static void
output_read(struct exec_output *o, int *fd)
{
	char	buf[65536];
	ssize_t	n;
	int	i;

	for (i = 0; i < READS && *fd != -1; i++) {
		if ((n = read(*fd, buf, sizeof(buf))) > 0) {
			output_add(o, buf, (size_t)n);
			continue;
		}
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1 && errno == EAGAIN)
			return;
		(void)close(*fd);
		*fd = -1;
	}
}

/* ---- its end ---- */

/* Reap what has died: the command, and what became ours as a subreaper.
 * Returns whether there is anything left to wait for. */
static int
run_reap(struct run *r)
{
	struct signalfd_siginfo	 si;
	struct rusage		 ru;
	pid_t			 pid;
	int			 status;

	(void)!read(r->dead, &si, sizeof(si));
	while ((pid = wait4(-1, &status, WNOHANG, &ru)) > 0) {
		if (pid != r->pid)
			continue;
		r->ended = 1;
		r->x->exit = WIFEXITED(status) ? WEXITSTATUS(status) :
		    128 + WTERMSIG(status);
		r->x->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		r->x->cpu_ms = (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) *
		    INT64_C(1000) +
		    (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1000;
	}
	return (pid == 0);
}

/* Kill all that is left of it, and see it gone, within reason. */
static void
run_kill(struct run *r)
{
	struct pollfd	pfd = { .fd = r->dead, .events = POLLIN };
	int64_t		end = clock_ms() + GRACE;

	while (run_reap(r) && clock_ms() < end) {
		/* Its own session first: this works without /proc too. */
		if (!r->ended)
			(void)kill(-r->pid, SIGKILL);
		tree_kill(getpid(), 0);
		(void)poll(&pfd, 1, 20);
	}
}

/* Time is up: ask all of it to end, then make it. */
static void
run_late(struct run *r)
{
	if (r->stage == ON_TIME) {
		r->stage = TERMINATED;
		r->deadline = clock_ms() + GRACE;
		(void)kill(-r->pid, SIGTERM);
		tree_signal(getpid(), SIGTERM);
		tree_signal(getpid(), SIGCONT);
	} else {
		r->stage = KILLED;
		r->deadline = 0;
		run_kill(r);
	}
}

static void
run_loop(struct run *r)
{
	struct pollfd	pfd[3];
	int64_t		left;

	while (!r->ended) {
		pfd[0] = (struct pollfd){ .fd = r->out, .events = POLLIN };
		pfd[1] = (struct pollfd){ .fd = r->err, .events = POLLIN };
		pfd[2] = (struct pollfd){ .fd = r->dead, .events = POLLIN };
		left = r->deadline == 0 ? -1 : r->deadline - clock_ms();
		if (r->deadline != 0 && left <= 0) {
			run_late(r);
			continue;
		}
		(void)poll(pfd, 3, left > 1000000 ? 1000000 : (int)left);
		output_read(&r->x->out, &r->out);
		output_read(&r->x->err, &r->err);
		if (pfd[2].revents != 0)
			(void)run_reap(r);	/* the loop asks */
	}
	run_kill(r);
	output_read(&r->x->out, &r->out);
	output_read(&r->x->err, &r->err);
	if (r->stage != ON_TIME) {
		r->x->late = 1;
		r->x->exit = EXEC_TIMEOUT;
		r->x->signal = 0;	/* ours */
	}
}

/* ---- its start ---- */

static int
signals_open(void)
{
	sigset_t	set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) == -1)
		return (-1);
	return (signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

/* Wait for exec(2): its failure comes as an errno, its success as an end. */
static int
exec_result(int failed)
{
	int	error;

	if (read(failed, &error, sizeof(error)) != sizeof(error))
		return (0);
	errno = error;
	return (-1);
}

static int
run_start(struct run *r)
{
	int	out[2], err[2], failed[2], ret;

	if (pipe2(out, O_CLOEXEC) == -1 || pipe2(err, O_CLOEXEC) == -1 ||
	    pipe2(failed, O_CLOEXEC) == -1)
		return (-1);	/* the process of the call ends soon */
	if ((r->pid = fork()) == -1)
		return (-1);
	if (r->pid == 0)
		command_main(r->x, out[1], err[1], failed[1]);
	(void)close(out[1]);
	(void)close(err[1]);
	(void)close(failed[1]);
	r->out = out[0];
	r->err = err[0];
	ret = exec_result(failed[0]);
	(void)close(failed[0]);
	if (fcntl(r->out, F_SETFL, O_NONBLOCK) == -1 ||
	    fcntl(r->err, F_SETFL, O_NONBLOCK) == -1)
		return (-1);
	return (ret);
}

int
exec_run(struct exec *x)
{
	struct run	r = { .x = x, .out = -1, .err = -1 };

	memset(&x->out, 0, sizeof(x->out));
	memset(&x->err, 0, sizeof(x->err));
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == -1 ||
	    (r.dead = signals_open()) == -1)
		return (-1);
	if (x->timeout > 0)
		r.deadline = clock_ms() + x->timeout;
	if (run_start(&r) == -1)
		return (-1);
	run_loop(&r);
	return (0);
}

int
exec_say(struct exec *x, const char *words)
{
	struct exec_output	*o = &x->err;

	if (words[0] == '\0')
		return (0);
	if (o->len > 0 && o->data[o->len - 1] != '\n')
		output_add(o, "\n", 1);
	output_add(o, words, strlen(words));
	return (o->dropped == 0 ? 0 : -1);
}

void
exec_free(struct exec *x)
{
	free(x->out.data);
	free(x->err.data);
	x->out.data = x->err.data = NULL;
}
