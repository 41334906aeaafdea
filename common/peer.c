/*
 * A peer's life: bytes in, checks, handlers, bytes out, and its end. A peer
 * that breaks the protocol is dropped with one audit line; the process goes
 * on. Freeing is always left to the event loop, so that no handler finds its
 * peer gone under its feet.
 */
#include <sys/types.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "peer_impl.h"

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

/* Close the socket and leave the rest to the event loop. One that is dropped
 * sees that it is only when gone() has been told: whoever has to hear why
 * hears it first. */
static void
peer_finish(struct peer *p, enum peer_end state)
{
	if (p->state != ALIVE)
		return;
	p->state = state;
	(void)event_del(p->in);
	(void)event_del(p->out);
	imsgbuf_clear(&p->ibuf);
	if (state == CLOSED) {
		(void)close(p->ibuf.fd);
		p->ibuf.fd = -1;
	}
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

void
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

int
peer_fd(struct peer *p)
{
	return (p->ibuf.fd);
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

uint64_t
peer_sent(struct peer *p)
{
	return (p->ibuf.sent);
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
