/*
 * The construction of a script jail: the table of its steps.
 */
#include <sys/resource.h>

#include <linux/capability.h>
#include <sched.h>

#include "../canary.h"
#include "../filter.h"
#include "hot.h"
#include "log.h"
#include "python.h"
#include "script.h"
#include "../root.h"
#include "../starter.h"
#include "../steps.h"
#include "../wire.h"
#include "syscalls.h"

/* Its pages are charged to its cgroup, or the limit on its address space
 * would be met first. A jail that is made ahead has the time in any case. */
static int
step_populate(struct starter *st, struct jail *j)
{
	if (j->ahead || hot_pays(st->hot))
		hot_populate(st->hot);
	return (0);
}

static int
step_python(struct starter *st, struct jail *j)
{
	(void)st;
	(void)j;
	python_after_fork();
	return (0);
}

/* The memory limit is the jail's own: the interpreter's map comes on top. */
static int
step_limits(struct starter *st, struct jail *j)
{
	int64_t	space;

	if (__builtin_add_overflow(st->mapped, j->memory, &space))
		space = INT64_MAX;
	/* The second is for one that blocks the signal. */
	return (limit_set(RLIMIT_AS, space) == -1 ||
	    limit_set_two(RLIMIT_CPU, j->cpu, j->cpu + 1) == -1 ||
	    limit_set(RLIMIT_CORE, 0) == -1 ||
	    limit_set(RLIMIT_FSIZE, 0) == -1 ||
	    limit_set(RLIMIT_NOFILE, 16) == -1 ||
	    limit_set(RLIMIT_NPROC, 1) == -1 ||
	    limit_set(RLIMIT_MEMLOCK, 0) == -1 ||
	    limit_set(RLIMIT_MSGQUEUE, 0) == -1 ? -1 : 0);
}

static const struct step	steps[] = {
	{ "cgroup",		step_cgroup },
	{ "populate",		step_populate },
	{ "signals",		step_signals },
	{ "python",		step_python },
	{ "hostname",		step_hostname },
	{ "descriptors",	step_descriptors },
	{ "limits",		step_limits },
	{ "bounding",		step_bounding },
	{ "groups",		step_groups },
	{ "ids",		step_ids },
	{ "capabilities",	step_capabilities },
	{ "process",		step_process },
	{ "memory",		step_memory },
	{ "no_new_privs",	step_no_new_privs },
	{ "verify",		step_verify },
	{ "landlock",		step_landlock },
	{ "words",		step_words },
	{ "filter",		step_filter },
	{ NULL,			NULL }
};

static int
script_run(struct jail *j)
{
	if (j != NULL && j->ahead)
		python_exercise();
	if (wire_hello(python_version()) == -1)
		return (1);
	return (python_run());
}

/* It is alone: nobody else could make the attempts. */
static int
script_canary(struct canary *c)
{
	return (canary_run(c, IN_SCRIPT));
}

static void
script_load(struct starter *st)
{
	/* The starter has no handler for TRAP, and dies of it. */
	st->own = filter_new(SCMP_ACT_TRAP, starter_syscalls);
	st->filter = filter_new(SCMP_ACT_TRAP, script_syscalls);
	python_start();
	python_settle();
	st->hot = hot_learn(script_run);
}

static void
script_root(struct starter *st)
{
	(void)st;
	root_empty();
}

const struct starter_ops	script_ops = {
	.self		= SSTARTER,
	.kind		= IN_SCRIPT,
	.name		= "script",
	.namespaces	= CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
			  CLONE_NEWUTS,
	.steps		= steps,
	.keep		= CAP(CAP_SETUID) | CAP(CAP_SETGID) |
			  CAP(CAP_SETPCAP) | CAP(CAP_SYS_ADMIN),
	.load		= script_load,
	.root		= script_root,
	.run		= script_run,
	.canary		= script_canary,
};
