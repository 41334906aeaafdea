/*
 * A peer's life: bytes in, checks, handlers, bytes out, and its end. A peer
 * that breaks the protocol is dropped with one audit line; the process goes
 * on. Freeing is always left to the event loop, so that no handler finds its
 * peer gone under its feet.
 */
#include <sys/types.h>
#include <sys/uio.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "log.h"
#include "peer.h"

/* Messages taken from one peer before the others get their turn. */
#define PEER_FAIR	32

enum peer_end { ALIVE, CLOSED, DROPPED };

struct peer {
	struct imsgbuf		 ibuf;
	enum role		 role;
	const struct peer_ops	*ops;
	void			*ctx;
	char			*name;
	struct event		*in, *out, *end;
	size_t			 body_max, queue_max;
	int			 paused, held;
	enum peer_end		 state;
	char			 why[160];

	/* The message whose continuation packets are still to come. */
	struct msg		 whole;
	char			*body;
	size_t			 bodylen;
	int64_t			 parts;
};

static void	peer_in(int, short, void *);
static void	peer_out(int, short, void *);
static void	peer_end(int, short, void *);

static void
peer_free(struct peer *p)
{
	if (p->in != NULL)
		event_free(p->in);
	if (p->out != NULL)
		event_free(p->out);
	if (p->end != NULL)
		event_free(p->end);
	imsgbuf_clear(&p->ibuf);
	if (p->ibuf.fd != -1)
		(void)close(p->ibuf.fd);
	if (p->whole.fd != -1)
		(void)close(p->whole.fd);
	json_decref(p->whole.env);
	free(p->body);
	free(p->name);
	free(p);
}

struct peer *
peer_new(struct event_base *base, int fd, enum role role, const char *name,
    const struct peer_ops *ops, void *ctx)
{
	struct peer	*p;

	if ((p = calloc(1, sizeof(*p))) == NULL) {
		(void)close(fd);
		return (NULL);
	}
	imsgbuf_init(&p->ibuf, fd);
	p->role = role;
	p->ops = ops;
	p->ctx = ctx;
	p->whole.fd = -1;
	p->body_max = PEER_BODY_MAX;
	p->queue_max = PEER_QUEUE_MAX;
	p->name = strdup(name);
	p->in = event_new(base, fd, EV_READ | EV_PERSIST, peer_in, p);
	p->out = event_new(base, fd, EV_WRITE, peer_out, p);
	p->end = event_new(base, -1, 0, peer_end, p);
	if (p->name == NULL || p->in == NULL || p->out == NULL ||
	    p->end == NULL || event_add(p->in, NULL) == -1) {
		peer_free(p);
		errno = ENOMEM;
		return (NULL);
	}
	return (p);
}

/* The end, from the event loop: nobody holds a lent message any more. */
static void
peer_end(int fd, short what, void *arg)
{
	struct peer	*p = arg;

	(void)fd;
	(void)what;
	if (p->state == DROPPED && p->ops->gone != NULL)
		p->ops->gone(p, p->why);
	peer_free(p);
}

/* Close the socket and leave the rest to the event loop. */
static void
peer_finish(struct peer *p, enum peer_end state)
{
	if (p->state != ALIVE)
		return;
	p->state = state;
	(void)event_del(p->in);
	(void)event_del(p->out);
	imsgbuf_clear(&p->ibuf);
	(void)close(p->ibuf.fd);
	p->ibuf.fd = -1;
	event_active(p->end, EV_TIMEOUT, 0);
}

void
peer_close(struct peer *p)
{
	/* Closing wins over a drop that is still on its way. */
	if (p->state == DROPPED)
		p->state = CLOSED;
	peer_finish(p, CLOSED);
}

/* The peer has ended of itself: no fault, no audit line. */
static void
peer_gone(struct peer *p, const char *why)
{
	if (p->state != ALIVE)
		return;
	(void)snprintf(p->why, sizeof(p->why), "%s", why);
	peer_finish(p, DROPPED);
}

void
peer_drop(struct peer *p, const char *why)
{
	char	text[sizeof(p->why)];

	if (p->state != ALIVE)
		return;
	log_vis(text, sizeof(text), why, strlen(why));
	audit("proto.violation", "deny", "peer", p->name, "role",
	    role_name(p->role), "reason", text, NULL);
	peer_gone(p, text);
}

void *
peer_ctx(struct peer *p)
{
	return (p->ctx);
}

enum role
peer_role(struct peer *p)
{
	return (p->role);
}

const char *
peer_name(struct peer *p)
{
	return (p->name);
}

int
peer_fd(struct peer *p)
{
	return (p->ibuf.fd);
}

