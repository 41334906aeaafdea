/*
 * imsg over SOCK_SEQPACKET: one packet is one header and its data, whole or
 * absent. The names and meanings are those of imsg_init(3) where they fit.
 */
#ifndef IMSG_H
#define IMSG_H

#include <sys/queue.h>

#include <stddef.h>
#include <stdint.h>

#define IMSG_HEADER_SIZE	16
#define IMSG_PACKET_MAX		65536
#define IMSG_DATA_MAX		(IMSG_PACKET_MAX - IMSG_HEADER_SIZE)

/* Host order. The top bit of len says that a descriptor is attached. */
struct imsg_hdr {
	uint32_t	type;
	uint32_t	len;
	uint32_t	peerid;
	uint32_t	pid;
};

/* A packet as received. data is lent until imsg_free(); fd is -1 or ours. */
struct imsg {
	struct imsg_hdr	 hdr;
	int		 fd;
	size_t		 datalen;
	char		*data;
};

struct imsg_out;
TAILQ_HEAD(imsg_queue, imsg_out);

struct imsgbuf {
	int			 fd;
	uint32_t		 pid;		/* ours, in each header */
	int			 fdpass;
	int			 wait;		/* for a packet to come */
	struct imsg_queue	 queue;
	size_t			 queued;	/* bytes waiting to be sent */
	uint64_t		 sent;		/* bytes that are no longer */
};

enum imsg_result {
	IMSG_GOT,	/* a packet */
	IMSG_AGAIN,	/* nothing there */
	IMSG_EOF,	/* the peer has closed */
	IMSG_BAD,	/* the peer broke the protocol: drop it */
	IMSG_ERROR,	/* errno says */
};

/* fd stays the caller's to close. Without fdpass any descriptor is closed
 * by the kernel and the packet that brought it is IMSG_BAD. */
void		 imsgbuf_init(struct imsgbuf *, int fd);
void		 imsgbuf_allow_fdpass(struct imsgbuf *);
/* Who has nothing else to do waits in imsgbuf_get(), if fd does. */
void		 imsgbuf_wait(struct imsgbuf *);

/* Receive at most one packet; blocks if it is to wait. On IMSG_GOT free with imsg_free. */
enum imsg_result imsgbuf_get(struct imsgbuf *, struct imsg *)
		    __attribute__((warn_unused_result));
void		 imsg_free(struct imsg *);
/* Take the descriptor out of a packet, or -1. The caller closes it. */
int		 imsg_get_fd(struct imsg *);

/*
 * Queue a packet of n pieces of data. Takes fd (closed once sent, also on
 * failure). Returns 0, or -1 with errno set (EMSGSIZE, ENOMEM).
 */
struct iovec;
int		 imsg_composev(struct imsgbuf *, uint32_t type,
		    uint32_t peerid, int fd, const struct iovec *, size_t n)
		    __attribute__((warn_unused_result));
/* Send what the socket takes. Returns 0 (also if it is full), -1 on error. */
int		 imsgbuf_write(struct imsgbuf *)
		    __attribute__((warn_unused_result));
/* Drop what is queued and close its descriptors. */
void		 imsgbuf_clear(struct imsgbuf *);

#endif
