/*
 * What libcurl waits for: it says which descriptors and which moment, and
 * libevent waits.
 */
#include <stdlib.h>

#include "http_impl.h"
#include "log.h"

static void
act(struct http *http, curl_socket_t fd, int flags)
{
	int	running;

	(void)curl_multi_socket_action(http->multi, fd, flags, &running);
	http_reap(http);
}

static void
socket_ready(int fd, short what, void *arg)
{
	int	flags = 0;

	if ((what & EV_READ) != 0)
		flags |= CURL_CSELECT_IN;
	if ((what & EV_WRITE) != 0)
		flags |= CURL_CSELECT_OUT;
	act(arg, fd, flags);
}

static void
timer_fired(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	act(arg, CURL_SOCKET_TIMEOUT, 0);
}

static int
on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *socketp)
{
	struct http	*http = arg;
	struct event	*ev = socketp;
	short		 events = EV_PERSIST;

	(void)easy;
	if (ev != NULL)
		event_free(ev);
	(void)curl_multi_assign(http->multi, fd, NULL);
	if (what == CURL_POLL_REMOVE)
		return (0);
	if ((what & CURL_POLL_IN) != 0)
		events |= EV_READ;
	if ((what & CURL_POLL_OUT) != 0)
		events |= EV_WRITE;
	ev = event_new(http->base, fd, events, socket_ready, http);
	if (ev == NULL || event_add(ev, NULL) == -1)
		fatalx("http: event_add");
	(void)curl_multi_assign(http->multi, fd, ev);
	return (0);
}

static int
on_timer(CURLM *multi, long ms, void *arg)
{
	struct http	*http = arg;
	struct timeval	 tv = { ms / 1000, ms % 1000 * 1000 };

	(void)multi;
	if (ms < 0)
		(void)event_del(http->timer);
	else if (event_add(http->timer, &tv) == -1)
		fatalx("http: event_add");
	return (0);
}

struct http *
http_new(struct event_base *base)
{
	struct http	*http;

	if ((http = calloc(1, sizeof(*http))) == NULL)
		return (NULL);
	http->base = base;
	http->timer = event_new(base, -1, 0, timer_fired, http);
	http->multi = curl_multi_init();
	if (http->timer == NULL || http->multi == NULL ||
	    curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION,
	    on_socket) != CURLM_OK ||
	    curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA,
	    http) != CURLM_OK ||
	    curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION,
	    on_timer) != CURLM_OK ||
	    curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA,
	    http) != CURLM_OK) {
		http_free(http);
		return (NULL);
	}
	return (http);
}

void
http_free(struct http *http)
{
	if (http == NULL)
		return;
	if (http->multi != NULL)
		(void)curl_multi_cleanup(http->multi);
	if (http->timer != NULL)
		event_free(http->timer);
	free(http);
}