void
peer_set_name(struct peer *p, const char *name)
{
	char	*copy;

	if ((copy = strdup(name)) == NULL)
		return;		/* the old name still says who it is */
	free(p->name);
	p->name = copy;
}

void
peer_allow_fds(struct peer *p)
{
	imsgbuf_allow_fdpass(&p->ibuf);
}

void
peer_set_body_max(struct peer *p, size_t n)
{
	p->body_max = n;
}

void
peer_set_queue_max(struct peer *p, size_t n)
{
	p->queue_max = n;
}

size_t
peer_queued(struct peer *p)
{
	return (p->ibuf.queued);
}

/* ---- in ---- */

/* Say what is wrong and drop. Always -1. */
static int
peer_bad(struct peer *p, const char *message, const char *why)
{
	char	text[200];

	(void)snprintf(text, sizeof(text), "%s: %s", message, why);
	peer_drop(p, text);
	return (-1);
}

static int
peer_dispatch(struct peer *p, struct msg *m)
{
	const struct handler	*h;

	for (h = p->ops->handlers; h->fn != NULL; h++)
		if (h->type == m->def->type) {
			if (h->fn(p, m) == 0)
				return (0);
			return (peer_bad(p, m->def->name, "refused"));
		}
	fatalx("no handler for %s", m->def->name);
}

static void
whole_clear(struct peer *p)
{
	if (p->whole.fd != -1)
		(void)close(p->whole.fd);
	json_decref(p->whole.env);
	free(p->body);
	memset(&p->whole, 0, sizeof(p->whole));
	p->whole.fd = -1;
	p->body = NULL;
	p->bodylen = 0;
	p->parts = 0;
}

/* The message is whole: hand it over and let go of it. */
static int
whole_deliver(struct peer *p)
{
	struct msg	m = p->whole;
	char		*body = p->body;
	int		 ret;

	m.body = body;
	m.bodylen = p->bodylen;
	memset(&p->whole, 0, sizeof(p->whole));
	p->whole.fd = -1;
	p->body = NULL;
	p->bodylen = 0;
	p->parts = 0;
	ret = peer_dispatch(p, &m);
	if (m.fd != -1)
		(void)close(m.fd);
	json_decref(m.env);
	free(body);
	return (ret);
}

static int
body_append(struct peer *p, const char *data, size_t n)
{
	char	*grown;

	if (n > p->body_max - p->bodylen)
		return (peer_bad(p, p->whole.def->name, "body too long"));
	if (n == 0)
		return (0);
	if ((grown = realloc(p->body, p->bodylen + n)) == NULL)
		return (peer_bad(p, p->whole.def->name, "out of memory"));
	memcpy(grown + p->bodylen, data, n);
	p->body = grown;
	p->bodylen += n;
	return (0);
}

/* A continuation packet. */
static int
part_in(struct peer *p, struct imsg *imsg)
{
	if (p->parts == 0 || imsg->hdr.peerid != p->whole.id)
		return (peer_bad(p, "PART", "not expected"));
	if (imsg->fd != -1 || imsg->datalen == 0)
		return (peer_bad(p, "PART", "not plain bytes"));
	if (body_append(p, imsg->data, imsg->datalen) == -1)
		return (-1);
	return (--p->parts == 0 ? whole_deliver(p) : 0);
}

/* Do the descriptor and the body come as the catalogue says? */
static const char *
shape_check(const struct msgdef *def, const struct imsg *imsg, int has_body)
{
	if ((def->flags & MF_FD) != 0 && imsg->fd == -1)
		return ("descriptor is missing");
	if ((def->flags & (MF_FD | MF_FDOPT)) == 0 && imsg->fd != -1)
		return ("descriptor is not due");
	if ((def->flags & MF_BODY) != 0 && !has_body)
		return ("body is missing");
	if ((def->flags & (MF_BODY | MF_BODYOPT)) == 0 && has_body)
		return ("body is not due");
	return (NULL);
}

/* Parse and check the envelope of len bytes into p->whole. */
static int
envelope_in(struct peer *p, const struct msgdef *def, struct imsg *imsg,
    size_t len)
{
	char	 why[128];
	json_t	*env;

	if ((env = msg_parse(imsg->data, len, why, sizeof(why))) == NULL)
		return (peer_bad(p, def->name, why));
	if (msgdef_check(def, env, why, sizeof(why)) == -1) {
		json_decref(env);
		return (peer_bad(p, def->name, why));
	}
	p->whole.def = def;
	p->whole.id = imsg->hdr.peerid;
	p->whole.env = env;
	p->whole.fd = imsg_get_fd(imsg);
	p->parts = json_integer_value(json_object_get(env, "parts"));
	(void)json_object_del(env, "parts");
	return (0);
}

