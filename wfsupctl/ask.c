/*
 * One question and its answer.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "ask.h"
#include "clock.h"

int
wire_lost(struct failure *f)
{
	return (failure_set(f, EXIT_UNREACHABLE, "UnavailableError",
	    "the daemon closed the connection before it answered: it stopped "
	    "or is restarting. Try again."));
}

void
reply_refused(const struct reply *r, struct failure *f)
{
	failure_set(f, (int)msg_int(r->env, "exit"), msg_str(r->env, "class"),
	    "%s", msg_str(r->env, "message"));
}

/* Wait for something on the socket, a signal, or the deadline. */
static int
ask_poll(struct wire *w, int sigfd, int64_t deadline, struct failure *f)
{
	struct pollfd	 pfd[2];
	int64_t		 left;

	if ((left = deadline - clock_ms()) <= 0)
		return (failure_set(f, EXIT_UNREACHABLE, "UnavailableError",
		    "the daemon took the question but does not answer."));
	pfd[0] = (struct pollfd){ wire_fd(w), wire_events(w), 0 };
	pfd[1] = (struct pollfd){ sigfd, POLLIN, 0 };	/* -1 is ignored */
	if (poll(pfd, 2, (int)left) == -1 && errno != EINTR)
		return (failure_set(f, EXIT_FAULT, "InternalError",
		    "poll: %s", strerror(errno)));
	if (pfd[1].revents != 0)
		return (failure_set(f, EXIT_LEFT + 2, "InterruptedError",
		    "interrupted before the daemon answered."));
	return (0);
}

/* The next message with our number; others answer what we gave up on. */
static enum wire_result
ask_get(struct wire *w, uint32_t id, struct reply *r, struct failure *f)
{
	enum wire_result	res;

	while ((res = wire_get(w, r, f)) == WIRE_GOT && r->id != id)
		reply_free(r);
	return (res);
}

int
wire_ask(struct wire *w, uint32_t id, int sigfd, int ms, struct reply *r,
    struct failure *f)
{
	enum wire_result	res;
	int64_t			deadline = clock_ms() + ms;

	for (;;) {
		if (wire_flush(w) == -1)
			return (wire_lost(f));
		if ((res = ask_get(w, id, r, f)) != WIRE_AGAIN)
			break;
		if (ask_poll(w, sigfd, deadline, f) == -1)
			return (-1);
	}
	if (res == WIRE_GONE)
		return (wire_lost(f));
	if (res != WIRE_GOT)
		return (-1);
	if (r->def->type == IMSG_REFUSED) {
		reply_refused(r, f);
		reply_free(r);
		return (-1);
	}
	return (0);
}

int
ask_once(const char *path, uint32_t type, uint32_t answer, json_t *env,
    struct reply *r, struct failure *f)
{
	struct wire	*w;
	int		 ret;

	if ((w = wire_open(path, f)) == NULL) {
		json_decref(env);
		return (-1);
	}
	ret = wire_send(w, type, 1, -1, env, NULL, 0, f);
	if (ret == 0)
		ret = wire_ask(w, 1, -1, ASK_TIMEOUT, r, f);
	wire_close(w);
	if (ret == 0 && r->def->type != answer) {
		ret = failure_set(f, EXIT_FAULT, "ProtocolError",
		    "the daemon answered with %s", r->def->name);
		reply_free(r);
	}
	return (ret);
}
