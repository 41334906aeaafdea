/*
 * In a tool jail the attempts are a tool: made in the process of a call, as
 * the calls of runs are. Whoever is killed for one has a successor.
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include <signal.h>
#include <unistd.h>

#include "canary.h"
#include "task.h"

/* The jail's own, for a tool knows but its input. */
static struct canary	*own;

/* As a command would be after its exec: in a session of its own, open to
 * whoever may trace it, and without handlers: a fault is a refusal, too. */
static json_t *
attempts(struct call *c)
{
	if (setsid() == -1 || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == -1 ||
	    signal(SIGSEGV, SIG_DFL) == SIG_ERR)
		return (call_fail(c, NULL, "not as a command is"));
	return (json_integer(canary_run(own, IN_TOOL)));
}

static int
attempts_once(struct tasks *tasks, int *status)
{
	static const struct op	 op = { .name = "attempts", .fn = attempts };
	json_t			*input = json_object();
	struct task		*t = NULL;
	int			 ret = -1;

	if (input != NULL)
		t = task_new(tasks, 0, &op, input, 0, RESULT_MAX);
	if (t != NULL && task_start(t) == 0 &&
	    waitpid(t->pid, status, 0) == t->pid)
		ret = 0;
	if (t != NULL)
		task_free(tasks, t);
	json_decref(input);
	return (ret);
}

int
tool_canary(struct canary *c)
{
	struct tasks	tasks = TAILQ_HEAD_INITIALIZER(tasks);
	int		left, status;

	own = c;
	do {
		if (attempts_once(&tasks, &status) == -1)
			return (1);
		left = canary_died(c, IN_TOOL, status);
	} while (left == 1);
	return (left == 0 ? 0 : 1);
}
