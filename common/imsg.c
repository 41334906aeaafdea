/*
 * imsg over SOCK_SEQPACKET. The kernel keeps packet boundaries and ties a
 * descriptor to its packet, so there is no reassembly state that a hostile
 * peer could confuse.
 */
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "imsg.h"

#define IMSG_FD_MARK	0x80000000u
#define IMSG_IOV_MAX	8

struct imsg_out {
	TAILQ_ENTRY(imsg_out)	 entry;
	int			 fd;
	size_t			 len;
	char			 packet[];
};

/* Room for more descriptors than allowed, so that extra ones are seen. */
union fd_control {
	struct cmsghdr	hdr;
	char		buf[CMSG_SPACE(sizeof(int) * 4)];
};

void
imsgbuf_init(struct imsgbuf *ibuf, int fd)
{
	ibuf->fd = fd;
	ibuf->pid = (uint32_t)getpid();
	ibuf->fdpass = 0;
	ibuf->wait = 0;
	ibuf->queued = 0;
	ibuf->sent = 0;
	TAILQ_INIT(&ibuf->queue);
}

void
imsgbuf_allow_fdpass(struct imsgbuf *ibuf)
{
	ibuf->fdpass = 1;
}

void
imsgbuf_wait(struct imsgbuf *ibuf)
{
	ibuf->wait = 1;
}

/* Take the first descriptor of mh, close all others. Returns their number. */
static size_t
control_fds(struct msghdr *mh, int *fd)
{
	struct cmsghdr	*c;
	size_t		 i, n, total = 0;
	int		 got;

	*fd = -1;
	for (c = CMSG_FIRSTHDR(mh); c != NULL; c = CMSG_NXTHDR(mh, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			memcpy(&got, CMSG_DATA(c) + i * sizeof(int),
			    sizeof(got));
			if (total++ == 0)
				*fd = got;
			else
				(void)close(got);	/* nobody's */
		}
	}
	return (total);
}

/*
 * Receive one packet into buf. Returns its length, 0 at the end, -1 with
 * errno. *bad is set if its descriptors are not what they may be.
 */
static ssize_t
packet_receive(struct imsgbuf *ibuf, char *buf, size_t size, int *fd, int *bad)
{
	union fd_control	 control;
	struct iovec		 iov = { buf, size };
	struct msghdr		 mh = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t			 n;

	if (ibuf->fdpass) {
		mh.msg_control = &control;
		mh.msg_controllen = sizeof(control);
	}
	do {
		n = recvmsg(ibuf->fd, &mh, MSG_CMSG_CLOEXEC |
		    (ibuf->wait ? 0 : MSG_DONTWAIT));
	} while (n == -1 && errno == EINTR);
	*fd = -1;
	*bad = 0;
	if (n == -1)
		return (-1);
	if (control_fds(&mh, fd) > 1 ||
	    (mh.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) != 0)
		*bad = 1;
	return (n);
}

/* Check a packet of n bytes and split it into header and data. */
static int
packet_split(char *packet, size_t n, struct imsg *imsg)
{
	uint32_t	len;
	int		marked;

	if (n < IMSG_HEADER_SIZE)
		return (-1);
	memcpy(&imsg->hdr, packet, IMSG_HEADER_SIZE);
	marked = (imsg->hdr.len & IMSG_FD_MARK) != 0;
	len = imsg->hdr.len & ~IMSG_FD_MARK;
	if (len != n || marked != (imsg->fd != -1))
		return (-1);
	imsg->hdr.len = len;
	imsg->datalen = n - IMSG_HEADER_SIZE;
	memmove(packet, packet + IMSG_HEADER_SIZE, imsg->datalen);
	imsg->data = packet;
	return (0);
}

/* A right-sized copy of what is in the big buffer. */
static int
packet_keep(const char *buf, size_t n, struct imsg *imsg)
{
	char	*copy;

	if ((copy = malloc(n)) == NULL)
		return (-1);
	memcpy(copy, buf, n);
	if (packet_split(copy, n, imsg) == -1) {
		free(copy);
		errno = EBADMSG;
		return (-1);
	}
	return (0);
}

