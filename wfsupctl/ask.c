/*
 * One question and its answer.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
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

/* When to say that there is no answer (0: that was said), and to give up. */
struct patience {
	int64_t	notice, deadline;
};

/* Milliseconds until the next of the two. */
static int64_t
patience_left(struct patience *until)
{
	int64_t	now = clock_ms();

	if (until->notice != 0 && now >= until->notice) {
		fprintf(stderr, "wfsupctl: no answer for %d s\n",
		    ASK_NOTICE / 1000);
		until->notice = 0;
	}
	if (until->notice != 0 && until->notice < until->deadline)
		return (until->notice - now);
	return (until->deadline - now);
}

/* Wait for something on the socket, a signal, or the end of patience. */
static int
ask_poll(struct wire *w, int sigfd, struct patience *until, struct failure *f)
{
	struct pollfd	 pfd[2];
	int64_t		 left;

	if ((left = patience_left(until)) <= 0)
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

/* The next message with our number, or that we can't stay; others answer what
 * we gave up on. */
static enum wire_result
ask_get(struct wire *w, uint32_t id, struct reply *r, struct failure *f)
{
	enum wire_result	res;

	while ((res = wire_get(w, r, f)) == WIRE_GOT && r->id != id &&
	    (r->id != 0 || r->def->type != IMSG_REFUSED))
		reply_free(r);
	return (res);
}

int
wire_ask(struct wire *w, uint32_t id, int sigfd, int ms, struct reply *r,
    struct failure *f)
{
	enum wire_result	res;
	int64_t			now = clock_ms();
	struct patience		until = { now + ASK_NOTICE, now + ms };
	int			lost;

	for (;;) {
		/* Who hangs up may have said why. */
		lost = wire_flush(w) == -1;
		if ((res = ask_get(w, id, r, f)) != WIRE_AGAIN)
			break;
		if (lost)
			return (wire_lost(f));
		if (ask_poll(w, sigfd, &until, f) == -1)
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
