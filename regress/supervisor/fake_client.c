/*
 * What the test says as the broker, and what it is told.
 */
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_client.h"
#include "fake_host.h"
#include "imsg.h"

struct heard		 got = { NULL, -1, 0 };

static struct imsgbuf	 broker = { .fd = -1 };

int
broker_connect(void)
{
	struct sockaddr_un	sun = { .sun_family = AF_UNIX };
	int64_t			end = ms() + WAIT_MS;
	int			fd;

	(void)snprintf(sun.sun_path, sizeof(sun.sun_path), "%s",
	    in_dir("control"));
	if ((fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC |
	    SOCK_NONBLOCK, 0)) == -1)
		return (-1);
	while (connect(fd, (struct sockaddr *)&sun, sizeof(sun)) == -1) {
		if (ms() > end) {
			(void)close(fd);
			return (-1);
		}
		nap(20);
	}
	imsgbuf_init(&broker, fd);
	imsgbuf_allow_fdpass(&broker);
	return (0);
}


void
broker_close(void)
{
	if (broker.fd == -1)
		return;
	imsgbuf_clear(&broker);
	(void)close(broker.fd);
	broker.fd = -1;
}

void
say(uint32_t type, uint32_t id, int fd, json_t *env)
{
	char		*text = json_dumps(env, JSON_COMPACT);
	struct iovec	 iov = { text, strlen(text) };

	if (imsg_composev(&broker, type, id, fd, &iov, 1) == -1 ||
	    imsgbuf_write(&broker) == -1)
		perror("say");
	free(text);
	json_decref(env);
}


static void
got_clear(void)
{
	json_decref(got.env);
	if (got.fd != -1)
		(void)close(got.fd);
	got.env = NULL;
	got.fd = -1;
}

static void
got_show(const char *mark)
{
	char	*text = json_dumps(got.env, 0);

	printf("# %s %s\n", mark, text != NULL ? text : "nothing came");
	free(text);
}

int
expect(uint32_t type)
{
	struct pollfd	pfd = { .fd = broker.fd, .events = POLLIN };
	int64_t		end = ms() + WAIT_MS, left;
	struct imsg	imsg;
	int		found;

	got_clear();
	while ((left = end - ms()) > 0) {
		(void)poll(&pfd, 1, (int)left);
		switch (imsgbuf_get(&broker, &imsg)) {
		case IMSG_GOT:
			break;
		case IMSG_AGAIN:
			continue;
		default:
			return (-1);
		}
		got.env = json_loadb(imsg.data, imsg.datalen, 0, NULL);
		got.fd = imsg_get_fd(&imsg);
		got.id = imsg.hdr.peerid;
		found = imsg.hdr.type == type;
		imsg_free(&imsg);
		if (found)
			return (0);
		got_show("skipped:");
		got_clear();
	}
	return (-1);
}

void
ask_jail(uint32_t id, const char *kind, int sandbox, int fd, const char *more)
{
	json_t	*env, *over;

	env = json_pack("{s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i}",
	    "kind", kind, "run", "r1", "uid", 1000, "gid", 1000,
	    "memory", 256 << 20, "pids", 32, "cpu", 10, "wall", 60,
	    "fsize", 1 << 20, "files", 64);
	if (sandbox > 0)
		(void)json_object_set_new(env, "sandbox",
		    json_integer(sandbox));
	if ((over = json_loads(more, 0, NULL)) != NULL)
		(void)json_object_update(env, over);
	json_decref(over);
	say(IMSG_JAIL_START, id, fd, env);
}


int64_t
start_jail(const char *kind, int sandbox, int fd, const char *more, int *end)
{
	ask_jail(7, kind, sandbox, fd, more);
	if (expect(IMSG_JAIL_STARTED) == -1)
		return (-1);
	*end = got.fd;
	got.fd = -1;
	return (msg_int(got.env, "jail"));
}

void
kill_jail(int64_t jail, const char *cause)
{
	say(IMSG_JAIL_KILL, 0, -1, json_pack("{s:I,s:s}", "jail",
	    (json_int_t)jail, "cause", cause));
}

int
exited(int64_t jail, const char *cause, int ours)
{
	if (expect(IMSG_JAIL_EXIT) == 0 && msg_int(got.env, "jail") == jail &&
	    strcmp(msg_str(got.env, "cause"), cause) == 0 &&
	    msg_bool(got.env, "ours") == ours)
		return (1);
	got_show("heard:");
	return (0);
}

int
row_ok(const char *name)
{
	while (expect(IMSG_HOST_ROW) == 0)
		if (strcmp(msg_str(got.env, "name"), name) == 0)
			return (msg_bool(got.env, "ok"));
	return (-1);
}
