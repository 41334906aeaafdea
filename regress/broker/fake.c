#include <sys/socket.h>
#include <sys/un.h>

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"
#include "log.h"
#include "room.h"

/* Milliseconds until a message that should come is given up. */
#define PATIENCE	3000

/* ---- fakes ---- */

static int
fake_record(struct peer *p, struct msg *m)
{
	struct fake	*f = peer_ctx(p);
	struct got	*g;

	if ((g = calloc(1, sizeof(*g))) == NULL)
		fatal("calloc");
	g->type = m->def->type;
	g->id = m->id;
	g->env = json_incref(m->env);
	g->fd = msg_take_fd(m);
	if (m->body != NULL && (g->body = strndup(m->body,
	    m->bodylen)) == NULL)
		fatal("strndup");
	TAILQ_INSERT_TAIL(&f->got, g, entry);
	return (0);
}

static void
fake_gone(struct peer *p, const char *why)
{
	struct fake	*f = peer_ctx(p);

	(void)why;
	f->peer = NULL;
}

static struct handler *
fake_handlers(enum role self)
{
	const struct msgdef	*def;
	struct handler		*h = NULL;
	size_t			 i, n = 0;

	for (i = 0; (def = msgdef_at(i)) != NULL; i++) {
		if ((def->to & (int)self) == 0)
			continue;
		h = realloc(h, (n + 2) * sizeof(*h));
		if (h == NULL)
			fatal("realloc");
		h[n++] = (struct handler){ def->type, fake_record };
		h[n] = (struct handler){ 0, NULL };
	}
	return (h);
}

struct fake *
fake_new(struct rig *rig, enum role self, int fd)
{
	struct fake	*f;

	if ((f = calloc(1, sizeof(*f))) == NULL)
		fatal("calloc");
	f->rig = rig;
	TAILQ_INIT(&f->got);
	f->handlers = fake_handlers(self);
	f->ops.self = self;
	f->ops.handlers = f->handlers;
	f->ops.gone = fake_gone;
	f->peer = peer_new(rig->base, fd, BROKER, role_name(self), &f->ops, f);
	if (f->peer == NULL)
		fatal("peer_new");
	peer_allow_fds(f->peer);
	peer_set_body_max(f->peer, KEEPER_BODY_MAX);
	TAILQ_INSERT_TAIL(&rig->fakes, f, entry);
	return (f);
}

void
fake_close(struct fake *f)
{
	if (f->peer != NULL)
		peer_close(f->peer);
	f->peer = NULL;
	rig_pump(f->rig);
}

static void
got_free(struct got *g)
{
	if (g == NULL)
		return;
	json_decref(g->env);
	free(g->body);
	if (g->fd != -1)
		(void)close(g->fd);
	free(g);
}

void
fake_free(struct fake *f)
{
	struct got	*g;

	fake_close(f);
	while ((g = TAILQ_FIRST(&f->got)) != NULL) {
		TAILQ_REMOVE(&f->got, g, entry);
		got_free(g);
	}
	got_free(f->last);
	TAILQ_REMOVE(&f->rig->fakes, f, entry);
	free(f->handlers);
	free(f);
}

void
fake_send(struct fake *f, uint32_t type, uint32_t id, int fd, json_t *env,
    const char *body)
{
	peer_send(f->peer, type, id, fd, env, body,
	    body == NULL ? 0 : strlen(body));
	rig_pump(f->rig);
}

static struct got *
fake_find(struct fake *f, uint32_t type)
{
	struct got	*g;

	TAILQ_FOREACH(g, &f->got, entry)
		if (g->type == type)
			return (g);
	return (NULL);
}

struct got *
fake_want(struct fake *f, uint32_t type)
{
	struct got	*g;
	int		 i;

	got_free(f->last);
	f->last = NULL;
	for (i = 0; (g = fake_find(f, type)) == NULL && i < PATIENCE; i++) {
		rig_pump(f->rig);
		(void)usleep(1000);
	}
	if (g == NULL)
		return (NULL);
	TAILQ_REMOVE(&f->got, g, entry);
	return (f->last = g);
}

int
fake_none(struct fake *f, uint32_t type)
{
	rig_pump(f->rig);
	return (fake_find(f, type) == NULL);
}

