/*
 * A peer: one socket to another process, its queue, and the table of
 * handlers for what it may say. On libevent.
 */
#ifndef PEER_H
#define PEER_H

#include <event2/event.h>

#include "imsg.h"
#include "msg.h"

struct peer;

/* One whole message, checked against the catalogue. All of it is lent for
 * the handler's time; take the descriptor with msg_take_fd(). */
struct msg {
	const struct msgdef	*def;
	uint32_t		 id;		/* the header's peerid */
	json_t			*env;
	const char		*body;		/* not NUL-terminated */
	size_t			 bodylen;
	int			 fd;
};

/* Returns 0, or -1 when the peer broke the protocol: it is then dropped. */
typedef int	(*msg_handler)(struct peer *, struct msg *);

struct handler {
	uint32_t	type;
	msg_handler	fn;
};

/* What a room does with its peers of one kind. */
struct peer_ops {
	enum role		 self;		/* what we are */
	const struct handler	*handlers;	/* ends with a NULL fn */
	/*
	 * The peer has gone: it closed, broke the protocol, or was dropped.
	 * Called once, from the event loop, never from within peer_send().
	 * why is "closed" or what it did. The peer is freed afterwards.
	 */
	void			(*gone)(struct peer *, const char *why);
};

/*
 * Speak with role on fd (a non-blocking SEQPACKET socket, taken). name is
 * copied and used in log lines. Reading starts at once. NULL with errno set.
 */
struct peer	*peer_new(struct event_base *, int fd, enum role role,
		    const char *name, const struct peer_ops *, void *ctx);
/* Close at once and free from the event loop; gone() is not called. */
void		 peer_close(struct peer *);
/* As if the peer had broken the protocol: audited, gone() is called. */
void		 peer_drop(struct peer *, const char *why);

void		*peer_ctx(struct peer *);
int		 peer_fd(struct peer *);	/* lent */

/* Descriptors are accepted from this peer (messages with MF_FD, MF_FDOPT). */
void		 peer_allow_fds(struct peer *);
/* The longest body that this peer may send. Default PEER_BODY_MAX. */
#define PEER_BODY_MAX	(1024 * 1024)
void		 peer_set_body_max(struct peer *, size_t);
/* More bytes than this waiting to be sent: the peer is dropped. Default
 * PEER_QUEUE_MAX. */
#define PEER_QUEUE_MAX	(64 * 1024 * 1024)
void		 peer_set_queue_max(struct peer *, size_t);

/*
 * Queue a message. Takes env (NULL for none: an empty object) and fd (-1 for
 * none); copies body. An envelope that is not as the catalogue says is our
 * own fault and fatal. Never fails otherwise: a peer that can't take it is
 * dropped later from the event loop.
 */
void		 peer_send(struct peer *, uint32_t type, uint32_t id, int fd,
		    json_t *env, const void *body, size_t bodylen);
/* The same with a JSON body, which is taken. */
void		 peer_send_json(struct peer *, uint32_t type, uint32_t id,
		    int fd, json_t *env, json_t *body);

/* Hear at once what it has sent by now, as the event loop would: before what
 * somebody else says of it. Not from one of its own handlers. */
void		 peer_hear(struct peer *);
/* Hold back all that is queued, until released: the keeper's commit. */
void		 peer_hold(struct peer *);
void		 peer_release(struct peer *);
/* Stop or go on reading, for back-pressure. */
void		 peer_pause(struct peer *);
void		 peer_resume(struct peer *);
/* Bytes waiting to be sent. */
size_t		 peer_queued(struct peer *);
/* Bytes that it has been sent. */
uint64_t	 peer_sent(struct peer *);
/* Write what can be written without the event loop, at most ms
 * milliseconds. For farewells. */
void		 peer_flush(struct peer *, int ms);

/* Take the descriptor of a message, or -1. The caller closes it. */
int		 msg_take_fd(struct msg *);
/* Parse the body: any JSON value of depth <= JSON_BODY_DEPTH, no duplicate
 * keys. NULL with why filled in; else a new reference. */
json_t		*msg_body(const struct msg *, char *why, size_t whylen);

/* Fatal if a message addressed to self by from has no handler. */
void		 peer_check_handlers(enum role self, int from,
		    const struct handler *);

#endif
