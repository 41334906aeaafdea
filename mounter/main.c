/*
 * The mounter: makes a directory readable to a jail's uid, and nothing else.
 *
 * User		root
 * Capabilities	SYS_ADMIN, bounding set the same
 * Files	none by name: it has no call that opens one
 * Network	none
 * Syscalls	mounter_syscalls below
 * Peers	warden
 * Secrets	none
 *
 * It has to be in the mount namespace of whoever gives a directory, so it is
 * no room like the others. It is started before the launcher gives up
 * SYS_ADMIN and can't be started again: when it dies the daemon goes down.
 */
#include <sys/prctl.h>
#include <sys/resource.h>

#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "log.h"
#include "mount.h"
#include "room.h"

static const int	mounter_syscalls[] = {
	SCMP_SYS(open_tree), SCMP_SYS(mount_setattr), -1
};

static void
give_up(void)
{
	struct rlimit	none = { 0, 0 };

	if (unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) == -1)
		fatal("unshare");
	confine_caps(UINT64_C(1) << CAP_SYS_ADMIN);
	if (setrlimit(RLIMIT_CORE, &none) == -1 ||
	    prctl(PR_SET_DUMPABLE, 0) == -1 ||
	    /* After the change of capabilities, which may clear it. */
	    prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
		fatal("prctl");
	confine_syscalls(mounter_syscalls);
}

static void
begin_log(int argc, char **argv)
{
	const char	*boot = NULL;
	int		 ch, debug = 0;

	while ((ch = getopt(argc, argv, "b:d")) != -1)
		switch (ch) {
		case 'b':
			boot = optarg;
			break;
		case 'd':
			debug = 1;
			break;
		default:
			fprintf(stderr, "usage: wfsup-mounter [-d] "
			    "[-b boot]\n");
			exit(2);
		}
	room_log("mounter", boot, debug);
}

static void
on_gone(struct peer *p, const char *why)
{
	(void)p;
	log_debug("warden gone: %s", why);
	log_flush();
	exit(0);
}

int
main(int argc, char **argv)
{
	static const struct peer_ops	 ops = {
		.self = MOUNTER, .handlers = mounter_handlers,
		.gone = on_gone,
	};
	struct event_base		*base;
	struct peer			*p;

	begin_log(argc, argv);
	if (signal(SIGHUP, SIG_IGN) == SIG_ERR ||
	    signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		fatal("signal");
	peer_check_handlers(MOUNTER, WARDEN, mounter_handlers);
	json_object_seed(0);
	if ((base = event_base_new()) == NULL)
		fatalx("event_base_new");
	give_up();
	if ((p = peer_new(base, ROOM_FD, WARDEN, "warden", &ops,
	    mounter_new())) == NULL)
		fatal("peer_new");
	peer_allow_fds(p);
	room_greet(p);
	(void)event_base_dispatch(base);
	fatalx("event loop ended");
}
