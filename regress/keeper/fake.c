#include <sys/socket.h>
#include <sys/wait.h>

#include <err.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"
#include "json.h"

static const char	usual[] =
    "{\"runs\": 4, \"queue\": 4, \"retain\": 8, \"models\": {\"canned\": "
    "{\"max_tokens\": 1000, \"window\": 100000}}, \"default_model\": "
    "\"canned\", \"agents\": {}}";

static struct got	*last;

static void
got_free(struct got *g)
{
	if (g == NULL)
		return;
	json_decref(g->env);
	json_decref(g->body);
	free(g);
}

static int
fake_take(struct peer *p, struct msg *m)
{
	struct fake	*f = peer_ctx(p);
	struct got	*g;
	char		 why[128];

	if ((g = calloc(1, sizeof(*g))) == NULL)
		err(1, "calloc");
	g->type = m->def->type;
	g->id = m->id;
	g->env = json_incref(m->env);
	if (m->bodylen > 0 &&
	    (g->body = msg_body(m, why, sizeof(why))) == NULL)
		errx(1, "%s: %s", m->def->name, why);
	TAILQ_INSERT_TAIL(&f->got, g, entry);
	return (0);
}

static void
fake_gone(struct peer *p, const char *why)
{
	struct fake	*f = peer_ctx(p);

	(void)why;
	if (p == f->peer) {
		f->peer = NULL;
		f->gone = 1;
	}
}

/* A handler for everything that the keeper may say to a broker. */
static struct handler *
handlers_all(void)
{
	struct handler		*h;
	const struct msgdef	*def;
	size_t			 i, n = 0;

	if ((h = calloc(256, sizeof(*h))) == NULL)
		err(1, "calloc");
	for (i = 0; (def = msgdef_at(i)) != NULL && n < 255; i++)
		if ((def->from & KEEPER) != 0 && (def->to & BROKER) != 0) {
			h[n].type = def->type;
			h[n++].fn = fake_take;
		}
	return (h);
}

static void
config_give(struct fake *f, const char *text)
{
	char	 why[128];
	json_t	*body;

	if (text == NULL)
		text = usual;
	body = json_parse(text, strlen(text), JSON_DEPTH_MAX, why,
	    sizeof(why));
	if (body == NULL)
		errx(1, "config: %s", why);
	config_free(f->keeper.config);
	f->keeper.config = config_new(body, why, sizeof(why));
	if (f->keeper.config == NULL)
		errx(1, "config: %s", why);
	json_decref(body);
}

void
fake_new_broker(struct fake *f)
{
	int	fds[2];

	if (f->peer != NULL)
		peer_close(f->peer);
	f->gone = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0, fds) == -1)
		err(1, "socketpair");
	f->peer = peer_new(f->base, fds[0], KEEPER, "keeper", &f->ops, f);
	if (f->peer == NULL)
		err(1, "peer_new");
	peer_set_body_max(f->peer, 4 * 1024 * 1024);
	broker_attach(&f->keeper, fds[1]);
}

static void
keeper_begin(struct fake *f, const char *config)
{
	char	why[512];

	if (keeper_open(&f->keeper, f->base, f->path, why, sizeof(why)) == -1)
		errx(1, "%s", why);
	config_give(f, config);
	fake_new_broker(f);
	broker_start(&f->keeper);
}

struct fake *
fake_new(const char *config)
{
	struct fake	*f;

	if ((f = calloc(1, sizeof(*f))) == NULL ||
	    (f->base = event_base_new()) == NULL)
		err(1, "fake_new");
	TAILQ_INIT(&f->got);
	(void)snprintf(f->dir, sizeof(f->dir), "%s/keeper_test.XXXXXX",
	    test_memory());
	if (mkdtemp(f->dir) == NULL)
		err(1, "mkdtemp");
	(void)snprintf(f->path, sizeof(f->path), "%s/keeper.db", f->dir);
	f->handlers = handlers_all();
	f->ops.self = BROKER;
	f->ops.handlers = f->handlers;
	f->ops.gone = fake_gone;
	keeper_begin(f, config);
	return (f);
}

void
fake_restart(struct fake *f, const char *config)
{
	keeper_close(&f->keeper);
	fake_turn(f, 0);
	fake_clear(f);
	keeper_begin(f, config);
}

