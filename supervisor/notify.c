/*
 * The service manager: sd_notify(3) and its watchdog, by a datagram of our
 * own.
 */
#include <sys/socket.h>
#include <sys/un.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "supervisor.h"

void
notify_send(const char *text)
{
	struct sockaddr_un	 sun = { .sun_family = AF_UNIX };
	const char		*path = getenv("NOTIFY_SOCKET");
	size_t			 len;
	int			 fd;

	if (path == NULL || (path[0] != '/' && path[0] != '@') ||
	    (len = strlen(path)) >= sizeof(sun.sun_path))
		return;
	memcpy(sun.sun_path, path, len);
	if (path[0] == '@')
		sun.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd == -1 || sendto(fd, text, strlen(text), MSG_NOSIGNAL,
	    (struct sockaddr *)&sun, (socklen_t)(offsetof(struct sockaddr_un,
	    sun_path) + len)) == -1)
		log_warn("the service manager can't be told %s", text);
	if (fd != -1)
		(void)close(fd);
}

/* From the event loop, so that a loop that is stuck is seen. */
static void
notify_alive(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	notify_send("WATCHDOG=1");
	watch_rooms(arg);
}

void
notify_init(struct supervisor *sup)
{
	const char	*usec = getenv("WATCHDOG_USEC");
	const char	*pid = getenv("WATCHDOG_PID");
	struct timeval	 half;
	struct event	*ev;
	long long	 n;

	if (usec == NULL || (n = strtoll(usec, NULL, 10)) < 2 ||
	    (pid != NULL && strtoll(pid, NULL, 10) != getpid()))
		return;
	half.tv_sec = (time_t)(n / 2 / 1000000);
	half.tv_usec = (suseconds_t)(n / 2 % 1000000);
	if ((ev = event_new(sup->base, -1, EV_PERSIST, notify_alive,
	    sup)) == NULL || event_add(ev, &half) == -1)
		fatalx("the watchdog can't be set up");
}
