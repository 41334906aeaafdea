/*
 * The sender: an AF_UNIX datagram socket that is never waited for. A syslog
 * daemon that is stopped, slow or gone must not stop a room: what the socket
 * does not take waits in a bounded queue; what the queue does not take is
 * counted, and the count is the first thing said when there is room again.
 */
#include <sys/queue.h>
#include <sys/socket.h>

#include <event2/event.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "log_send.h"

#define QUEUE_LINES	1024
#define RETRY_SECONDS	1

struct line {
	STAILQ_ENTRY(line)	entry;
	char			text[];
};

static STAILQ_HEAD(line_list, line)	queue = STAILQ_HEAD_INITIALIZER(queue);
static size_t			queued;
static unsigned long long	dropped;
static int			sock = -1;
static struct event		*retry;
static void			(*lost)(void *);
static void			*lost_ctx;

/* The classic frame of the local socket: <PRI>Mmm dd hh:mm:ss tag[pid]: */
static int
frame(char *dst, size_t len, int pri, const char *text)
{
	char		stamp[32];
	struct tm	tm;
	time_t		now = time(NULL);

	if (localtime_r(&now, &tm) == NULL ||
	    strftime(stamp, sizeof(stamp), "%b %e %H:%M:%S", &tm) == 0)
		stamp[0] = '\0';
	return (snprintf(dst, len, "<%d>%s wfsupd[%d]: %s", pri, stamp,
	    (int)getpid(), text));
}

/* Returns 0 if the line is gone, -1 if it must wait. */
static int
transmit(const char *text)
{
	if (send(sock, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL) != -1)
		return (0);
	/* Too long for the socket: no later try will do better. */
	return (errno == EMSGSIZE ? 0 : -1);
}

static void
retry_later(void)
{
	struct timeval	tv = { .tv_sec = RETRY_SECONDS };

	if (retry != NULL && !event_pending(retry, EV_TIMEOUT, NULL))
		(void)event_add(retry, &tv);	/* else with the next line */
}

static void
enqueue(const char *text)
{
	struct line	*line;
	size_t		 n = strlen(text) + 1;

	if (queued >= QUEUE_LINES ||
	    (line = malloc(sizeof(*line) + n)) == NULL) {
		dropped++;
		return;
	}
	memcpy(line->text, text, n);
	STAILQ_INSERT_TAIL(&queue, line, entry);
	queued++;
	retry_later();
}

/* Say how many lines were lost. Returns -1 if not even that can be sent. */
static int
tell_dropped(void)
{
	char	text[128], line[256];

	if (dropped == 0)
		return (0);
	(void)snprintf(text, sizeof(text), "event=audit.drop by=%s dropped=%llu",
	    log_who(), dropped);
	(void)frame(line, sizeof(line), LOG_AUTHPRIV | LOG_WARNING, text);
	if (transmit(line) == -1)
		return (-1);
	dropped = 0;
	return (0);
}

/* Send what waits. Returns -1 if something still does. */
static int
drain(void)
{
	struct line	*line;

	while ((line = STAILQ_FIRST(&queue)) != NULL) {
		if (transmit(line->text) == -1)
			return (-1);
		STAILQ_REMOVE_HEAD(&queue, entry);
		queued--;
		free(line);
	}
	return (tell_dropped());
}

static void
retry_fire(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	if (sock == -1 || drain() == 0)
		return;
	if (errno != EAGAIN && errno != ENOBUFS && lost != NULL)
		lost(lost_ctx);
	retry_later();
}

void
log_loop(struct event_base *base, void (*fn)(void *), void *ctx)
{
	lost = fn;
	lost_ctx = ctx;
	if ((retry = event_new(base, -1, 0, retry_fire, NULL)) == NULL)
		fatalx("event_new");
}

void
log_set_socket(int fd)
{
	if (sock != -1)
		(void)close(sock);
	sock = fd;
	if (sock != -1 && drain() == -1)
		retry_later();
}

void
log_flush(void)
{
	struct line	*line;

	if (sock == -1 || drain() == 0)
		return;
	/* Nobody will send these any more: better here than nowhere. */
	while ((line = STAILQ_FIRST(&queue)) != NULL) {
		STAILQ_REMOVE_HEAD(&queue, entry);
		queued--;
		fprintf(stderr, "%s\n", line->text);
		free(line);
	}
	if (dropped > 0)
		fprintf(stderr, "%s: %llu lines for the log are lost\n",
		    log_who(), dropped);
	dropped = 0;
}

void
log_send(int pri, const char *text)
{
	char	line[2304];

	if (sock == -1) {
		fprintf(stderr, "%s\n", text);
		return;
	}
	(void)frame(line, sizeof(line), pri, text);
	if (drain() == -1 || transmit(line) == -1)
		enqueue(line);
}

void
log_clean(char *dst, size_t dstlen, const char *src)
{
	const char	*quote;
	size_t		 n, used = 0;

	/* log_vis() between the characters that are harmless here. */
	for (;; src = quote + 1) {
		quote = strpbrk(src, "\"\\");
		n = quote == NULL ? strlen(src) : (size_t)(quote - src);
		log_vis(dst + used, dstlen - used, src, n);
		used += strlen(dst + used);
		if (quote == NULL || used + 2 > dstlen)
			return;
		dst[used++] = *quote;
		dst[used] = '\0';
	}
}