enum imsg_result
imsgbuf_get(struct imsgbuf *ibuf, struct imsg *imsg)
{
	char	buf[IMSG_PACKET_MAX];
	ssize_t	n;
	int	bad;

	memset(imsg, 0, sizeof(*imsg));
	n = packet_receive(ibuf, buf, sizeof(buf), &imsg->fd, &bad);
	if (n == -1)
		return (errno == EAGAIN ? IMSG_AGAIN :
		    errno == ECONNRESET ? IMSG_EOF : IMSG_ERROR);
	if (n == 0 && !bad && imsg->fd == -1)
		return (IMSG_EOF);
	if (bad || n == 0 || packet_keep(buf, n, imsg) == -1) {
		bad = bad || n == 0 || errno == EBADMSG;
		imsg_free(imsg);
		return (bad ? IMSG_BAD : IMSG_ERROR);
	}
	return (IMSG_GOT);
}

void
imsg_free(struct imsg *imsg)
{
	if (imsg->fd != -1)
		(void)close(imsg->fd);
	free(imsg->data);
	imsg->fd = -1;
	imsg->data = NULL;
}

int
imsg_get_fd(struct imsg *imsg)
{
	int	fd = imsg->fd;

	imsg->fd = -1;
	return (fd);
}

static struct imsg_out *
out_new(const struct imsgbuf *ibuf, uint32_t type, uint32_t peerid, int fd,
    const struct iovec *iov, size_t n)
{
	struct imsg_hdr	 hdr = { .type = type, .peerid = peerid,
	    .pid = ibuf->pid };
	struct imsg_out	*out;
	size_t		 i, len = IMSG_HEADER_SIZE;

	for (i = 0; i < n; i++)
		if (__builtin_add_overflow(len, iov[i].iov_len, &len) ||
		    len > IMSG_PACKET_MAX) {
			errno = EMSGSIZE;
			return (NULL);
		}
	if ((out = malloc(sizeof(*out) + len)) == NULL)
		return (NULL);
	hdr.len = (uint32_t)len | (fd != -1 ? IMSG_FD_MARK : 0);
	out->fd = fd;
	out->len = 0;
	memcpy(out->packet, &hdr, sizeof(hdr));
	out->len = sizeof(hdr);
	for (i = 0; i < n; i++) {
		memcpy(out->packet + out->len, iov[i].iov_base,
		    iov[i].iov_len);
		out->len += iov[i].iov_len;
	}
	return (out);
}

int
imsg_composev(struct imsgbuf *ibuf, uint32_t type, uint32_t peerid, int fd,
    const struct iovec *iov, size_t n)
{
	struct imsg_out	*out;
	int		 saved;

	if ((out = out_new(ibuf, type, peerid, fd, iov, n)) == NULL) {
		saved = errno;
		if (fd != -1)
			(void)close(fd);
		errno = saved;
		return (-1);
	}
	TAILQ_INSERT_TAIL(&ibuf->queue, out, entry);
	ibuf->queued += out->len;
	return (0);
}

static void
out_free(struct imsgbuf *ibuf, struct imsg_out *out)
{
	TAILQ_REMOVE(&ibuf->queue, out, entry);
	ibuf->queued -= out->len;
	ibuf->sent += out->len;
	if (out->fd != -1)
		(void)close(out->fd);
	free(out);
}

static ssize_t
packet_send(int sock, const struct imsg_out *out)
{
	union fd_control	 control;
	struct iovec		 iov = { (char *)(uintptr_t)out->packet,
				    out->len };
	struct msghdr		 mh = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr		*c;
	ssize_t			 n;

	if (out->fd != -1) {
		memset(&control, 0, sizeof(control));
		mh.msg_control = &control;
		mh.msg_controllen = CMSG_SPACE(sizeof(int));
		c = CMSG_FIRSTHDR(&mh);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &out->fd, sizeof(int));
	}
	do {
		n = sendmsg(sock, &mh, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (n == -1 && errno == EINTR);
	return (n);
}

int
imsgbuf_write(struct imsgbuf *ibuf)
{
	struct imsg_out	*out;

	while ((out = TAILQ_FIRST(&ibuf->queue)) != NULL) {
		if (packet_send(ibuf->fd, out) == -1) {
			/* ENOBUFS, ETOOMANYREFS pass: the peer drains. */
			if (errno == EAGAIN || errno == ENOBUFS ||
			    errno == ETOOMANYREFS)
				return (0);
			return (-1);
		}
		out_free(ibuf, out);
	}
	return (0);
}

void
imsgbuf_clear(struct imsgbuf *ibuf)
{
	struct imsg_out	*out;

	while ((out = TAILQ_FIRST(&ibuf->queue)) != NULL)
		out_free(ibuf, out);
}
