/*
 * Counting what limits did. The kernel says how many of the cgroup it has
 * killed, not whom: that is certain only of a call that ran alone.
 */
#include <sys/mman.h>

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "toll.h"

#define NEARLY	65536

int64_t
toll_number(const char *text, const char *key)
{
	size_t	n;

	if (key == NULL)
		return (strtoll(text, NULL, 10));
	n = strlen(key);
	while (strncmp(text, key, n) != 0 || text[n] != ' ') {
		if ((text = strchr(text, '\n')) == NULL)
			return (0);
		text++;
	}
	return (strtoll(text + n, NULL, 10));
}

/* In one file, at its present state. */
static int64_t
count(const struct limits *l, int file, const char *key)
{
	char	text[1024];
	ssize_t	n;

	if (l->events[file] == -1 || (n = pread(l->events[file], text,
	    sizeof(text) - 1, 0)) <= 0)
		return (0);
	text[n] = '\0';
	return (toll_number(text, key));
}

/*
 * Who met the limit and got nothing is counted by version 2. Of version 1 it
 * is only known whether the limit has ever been met: all but a few pages.
 */
static void
counts_read(const struct limits *l, struct toll_counts *c)
{
	c->killed = count(l, EVENTS_MEMORY, "oom_kill");
	c->full = l->events[EVENTS_PEAK] == -1 ?
	    count(l, EVENTS_MEMORY, "oom") :
	    count(l, EVENTS_PEAK, NULL) >= l->memory - NEARLY;
	c->refused = count(l, EVENTS_PIDS, "max");
}

int
toll_share(struct limits *l)
{
	void	*page;

	page = mmap(NULL, sizeof(*l->started), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return (-1);
	l->started = page;
	return (0);
}

void
toll_begin(struct toll *t, const struct limits *l, size_t running)
{
	t->limits = l;
	if (l == NULL)
		return;
	t->number = ++*l->started;
	t->first = running == 0;
	counts_read(l, &t->before);
	if (l->events[EVENTS_PEAK] != -1)
		t->before.full = 0;
}

const char *
toll_take(const struct toll *t, const struct toll_end *e, char text[TOLL_TEXT])
{
	struct toll_counts	now;

	text[0] = '\0';
	if (t->limits == NULL)
		return (NULL);
	counts_read(t->limits, &now);
	return (toll_words(t->limits, &t->before, &now,
	    t->first && t->number == *t->limits->started, e, text));
}

/* ---- words ---- */

static void __attribute__((format(printf, 2, 3)))
say(char *text, const char *fmt, ...)
{
	size_t	n = strlen(text);
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(text + n, TOLL_TEXT - n, fmt, ap);
	va_end(ap);
}

/* Killed itself, or a shell's that says so. */
static int
was_killed(const struct toll_end *e)
{
	return (e->signal == SIGKILL || e->exit == 128 + SIGKILL);
}

/* Some were killed for want of memory. Was the command, and by our limit? */
static const char *
memory_words(const struct limits *l, int64_t killed, int full, int alone,
    const struct toll_end *e, char *text)
{
	const char	*whose = alone ? "its processes" :
			    "the processes of this call and of others that "
			    "ran meanwhile";

	if (!full)
		say(text, "killed for want of memory outside of the sandbox: "
		    "%" PRId64 " of %s\n", killed, whose);
	else if (alone && was_killed(e))
		say(text, "killed: the sandbox's memory limit (%" PRId64
		    " bytes)\n", l->memory);
	else
		say(text, "killed by the sandbox's memory limit (%" PRId64
		    " bytes): %" PRId64 " of %s\n", l->memory, killed, whose);
	return (alone && was_killed(e) ? "oom" : NULL);
}

/*
 * Each process has this limit. The kernel counts it in ticks, which on a busy
 * machine are more than the time that was used; but its signal is nobody's
 * who has not used half of it. Who does not die of that is killed a second
 * later: of KILL there are others, and it has to be closer.
 */
static int
is_late(const struct limits *l, const struct toll_end *e)
{
	if (e->signal == SIGXCPU)
		return (e->cpu_ms >= l->cpu * 500);
	return (e->signal == SIGKILL && e->cpu_ms >= (l->cpu + 1) * 850);
}

const char *
toll_words(const struct limits *l, const struct toll_counts *before,
    const struct toll_counts *now, int alone, const struct toll_end *e,
    char text[TOLL_TEXT])
{
	const char	*cause = NULL;
	int64_t		 killed = now->killed - before->killed;

	text[0] = '\0';
	if (killed > 0)
		cause = memory_words(l, killed, now->full > before->full,
		    alone, e, text);
	else if (is_late(l, e)) {
		cause = "cpu";
		say(text, "killed: the limit of CPU time (%" PRId64
		    " seconds)\n", l->cpu);
	}
	if (now->refused > before->refused)
		say(text, "refused: %" PRId64 " new processes%s, by the limit "
		    "(the sandbox's is %" PRId64 ")\n", now->refused -
		    before->refused, alone ? "" : " of this call and of "
		    "others that ran meanwhile", l->pids);
	return (cause);
}
