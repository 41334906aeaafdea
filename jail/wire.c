/*
 * Messages on descriptor JAIL_FD.
 */
#include <sys/uio.h>

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imsg.h"
#include "msg.h"
#include "room.h"
#include "starter.h"
#include "wire.h"

/* An envelope is short; what it may grow by when parts are counted in it. */
#define ENVELOPE_MAX	(IMSG_DATA_MAX / 2)
#define PARTS_TEXT	40

/* ---- out ---- */

static struct iovec
piece(const char *data, size_t len)
{
	return ((struct iovec){ (char *)(uintptr_t)data, len });
}

/* Send one packet, waiting for room. */
static int
packet_send(uint32_t type, uint32_t id, const struct iovec *iov, size_t n)
{
	struct pollfd	 pfd = { .fd = JAIL_FD, .events = POLLOUT };
	struct imsgbuf	 ibuf;

	imsgbuf_init(&ibuf, JAIL_FD);
	if (imsg_composev(&ibuf, type, id, -1, iov, n) == -1)
		return (-1);
	while (imsgbuf_write(&ibuf) == 0) {
		if (ibuf.queued == 0)
			return (0);
		(void)poll(&pfd, 1, -1);
	}
	imsgbuf_clear(&ibuf);
	return (-1);
}

/* The envelope with the number of parts put in before its closing brace:
 * a new text, or NULL with errno set. */
static char *
envelope_parts(const char *env, size_t len, size_t parts)
{
	char	*text;

	if (len < 2 || env[len - 1] != '}') {
		errno = EINVAL;
		return (NULL);
	}
	if ((text = malloc(len + PARTS_TEXT)) == NULL)
		return (NULL);
	(void)snprintf(text, len + PARTS_TEXT, "%.*s%s\"parts\":%zu}",
	    (int)(len - 1), env, len > 2 ? "," : "", parts);
	return (text);
}

/* What did not fit into the first packet. */
static int
parts_send(uint32_t id, const char *data, size_t len)
{
	struct iovec	iov;
	size_t		n;

	for (; len > 0; data += n, len -= n) {
		n = len < IMSG_DATA_MAX ? len : IMSG_DATA_MAX;
		iov = piece(data, n);
		if (packet_send(IMSG_PART, id, &iov, 1) == -1)
			return (-1);
	}
	return (0);
}

static int
long_send(uint32_t type, uint32_t id, const char *env, size_t envlen,
    const char *body, size_t bodylen)
{
	struct iovec	 iov[3];
	size_t		 rest, share;
	char		*text;
	int		 ret;

	share = IMSG_DATA_MAX - (envlen + PARTS_TEXT);
	rest = bodylen - share;
	text = envelope_parts(env, envlen, rest / IMSG_DATA_MAX +
	    (rest % IMSG_DATA_MAX != 0));
	if (text == NULL)
		return (-1);
	iov[0] = piece(text, strlen(text));
	iov[1] = piece("\n", 1);
	iov[2] = piece(body, share);
	ret = packet_send(type, id, iov, 3);
	free(text);
	return (ret == -1 ? -1 : parts_send(id, body + share, rest));
}

int
wire_send(uint32_t type, uint32_t id, const char *env, const char *body,
    size_t bodylen)
{
	struct iovec	iov[3];
	size_t		envlen = strlen(env);

	if (envlen > ENVELOPE_MAX) {
		errno = EMSGSIZE;
		return (-1);
	}
	if (body != NULL && bodylen > IMSG_DATA_MAX - envlen - PARTS_TEXT)
		return (long_send(type, id, env, envlen, body, bodylen));
	iov[0] = piece(env, envlen);
	iov[1] = piece("\n", 1);
	iov[2] = piece(body, bodylen);
	return (packet_send(type, id, iov, body != NULL ? 3 : 1));
}

