/*
 * Peers: long bodies, hostile senders, slow readers, and what is left over.
 */
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "peer.h"
#include "test.h"

static struct event_base	*base;
static int			 handled, gone_count;
static size_t			 last_len;
static char			 gone_why[200];

static int
on_event(struct peer *p, struct msg *m)
{
	(void)p;
	handled++;
	last_len = m->bodylen;
	return (m->bodylen == 3 && memcmp(m->body, "bad", 3) == 0 ? -1 : 0);
}

static int
on_any(struct peer *p, struct msg *m)
{
	(void)p;
	(void)m;
	handled++;
	return (0);
}

static void
on_gone(struct peer *p, const char *why)
{
	(void)p;
	gone_count++;
	(void)snprintf(gone_why, sizeof(gone_why), "%s", why);
}

static const struct handler	handlers[] = {
	{ IMSG_SCRIPT_EVENT,	on_event },
	{ IMSG_JAIL_HELLO,	on_any },
	{ IMSG_NODE_CANCEL,	on_any },
	{ IMSG_SUBMIT,		on_any },
	{ 0, NULL },
};
static const struct handler	none[] = { { 0, NULL } };
static const struct peer_ops	broker_ops = { BROKER, handlers, on_gone };
static const struct peer_ops	script_ops = { SCRIPT, none, on_gone };

static int
count_fds(void)
{
	struct dirent	*e;
	DIR		*d = opendir("/proc/self/fd");
	int		 n = 0;

	while (d != NULL && (e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	(void)closedir(d);
	return (n);
}

static void
spin(void)
{
	int	i;

	for (i = 0; i < 50; i++)
		(void)event_base_loop(base, EVLOOP_NONBLOCK);
}

static void
pair(int sv[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
	    0, sv) == -1)
		abort();
	handled = gone_count = 0;
	gone_why[0] = '\0';
}

static json_t *
event_env(void)
{
	return (json_pack("{s:s,s:i}", "kind", "log", "n", 1));
}

static void
test_bodies(void)
{
	static const size_t	sizes[] = { 0, 1, 65000, 65536, 200000,
				    PEER_BODY_MAX };
	struct peer		*a, *b;
	char			*body = calloc(1, PEER_BODY_MAX + 1);
	size_t			 i;
	int			 sv[2];

	pair(sv);
	a = peer_new(base, sv[0], BROKER, "broker", &script_ops, NULL);
	b = peer_new(base, sv[1], SCRIPT, "jail", &broker_ops, NULL);
	memset(body, 'x', PEER_BODY_MAX + 1);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		handled = 0;
		peer_send(a, IMSG_SCRIPT_EVENT, 5, -1, event_env(), body,
		    sizes[i]);
		spin();
		test_case(handled == 1 && last_len == sizes[i],
		    "peer: a body of %zu bytes", sizes[i]);
	}
	peer_send(a, IMSG_SCRIPT_EVENT, 5, -1, event_env(), body,
	    PEER_BODY_MAX + 1);
	spin();
	test_case(gone_count == 2 && handled == 1,
	    "peer: one byte over the limit and both ends are gone");
	(void)b;
	free(body);
}

/* What a hostile jail might send, packet by packet. */
static const struct {
	const char	*what;
	uint32_t	 type;
	const char	*data;
	uint32_t	 type2;		/* 0: no second packet */
	const char	*data2;
	const char	*why;		/* start of the reason */
} hostile[] = {
	{ "an unknown message", 0xbeef, "{}", 0, NULL, "0xbeef: unknown" },
	{ "a keeper's message", IMSG_RUN_ADDED, "{\"run\":\"x\"}", 0, NULL,
	    "RUN_ADDED: may not send it here" },
	{ "a client's message", IMSG_SUBMIT, "{}\nx", 0, NULL,
	    "SUBMIT: may not send it here" },
	{ "no JSON", IMSG_JAIL_HELLO, "hello", 0, NULL, "JAIL_HELLO: " },
	{ "an array", IMSG_JAIL_HELLO, "[]", 0, NULL, "JAIL_HELLO: " },
	{ "deep JSON", IMSG_JAIL_HELLO, "{\"a\":{\"b\":1}}", 0, NULL,
	    "JAIL_HELLO: nested" },
	{ "a missing field", IMSG_JAIL_HELLO, "{\"version\":\"1\"}", 0, NULL,
	    "JAIL_HELLO: python is missing" },
	{ "a body where none is due", IMSG_NODE_CANCEL, "{\"path\":\"/\"}\nx",
	    0, NULL, "NODE_CANCEL: body is not due" },
	{ "a body missing", IMSG_SCRIPT_EVENT, "{\"kind\":\"log\",\"n\":1}",
	    0, NULL, "SCRIPT_EVENT: body is missing" },
	{ "a part out of nowhere", IMSG_PART, "xxx", 0, NULL,
	    "PART: not expected" },
	{ "another message instead of a part", IMSG_SCRIPT_EVENT,
	    "{\"kind\":\"log\",\"n\":1,\"parts\":1}\nx", IMSG_NODE_CANCEL,
	    "{\"path\":\"/\"}", "SCRIPT_EVENT: body cut short" },
	{ "an empty part", IMSG_SCRIPT_EVENT,
	    "{\"kind\":\"log\",\"n\":1,\"parts\":1}\nx", IMSG_PART, "",
	    "PART: not plain bytes" },
	{ "a million parts", IMSG_SCRIPT_EVENT,
	    "{\"kind\":\"log\",\"n\":1,\"parts\":1000000}\nx", 0, NULL,
	    "SCRIPT_EVENT: parts is 1000000" },
	{ "what its handler refuses", IMSG_SCRIPT_EVENT,
	    "{\"kind\":\"log\",\"n\":1}\nbad", 0, NULL,
	    "SCRIPT_EVENT: refused" },
};

