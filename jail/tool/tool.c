/*
 * The construction of a tool jail: the table of its steps.
 */
#include <sys/resource.h>

#include <linux/capability.h>
#include <sched.h>
#include <string.h>

#include "../filter.h"
#include "../steps.h"
#include "../wire.h"
#include "canary.h"
#include "image.h"
#include "log.h"
#include "serve.h"
#include "syscalls.h"
#include "toll.h"
#include "tool.h"

/*
 * Each process of the jail has these; what all of them together may have is
 * the cgroups' to say. Memory is theirs too: programs reserve much more of
 * it than they use. Only a jail without cgroups has each process limited.
 */
static int
limit_memory(const struct jail *j)
{
#ifdef __SANITIZE_ADDRESS__
	(void)j;	/* our own shadow memory would not fit */
	return (0);
#else
	return (j->ncgroups > 0 ? 0 : limit_set(RLIMIT_DATA, j->memory));
#endif
}

/* The cgroup is to be the one that says no: it counts that. */
static int64_t
limit_pids(const struct jail *j)
{
	return (j->ncgroups > 0 ? j->pids + 1 : j->pids);
}

static int
step_limits(struct starter *st, struct jail *j)
{
	(void)st;
	/* A command gets SIGXCPU, which says why it died, a second ahead. */
	return (limit_memory(j) == -1 ||
	    limit_set_two(RLIMIT_CPU, j->cpu, j->cpu + 1) == -1 ||
	    limit_set(RLIMIT_CORE, 0) == -1 ||
	    limit_set(RLIMIT_FSIZE, j->fsize) == -1 ||
	    limit_set(RLIMIT_NOFILE, j->files) == -1 ||
	    limit_set(RLIMIT_NPROC, limit_pids(j)) == -1 ||
	    limit_set(RLIMIT_MEMLOCK, 0) == -1 ||
	    limit_set(RLIMIT_MSGQUEUE, 0) == -1 ? -1 : 0);
}

static const struct step	steps[] = {
	{ "signals",		step_signals },
	{ "cgroup",		step_cgroup },
	{ "hostname",		step_hostname },
	{ "scratch",		step_scratch },
	{ "users",		step_users },
	{ "workspace",		step_workspace },
	{ "tmp",		step_tmp },
	{ "proc",		step_proc },
	{ "root",		step_root },
	{ "descriptors",	step_descriptors },
	{ "limits",		step_limits },
	{ "bounding",		step_bounding },
	{ "groups",		step_groups },
	{ "ids",		step_ids },
	{ "capabilities",	step_capabilities },
	{ "process",		step_process },
	{ "no_new_privs",	step_no_new_privs },
	{ "verify",		step_verify },
	{ "filter",		step_filter },
	{ NULL,			NULL }
};

static void
tool_load(struct starter *st)
{
	st->own = filter_new_known(starter_syscalls);
	st->filter = filter_new_known(tool_syscalls);
	filter_append(st->filter, filter_new(SCMP_ACT_ALLOW, tool_arguments));
}

/* {"root": "/"}: the directory whose usr the jails see. */
static void
tool_configure(struct starter *st, const json_t *config)
{
	const char	*root;

	(void)st;
	root = json_string_value(json_object_get(config, "root"));
	image_build(root != NULL ? root : "/");
}

_Static_assert((int)EVENTS == JAIL_EVENTS, "what a cgroup counts");

static int
tool_run(struct jail *j)
{
	struct limits	l = { .memory = j->memory, .pids = j->pids,
			    .cpu = j->cpu };

	memcpy(l.events, j->events, sizeof(l.events));
	if (toll_share(&l) == -1 || wire_hello("") == -1)
		return (1);
	return (serve(JAIL_FD, &l));
}

const struct starter_ops	tool_ops = {
	.self		= TSTARTER,
	.kind		= IN_TOOL,
	.name		= "tool",
	.namespaces	= CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
			  CLONE_NEWUTS | CLONE_NEWNS,
	.steps		= steps,
	.keep		= CAP(CAP_CHOWN) | CAP(CAP_DAC_OVERRIDE) |
			  CAP(CAP_SETUID) | CAP(CAP_SETGID) |
			  CAP(CAP_SETPCAP) | CAP(CAP_SYS_ADMIN),
	.load		= tool_load,
	.configure	= tool_configure,
	.run		= tool_run,
	.canary		= tool_canary,
};