/* The first packet of a message. */
static int
first_in(struct peer *p, const struct msgdef *def, struct imsg *imsg)
{
	const char	*newline, *why;
	size_t		 len = imsg->datalen;

	newline = memchr(imsg->data, '\n', len);
	if ((why = shape_check(def, imsg, newline != NULL)) != NULL)
		return (peer_bad(p, def->name, why));
	if (newline != NULL)
		len = (size_t)(newline - imsg->data);
	if (envelope_in(p, def, imsg, len) == -1)
		return (-1);
	if (newline != NULL && body_append(p, newline + 1,
	    imsg->datalen - len - 1) == -1)
		return (-1);
	return (p->parts == 0 ? whole_deliver(p) : 0);
}

static int
packet_in(struct peer *p, struct imsg *imsg)
{
	const struct msgdef	*def;
	char			 number[32];

	if (imsg->hdr.type == IMSG_PART)
		return (part_in(p, imsg));
	if (p->parts != 0)
		return (peer_bad(p, p->whole.def->name, "body cut short"));
	if ((def = msgdef_find(imsg->hdr.type)) == NULL) {
		(void)snprintf(number, sizeof(number), "%#x", imsg->hdr.type);
		return (peer_bad(p, number, "unknown message"));
	}
	if ((def->from & (int)p->role) == 0 ||
	    (def->to & (int)p->ops->self) == 0)
		return (peer_bad(p, def->name, "may not send it here"));
	return (first_in(p, def, imsg));
}

/* Take one packet. Returns -1 when there is nothing more to take. */
static int
peer_take(struct peer *p)
{
	struct imsg	imsg;
	int		ret;

	switch (imsgbuf_get(&p->ibuf, &imsg)) {
	case IMSG_GOT:
		ret = packet_in(p, &imsg);
		imsg_free(&imsg);
		if (ret == -1)
			whole_clear(p);
		return (ret);
	case IMSG_AGAIN:
		return (-1);
	case IMSG_EOF:
		if (p->parts != 0)
			(void)peer_bad(p, p->whole.def->name, "body cut short");
		peer_gone(p, "closed");
		return (-1);
	case IMSG_BAD:
		return (peer_bad(p, "packet", "malformed"));
	case IMSG_ERROR:
		peer_gone(p, strerror(errno));
		return (-1);
	}
	fatalx("peer_take");
}

static void
peer_in(int fd, short what, void *arg)
{
	struct peer	*p = arg;
	int		 i;

	(void)fd;
	(void)what;
	for (i = 0; i < PEER_FAIR; i++)
		if (p->state != ALIVE || p->paused || peer_take(p) == -1)
			return;
}

void
peer_pause(struct peer *p)
{
	if (p->state == ALIVE && !p->paused)
		(void)event_del(p->in);
	p->paused = 1;
}

void
peer_resume(struct peer *p)
{
	if (p->state == ALIVE && p->paused && event_add(p->in, NULL) == -1)
		fatalx("event_add");
	p->paused = 0;
}

/* ---- out ---- */

static void
peer_write(struct peer *p)
{
	if (p->state != ALIVE || p->held)
		return;
	if (imsgbuf_write(&p->ibuf) == -1)
		peer_gone(p, errno == EPIPE || errno == ECONNRESET ?
		    "closed" : strerror(errno));
	else if (p->ibuf.queued > p->queue_max)
		peer_drop(p, "does not read what it is sent");
	else if (p->ibuf.queued > 0 && event_add(p->out, NULL) == -1)
		fatalx("event_add");
}

static void
peer_out(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	peer_write(arg);
}

/* Queue body from byte off on as continuation packets. */
static void
parts_out(struct peer *p, uint32_t id, const char *body, size_t n)
{
	struct iovec	iov;
	size_t		step;

	for (; n > 0; body += step, n -= step) {
		step = n < IMSG_DATA_MAX ? n : IMSG_DATA_MAX;
		iov.iov_base = (char *)(uintptr_t)body;
		iov.iov_len = step;
		if (imsg_composev(&p->ibuf, IMSG_PART, id, -1, &iov, 1) == -1)
			fatal("imsg_composev");
	}
}

/* What of a body of n bytes goes with an envelope of len; sets parts. */
static size_t
first_share(json_t *env, size_t len, size_t n)
{
	size_t	room, parts;

	if (len + 1 + n <= IMSG_DATA_MAX)
		return (n);
	room = IMSG_DATA_MAX - len - 1 - sizeof(",\"parts\":4096");
	parts = (n - room + IMSG_DATA_MAX - 1) / IMSG_DATA_MAX;
	if (json_object_set_new(env, "parts",
	    json_integer((json_int_t)parts)) == -1)
		fatalx("json_object_set_new");
	return (room);
}

