/*
 * The loop of a starter: parts and orders from the warden in, pidfds and ends
 * of jails out. It blocks, has no event library and no thread, so that a fork
 * of it is small.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "log.h"
#include "starter_impl.h"

/* The jails under construction, each at the place of its pollfd. */
static size_t
poll_fill(struct starter *st, struct pollfd **pfd, struct jail ***who)
{
	struct jail	*j;
	size_t		 n = 2;

	TAILQ_FOREACH(j, &st->jails, entry)
		n += j->report != -1;
	*pfd = reallocarray(*pfd, n, sizeof(**pfd));
	*who = reallocarray(*who, n, sizeof(**who));
	if (*pfd == NULL || *who == NULL)
		fatal("poll");
	(*pfd)[0] = (struct pollfd){ .fd = st->ibuf.fd, .events = POLLIN };
	(*pfd)[1] = (struct pollfd){ .fd = st->signals, .events = POLLIN };
	n = 2;
	TAILQ_FOREACH(j, &st->jails, entry)
		if (j->report != -1) {
			(*pfd)[n] = (struct pollfd){ .fd = j->report,
			    .events = POLLIN };
			(*who)[n++] = j;
		}
	return (n);
}

void
starter_loop(struct starter *st)
{
	struct pollfd	 *pfd = NULL;
	struct jail	**who = NULL;
	size_t		  i, n;

	for (;;) {
		n = poll_fill(st, &pfd, &who);
		if (poll(pfd, n, -1) == -1) {
			if (errno == EINTR)
				continue;
			fatal("poll");
		}
		/* Reports before deaths, and deaths before new orders. */
		for (i = 2; i < n; i++)
			if (pfd[i].revents != 0)
				starter_reported(st, who[i]);
		if (pfd[1].revents != 0)
			starter_reap(st);
		if (pfd[0].revents != 0)
			starter_in(st);
	}
}