static void
raw(struct imsgbuf *ibuf, uint32_t type, const char *data)
{
	struct iovec	iov = { (void *)(uintptr_t)data, strlen(data) };

	if (imsg_composev(ibuf, type, 0, -1, &iov, 1) == -1 ||
	    imsgbuf_write(ibuf) == -1)
		abort();
}

static void
test_hostile(void)
{
	struct imsgbuf	ibuf;
	size_t		i;
	int		sv[2];

	for (i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		pair(sv);
		if (peer_new(base, sv[1], SCRIPT, "jail", &broker_ops, NULL) ==
		    NULL)
			abort();
		imsgbuf_init(&ibuf, sv[0]);
		raw(&ibuf, hostile[i].type, hostile[i].data);
		if (hostile[i].type2 != 0)
			raw(&ibuf, hostile[i].type2, hostile[i].data2);
		spin();
		if (!test_case(gone_count == 1 && strncmp(gone_why,
		    hostile[i].why, strlen(hostile[i].why)) == 0,
		    "peer: dropped for %s", hostile[i].what))
			printf("# got %s\n", gone_why);
		(void)close(sv[0]);
	}
}

static void
test_flood(void)
{
	struct imsgbuf	 ibuf;
	struct peer	*b;
	int		 sv[2], i;

	pair(sv);
	b = peer_new(base, sv[1], SCRIPT, "jail", &broker_ops, NULL);
	imsgbuf_init(&ibuf, sv[0]);
	for (i = 0; i < 10000; i++) {
		raw(&ibuf, IMSG_NODE_CANCEL, "{\"path\":\"/\"}");
		while (ibuf.queued > 0) {
			(void)event_base_loop(base, EVLOOP_NONBLOCK);
			if (imsgbuf_write(&ibuf) == -1)
				abort();
		}
	}
	spin();
	test_case(handled == 10000 && gone_count == 0,
	    "peer: 10,000 packets, each handled");
	(void)close(sv[0]);
	spin();
	test_case(gone_count == 1 && strcmp(gone_why, "closed") == 0,
	    "peer: the end is no fault");
	(void)b;
}

static void
test_slow_reader(void)
{
	struct peer	*a;
	char		 body[4096] = { 0 };
	int		 sv[2], i;

	pair(sv);
	a = peer_new(base, sv[0], BROKER, "broker", &script_ops, NULL);
	peer_set_queue_max(a, 100000);
	for (i = 0; i < 400 && gone_count == 0; i++) {
		peer_send(a, IMSG_SCRIPT_EVENT, 0, -1, event_env(), body,
		    sizeof(body));
		(void)event_base_loop(base, EVLOOP_NONBLOCK);
	}
	test_case(gone_count == 1 && strstr(gone_why, "does not read") != NULL,
	    "peer: who does not read is dropped, not buffered for ever");
	(void)close(sv[1]);
}

static void
test_hold(void)
{
	struct peer	*a, *b;
	int		 sv[2];

	pair(sv);
	a = peer_new(base, sv[0], BROKER, "broker", &script_ops, NULL);
	b = peer_new(base, sv[1], SCRIPT, "jail", &broker_ops, NULL);
	peer_hold(a);
	peer_send(a, IMSG_NODE_CANCEL, 0, -1, json_pack("{s:s}", "path", "/"),
	    NULL, 0);
	spin();
	test_case(handled == 0 && peer_queued(a) > 0, "peer: held back");
	peer_release(a);
	spin();
	test_case(handled == 1 && peer_queued(a) == 0, "peer: released");
	peer_pause(b);
	peer_send(a, IMSG_NODE_CANCEL, 0, -1, json_pack("{s:s}", "path", "/"),
	    NULL, 0);
	spin();
	test_case(handled == 1, "peer: paused");
	peer_resume(b);
	spin();
	test_case(handled == 2, "peer: resumed");
	peer_close(a);
	peer_close(b);
	spin();
	test_case(gone_count == 0, "peer: closing it ourselves is not news");
}

int
main(void)
{
	int	before;

	log_init("test", 0);
	json_object_seed(1);
	if (freopen("/dev/null", "w", stderr) == NULL)
		return (1);
	base = event_base_new();
	before = count_fds();
	test_bodies();
	test_hostile();
	test_flood();
	test_slow_reader();
	test_hold();
	spin();
	test_case(count_fds() == before, "peer: no descriptor is left");
	event_base_free(base);
	return (test_end());
}
