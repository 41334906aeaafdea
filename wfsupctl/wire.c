#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "imsg.h"
#include "wire.h"

/* How long a daemon whose backlog is full is waited for. */
#define CONNECT_TRIES	100
#define CONNECT_PAUSE	50

struct wire {
	struct imsgbuf	 buf;
	struct reply	 half;	/* the message whose parts are coming */
	int64_t		 parts;	/* how many more */
};

static int
wire_refused(const char *path, int error, struct failure *f)
{
	switch (error) {
	case ENOENT:
	case ECONNREFUSED:
		return (failure_set(f, EXIT_UNREACHABLE, "UnavailableError",
		    "the daemon is not running: nobody listens on %s. Start "
		    "wfsupd(8), or name its socket with -s or WFSUP_CONTROL.",
		    path));
	case EACCES:
	case EPERM:
		return (failure_set(f, EXIT_UNREACHABLE, "UnavailableError",
		    "you may not open %s: ask the administrator for access to "
		    "the control socket.", path));
	case EAGAIN:
		return (failure_set(f, EXIT_UNREACHABLE, "UnavailableError",
		    "the daemon at %s does not take the connection: it is "
		    "overloaded or stopped. Try again.", path));
	default:
		return (failure_set(f, EXIT_UNREACHABLE, "UnavailableError",
		    "can't connect to the daemon at %s: %s.", path,
		    strerror(error)));
	}
}

/* Connect a non-blocking socket; a full backlog is tried again for a while. */
static int
wire_connect(int fd, const struct sockaddr_un *sun)
{
	int	tries;

	for (tries = 0; tries < CONNECT_TRIES; tries++) {
		if (connect(fd, (const struct sockaddr *)sun,
		    sizeof(*sun)) == 0)
			return (0);
		if (errno != EAGAIN && errno != EINTR)
			return (-1);
		(void)poll(NULL, 0, CONNECT_PAUSE);	/* only a pause */
		errno = EAGAIN;
	}
	return (-1);
}

struct wire *
wire_open(const char *path, struct failure *f)
{
	struct sockaddr_un	 sun = { .sun_family = AF_UNIX };
	struct wire		*w;
	int			 fd;

	if (strlen(path) >= sizeof(sun.sun_path)) {
		failure_set(f, EXIT_USAGE, "UsageError",
		    "the path of the control socket is too long: %s", path);
		return (NULL);
	}
	memcpy(sun.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd == -1 || wire_connect(fd, &sun) == -1) {
		wire_refused(path, errno, f);
		if (fd != -1)
			close(fd);
		return (NULL);
	}
	if ((w = calloc(1, sizeof(*w))) == NULL)
		oom();
	imsgbuf_init(&w->buf, fd);
	return (w);
}

void
wire_close(struct wire *w)
{
	if (w == NULL)
		return;
	reply_free(&w->half);
	imsgbuf_clear(&w->buf);
	close(w->buf.fd);
	free(w);
}

int
wire_fd(const struct wire *w)
{
	return (w->buf.fd);
}

short
wire_events(const struct wire *w)
{
	return (w->buf.queued > 0 ? POLLIN | POLLOUT : POLLIN);
}

int
wire_flush(struct wire *w)
{
	return (imsgbuf_write(&w->buf));
}

/* Queue the bytes of body as parts of one packet each. */
static int
wire_send_parts(struct wire *w, uint32_t id, const char *body, size_t len)
{
	struct iovec	iov;

	while (len > 0) {
		iov.iov_base = (void *)(uintptr_t)body;
		iov.iov_len = len < IMSG_DATA_MAX ? len : IMSG_DATA_MAX;
		if (imsg_composev(&w->buf, IMSG_PART, id, -1, &iov, 1) == -1)
			return (-1);
		body += iov.iov_len;
		len -= iov.iov_len;
	}
	return (0);
}

/* Queue an envelope with as much of the body as fits, then the rest. */
static int
wire_compose(struct wire *w, uint32_t type, uint32_t id, int fd,
    const char *env, const char *body, size_t bodylen, size_t first)
{
	struct iovec	iov[3];

	iov[0].iov_base = (void *)(uintptr_t)env;
	iov[0].iov_len = strlen(env);
	iov[1].iov_base = (void *)(uintptr_t)"\n";
	iov[1].iov_len = 1;
	iov[2].iov_base = (void *)(uintptr_t)body;
	iov[2].iov_len = first;
	if (imsg_composev(&w->buf, type, id, fd, iov, body == NULL ? 1 : 3) ==
	    -1)
		return (-1);
	if (body == NULL)
		return (0);
	return (wire_send_parts(w, id, body + first, bodylen - first));
}

/* Bytes of the body that go with the envelope: all if it is short. */
static size_t
wire_first(json_t *env, size_t bodylen)
{
	size_t	 room;

	room = IMSG_DATA_MAX - 8192;	/* the envelope takes less */
	if (bodylen <= room)
		return (bodylen);
	if (json_object_set_new(env, "parts", json_integer((json_int_t)
	    ((bodylen - room + IMSG_DATA_MAX - 1) / IMSG_DATA_MAX))) == -1)
		oom();
	return (room);
}

