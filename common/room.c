/*
 * The start of a room, up to its first message.
 */
#include <bsd/stdlib.h>
#include <bsd/unistd.h>

#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include "log.h"
#include "room.h"

struct room_options {
	uid_t		 uid;
	gid_t		 gid;
	const char	*root;
	const char	*boot;
	int		 debug;
};

static void __attribute__((noreturn))
usage(const char *name)
{
	fprintf(stderr, "wfsup-%s is started by wfsupd(8), not by hand\n"
	    "usage: wfsup-%s -u uid -g gid [-r root] [-b boot] [-d]\n",
	    name, name);
	exit(2);
}

static unsigned
parse_id(const char *name, const char *text)
{
	const char	*error;
	long long	 id;

	id = strtonum(text, 1, UINT32_MAX - 1, &error);
	if (error != NULL) {
		fprintf(stderr, "wfsup-%s: id \"%s\" is %s\n", name, text,
		    error);
		usage(name);
	}
	return ((unsigned)id);
}

static void
parse_options(struct room_options *o, const char *name, int argc, char **argv)
{
	int	ch;

	memset(o, 0, sizeof(*o));
	while ((ch = getopt(argc, argv, "b:dg:r:u:")) != -1)
		switch (ch) {
		case 'b':
			o->boot = optarg;
			break;
		case 'd':
			o->debug = 1;
			break;
		case 'g':
			o->gid = parse_id(name, optarg);
			break;
		case 'r':
			o->root = optarg;
			break;
		case 'u':
			o->uid = parse_id(name, optarg);
			break;
		default:
			usage(name);
		}
	if (optind != argc || o->uid == 0 || o->gid == 0)
		usage(name);
}

void
room_log(const char *name, const char *boot, int debug)
{
	log_init(name, debug);
	if (boot != NULL)
		log_set_boot(boot);
	if (fcntl(ROOM_LOG_FD, F_GETFD) == -1)
		return;
	if (fcntl(ROOM_LOG_FD, F_SETFD, FD_CLOEXEC) == -1)
		fatal("log socket");
	log_set_socket(ROOM_LOG_FD);
}

static void
supervisor_gone(struct peer *p, const char *why)
{
	(void)p;
	log_debug("supervisor gone: %s", why);
	log_flush();
	exit(0);
}

static void
log_lost(void *arg)
{
	struct room	*room = arg;

	peer_send(room->supervisor, IMSG_LOG_ASK, 0, -1, NULL, NULL, 0);
}

void
room_greet(struct peer *p)
{
	peer_send(p, IMSG_ROOM_HELLO, 0, -1, json_pack("{s:s}", "version",
	    WFSUP_VERSION), NULL, 0);
}

int
room_ping(struct peer *p, struct msg *m)
{
	(void)m;
	peer_send(p, IMSG_PONG, 0, -1, NULL, NULL, 0);
	return (0);
}

static int
on_log_socket(struct peer *p, struct msg *m)
{
	(void)p;
	log_set_socket(msg_take_fd(m));
	return (0);
}

/* A room's handlers, and what all rooms do alike. For the room's life. */
static const struct handler *
with_common(const struct handler *handlers)
{
	static const struct handler	 common[] = {
		{ IMSG_LOG_SOCKET, on_log_socket },
		{ IMSG_PING, room_ping },
	};
	struct handler			*all;
	size_t				 n = 0;

	while (handlers[n].fn != NULL)
		n++;
	if ((all = calloc(n + 3, sizeof(*all))) == NULL)
		fatal("room_hello");
	memcpy(all, handlers, n * sizeof(*all));
	memcpy(all + n, common, sizeof(common));
	return (all);
}

static struct event_base *
base_new(void)
{
	struct event_config	*config;
	struct event_base	*base;

	/* The environment may not choose how we wait. */
	if ((config = event_config_new()) == NULL ||
	    event_config_set_flag(config, EVENT_BASE_FLAG_IGNORE_ENV) == -1 ||
	    (base = event_base_new_with_config(config)) == NULL)
		fatalx("event_base_new");
	event_config_free(config);
	return (base);
}

void
room_prepare(struct room *room)
{
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR ||
	    signal(SIGHUP, SIG_IGN) == SIG_ERR ||
	    signal(SIGINT, SIG_IGN) == SIG_ERR)
		fatal("signal");
	/* jansson reads its hash seed now, not behind the filter. */
	json_object_seed(0);
	room->base = base_new();
}

void
room_hello(struct room *room, enum role self, const struct handler *handlers,
    void *ctx)
{
	struct peer_ops	*ops;

	if ((ops = calloc(1, sizeof(*ops))) == NULL)
		fatal("room_hello");
	ops->self = self;
	ops->handlers = with_common(handlers);
	ops->gone = supervisor_gone;
	peer_check_handlers(self, SUPERVISOR, ops->handlers);
	room->supervisor = peer_new(room->base, ROOM_FD, SUPERVISOR,
	    "supervisor", ops, ctx);
	if (room->supervisor == NULL)
		fatal("peer_new");
	peer_allow_fds(room->supervisor);
	log_loop(room->base, log_lost, room);
	room_greet(room->supervisor);
}

void
room_init(struct room *room, enum role self, const char *name, int argc,
    char **argv, struct confine *cf, const struct handler *handlers, void *ctx)
{
	struct room_options	 o;

	parse_options(&o, name, argc, argv);
	room_log(name, o.boot, o.debug);
	room_prepare(room);
	cf->uid = o.uid;
	cf->gid = o.gid;
	cf->root = o.root;
	confine(cf);
	room_hello(room, self, handlers, ctx);
}

void
room_loop(struct room *room)
{
	(void)event_base_dispatch(room->base);
	fatalx("event loop ended");
}
