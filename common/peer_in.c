/*
 * From packets to handlers: every check that needs no knowledge of a room.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "log.h"
#include "peer_impl.h"

/* Packets taken from one peer before the others get their turn. */
#define PEER_FAIR	32

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

void
peer_hear(struct peer *p)
{
	int	i;

	for (i = 0; i < PEER_FAIR; i++)
		if (p->state != ALIVE || p->paused || peer_take(p) == -1)
			return;
}

void
peer_in(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	peer_hear(arg);
}

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
	    JSON_BODY_DEPTH, why, whylen));
}