int
wire_send(struct wire *w, uint32_t type, uint32_t id, int fd, json_t *env,
    const char *body, size_t bodylen, struct failure *f)
{
	const struct msgdef	*def = msgdef_find(type);
	char			 why[256], *text;
	size_t			 first;
	int			 ret;

	if (env == NULL && (env = json_object()) == NULL)
		oom();
	first = body == NULL ? 0 : wire_first(env, bodylen);
	if (def == NULL || msgdef_check(def, env, why, sizeof(why)) == -1) {
		json_decref(env);
		if (fd != -1)
			close(fd);
		return (failure_set(f, EXIT_USAGE, "UsageError",
		    "the daemon would not take this: %s", why));
	}
	text = json_dumps(env, JSON_COMPACT);
	json_decref(env);
	if (text == NULL)
		oom();
	ret = wire_compose(w, type, id, fd, text, body, bodylen, first);
	free(text);
	if (ret == -1)
		return (failure_set(f, EXIT_FAULT, "InternalError",
		    "can't send to the daemon: %s", strerror(errno)));
	return (0);
}

void
reply_free(struct reply *r)
{
	json_decref(r->env);
	free(r->body);
	memset(r, 0, sizeof(*r));
}

static enum wire_result
wire_nonsense(struct failure *f, const char *what)
{
	failure_set(f, EXIT_FAULT, "ProtocolError",
	    "the daemon's answer can't be understood (%s): is it another "
	    "version than this wfsupctl?", what);
	return (WIRE_BAD);
}

/* Append bytes to the body, which is always one NUL longer than it is. */
static int
reply_append(struct reply *r, const char *data, size_t len)
{
	char	*body;

	if (len > WIRE_BODY_MAX || r->bodylen + len > WIRE_BODY_MAX)
		return (-1);
	if ((body = realloc(r->body, r->bodylen + len + 1)) == NULL)
		oom();
	memcpy(body + r->bodylen, data, len);
	r->body = body;
	r->bodylen += len;
	r->body[r->bodylen] = '\0';
	return (0);
}

/* May the broker send this to us? */
static int
wire_permitted(const struct msgdef *def)
{
	return (def != NULL && (def->from & BROKER) != 0 &&
	    (def->to & CONTROL) != 0 && (def->flags & MF_RAW) == 0);
}

/* Take the first packet of a message into w->half. */
static enum wire_result
wire_begin(struct wire *w, const struct imsg *imsg, struct failure *f)
{
	struct reply	*r = &w->half;
	const char	*nl;
	char		 why[256];
	size_t		 envlen;

	r->def = msgdef_find(imsg->hdr.type);
	r->id = imsg->hdr.peerid;
	if (!wire_permitted(r->def))
		return (wire_nonsense(f, "a message not for us"));
	nl = memchr(imsg->data, '\n', imsg->datalen);
	envlen = nl == NULL ? imsg->datalen : (size_t)(nl - imsg->data);
	if ((r->env = msg_parse(imsg->data, envlen, why, sizeof(why))) ==
	    NULL || msgdef_check(r->def, r->env, why, sizeof(why)) == -1)
		return (wire_nonsense(f, why));
	if ((nl != NULL) != ((r->def->flags & MF_BODY) != 0))
		return (wire_nonsense(f, "a body where there is none, or "
		    "none where there is one"));
	w->parts = msg_int(r->env, "parts");
	if (nl != NULL && reply_append(r, nl + 1,
	    imsg->datalen - envlen - 1) == -1)
		return (wire_nonsense(f, "too long"));
	return (WIRE_GOT);
}

static enum wire_result
wire_continue(struct wire *w, const struct imsg *imsg, struct failure *f)
{
	if (imsg->hdr.type != IMSG_PART || imsg->hdr.peerid != w->half.id)
		return (wire_nonsense(f, "a part is missing"));
	if (reply_append(&w->half, imsg->data, imsg->datalen) == -1)
		return (wire_nonsense(f, "too long"));
	w->parts--;
	return (WIRE_GOT);
}

/* That our question was not read, which looks like the end, is told before
 * what was sent to us. */
static enum imsg_result
wire_receive(struct wire *w, struct imsg *imsg)
{
	enum imsg_result	res = imsgbuf_get(&w->buf, imsg);

	if (res == IMSG_EOF)
		res = imsgbuf_get(&w->buf, imsg);
	return (res);
}

/* Receive one packet. WIRE_GOT if w->half is then a whole message. */
static enum wire_result
wire_packet(struct wire *w, struct failure *f)
{
	enum wire_result	 res;
	struct imsg		 imsg;

	switch (wire_receive(w, &imsg)) {
	case IMSG_GOT:
		break;
	case IMSG_AGAIN:
		return (WIRE_AGAIN);
	case IMSG_EOF:
	case IMSG_ERROR:
		return (WIRE_GONE);
	case IMSG_BAD:
		return (wire_nonsense(f, "not a packet of ours"));
	}
	if (w->parts > 0)
		res = wire_continue(w, &imsg, f);
	else
		res = wire_begin(w, &imsg, f);
	imsg_free(&imsg);
	return (res);
}

enum wire_result
wire_get(struct wire *w, struct reply *r, struct failure *f)
{
	enum wire_result	res;

	do {
		if ((res = wire_packet(w, f)) != WIRE_GOT)
			return (res);
	} while (w->parts > 0);
	*r = w->half;
	memset(&w->half, 0, sizeof(w->half));
	return (WIRE_GOT);
}

json_t *
reply_json(const struct reply *r, struct failure *f)
{
	json_error_t	 error;
	json_t		*body;

	if (r->body == NULL) {
		wire_nonsense(f, "no body");
		return (NULL);
	}
	body = json_loadb(r->body, r->bodylen, JSON_REJECT_DUPLICATES |
	    JSON_DECODE_ANY, &error);
	if (body == NULL)
		wire_nonsense(f, error.text);
	return (body);
}
