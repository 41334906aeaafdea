#include "channel.h"
#include "log.h"

static void
channel_due(int fd, short what, void *arg)
{
	struct channel_wait	*w = arg;

	(void)fd;
	(void)what;
	fatalx("the socket to the %s broke, and none came in its place within "
	    "%d s: starting afresh", w->peer, CHANNEL_WAIT_MS / 1000);
}

void
channel_lost(struct channel_wait *w, struct event_base *base,
    const char *peer)
{
	struct timeval	tv = { CHANNEL_WAIT_MS / 1000,
	    CHANNEL_WAIT_MS % 1000 * 1000 };

	w->peer = peer;
	if (w->timer == NULL)
		w->timer = event_new(base, -1, 0, channel_due, w);
	if (w->timer == NULL || event_add(w->timer, &tv) == -1)
		fatalx("channel_lost");
}

void
channel_back(struct channel_wait *w)
{
	if (w->timer != NULL)
		(void)event_del(w->timer);	/* fails on a bad event only */
}

void
channel_clear(struct channel_wait *w)
{
	if (w->timer != NULL)
		event_free(w->timer);
	w->timer = NULL;
}
