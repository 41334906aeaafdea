#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "clock.h"
#include "follow.h"
#include "question.h"
#include "signals.h"

/* The numbers of our questions on a connection. */
#define ID_FOLLOW	100
#define ID_CANCEL	101
/* Messages taken before signals and the screen get their turn. */
#define FAIR		64
/* Back-off between two tries to connect, in milliseconds. */
#define DELAY_FIRST	100
#define DELAY_MOST	3000
/* A connection that lived this long makes patience begin anew. */
#define STEADY		5000

enum going { GOING, ENDED, FAILED };

struct follower {
	const struct follow	*how;
	struct wire		*wire;		/* NULL: to be connected */
	int64_t			 seq;		/* of the last event */
	int64_t			 connected, lost, next;
	int			 delay;
	struct question		*question;	/* NULL: none is asked */
	int			 cancel;	/* to be sent */
	enum going		 going;
	struct outcome		*out;
	struct failure		*failure;
};

static int
follower_ask(struct follower *fl)
{
	json_t	*env;

	env = json_pack("{s:s, s:I, s:b}", "run", fl->how->run, "after",
	    (json_int_t)fl->seq, "live", fl->how->live);
	if (env == NULL)
		oom();
	return (wire_send(fl->wire, IMSG_FOLLOW, ID_FOLLOW, -1, env, NULL, 0,
	    fl->failure));
}

static void
follower_lose(struct follower *fl)
{
	int64_t	now = clock_ms();

	wire_close(fl->wire);
	fl->wire = NULL;
	if (fl->lost == 0 || now - fl->connected > STEADY) {
		fl->lost = now;
		fl->delay = DELAY_FIRST;
		view_notice(fl->how->view, "the daemon went away; trying "
		    "again for %d s", FOLLOW_PATIENCE / 1000);
	}
	fl->next = now + fl->delay;
	fl->delay = fl->delay * 2 < DELAY_MOST ? fl->delay * 2 : DELAY_MOST;
}

/* It is time to try again, or to give up. */
static void
follower_connect(struct follower *fl)
{
	int64_t	now = clock_ms();

	if (now < fl->next)
		return;
	if (now - fl->lost > FOLLOW_PATIENCE) {
		failure_set(fl->failure, EXIT_UNREACHABLE, "UnavailableError",
		    "the daemon has been away for %d s. The run goes on when "
		    "it is back: wfsupctl follow %s", FOLLOW_PATIENCE / 1000,
		    fl->how->run);
		fl->going = FAILED;
		return;
	}
	fl->connected = now;
	if ((fl->wire = wire_open(fl->how->control, fl->failure)) == NULL ||
	    follower_ask(fl) == -1)
		follower_lose(fl);
}

static void
got_event(struct follower *fl, const struct reply *r)
{
	struct event	ev;

	ev.seq = msg_int(r->env, "seq");
	ev.at = msg_int(r->env, "at");
	ev.kind = msg_str(r->env, "kind");
	/* Pieces of text are not counted: they repeat the last number. */
	if (ev.seq <= fl->seq && strcmp(ev.kind, "text") != 0)
		return;
	if ((ev.body = reply_json(r, fl->failure)) == NULL) {
		fl->going = FAILED;
		return;
	}
	if (ev.seq > fl->seq)
		fl->seq = ev.seq;
	if (fl->lost != 0)
		view_notice(fl->how->view, "the daemon is back");
	fl->lost = 0;
	if (strcmp(ev.kind, "state") == 0)
		snprintf(fl->out->state, sizeof(fl->out->state), "%s",
		    event_str(&ev, "state"));
	view_event(fl->how->view, &ev);
	json_decref(ev.body);
}

static void
got_end(struct follower *fl, struct reply *r)
{
	struct outcome	*out = fl->out;

	out->ended = msg_bool(r->env, "ended");
	if (fl->how->live && !out->ended) {
		follower_lose(fl);	/* it stops: it will be back */
		return;
	}
	out->exit = (int)msg_int(r->env, "exit");
	snprintf(out->state, sizeof(out->state), "%s",
	    msg_str(r->env, "state"));
	if ((out->body = reply_json(r, fl->failure)) == NULL) {
		fl->going = FAILED;
		return;
	}
	out->text = r->body;
	r->body = NULL;
	fl->going = ENDED;
}

static void
got_refused(struct follower *fl, const struct reply *r)
{
	if (r->id == ID_CANCEL) {
		view_notice(fl->how->view, "not cancelled: %s",
		    msg_str(r->env, "message"));
	} else if (msg_int(r->env, "exit") == EXIT_UNREACHABLE) {
		follower_lose(fl);
	} else {
		reply_refused(r, fl->failure);
		fl->going = FAILED;
	}
}

static void
got_reply(struct follower *fl, struct reply *r)
{
	switch (r->def->type) {
	case IMSG_EVENT:
		got_event(fl, r);
		break;
	case IMSG_FOLLOW_END:
		got_end(fl, r);
		break;
	case IMSG_REFUSED:
		got_refused(fl, r);
		break;
	case IMSG_OK:
		view_notice(fl->how->view, "cancelling");
		break;
	default:
		failure_set(fl->failure, EXIT_FAULT, "ProtocolError",
		    "the daemon answered with %s", r->def->name);
		fl->going = FAILED;
	}
}