static char *
envelope_text(const json_t *env)
{
	char	*text;

	if ((text = json_dumps(env, JSON_COMPACT)) == NULL)
		fatalx("json_dumps: out of memory");
	return (text);
}

/* An envelope that breaks the catalogue is our own fault. */
static void
envelope_check(struct peer *p, const struct msgdef *def, const json_t *env,
    int fd)
{
	char	why[128];

	if ((def->from & (int)p->ops->self) == 0 ||
	    (def->to & (int)p->role) == 0)
		fatalx("%s is not ours to send to %s", def->name, p->name);
	if (msgdef_check(def, env, why, sizeof(why)) == -1)
		fatalx("sending %s: %s", def->name, why);
	if (((def->flags & MF_FD) != 0 && fd == -1) ||
	    ((def->flags & (MF_FD | MF_FDOPT)) == 0 && fd != -1))
		fatalx("sending %s: descriptor %d", def->name, fd);
}

static void
message_out(struct peer *p, const struct msgdef *def, uint32_t id, int fd,
    json_t *env, const char *body, size_t bodylen)
{
	struct iovec	 iov[3];
	char		*text;
	size_t		 share = 0, n = 1;

	text = envelope_text(env);
	if ((def->flags & MF_BODY) != 0 || bodylen > 0) {
		share = first_share(env, strlen(text), bodylen);
		if (share != bodylen) {
			free(text);
			text = envelope_text(env);
		}
		iov[n].iov_base = (char *)(uintptr_t)"\n";
		iov[n++].iov_len = 1;
		iov[n].iov_base = (char *)(uintptr_t)body;
		iov[n++].iov_len = share;
	}
	iov[0].iov_base = text;
	iov[0].iov_len = strlen(text);
	if (imsg_composev(&p->ibuf, def->type, id, fd, iov, n) == -1)
		fatal("imsg_composev: %s", def->name);
	parts_out(p, id, body + share, bodylen - share);
	free(text);
}

void
peer_send(struct peer *p, uint32_t type, uint32_t id, int fd, json_t *env,
    const void *body, size_t bodylen)
{
	const struct msgdef	*def = msgdef_find(type);

	if (env == NULL)
		env = json_object();
	if (def == NULL || env == NULL)
		fatalx("peer_send: message %#x", type);
	envelope_check(p, def, env, fd);
	if (p->state != ALIVE) {
		if (fd != -1)
			(void)close(fd);
	} else {
		message_out(p, def, id, fd, env,
		    body == NULL ? "" : body, bodylen);
		event_active(p->out, EV_WRITE, 0);
	}
	json_decref(env);
}

void
peer_send_json(struct peer *p, uint32_t type, uint32_t id, int fd,
    json_t *env, json_t *body)
{
	char	*text;

	text = json_dumps(body, JSON_COMPACT | JSON_ENCODE_ANY);
	if (text == NULL)
		fatalx("peer_send_json: can't encode the body");
	peer_send(p, type, id, fd, env, text, strlen(text));
	free(text);
	json_decref(body);
}

void
peer_hold(struct peer *p)
{
	p->held = 1;
}

void
peer_release(struct peer *p)
{
	p->held = 0;
	peer_write(p);
}

void
peer_flush(struct peer *p, int ms)
{
	struct pollfd	pfd = { .fd = p->ibuf.fd, .events = POLLOUT };
	struct timespec	now, end;

	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += ms % 1000 * 1000000L;
	while (p->state == ALIVE && p->ibuf.queued > 0) {
		if (imsgbuf_write(&p->ibuf) == -1)
			return;
		(void)clock_gettime(CLOCK_MONOTONIC, &now);
		if (p->ibuf.queued == 0 || now.tv_sec > end.tv_sec ||
		    (now.tv_sec == end.tv_sec && now.tv_nsec > end.tv_nsec))
			return;
		(void)poll(&pfd, 1, 10);
	}
}

/* ---- messages ---- */

int
msg_take_fd(struct msg *m)
{
	int	fd = m->fd;

	m->fd = -1;
	return (fd);
}

json_t *
msg_body(const struct msg *m, char *why, size_t whylen)
{
	return (json_parse(m->body == NULL ? "" : m->body, m->bodylen,
	    JSON_DEPTH_MAX, why, whylen));
}

void
peer_check_handlers(enum role self, int from, const struct handler *handlers)
{
	const struct msgdef	*def;
	const struct handler	*h;
	size_t			 i;

	for (i = 0; (def = msgdef_at(i)) != NULL; i++) {
		if ((def->flags & MF_RAW) != 0 || (def->from & from) == 0 ||
		    (def->to & (int)self) == 0)
			continue;
		for (h = handlers; h->fn != NULL; h++)
			if (h->type == def->type)
				break;
		if (h->fn == NULL)
			fatalx("no handler for %s", def->name);
	}
}
