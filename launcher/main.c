/*
 * The launcher: makes the processes and the user namespaces that the
 * supervisor asks for, out of what was fixed at its start; and at the start
 * whatever takes more rights than will be left.
 *
 * User		root
 * Capabilities	SETUID, SETGID, bounding set the same
 * Files	the rooms' binaries; the maps of processes that it makes; the
 *		state directory and the control socket, at the start; the
 *		cgroup of jails, then and at the end
 * Network	none is used
 * Syscalls	all but the deny-list of confine_deny(), which all rooms inherit
 * Peers	supervisor, warden
 * Secrets	none
 *
 * It is started before the supervisor gives up its rights, and can't be
 * started again: when it dies the daemon goes down. It has all its rights
 * until it is set up, and until then nobody has been given anything that an
 * enemy could have had in his hands. No peer but these ever speaks to it. When
 * the supervisor is gone it clears the cgroups away.
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"
#include "log.h"
#include "room.h"
#include "trees.h"

static void __attribute__((noreturn))
usage(void)
{
	fprintf(stderr, "wfsup-launcher is started by wfsupd(8), not by hand\n"
	    "usage: wfsup-launcher -b boot -f file -l libexec "
	    "[-c credentials] [-d]\n");
	exit(2);
}

static void
options(struct launcher *la, int argc, char **argv)
{
	int	ch;

	while ((ch = getopt(argc, argv, "b:c:df:l:")) != -1)
		switch (ch) {
		case 'b':
			la->boot = optarg;
			break;
		case 'c':
			la->credentials = optarg;
			break;
		case 'd':
			la->verbose = 1;
			break;
		case 'f':
			la->file = optarg;
			break;
		case 'l':
			la->libexec = optarg;
			break;
		default:
			usage();
		}
	if (optind != argc || la->boot == NULL || la->libexec == NULL ||
	    la->file == NULL)
		usage();
}

static void
ignore_signals(void)
{
	static const int	ignored[] = {
		SIGPIPE, SIGHUP, SIGINT, SIGTERM,
	};
	size_t			i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (signal(ignored[i], SIG_IGN) == SIG_ERR)
			fatal("signal");
}

static void
on_gone(struct peer *p, const char *why)
{
	struct launcher	*la = peer_ctx(p);

	log_debug("supervisor gone: %s", why);
	trees_close(la->trees);
	log_flush();
	exit(0);
}

/* The supervisor sees its death as well, and takes all down. */
static void
on_warden_gone(struct peer *p, const char *why)
{
	struct launcher	*la = peer_ctx(p);

	log_debug("warden gone: %s", why);
	la->warden = NULL;
}

/* What the warden has to have before it can do anything. */
static void
trees_tell(const struct launcher *la)
{
	int	i, fd, next = trees_dir(la->trees, 0);

	for (i = 1; (fd = next) != -1; i++) {
		next = trees_dir(la->trees, i);
		peer_send(la->warden, IMSG_CGROUP, 0, fd, json_pack(
		    "{s:i,s:b}", "version", trees_version(la->trees), "last",
		    next == -1), NULL, 0);
	}
}

static int
on_channel(struct peer *p, struct msg *m)
{
	static const struct handler	 handlers[] = {
		{ IMSG_LAUNCH_ERRAND,	on_launch_errand },
		{ IMSG_MAP_WORKSPACE,	on_map_workspace },
		{ IMSG_MAP_LAYER,	on_map_layer },
		{ 0, NULL }
	};
	static const struct peer_ops	 ops = {
		.self = LAUNCHER, .handlers = handlers,
		.gone = on_warden_gone,
	};
	struct launcher			*la = peer_ctx(p);

	if (la->setup == NULL ||
	    strcmp(msg_str(m->env, "peer"), "warden") != 0 ||
	    la->warden != NULL || fcntl(m->fd, F_SETFL, O_NONBLOCK) == -1)
		return (-1);
	if ((la->warden = peer_new(la->base, msg_take_fd(m), WARDEN, "warden",
	    &ops, la)) == NULL)
		fatal("peer_new");
	peer_allow_fds(la->warden);
	peer_set_body_max(la->warden, 0);
	host_tell(la);
	trees_tell(la);
	return (0);
}

int
main(int argc, char **argv)
{
	static const struct handler	 handlers[] = {
		{ IMSG_LAUNCH_SETUP,	on_setup },
		{ IMSG_LAUNCH,		on_launch },
		{ IMSG_LAUNCH_LOG,	on_launch_log },
		{ IMSG_CHANNEL,		on_channel },
		{ IMSG_PING,		room_ping },
		{ 0, NULL }
	};
	static const struct peer_ops	 ops = {
		.self = LAUNCHER, .handlers = handlers, .gone = on_gone,
	};
	struct launcher			 la = { .log = -1 };
	int				 fd;

	options(&la, argc, argv);
	for (fd = ROOM_MOUNTER_FD; fd <= ROOM_READER_FD; fd++)
		if (fcntl(fd, F_SETFD, FD_CLOEXEC) == -1)
			usage();
	room_log("launcher", la.boot, la.verbose);
	peer_check_handlers(LAUNCHER, SUPERVISOR, handlers);
	json_object_seed(0);
	(void)umask(077);
	ignore_signals();
	la.userns = userns_identity();
	if ((la.base = event_base_new()) == NULL || (la.supervisor = peer_new(
	    la.base, ROOM_FD, SUPERVISOR, "supervisor", &ops, &la)) == NULL)
		fatal("event_base_new");
	peer_allow_fds(la.supervisor);
	/* Without it there is nothing to be set up with. */
	(void)launch(&la, "reader", ROOM_READER_FD);
	(void)event_base_dispatch(la.base);
	fatalx("event loop ended");
}