int
wire_hello(const char *python)
{
	json_t	*env;
	char	*text;
	int	 ret;

	env = json_pack("{s:s,s:s}", "version", WFSUP_VERSION, "python",
	    python);
	text = env != NULL ? json_dumps(env, JSON_COMPACT) : NULL;
	json_decref(env);
	if (text == NULL) {
		errno = ENOMEM;
		return (-1);
	}
	ret = wire_send(IMSG_JAIL_HELLO, 0, text, NULL, 0);
	free(text);
	return (ret);
}

/* ---- in ---- */

static enum wire_result
packet_recv(struct imsg *imsg)
{
	struct pollfd	 pfd = { .fd = JAIL_FD, .events = POLLIN };
	struct imsgbuf	 ibuf;

	imsgbuf_init(&ibuf, JAIL_FD);
	imsgbuf_wait(&ibuf);
	for (;;)
		switch (imsgbuf_get(&ibuf, imsg)) {
		case IMSG_GOT:
			return (WIRE_GOT);
		case IMSG_AGAIN:
			(void)poll(&pfd, 1, -1);
			break;
		case IMSG_EOF:
			return (WIRE_EOF);
		case IMSG_BAD:
		case IMSG_ERROR:
			return (WIRE_ERROR);
		}
}

static int
body_append(struct wire *w, const char *data, size_t len)
{
	char	*grown;

	if ((grown = realloc(w->body, w->bodylen + len + 1)) == NULL)
		return (-1);
	memcpy(grown + w->bodylen, data, len);
	w->body = grown;
	w->bodylen += len;
	w->body[w->bodylen] = '\0';
	return (0);
}

/* Split the first packet into envelope and body. */
static int
first_in(struct wire *w, const struct imsg *imsg)
{
	const char	*newline;

	w->type = imsg->hdr.type;
	w->id = imsg->hdr.peerid;
	w->envlen = imsg->datalen;
	newline = memchr(imsg->data, '\n', imsg->datalen);
	if (newline != NULL)
		w->envlen = (size_t)(newline - imsg->data);
	if ((w->env = strndup(imsg->data, w->envlen)) == NULL)
		return (-1);
	if (newline == NULL)
		return (0);
	return (body_append(w, newline + 1, imsg->datalen - w->envlen - 1));
}

/* How many parts the envelope announces; 0 if it is not for us to read. */
static json_int_t
parts_of(const struct wire *w)
{
	char		 why[128];
	json_t		*env;
	json_int_t	 parts;

	/* Most have none, and are not worth parsing here. */
	if (w->body == NULL || strstr(w->env, "\"parts\"") == NULL)
		return (0);
	if ((env = msg_parse(w->env, w->envlen, why, sizeof(why))) == NULL)
		return (0);
	parts = json_integer_value(json_object_get(env, "parts"));
	json_decref(env);
	return (parts);
}

static enum wire_result
parts_recv(struct wire *w, json_int_t n)
{
	enum wire_result	ret = WIRE_GOT;
	struct imsg		imsg;

	while (n-- > 0 && ret == WIRE_GOT) {
		if ((ret = packet_recv(&imsg)) != WIRE_GOT)
			break;
		if (imsg.hdr.type != IMSG_PART || imsg.hdr.peerid != w->id ||
		    body_append(w, imsg.data, imsg.datalen) == -1)
			ret = WIRE_ERROR;
		imsg_free(&imsg);
	}
	return (ret);
}

enum wire_result
wire_recv(struct wire *w)
{
	enum wire_result	ret;
	struct imsg		imsg;

	memset(w, 0, sizeof(*w));
	if ((ret = packet_recv(&imsg)) != WIRE_GOT)
		return (ret);
	ret = first_in(w, &imsg) == 0 ? WIRE_GOT : WIRE_ERROR;
	imsg_free(&imsg);
	if (ret == WIRE_GOT)
		ret = parts_recv(w, parts_of(w));
	if (ret != WIRE_GOT)
		wire_free(w);
	return (ret);
}

void
wire_free(struct wire *w)
{
	free(w->env);
	free(w->body);
	w->env = w->body = NULL;
}
