/*
 * The real wfsupd and a log daemon: who finds the log socket, and who finds
 * it again.
 */
#include <sys/socket.h>
#include <sys/un.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_client.h"
#include "fake_host.h"
#include "fake_room.h"
#include "test.h"

/* Wait for two texts, in whatever order they come. */
static int
log_recv(int sock, const char *one, const char *other)
{
	struct pollfd	pfd = { .fd = sock, .events = POLLIN };
	int64_t		end = ms() + WAIT_MS;
	char		buf[4096];
	ssize_t		n;
	int		seen = 0;

	while (ms() < end && seen != 3) {
		(void)poll(&pfd, 1, 200);
		n = recv(sock, buf, sizeof(buf) - 1, MSG_DONTWAIT);
		buf[n > 0 ? n : 0] = '\0';
		if (strstr(buf, one) != NULL)
			seen |= 1;
		if (strstr(buf, other) != NULL)
			seen |= 2;
	}
	return (seen == 3 ? 0 : -1);
}

static int
log_bind(void)
{
	struct sockaddr_un	sun = { .sun_family = AF_UNIX };
	int			fd;

	(void)snprintf(sun.sun_path, sizeof(sun.sun_path), "%s",
	    in_dir("syslog"));
	(void)unlink(sun.sun_path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd == -1 || bind(fd, (struct sockaddr *)&sun, sizeof(sun)) == -1)
		exit(1);
	return (fd);
}

static void
test_log_socket(void)
{
	char	conf[512];
	int	sock = log_bind();

	(void)daemon_stop();
	broker_close();
	(void)snprintf(conf, sizeof(conf), "log socket \"%s\"\n",
	    in_dir("syslog"));
	config_write(conf);
	daemon_pid = daemon_fork("-v");
	test_case(log_recv(sock, "wfsupd: ready", "broker: CHANNEL") == 0,
	    "lines go to the log socket, those of a confined room, too");
	kill_child("wfsup-keeper");
	test_case(log_recv(sock, "keeper has died", "broker: CHANNEL") == 0,
	    "also later");
	(void)close(sock);
	sock = log_bind();
	kill_child("wfsup-keeper");
	test_case(log_recv(sock, "keeper has died", "broker: CHANNEL") == 0,
	    "a log daemon that comes back is found again, by rooms, too");
	(void)close(sock);
	(void)daemon_stop();
}

int
main(int argc, char **argv)
{
	fake_room(argc, argv);
	if (host_setup() == -1)
		return (0);
	if (test_case(daemon_start() == 0, "wfsupd starts"))
		test_log_socket();
	host_end(test_failures != 0);
	return (test_end());
}
