/*
 * The warden: has jails made, watches them and ends them, and says to the
 * broker what they died of.
 *
 * User		root
 * Capabilities	KILL, bounding set the same
 * Files	cgroups of jails and what it is given, by descriptor; /proc, which
 *		is its root
 * Network	none
 * Syscalls	allowed in rights.c: none that makes a process or changes ids
 * Peers	supervisor, launcher, mounter, broker, both starters, errands
 * Secrets	none
 *
 * It is started before the launcher gives up its rights and can't be started
 * again: when it dies all jails end, and the daemon goes down.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "log.h"
#include "room.h"
#include "warden.h"

static void __attribute__((noreturn))
usage(void)
{
	fprintf(stderr, "wfsup-warden is started by wfsupd(8), not by hand\n"
	    "usage: wfsup-warden -r state [-b boot] [-d]\n");
	exit(2);
}

static void
options(struct warden *w, int argc, char **argv)
{
	const char	*boot = NULL, *state = NULL;
	int		 ch, debug = 0;

	while ((ch = getopt(argc, argv, "b:dr:")) != -1)
		switch (ch) {
		case 'b':
			boot = optarg;
			break;
		case 'd':
			debug = 1;
			break;
		case 'r':
			state = optarg;
			break;
		default:
			usage();
		}
	if (optind != argc || state == NULL ||
	    fcntl(ROOM_FD, F_SETFD, FD_CLOEXEC) == -1)
		usage();
	room_log("warden", boot, debug);
	w->state_dir = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->state_dir == -1)
		fatal("%s", state);
}

static void
on_gone(struct peer *p, const char *why)
{
	(void)p;
	log_debug("supervisor gone: %s", why);
	log_flush();
	exit(0);
}

static void
log_lost(void *arg)
{
	struct warden	*w = arg;

	peer_send(w->supervisor, IMSG_LOG_ASK, 0, -1, NULL, NULL, 0);
}

static void
ignore_signals(void)
{
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR ||
	    signal(SIGHUP, SIG_IGN) == SIG_ERR ||
	    signal(SIGINT, SIG_IGN) == SIG_ERR ||
	    signal(SIGTERM, SIG_IGN) == SIG_ERR)
		fatal("signal");
}

int
main(int argc, char **argv)
{
	static const struct peer_ops	 ops = {
		.self = WARDEN, .handlers = warden_handlers, .gone = on_gone,
	};
	struct warden			 w = { .state_dir = -1 };
	struct event_base		*base;
	struct peer			*p;

	options(&w, argc, argv);
	ignore_signals();
	peer_check_handlers(WARDEN, SUPERVISOR, warden_handlers);
	json_object_seed(0);
	if ((base = event_base_new()) == NULL)
		fatalx("event_base_new");
	rights_drop();
	if ((p = peer_new(base, ROOM_FD, SUPERVISOR, "supervisor", &ops,
	    &w)) == NULL)
		fatal("peer_new");
	peer_allow_fds(p);
	warden_init(&w, base, p);
	log_loop(base, log_lost, &w);
	peer_send(p, IMSG_ROOM_HELLO, 0, -1, json_pack("{s:s}", "version",
	    WFSUP_VERSION), NULL, 0);
	(void)event_base_dispatch(base);
	fatalx("event loop ended");
}
