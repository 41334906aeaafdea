/*
 * From messages to packets, and their way out.
 */
#include <sys/types.h>
#include <sys/uio.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "dump.h"
#include "log.h"
#include "peer_impl.h"

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

void
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

	text = dump_json(env);
	if ((def->flags & MF_BODY) != 0 || bodylen > 0) {
		share = first_share(env, strlen(text), bodylen);
		if (share != bodylen) {
			free(text);
			text = dump_json(env);
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

	text = dump_json(body);
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
	int64_t		end = clock_ms() + ms;

	while (p->state == ALIVE && p->ibuf.queued > 0) {
		if (imsgbuf_write(&p->ibuf) == -1)
			return;
		if (p->ibuf.queued == 0 || clock_ms() > end)
			return;
		(void)poll(&pfd, 1, 10);
	}
}
