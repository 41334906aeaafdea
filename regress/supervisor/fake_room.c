/*
 * The fake rooms, and a starter that lies: about what, is told by the limit
 * of files of the jail that it is to start.
 */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <libgen.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_room.h"
#include "log.h"
#include "room.h"

static struct room	 room;
static struct peer	*warden;
static struct imsgbuf	 client = { .fd = -1 };
static struct event	*client_ev, *listen_ev;

/* ---- broker ---- */

static void
client_close(void)
{
	event_free(client_ev);
	imsgbuf_clear(&client);
	(void)close(client.fd);
	client.fd = -1;
}

static void
client_in(int fd, short what, void *arg)
{
	const struct msgdef	*def;
	enum imsg_result	r;
	struct imsg		imsg;

	(void)fd;
	(void)what;
	(void)arg;
	while ((r = imsgbuf_get(&client, &imsg)) == IMSG_GOT) {
		def = msgdef_find(imsg.hdr.type);
		peer_send((def->to & SUPERVISOR) != 0 ? room.supervisor :
		    warden, imsg.hdr.type, imsg.hdr.peerid, imsg_get_fd(&imsg), json_loadb(imsg.data, imsg.datalen,
		    0, NULL), NULL, 0);
		imsg_free(&imsg);
	}
	if (r != IMSG_AGAIN)
		client_close();
}

static void
client_new(int fd, short what, void *arg)
{
	int	s;

	(void)what;
	(void)arg;
	s = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (s == -1)
		return;
	if (client.fd != -1)
		client_close();
	imsgbuf_init(&client, s);
	imsgbuf_allow_fdpass(&client);
	client_ev = event_new(room.base, s, EV_READ | EV_PERSIST, client_in,
	    NULL);
	if (client_ev == NULL || event_add(client_ev, NULL) == -1)
		fatalx("event");
}

static int
on_relay(struct peer *p, struct msg *m)
{
	struct iovec	iov;
	char		*text;

	(void)p;
	if (client.fd == -1)
		return (0);
	if ((text = json_dumps(m->env, JSON_COMPACT)) == NULL)
		fatalx("json_dumps");
	iov.iov_base = text;
	iov.iov_len = strlen(text);
	if (imsg_composev(&client, m->def->type, m->id, msg_take_fd(m), &iov,
	    1) == -1 || imsgbuf_write(&client) == -1)
		client_close();
	free(text);
	return (0);
}

static int
on_listen(struct peer *p, struct msg *m)
{
	(void)p;
	listen_ev = event_new(room.base, msg_take_fd(m),
	    EV_READ | EV_PERSIST, client_new, NULL);
	if (listen_ev == NULL || event_add(listen_ev, NULL) == -1)
		fatalx("event");
	return (0);
}

/* ---- a starter that lies ---- */

static void
tell(uint32_t type, const struct msg *m, int fd, int64_t add)
{
	peer_send(warden, type, 0, fd, json_pack("{s:I}", "jail",
	    (json_int_t)(msg_int(m->env, "jail") + add)), NULL, 0);
}

/* A child that sleeps, as unconfined as we are. */
static int
child_pidfd(void)
{
	pid_t	pid;

	if ((pid = fork()) == 0) {
		(void)close(ROOM_FD);
		(void)sleep(60);
		_exit(0);
	}
	return ((int)syscall(SYS_pidfd_open, pid, 0));
}

/* A child that has died. */
static int
gone_pidfd(void)
{
	pid_t	pid;
	int	fd;

	if ((pid = fork()) == 0) {
		(void)sleep(60);
		_exit(0);
	}
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	(void)kill(pid, SIGKILL);
	/* Nobody waits for our children: this waits until it is gone. */
	(void)waitpid(pid, NULL, 0);
	return (fd);
}

static void
tell_reaped(const struct msg *m)
{
	peer_send(warden, IMSG_JAIL_REAPED, 0, -1, json_pack(
	    "{s:I,s:i,s:i,s:i}", "jail", (json_int_t)msg_int(m->env, "jail"),
	    "status", 0, "cpu_ms", 1, "maxrss", 1), NULL, 0);
}

