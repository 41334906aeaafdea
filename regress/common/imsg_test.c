/*
 * imsg over SEQPACKET: packets, descriptors, and a hostile sender.
 */
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "imsg.h"
#include "test.h"

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
pair(int sv[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == -1)
		abort();
}

/* Send raw bytes with n copies of a descriptor. */
static void
raw_send(int fd, const void *buf, size_t len, int pass, int n)
{
	union {
		struct cmsghdr	h;
		char		b[CMSG_SPACE(sizeof(int) * 64)];
	} u;
	struct iovec	 iov = { (void *)(uintptr_t)buf, len };
	struct msghdr	 mh = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr	*c;
	int		 i;

	if (n > 0) {
		memset(&u, 0, sizeof(u));
		mh.msg_control = &u;
		mh.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)n);
		c = CMSG_FIRSTHDR(&mh);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)n);
		for (i = 0; i < n; i++)
			memcpy(CMSG_DATA(c) + i * (int)sizeof(int), &pass,
			    sizeof(int));
	}
	if (sendmsg(fd, &mh, 0) == -1)
		printf("# sendmsg: %s\n", strerror(errno));
}

static void
test_round_trip(void)
{
	struct imsgbuf	 a, b;
	struct imsg	 m;
	char		 text[] = "hello";
	struct iovec	 iov[2] = { { text, 3 }, { text + 3, 2 } };
	int		 sv[2];

	pair(sv);
	imsgbuf_init(&a, sv[0]);
	imsgbuf_init(&b, sv[1]);
	test_case(imsgbuf_get(&b, &m) == IMSG_AGAIN, "imsg: nothing there");
	test_case(imsg_composev(&a, 7, 42, -1, iov, 2) == 0 &&
	    imsgbuf_write(&a) == 0 && a.queued == 0, "imsg: sent");
	test_case(imsgbuf_get(&b, &m) == IMSG_GOT && m.hdr.type == 7 &&
	    m.hdr.peerid == 42 && m.datalen == 5 &&
	    memcmp(m.data, "hello", 5) == 0 && m.fd == -1, "imsg: received");
	imsg_free(&m);
	(void)close(sv[0]);
	test_case(imsgbuf_get(&b, &m) == IMSG_EOF, "imsg: the end");
	(void)close(sv[1]);
}

static void
test_sizes(void)
{
	struct imsgbuf	 a, b;
	struct imsg	 m;
	char		*big = calloc(1, IMSG_PACKET_MAX);
	struct iovec	 iov = { big, IMSG_DATA_MAX };
	int		 sv[2];

	pair(sv);
	imsgbuf_init(&a, sv[0]);
	imsgbuf_init(&b, sv[1]);
	test_case(imsg_composev(&a, 1, 0, -1, &iov, 1) == 0 &&
	    imsgbuf_write(&a) == 0 && imsgbuf_get(&b, &m) == IMSG_GOT &&
	    m.datalen == IMSG_DATA_MAX, "imsg: the longest packet");
	imsg_free(&m);
	iov.iov_len++;
	test_case(imsg_composev(&a, 1, 0, -1, &iov, 1) == -1 &&
	    errno == EMSGSIZE, "imsg: one byte more is refused");
	iov.iov_len = 0;
	test_case(imsg_composev(&a, 1, 0, -1, &iov, 1) == 0 &&
	    imsgbuf_write(&a) == 0 && imsgbuf_get(&b, &m) == IMSG_GOT &&
	    m.datalen == 0, "imsg: a packet without data");
	imsg_free(&m);
	imsgbuf_clear(&a);
	free(big);
	(void)close(sv[0]);
	(void)close(sv[1]);
}

static void
test_descriptor(void)
{
	struct imsgbuf	 a, b;
	struct imsg	 m;
	char		 text[] = "x";
	struct iovec	 iov = { text, 1 };
	int		 sv[2], fd, before = count_fds();

	pair(sv);
	imsgbuf_init(&a, sv[0]);
	imsgbuf_init(&b, sv[1]);
	imsgbuf_allow_fdpass(&b);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	test_case(imsg_composev(&a, 1, 0, fd, &iov, 1) == 0 &&
	    imsgbuf_write(&a) == 0, "imsg: a descriptor sent");
	test_case(fcntl(fd, F_GETFD) == -1, "imsg: and closed");
	test_case(imsgbuf_get(&b, &m) == IMSG_GOT && m.fd != -1 &&
	    (fcntl(m.fd, F_GETFD) & FD_CLOEXEC) != 0,
	    "imsg: received, close-on-exec");
	imsg_free(&m);
	(void)close(sv[0]);
	(void)close(sv[1]);
	test_case(count_fds() == before, "imsg: no descriptor is left");
}

