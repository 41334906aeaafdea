/*
 * Deciding why a jail died, from what is known of its death.
 */
#include <sys/wait.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"

/*
 * The init of a pid namespace does not see signals that it has no handler
 * for, except those that the kernel forces: the CPU limit shows as the KILL
 * at its hard end. The limit counts ticks and the usage counts time: on a
 * busy machine one is up to a tenth off the other.
 */
static const char *
killed_by(const struct death *d)
{
	if (d->oom > 0)
		return ("oom");
	if (d->cpu_ms >= d->cpu_limit * 850)
		return ("cpu");
	return (NULL);
}

static const char *
signalled(const struct death *d, char *text, size_t len)
{
	int		 sig = WTERMSIG(d->status);
	const char	*name;

	if (sig == SIGKILL && (name = killed_by(d)) != NULL)
		return (name);
	if (sig == SIGXCPU)
		return ("cpu");
	/* It chose to die so, and says of what. */
	if (sig == SIGSYS)
		return (d->words[0] != '\0' ? d->words : "syscall");
	if ((name = sigabbrev_np(sig)) != NULL)
		(void)snprintf(text, len, "signal %s", name);
	else
		(void)snprintf(text, len, "signal %d", sig);
	return (text);
}

/* It ended because nobody was there any more. What it said to the end of a
 * protocol that it broke is of no interest. */
static int
was_hung_up(const struct death *d)
{
	return (d->hung[0] != '\0' && (WEXITSTATUS(d->status) == 0 ||
	    strcmp(d->hung, "protocol") == 0));
}

void
death_cause(const struct death *d, char *cause, size_t len)
{
	char		 text[CAUSE_MAX];
	const char	*why = text;

	if (d->own[0] != '\0')
		why = d->own;
	else if (!d->reaped)
		why = d->oom > 0 ? "oom" : "signal KILL";
	else if (WIFSIGNALED(d->status))
		why = signalled(d, text, sizeof(text));
	else if (was_hung_up(d))
		why = d->hung;
	else if (WEXITSTATUS(d->status) != 0 && d->pids > 0)
		why = "pids";
	else
		(void)snprintf(text, sizeof(text), "exit %d",
		    WEXITSTATUS(d->status));
	(void)snprintf(cause, len, "%s", why);
}
