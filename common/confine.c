/*
 * Giving up rights, in the order in which the kernel lets go of them: the
 * root and the namespaces while we are still root of our user namespace,
 * then the ids, the capabilities, and last the system calls.
 */
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "confine_root.h"
#include "log.h"

/* Own namespaces, so that nothing of the host's is in reach by name. */
static void
confine_namespaces(const struct confine *cf)
{
	int	flags = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;

	if (!cf->network)
		flags |= CLONE_NEWNET;
	if (unshare(flags) == -1)
		fatal("confine: unshare");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1)
		fatal("confine: private mounts");
}

/*
 * Ids, groups and all five capability sets. The bounding set is cleared
 * while CAP_SETPCAP is still held: after the uid is gone libcap-ng would
 * report success and leave it full.
 */
static void
confine_ids(const struct confine *cf)
{
	int	error;

	capng_clear(CAPNG_SELECT_ALL);
	error = capng_change_id((int)cf->uid, (int)cf->gid,
	    CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING | CAPNG_CLEAR_AMBIENT);
	if (error != 0)
		fatalx("confine: capng_change_id: %d", error);
}

/* Bounding set too, while SETPCAP is still there. */
void
confine_caps(uint64_t caps)
{
	unsigned	cap;
	int		error;

	capng_clear(CAPNG_SELECT_ALL);
	for (cap = 0; cap < 64; cap++)
		if ((caps & UINT64_C(1) << cap) != 0)
			(void)capng_update(CAPNG_ADD, CAPNG_EFFECTIVE |
			    CAPNG_PERMITTED | CAPNG_BOUNDING_SET, cap);
	if ((error = capng_apply(CAPNG_SELECT_ALL)) != 0)
		fatalx("capng_apply: %d", error);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		fatal("no_new_privs");
}

static void
confine_process(void)
{
	struct rlimit	none = { 0, 0 };

	if (setrlimit(RLIMIT_CORE, &none) == -1)
		fatal("confine: core limit");
	/* The id change has cleared it, so it is set after that. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
		fatal("confine: parent-death signal");
	if (prctl(PR_SET_DUMPABLE, 0) == -1)
		fatal("confine: dumpable");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		fatal("confine: no_new_privs");
	if (chdir("/") == -1)
		fatal("confine: chdir");
}

static void
verify_ids(const struct confine *cf)
{
	uid_t	r, e, s;
	gid_t	rg, eg, sg;

	if (getresuid(&r, &e, &s) == -1 || getresgid(&rg, &eg, &sg) == -1)
		fatal("confine: getresuid");
	if (r != cf->uid || e != cf->uid || s != cf->uid ||
	    rg != cf->gid || eg != cf->gid || sg != cf->gid)
		fatalx("confine: the ids did not change");
	if (getgroups(0, NULL) != 0)
		fatalx("confine: supplementary groups are left");
}

static void
verify_caps(void)
{
	unsigned long	cap;
	int		in;

	if (capng_get_caps_process() != 0 ||
	    capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE)
		fatalx("confine: capabilities are left");
	for (cap = 0; (in = prctl(PR_CAPBSET_READ, cap)) != -1; cap++)
		if (in != 0)
			fatalx("confine: the bounding set holds %lu", cap);
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		fatalx("confine: no_new_privs is not set");
}

void
confine(const struct confine *cf)
{
	if (cf->uid == 0 || cf->gid == 0)
		fatalx("confine: refusing to run as root");
	confine_namespaces(cf);
	confine_root(cf);
	confine_ids(cf);
	confine_process();
	verify_ids(cf);
	verify_caps();
	confine_syscalls(cf->syscalls);
}