void
fake_free(struct fake *f)
{
	static const char *const	names[] = { "", "-wal", "-journal",
	    "-reserve", "-last" };
	char				path[128];
	size_t				i;

	keeper_close(&f->keeper);
	if (f->peer != NULL)
		peer_close(f->peer);
	f->peer = NULL;
	fake_turn(f, 0);
	fake_clear(f);
	got_free(last);
	last = NULL;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", f->path, names[i]);
		(void)unlink(path);	/* not all of them are there */
	}
	if (rmdir(f->dir) == -1)
		warn("%s", f->dir);
	event_base_free(f->base);
	free(f->handlers);
	free(f);
}

void
fake_say(struct fake *f, uint32_t type, uint32_t id, const char *body,
    const char *env, ...)
{
	char	 text[4096], why[128];
	va_list	 ap;
	json_t	*o;

	va_start(ap, env);
	(void)vsnprintf(text, sizeof(text), env, ap);
	va_end(ap);
	if ((o = json_parse(text, strlen(text), 1, why, sizeof(why))) == NULL)
		errx(1, "%s: %s", text, why);
	peer_send(f->peer, type, id, -1, o, body,
	    body == NULL ? 0 : strlen(body));
}

void
fake_turn(struct fake *f, int ms)
{
	struct timeval	tv = { .tv_sec = ms / 1000,
	    .tv_usec = ms % 1000 * 1000 };
	int		i;

	if (ms > 0) {
		(void)event_base_loopexit(f->base, &tv);
		(void)event_base_dispatch(f->base);
	}
	for (i = 0; i < 20; i++)
		(void)event_base_loop(f->base, EVLOOP_NONBLOCK);
}

struct got *
fake_wait(struct fake *f, uint32_t type)
{
	struct got	*g;
	int		 i;

	for (i = 0; i < 400; i++) {
		TAILQ_FOREACH(g, &f->got, entry)
			if (g->type == type) {
				TAILQ_REMOVE(&f->got, g, entry);
				got_free(last);
				return (last = g);
			}
		fake_turn(f, i == 0 ? 0 : 5);
	}
	return (NULL);
}

int
fake_count(struct fake *f, uint32_t type)
{
	struct got	*g;
	int		 n = 0;

	TAILQ_FOREACH(g, &f->got, entry)
		n += g->type == type;
	return (n);
}

void
fake_clear(struct fake *f)
{
	struct got	*g;

	while ((g = TAILQ_FIRST(&f->got)) != NULL) {
		TAILQ_REMOVE(&f->got, g, entry);
		got_free(g);
	}
}

const char *
fake_run(struct fake *f, const char *source)
{
	static char	 id[64];
	struct got	*g;
	json_t		*body;
	char		*text;

	if ((body = json_pack("{s:s, s:n}", "source", source, "args")) ==
	    NULL || (text = json_dumps(body, JSON_COMPACT)) == NULL)
		errx(1, "json");
	fake_say(f, IMSG_RUN_ADD, 7, text, "{\"uid\": 1000, \"gid\": 1000, "
	    "\"profile\": \"users\", \"tokens\": 0}");
	free(text);
	json_decref(body);
	if ((g = fake_wait(f, IMSG_RUN_ADDED)) == NULL)
		return (NULL);
	(void)snprintf(id, sizeof(id), "%s", got_str(g, "run"));
	return (id);
}

const char *
got_str(const struct got *g, const char *key)
{
	const char	*s = json_string_value(json_object_get(g->env, key));

	return (s == NULL ? "" : s);
}

int64_t
got_int(const struct got *g, const char *key)
{
	const json_t	*v = json_object_get(g->env, key);

	return (json_is_boolean(v) ? json_is_true(v) : json_integer_value(v));
}

const char *
body_str(const struct got *g, const char *key)
{
	const char	*s = json_string_value(json_object_get(g->body, key));

	return (s == NULL ? "" : s);
}

json_t *
body_get(const struct got *g, const char *key)
{
	return (json_object_get(g->body, key));
}

void
fake_jail(struct fake *f, const char *run)
{
	fake_say(f, IMSG_RUN_JAIL, 0, NULL,
	    "{\"run\": \"%s\", \"jail\": 1, \"python\": \"3.11.2\"}", run);
}
