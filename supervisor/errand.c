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
	struct supervisor	*sup;
	const struct errand_def	*def;
	uid_t			 uid;
	gid_t			 gid;
	json_t			*env;
	void			*arg;
	struct peer		*peer;
	struct event		*timer;
};

static void	errands_next(struct supervisor *);

static void
errands_again(int fd, short what, void *arg)
{
	struct supervisor	*sup = arg;

	(void)fd;
	(void)what;
	sup->errands_paused = 0;
	errands_next(sup);
}

static void
errands_pause(struct supervisor *sup)
{
	const struct timeval	tv = { 0, PAUSE_MS * 1000 };

	if (sup->errands_paused)
		return;
	log_warnx("errands wait: no more files or processes to be had");
	sup->errands_paused = 1;
	if (event_base_once(sup->base, -1, EV_TIMEOUT, errands_again, sup,
	    &tv) == -1)
		fatalx("event_base_once");
}

/* It has ended, with or without an answer. Takes fd. */
static void
errand_end(struct errand *e, int error, int fd)
{
	struct supervisor	*sup = e->sup;

	e->def->done(sup, e->arg, error, fd);
	event_free(e->timer);
	json_decref(e->env);
	free(e);
	sup->errands_running--;
	sup->errands_count--;
	errands_next(sup);
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
	struct supervisor	*sup = e->sup;

	event_free(e->timer);
	e->timer = NULL;
	e->peer = NULL;
	sup->errands_running--;
	STAILQ_INSERT_HEAD(&sup->errands, e, entry);
	errands_pause(sup);
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
		.self = SUPERVISOR, .handlers = handlers,
		.gone = errand_gone,
	};
	struct timeval			 limit = { e->def->seconds + 1, 0 };
	int				 fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0, fds) == -1)
		return (-1);
	/* Without a launcher its end is closed, and the errand has failed. */
	(void)launch_errand(e->sup, e->uid, e->gid, e->def->groups, fds[1]);
	if ((e->peer = peer_new(e->sup->base, fds[0], ERRAND, "errand", &ops,
	    e)) == NULL)
		fatal("peer_new");
	peer_allow_fds(e->peer);
	peer_send(e->peer, e->def->type, 0, -1, json_incref(e->env), NULL,
	    0);
	if ((e->timer = event_new(e->sup->base, -1, 0, errand_late, e)) ==
	    NULL || event_add(e->timer, &limit) == -1)
		fatalx("errand: event");
	return (0);
}

static void
errands_next(struct supervisor *sup)
{
	struct errand	*e;

	while (sup->errands_running < RUNNING_MAX && !sup->errands_paused &&
	    (e = STAILQ_FIRST(&sup->errands)) != NULL) {
		if (errand_begin(e) == -1) {
			errands_pause(sup);
			return;
		}
		STAILQ_REMOVE_HEAD(&sup->errands, entry);
		sup->errands_running++;
	}
}

void
errand_start(struct supervisor *sup, const struct errand_def *def, uid_t uid,
    gid_t gid, json_t *env, void *arg)
{
	struct errand	*e;

	if ((e = calloc(1, sizeof(*e))) == NULL)
		fatal("errand_start");
	e->sup = sup;
	e->def = def;
	e->uid = uid;
	e->gid = gid;
	e->env = env;
	e->arg = arg;
	sup->errands_count++;
	STAILQ_INSERT_TAIL(&sup->errands, e, entry);
	errands_next(sup);
}

int
errand_flood(const struct supervisor *sup)
{
	return (sup->errands_count >= WAITING_MAX);
}
