/*
 * An errand: does one thing as somebody, and ends.
 *
 * User		who it is told to be; with -G in all groups of that user
 * Capabilities	none
 * Files	those of that user, one of them by a path that it is told
 * Network	none: it has no call that makes a socket
 * Syscalls	errand_syscalls in work.c
 * Peers	warden
 * Secrets	none
 *
 * The warden has no right to pass over the rights of files, nor should
 * it open a path that somebody else has named. Nothing that is done here can
 * be done to another user's files, and a file system that never answers stops
 * nobody else.
 */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <bsd/stdlib.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "confine.h"
#include "errand.h"
#include "log.h"
#include "room.h"

#define WAIT	10	/* for the user data base, and for the word */

static void __attribute__((noreturn))
usage(void)
{
	fprintf(stderr, "usage: wfsup-errand [-G] -g gid -u uid\n");
	exit(2);
}

static unsigned
number(const char *text)
{
	const char	*why;
	long long	 n = strtonum(text, 0, UINT32_MAX - 1, &why);

	if (why != NULL)
		usage();
	return ((unsigned)n);
}

static void
become(uid_t uid, gid_t gid, int groups)
{
	struct passwd	*pw = groups ? getpwuid(uid) : NULL;
	struct rlimit	 none = { 0, 0 };

	if ((pw != NULL ? initgroups(pw->pw_name, gid) :
	    setgroups(0, NULL)) == -1)
		fatal("groups");
	if (setresgid(gid, gid, gid) == -1 || setresuid(uid, uid, uid) == -1)
		fatal("ids");
	/* After the change of ids, which clears it. So no process of that
	 * user can trace this one. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1 ||
	    prctl(PR_SET_DUMPABLE, 0) == -1 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    setrlimit(RLIMIT_CORE, &none) == -1)
		fatal("prctl");
	confine_syscalls(errand_syscalls);
}

static void
on_gone(struct peer *p, const char *why)
{
	(void)p;
	log_debug("warden gone: %s", why);
	exit(1);
}

int
main(int argc, char **argv)
{
	static const struct peer_ops	 ops = {
		.self = ERRAND, .handlers = errand_handlers, .gone = on_gone,
	};
	unsigned			 uid = UINT32_MAX, gid = UINT32_MAX;
	struct event_base		*base;
	int				 ch, groups = 0;

	while ((ch = getopt(argc, argv, "Gg:u:")) != -1)
		if (ch == 'G')
			groups = 1;
		else if (ch == 'g')
			gid = number(optarg);
		else if (ch == 'u')
			uid = number(optarg);
		else
			usage();
	if (optind != argc || uid == UINT32_MAX || gid == UINT32_MAX)
		usage();
	log_init("errand", 0);
	(void)alarm(WAIT);
	(void)umask(022);
	peer_check_handlers(ERRAND, WARDEN, errand_handlers);
	json_object_seed(0);
	if ((base = event_base_new()) == NULL)
		fatalx("event_base_new");
	become(uid, gid, groups);
	if (peer_new(base, ROOM_FD, WARDEN, "warden", &ops, NULL) ==
	    NULL)
		fatal("peer_new");
	(void)event_base_dispatch(base);
	fatalx("event loop ended");
}
