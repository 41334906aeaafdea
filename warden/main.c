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

int
main(int argc, char **argv)
{
	struct warden	w = { .state_dir = -1 };
	struct room	room;

	options(&w, argc, argv);
	room_prepare(&room);
	/* Who stops the daemon stops the supervisor, and jails go first. */
	if (signal(SIGTERM, SIG_IGN) == SIG_ERR)
		fatal("signal");
	rights_drop();
	room_hello(&room, WARDEN, warden_handlers, &w);
	warden_init(&w, room.base, room.supervisor);
	room_loop(&room);
}
