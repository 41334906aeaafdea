/*
 * Errands: one process each, so many at once, the others in a queue.
 */
#include <sys/socket.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "errand.h"
#include "log.h"

#define RUNNING_MAX	32	/* at once */
#define PAUSE_MS	500	/* before the next try, when none can begin */
#define WAITING_MAX	16384	/* no peer has a reason to ask for more */

struct errand {
	STAILQ_ENTRY(errand)	 entry;
	struct warden	*w;
	const struct errand_def	*def;
	uid_t			 uid;
	gid_t			 gid;
	json_t			*env;
	void			*arg;
	struct peer		*peer;
	struct event		*timer;
};

static void	errands_next(struct warden *);

static void
errands_again(int fd, short what, void *arg)
{
	struct warden	*w = arg;

	(void)fd;
	(void)what;
	w->errands_paused = 0;
	errands_next(w);
}

static void
errands_pause(struct warden *w)
{
	const struct timeval	tv = { 0, PAUSE_MS * 1000 };

	if (w->errands_paused)
		return;
	log_warnx("errands wait: no more files or processes to be had");
	w->errands_paused = 1;
	if (event_base_once(w->base, -1, EV_TIMEOUT, errands_again, w,
	    &tv) == -1)
		fatalx("event_base_once");
}

/* It has ended, with or without an answer. Takes fd. */
static void
errand_end(struct errand *e, int error, int fd)
{
	struct warden	*w = e->w;

	e->def->done(w, e->arg, error, fd);
	event_free(e->timer);
	json_decref(e->env);
	free(e);
	w->errands_running--;
	w->errands_count--;
	errands_next(w);
}

/* It can be begun later: this host is short of something. */
static int
is_short(int error)
{
	return (error == EMFILE || error == ENFILE || error == EAGAIN ||
	    error == ENOMEM);
}

/* Once more, a little later, as the first one. */
static void
errand_again(struct errand *e)
{
	struct warden	*w = e->w;

	event_free(e->timer);
	e->timer = NULL;
	e->peer = NULL;
	w->errands_running--;
	STAILQ_INSERT_HEAD(&w->errands, e, entry);
	errands_pause(w);
}

int
on_errand_done(struct peer *p, struct msg *m)
{
	struct errand	*e = peer_ctx(p);
	int		 error = (int)msg_int(m->env, "error");

	peer_close(p);
	if (is_short(error))
		errand_again(e);
	else
		errand_end(e, error, msg_take_fd(m));
	return (0);
}

static void
errand_gone(struct peer *p, const char *why)
{
	(void)why;
	errand_end(peer_ctx(p), EIO, -1);
}

static void
errand_late(int fd, short what, void *arg)
{
	struct errand	*e = arg;

	(void)fd;
	(void)what;
	/* The process has an alarm of its own. */
	peer_close(e->peer);
	errand_end(e, ETIMEDOUT, -1);
}

/* Returns -1 if it has to be tried again. */
static int
errand_begin(struct errand *e)
{
	static const struct handler	 handlers[] = {
		{ IMSG_ERRAND_DONE, on_errand_done }, { 0, NULL }
	};
	static const struct peer_ops	 ops = {
		.self = WARDEN, .handlers = handlers,
		.gone = errand_gone,
	};
	struct timeval			 limit = { e->def->seconds + 1, 0 };
	int				 fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0, fds) == -1)
		return (-1);
	/* Without a launcher its end is closed, and the errand has failed. */
	(void)launch_errand(e->w, e->uid, e->gid, e->def->groups, fds[1]);
	if ((e->peer = peer_new(e->w->base, fds[0], ERRAND, "errand", &ops,
	    e)) == NULL)
		fatal("peer_new");
	peer_allow_fds(e->peer);
	peer_send(e->peer, e->def->type, 0, -1, json_incref(e->env), NULL,
	    0);
	if ((e->timer = event_new(e->w->base, -1, 0, errand_late, e)) ==
	    NULL || event_add(e->timer, &limit) == -1)
		fatalx("errand: event");
	return (0);
}

static void
errands_next(struct warden *w)
{
	struct errand	*e;

	while (w->errands_running < RUNNING_MAX && !w->errands_paused &&
	    (e = STAILQ_FIRST(&w->errands)) != NULL) {
		if (errand_begin(e) == -1) {
			errands_pause(w);
			return;
		}
		STAILQ_REMOVE_HEAD(&w->errands, entry);
		w->errands_running++;
	}
}

void
errand_start(struct warden *w, const struct errand_def *def, uid_t uid,
    gid_t gid, json_t *env, void *arg)
{
	struct errand	*e;

	if ((e = calloc(1, sizeof(*e))) == NULL)
		fatal("errand_start");
	e->w = w;
	e->def = def;
	e->uid = uid;
	e->gid = gid;
	e->env = env;
	e->arg = arg;
	w->errands_count++;
	STAILQ_INSERT_TAIL(&w->errands, e, entry);
	errands_next(w);
}

int
errand_flood(const struct warden *w)
{
	return (w->errands_count >= WAITING_MAX);
}