static int
on_spawn(struct peer *p, struct msg *m)
{
	(void)p;
	switch (msg_int(m->env, "files")) {
	case LIE_UNCONFINED:
		tell(IMSG_JAIL_SPAWNED, m, child_pidfd(), 0);
		tell(IMSG_JAIL_CONFINED, m, -1, 0);
		break;
	case LIE_NO_PROCESS:
		tell(IMSG_JAIL_CONFINED, m, -1, 0);
		break;
	case LIE_NO_PIDFD:
		tell(IMSG_JAIL_SPAWNED, m, dup(0), 0);
		tell(IMSG_JAIL_CONFINED, m, -1, 0);
		break;
	case LIE_ITSELF:
		tell(IMSG_JAIL_SPAWNED, m, (int)syscall(SYS_pidfd_open,
		    getpid(), 0), 0);
		tell(IMSG_JAIL_CONFINED, m, -1, 0);
		break;
	case LIE_GONE:
		tell(IMSG_JAIL_SPAWNED, m, gone_pidfd(), 0);
		tell(IMSG_JAIL_CONFINED, m, -1, 0);
		tell_reaped(m);
		break;
	case LIE_OTHER:
		tell(IMSG_JAIL_SPAWNED, m, child_pidfd(), 1);
		break;
	case LIE_REAPED:
		tell(IMSG_JAIL_SPAWNED, m, child_pidfd(), 0);
		tell_reaped(m);
		break;
	}
	return (0);
}

static void
lying_gone(struct peer *p, const char *why)
{
	(void)p;
	(void)why;
	exit(0);
}

static void __attribute__((noreturn))
lying_starter(const struct handler *handlers)
{
	static struct peer_ops	ops = { .self = SSTARTER,
				    .gone = lying_gone };

	ops.handlers = handlers;
	(void)signal(SIGCHLD, SIG_IGN);
	if ((room.base = event_base_new()) == NULL || (warden =
	    peer_new(room.base, ROOM_FD, WARDEN, "warden", &ops,
	    NULL)) == NULL)
		fatalx("starter");
	peer_allow_fds(warden);
	peer_send(warden, IMSG_ROOM_HELLO, 0, -1,
	    json_pack("{s:s}", "version", WFSUP_VERSION), NULL, 0);
	room_loop(&room);
}

/* ---- all ---- */

static int
on_start(struct peer *p, struct msg *m)
{
	(void)m;
	peer_send(p, IMSG_ROOM_READY, 0, -1, NULL, NULL, 0);
	return (0);
}

static int
on_nothing(struct peer *p, struct msg *m)
{
	log_debug("%s", m->def->name);
	(void)p;
	return (0);
}

static void
warden_gone(struct peer *p, const char *why)
{
	(void)p;
	fatalx("warden: %s", why);
}

/* There are hundreds, and no test looks at them. */
static int
on_attempt(struct peer *p, struct msg *m)
{
	(void)p;
	(void)m;
	return (0);
}

/* Of its neighbours only the warden is any use to a fake one. */
static int
on_channel(struct peer *p, struct msg *m)
{
	static const struct handler	 words[] = {
		{ IMSG_HOST_ROW,	on_relay },
		{ IMSG_ATTEMPT,		on_attempt },
		{ IMSG_JAIL_STARTED,	on_relay },
		{ IMSG_JAIL_FAILED,	on_relay },
		{ IMSG_JAIL_EXIT,	on_relay },
		{ IMSG_WORKSPACE,	on_relay },
		{ IMSG_WORKSPACE_LOST,	on_relay },
		{ IMSG_SANDBOX_REMOVED,	on_relay },
		{ 0, NULL }
	};
	static const struct peer_ops	 ops = {
		.self = BROKER, .handlers = words, .gone = warden_gone,
	};

	log_debug("%s", m->def->name);
	(void)p;
	if (strcmp(msg_str(m->env, "peer"), "warden") != 0)
		return (0);
	if ((warden = peer_new(room.base, msg_take_fd(m), WARDEN, "warden",
	    &ops, NULL)) == NULL)
		fatal("peer_new");
	peer_allow_fds(warden);
	return (0);
}

static const struct handler	handlers[] = {
	{ IMSG_ROOM_CONFIG,	on_nothing },
	{ IMSG_ROOM_START,	on_start },
	{ IMSG_CHANNEL,		on_channel },
	{ IMSG_LISTEN,		on_listen },
	{ IMSG_KEY,		on_nothing },
	{ IMSG_RULES,		on_nothing },
	{ IMSG_JAIL_PART,	on_nothing },
	{ IMSG_JAIL_SPAWN,	on_spawn },
	{ 0, NULL }
};

void
fake_room(int argc, char **argv)
{
	static const int	 more[] = {
		SCMP_SYS(accept4), SCMP_SYS(getsockopt), -1
	};
	const char		*name = basename(argv[0]);
	struct confine		 cf = { .syscalls = more };
	enum role		 self;

	if (strcmp(name, "wfsup-broker") == 0)
		self = BROKER;
	else if (strcmp(name, "wfsup-keeper") == 0)
		self = KEEPER;
	else if (strcmp(name, "wfsup-gateway") == 0)
		self = GATEWAY;
	else if (strcmp(name, "wfsup-warden") == 0)
		fake_warden();
	else if (strcmp(name, "wfsup-script") == 0)
		lying_starter(handlers);
	else
		return;
	room_init(&room, self, role_name(self), argc, argv, &cf, handlers,
	    NULL);
	room_loop(&room);
}