const char *
got_str(const struct got *g, const char *name)
{
	const char	*s = g == NULL ? NULL : msg_str(g->env, name);

	return (s == NULL ? "" : s);
}

int64_t
got_int(const struct got *g, const char *name)
{
	return (g == NULL ? -1 : msg_int(g->env, name));
}

int
got_bool(const struct got *g, const char *name)
{
	if (g == NULL || json_object_get(g->env, name) == NULL)
		return (-1);
	return (msg_bool(g->env, name));
}

/* ---- the rig ---- */

void
rig_pump(struct rig *rig)
{
	int	i;

	for (i = 0; i < 8; i++)
		(void)event_base_loop(rig->base, EVLOOP_NONBLOCK);
}

struct rig_limits	 rig_limits = { 4177920, 4194304, 4096, 500 };

char *
rig_config(const char *verbs, const char *tools, const char *models,
    long tokens, long jails)
{
	char	*text;

	if (asprintf(&text, "{\"profiles\":{\"default\":{\"verbs\":[%s],"
	    "\"tools\":[%s],\"models\":[%s],\"agents\":[],\"tokens\":%ld,"
	    "\"runs\":4,\"memory\":268435456,\"pids\":64,\"cpu\":60,"
	    "\"wall\":600,\"fsize\":1048576,\"files\":64,\"depth\":4,"
	    "\"output\":%ld,\"frame\":%ld,\"calls\":%ld,\"rate\":%ld}},"
	    "\"allow\":[{\"who\":\"user\",\"id\":%u,\"profile\":"
	    "\"default\"}],\"jails\":%ld}", verbs, tools, models, tokens,
	    rig_limits.output, rig_limits.frame, rig_limits.calls,
	    rig_limits.rate, (unsigned)geteuid(), jails) == -1)
		fatal("asprintf");
	return (text);
}

static void
pair(int fds[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0, fds) == -1)
		fatal("socketpair");
}

static socklen_t
rig_address(const struct rig *rig, struct sockaddr_un *sun)
{
	memset(sun, 0, sizeof(*sun));
	sun->sun_family = AF_UNIX;
	memcpy(sun->sun_path + 1, rig->address, strlen(rig->address));
	return (offsetof(struct sockaddr_un, sun_path) + 1 +
	    (socklen_t)strlen(rig->address));
}

static int
rig_listen(struct rig *rig)
{
	static int		n;
	struct sockaddr_un	sun;
	socklen_t		len;
	int			fd;

	(void)snprintf(rig->address, sizeof(rig->address),
	    "wfsup-broker-test-%d-%d", (int)getpid(), n++);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0);
	len = rig_address(rig, &sun);
	if (fd == -1 || bind(fd, (struct sockaddr *)&sun, len) == -1 ||
	    listen(fd, 128) == -1)
		fatal("listen");
	return (fd);
}

int
rig_socket(void)
{
	int	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK |
		    SOCK_CLOEXEC, 0);

	if (fd == -1)
		fatal("socket");
	return (fd);
}

int
rig_connect_to(struct rig *rig, int fd)
{
	struct sockaddr_un	sun;
	socklen_t		len = rig_address(rig, &sun);

	if (connect(fd, (struct sockaddr *)&sun, len) == -1)
		return (-1);
	rig_pump(rig);
	return (0);
}

int
rig_connect(struct rig *rig)
{
	int	fd = rig_socket();

	if (rig_connect_to(rig, fd) == -1)
		fatal("connect");
	return (fd);
}

struct fake *
rig_client(struct rig *rig)
{
	return (fake_new(rig, CONTROL, rig_connect(rig)));
}

void
rig_channel(struct rig *rig, const char *name, enum role role,
    struct fake **f)
{
	json_t	*env = json_object();
	int	 fds[2];

	pair(fds);
	*f = fake_new(rig, role, fds[1]);
	json_object_set_new(env, "peer", json_string(name));
	fake_send(rig->supervisor, IMSG_CHANNEL, 0, fds[0], env, NULL);
}

static void
rig_supervisor_gone(struct peer *p, const char *why)
{
	(void)p;
	fatalx("the broker's supervisor is gone: %s", why);
}

static const struct peer_ops supervisor_ops = {
	.self = BROKER,
	.handlers = broker_handlers,
	.gone = rig_supervisor_gone,
};