/* Take what has come. Returns whether there may be more. */
static int
follower_read(struct follower *fl)
{
	struct reply	r;
	int		i;

	for (i = 0; i < FAIR && fl->wire != NULL && fl->going == GOING; i++)
		switch (wire_get(fl->wire, &r, fl->failure)) {
		case WIRE_GOT:
			got_reply(fl, &r);
			reply_free(&r);
			break;
		case WIRE_AGAIN:
			return (0);
		case WIRE_GONE:
			follower_lose(fl);
			return (0);
		case WIRE_BAD:
			fl->going = FAILED;
			return (0);
		}
	return (fl->wire != NULL);
}

static void
follower_leave(struct follower *fl, int status)
{
	failure_set(fl->failure, status, "InterruptedError", "no longer "
	    "following run %s, which goes on. To see it again: wfsupctl follow %s",
	    fl->how->run, fl->how->run);
	fl->going = FAILED;
}

static void
question_done(struct follower *fl)
{
	question_close(fl->question);
	fl->question = NULL;
}

static void
follower_interrupt(struct follower *fl)
{
	if (fl->question != NULL)
		question_done(fl);
	else if (fl->how->ask) {
		view_hide(fl->how->view);
		if ((fl->question = question_open(fl->how->run)) != NULL)
			return;
	}
	follower_leave(fl, EXIT_LEFT + 2);
}

static void
follower_answer(struct follower *fl)
{
	switch (question_read(fl->question)) {
	case ANSWER_NONE:
		return;
	case ANSWER_LEAVE:
		follower_leave(fl, EXIT_LEFT + 2);
		break;
	case ANSWER_CANCEL:
		fl->cancel = 1;
		break;
	case ANSWER_FOLLOW:
		break;
	}
	question_done(fl);
}

static void
follower_signal(struct follower *fl)
{
	switch (signals_next(fl->how->sigfd)) {
	case SIGN_INT:
		follower_interrupt(fl);
		break;
	case SIGN_TERM:
		follower_leave(fl, EXIT_LEFT + 15);
		break;
	case SIGN_RESIZE:
		view_resize(fl->how->view);
		break;
	case SIGN_CONTINUE:
		view_return(fl->how->view);
		if (fl->question != NULL)
			question_again(fl->question);
		break;
	case SIGN_NONE:
		break;
	}
}

/* Send what waits to be sent. */
static void
follower_write(struct follower *fl)
{
	json_t	*env;

	if (fl->wire == NULL)
		return;
	if (fl->cancel) {
		fl->cancel = 0;
		if ((env = json_pack("{s:s}", "run", fl->how->run)) == NULL)
			oom();
		if (wire_send(fl->wire, IMSG_CANCEL, ID_CANCEL, -1, env, NULL,
		    0, fl->failure) == -1) {
			fl->going = FAILED;
			return;
		}
	}
	if (wire_flush(fl->wire) == -1)
		follower_lose(fl);
}

/* How long poll may sleep. While a question is open the screen waits. */
static int
follower_wait(const struct follower *fl)
{
	int64_t	left;
	int	ms = -1;

	if (fl->question == NULL)
		ms = view_wait(fl->how->view);
	if (fl->wire == NULL) {
		left = fl->next - clock_ms();
		left = left < 0 ? 0 : left;
		if (ms == -1 || left < ms)
			ms = (int)left;
	}
	return (ms);
}

static void
follower_turn(struct follower *fl, int more)
{
	struct pollfd	pfd[3];

	pfd[0] = (struct pollfd){ fl->how->sigfd, POLLIN, 0 };
	pfd[1] = (struct pollfd){ question_fd(fl->question), POLLIN, 0 };
	pfd[2] = (struct pollfd){ -1, 0, 0 };
	if (fl->wire != NULL && fl->question == NULL)
		pfd[2] = (struct pollfd){ wire_fd(fl->wire),
		    wire_events(fl->wire), 0 };
	if (poll(pfd, 3, more ? 0 : follower_wait(fl)) == -1 &&
	    errno != EINTR) {
		failure_set(fl->failure, EXIT_FAULT, "InternalError",
		    "poll: %s", strerror(errno));
		fl->going = FAILED;
		return;
	}
	if (pfd[1].revents != 0)
		follower_answer(fl);
	if (pfd[0].revents != 0 && fl->going == GOING)
		follower_signal(fl);
}

static void
follower_loop(struct follower *fl)
{
	int	more = 0;

	while (fl->going == GOING) {
		if (fl->wire == NULL)
			follower_connect(fl);
		follower_write(fl);
		if (fl->going != GOING)
			return;
		follower_turn(fl, more);
		more = 0;
		if (fl->question != NULL || fl->going != GOING)
			continue;
		more = follower_read(fl);
		view_tick(fl->how->view);
	}
}

int
follow(const struct follow *how, struct wire *w, struct outcome *out,
    struct failure *f)
{
	struct follower	fl = { .how = how, .seq = how->after, .out = out,
			    .failure = f };

	memset(out, 0, sizeof(*out));
	fl.wire = w != NULL ? w : wire_open(how->control, f);
	if (fl.wire == NULL)
		return (-1);
	fl.connected = clock_ms();
	if (follower_ask(&fl) == -1)
		fl.going = FAILED;
	follower_loop(&fl);
	question_done(&fl);
	wire_close(fl.wire);
	return (fl.going == ENDED ? 0 : -1);
}
