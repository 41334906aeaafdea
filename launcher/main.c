/*
 * The launcher: makes the processes and the user namespaces that the
 * supervisor asks for, out of what was fixed at its start.
 *
 * User		root
 * Capabilities	SETUID, SETGID, bounding set the same
 * Files	the rooms' binaries; the maps of processes that it makes; the
 *		cgroup of jails, at the start and at the end
 * Network	none is used, but by the user data base
 * Syscalls	all but the deny-list in rights.c, which all rooms inherit
 * Peers	supervisor, warden
 * Secrets	none
 *
 * It is started before the supervisor gives up its rights, and can't be
 * started again: when it dies the daemon goes down. No peer but these
 * ever speaks to it. When the supervisor is gone it clears the cgroups away.
 */
#include <sys/resource.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "launcher.h"
#include "log.h"
#include "rights.h"
#include "room.h"
#include "trees.h"

static void __attribute__((noreturn))
usage(void)
{
	fprintf(stderr, "wfsup-launcher is started by wfsupd(8), not by hand\n"
	    "usage: wfsup-launcher -b boot -j id -l libexec -s state "
	    "-u user:uid:gid... [-c cgroup] [-d]\n");
	exit(2);
}

static unsigned
number(const char *text, char **end)
{
	unsigned long	n = strtoul(text, end, 10);

	if (*end == text || n >= UINT32_MAX)
		usage();
	return ((unsigned)n);
}

/* "broker:61001:61001" */
static void
user(struct launcher *la, const char *text)
{
	static const char *const	names[NUSERS] = {
		[BROKER_USER] = "broker:", [KEEPER_USER] = "keeper:",
		[GATEWAY_USER] = "gateway:", [SANDBOX_USER] = "sandbox:",
	};
	char				*end;
	size_t				 i, n;

	for (i = 0; i < NUSERS; i++) {
		n = strlen(names[i]);
		if (strncmp(text, names[i], n) != 0)
			continue;
		la->users[i].uid = number(text + n, &end);
		if (*end != ':')
			usage();
		la->users[i].gid = number(end + 1, &end);
		if (*end != '\0')
			usage();
		return;
	}
	usage();
}

static void
options(struct launcher *la, int argc, char **argv)
{
	char	*end;
	int	 ch, i;

	while ((ch = getopt(argc, argv, "b:c:dj:l:s:u:")) != -1)
		switch (ch) {
		case 'b':
			la->boot = optarg;
			break;
		case 'c':
			la->cgroup = optarg;
			break;
		case 'd':
			la->verbose = 1;
			break;
		case 'j':
			la->jail_base = number(optarg, &end);
			break;
		case 'l':
			la->libexec = optarg;
			break;
		case 's':
			la->state = optarg;
			break;
		case 'u':
			user(la, optarg);
			break;
		default:
			usage();
		}
	for (i = 0; i < NUSERS; i++)
		if (la->users[i].uid == 0)
			usage();
	if (optind != argc || la->boot == NULL || la->libexec == NULL ||
	    la->state == NULL || la->jail_base == 0)
		usage();
}

static void
ignore_signals(void)
{
	static const int	ignored[] = {
		SIGPIPE, SIGHUP, SIGINT, SIGTERM,
		SIGCHLD,	/* nobody waits for errands */
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

static void
open_trees(struct launcher *la)
{
	char	why[1024];

	if ((la->trees = trees_open(la->cgroup, getppid(), why,
	    sizeof(why))) == NULL) {
		/* Only an administrator can help. */
		log_warnx("%s", why);
		log_flush();
		exit(EX_CONFIG);
	}
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

	if (strcmp(msg_str(m->env, "peer"), "warden") != 0 ||
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

static void
hello(const struct launcher *la)
{
	peer_send(la->supervisor, IMSG_ROOM_HELLO, 0, -1, json_pack("{s:s}",
	    "version", WFSUP_VERSION), NULL, 0);
}

int
main(int argc, char **argv)
{
	static const struct handler	 handlers[] = {
		{ IMSG_LAUNCH,		on_launch },
		{ IMSG_LAUNCH_LOG,	on_launch_log },
		{ IMSG_CHANNEL,		on_channel },
		{ IMSG_NAME_ASK,	on_name_ask },
		{ 0, NULL }
	};
	static const struct peer_ops	 ops = {
		.self = LAUNCHER, .handlers = handlers, .gone = on_gone,
	};
	struct launcher			 la = { .log = -1 };
	int				 log;

	options(&la, argc, argv);
	/* Before anything else is opened there. */
	la.log = fcntl(ROOM_LOG_FD, F_DUPFD_CLOEXEC, ROOM_WARDEN_FD + 1);
	log = fcntl(ROOM_LOG_FD, F_DUPFD_CLOEXEC, ROOM_WARDEN_FD + 1);
	if (fcntl(ROOM_MOUNTER_FD, F_SETFD, FD_CLOEXEC) == -1 ||
	    fcntl(ROOM_WARDEN_FD, F_SETFD, FD_CLOEXEC) == -1)
		usage();
	room_log("launcher", la.boot, la.verbose);
	peer_check_handlers(LAUNCHER, SUPERVISOR, handlers);
	json_object_seed(0);
	la.userns = userns_identity();
	open_trees(&la);
	if ((la.base = event_base_new()) == NULL || (la.supervisor = peer_new(
	    la.base, ROOM_FD, SUPERVISOR, "supervisor", &ops, &la)) == NULL)
		fatal("event_base_new");
	peer_allow_fds(la.supervisor);
	/* While the rights are there to give. */
	(void)launch(&la, "mounter", ROOM_MOUNTER_FD);
	la.log = log;
	(void)launch(&la, "warden", ROOM_WARDEN_FD);
	rights_drop();
	la.overlay = host_overlay(la.userns);
	hello(&la);
	ignore_signals();
	(void)event_base_dispatch(la.base);
	fatalx("event loop ended");
}