static void
hdr_set(char *buf, uint32_t type, uint32_t len)
{
	struct imsg_hdr	h = { type, len, 0, 0 };

	memcpy(buf, &h, sizeof(h));
}

/* Each packet a hostile peer might send, and that it is refused. */
static void
test_hostile(void)
{
	static const struct {
		const char	*what;
		size_t		 bytes;
		uint32_t	 len;
		int		 fds, allow;
	} cases[] = {
		{ "15 bytes", 15, 15, 0, 0 },
		{ "length 0", 20, 0, 0, 0 },
		{ "length 15", 20, 15, 0, 0 },
		{ "length too long", 20, 21, 0, 0 },
		{ "length too short", 20, 19, 0, 0 },
		{ "length 2^32-1", 20, 0xffffffff, 0, 0 },
		{ "a mark without descriptor", 20, 20 | 0x80000000u, 0, 1 },
		{ "a descriptor without mark", 20, 20, 1, 1 },
		{ "two descriptors", 20, 20 | 0x80000000u, 2, 1 },
		{ "sixty descriptors", 20, 20 | 0x80000000u, 60, 1 },
		{ "a descriptor where none may come", 20,
		    20 | 0x80000000u, 1, 0 },
	};
	struct imsgbuf	 b;
	struct imsg	 m;
	char		 buf[32] = { 0 };
	int		 sv[2], null, before;
	size_t		 i;

	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	before = count_fds();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pair(sv);
		imsgbuf_init(&b, sv[1]);
		if (cases[i].allow)
			imsgbuf_allow_fdpass(&b);
		hdr_set(buf, 1, cases[i].len);
		raw_send(sv[0], buf, cases[i].bytes, null, cases[i].fds);
		test_case(imsgbuf_get(&b, &m) == IMSG_BAD,
		    "imsg: refused: %s", cases[i].what);
		(void)close(sv[0]);
		(void)close(sv[1]);
	}
	test_case(count_fds() == before, "imsg: hostile descriptors closed");
	(void)close(null);
}

static void
test_full(void)
{
	struct imsgbuf	 a, b;
	struct imsg	 m;
	char		 data[4096] = { 0 };
	struct iovec	 iov = { data, sizeof(data) };
	int		 sv[2], i, got = 0;

	pair(sv);
	imsgbuf_init(&a, sv[0]);
	imsgbuf_init(&b, sv[1]);
	for (i = 0; i < 500; i++)
		if (imsg_composev(&a, 1, (uint32_t)i, -1, &iov, 1) == -1)
			abort();
	test_case(imsgbuf_write(&a) == 0 && a.queued > 0,
	    "imsg: a full socket keeps the rest queued");
	while (got < 500 && imsgbuf_write(&a) == 0)
		while (imsgbuf_get(&b, &m) == IMSG_GOT) {
			got += m.hdr.peerid == (uint32_t)got;
			imsg_free(&m);
		}
	test_case(got == 500, "imsg: all arrive, in order");
	(void)close(sv[1]);
	test_case(imsg_composev(&a, 1, 0, -1, &iov, 1) == 0 &&
	    imsgbuf_write(&a) == -1 && errno == EPIPE,
	    "imsg: a closed peer is an error, not a signal");
	imsgbuf_clear(&a);
	(void)close(sv[0]);
}

/* Who waits is given what another process sends later, and its end. */
static void
test_wait(void)
{
	struct imsgbuf	 in, out;
	struct imsg	 m;
	pid_t		 pid;
	int		 sv[2];

	pair(sv);
	imsgbuf_init(&in, sv[0]);
	test_case(imsgbuf_get(&in, &m) == IMSG_AGAIN,
	    "who does not wait is told that there is nothing");
	if ((pid = fork()) == -1)
		abort();
	if (pid == 0) {
		(void)usleep(50000);
		imsgbuf_init(&out, sv[1]);
		if (imsg_composev(&out, 7, 1, -1, NULL, 0) == -1 ||
		    imsgbuf_write(&out) == -1)
			_exit(1);
		_exit(0);
	}
	(void)close(sv[1]);
	imsgbuf_wait(&in);
	test_case(imsgbuf_get(&in, &m) == IMSG_GOT && m.hdr.type == 7,
	    "who waits is given the packet");
	imsg_free(&m);
	test_case(imsgbuf_get(&in, &m) == IMSG_EOF, "and told of the end");
	(void)waitpid(pid, NULL, 0);
	(void)close(sv[0]);
}

int
main(void)
{
	test_round_trip();
	test_sizes();
	test_descriptor();
	test_hostile();
	test_full();
	test_wait();
	return (test_end());
}