struct rig *
rig_new(const char *config)
{
	struct rig	*rig;
	char		*usual = NULL;
	int		 fds[2];

	if ((rig = calloc(1, sizeof(*rig))) == NULL)
		fatal("calloc");
	TAILQ_INIT(&rig->fakes);
	if ((rig->base = event_base_new()) == NULL)
		fatalx("event_base_new");
	rig->broker = broker_new();
	pair(fds);
	rig->supervisor = fake_new(rig, SUPERVISOR, fds[1]);
	rig->supervisor_end = peer_new(rig->base, fds[0], SUPERVISOR,
	    "supervisor", &supervisor_ops, rig->broker);
	peer_allow_fds(rig->supervisor_end);
	broker_begin(rig->broker, rig->base, rig->supervisor_end);
	if (config == NULL)
		config = usual = rig_config(RIG_VERBS, "\"*\"", "\"*\"", 0, 8);
	fake_send(rig->supervisor, IMSG_ROOM_CONFIG, 0, -1, NULL, config);
	free(usual);
	fake_send(rig->supervisor, IMSG_LISTEN, 0, rig_listen(rig), NULL,
	    NULL);
	rig_channel(rig, "warden", WARDEN, &rig->warden);
	rig_channel(rig, "keeper", KEEPER, &rig->keeper);
	rig_channel(rig, "gateway", GATEWAY, &rig->gateway);
	fake_send(rig->supervisor, IMSG_ROOM_START, 0, -1, NULL, NULL);
	if (fake_want(rig->supervisor, IMSG_ROOM_READY) == NULL)
		fatalx("the broker is not ready");
	return (rig);
}

void
rig_free(struct rig *rig)
{
	struct fake	*f;

	broker_free(rig->broker);
	peer_close(rig->supervisor_end);
	while ((f = TAILQ_FIRST(&rig->fakes)) != NULL)
		fake_free(f);
	rig_pump(rig);
	event_base_free(rig->base);
	free(rig);
}

/* ---- steps ---- */

struct fake *
rig_jail(struct rig *rig, enum role role, int64_t number)
{
	struct got	*g = fake_want(rig->warden, IMSG_JAIL_START);
	struct fake	*f;
	uint32_t	 id;
	int		 fds[2];

	if (g == NULL || strcmp(got_str(g, "kind"), role == SCRIPT ?
	    "script" : "tool") != 0)
		return (NULL);
	id = g->id;
	pair(fds);
	f = fake_new(rig, role, fds[1]);
	fake_send(rig->warden, IMSG_JAIL_STARTED, id, fds[0],
	    json_pack("{s:I, s:i, s:i}", "jail", (json_int_t)number,
	    "pid", 4000, "uid", 100000), NULL);
	return (f);
}

struct fake *
rig_ready(struct rig *rig, enum role role, int64_t number)
{
	struct fake	*f = rig_jail(rig, role, number);

	if (f != NULL)
		fake_send(f, IMSG_JAIL_HELLO, 0, -1, json_pack("{s:s, s:s}",
		    "version", WFSUP_VERSION, "python",
		    role == SCRIPT ? "3.11.2" : ""), NULL);
	return (f);
}

struct fake *
rig_run(struct rig *rig, const char *run, int64_t number)
{
	fake_send(rig->keeper, IMSG_RUN_START, 0, -1, json_pack(
	    "{s:s, s:i, s:i, s:s, s:i, s:i}", "run", run, "uid",
	    (int)geteuid(), "gid", (int)getegid(), "profile", "default",
	    "tokens", 0, "spent", 0), NULL);
	return (rig_ready(rig, SCRIPT, number));
}

void
rig_exit(struct rig *rig, int64_t jail, const char *cause, int ours)
{
	fake_send(rig->warden, IMSG_JAIL_EXIT, 0, -1, json_pack(
	    "{s:I, s:s, s:b, s:i, s:i}", "jail", (json_int_t)jail, "cause",
	    cause, "ours", ours, "cpu_ms", 12, "peak", 3456), NULL);
}

size_t
rig_descriptors(void)
{
	DIR	*d = opendir("/proc/self/fd");
	size_t	 n = 0;

	if (d == NULL)
		fatal("/proc/self/fd");
	while (readdir(d) != NULL)
		n++;
	(void)closedir(d);
	return (n);
}
