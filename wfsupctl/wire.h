/*
 * The socket to the broker: whole messages in and out, checked against the
 * catalogue. The daemon is believed no more than any other peer: what it
 * says wrongly is an error, not a crash.
 */
#ifndef WIRE_H
#define WIRE_H

#include "failure.h"
#include "msg.h"

/* The longest body that is sent, and that is accepted. */
#define WIRE_SEND_MAX	(4 * 1024 * 1024)
#define WIRE_BODY_MAX	(256 * 1024 * 1024)

struct wire;

/* A message from the broker. Free with reply_free(). */
struct reply {
	const struct msgdef	*def;
	uint32_t		 id;
	json_t			*env;
	char			*body;	/* NUL-terminated, or NULL */
	size_t			 bodylen;
};

enum wire_result {
	WIRE_GOT,
	WIRE_AGAIN,	/* poll and come again */
	WIRE_GONE,	/* the daemon has closed the connection */
	WIRE_BAD,	/* it speaks nonsense; the failure says what */
};

/* Connect to the socket at path. NULL with the failure filled in. */
struct wire	*wire_open(const char *path, struct failure *);
void		 wire_close(struct wire *);

/* For poll(2): the descriptor, lent, and the events to wait for. */
int		 wire_fd(const struct wire *);
short		 wire_events(const struct wire *);

/*
 * Queue a question with the number id. Takes env; fd is closed once sent.
 * -1 and the failure if the catalogue does not allow it.
 */
int		 wire_send(struct wire *, uint32_t type, uint32_t id, int fd,
		    json_t *env, const char *body, size_t bodylen,
		    struct failure *) __attribute__((warn_unused_result));
/* Write what the socket takes. -1 if the connection is gone. */
int		 wire_flush(struct wire *) __attribute__((warn_unused_result));

enum wire_result wire_get(struct wire *, struct reply *, struct failure *)
		    __attribute__((warn_unused_result));
void		 reply_free(struct reply *);

/* A body as JSON: a new reference, or NULL with the failure filled in. */
json_t		*reply_json(const struct reply *, struct failure *);

#endif
