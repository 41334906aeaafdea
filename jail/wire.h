/*
 * A jail's end of its socket to the broker: whole messages, sent and awaited
 * by blocking. No event library, no descriptors, no trust in the jail: what
 * is said here is judged by the broker.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stddef.h>
#include <stdint.h>

/* One message with its parts put together. */
struct wire {
	uint32_t	 type, id;
	char		*env;		/* NUL-terminated */
	size_t		 envlen;
	char		*body;
	size_t		 bodylen;
};

enum wire_result {
	WIRE_GOT,
	WIRE_EOF,	/* the broker has gone, and with it our purpose */
	WIRE_ERROR,
};

/*
 * Send a message; a long body goes in several packets. body may be NULL for
 * a message without one. Returns 0, or -1 with errno set.
 */
int	 wire_send(uint32_t type, uint32_t id, const char *env,
	    const char *body, size_t bodylen)
	    __attribute__((warn_unused_result));
/* Wait for a message. On WIRE_GOT free with wire_free(). */
enum wire_result wire_recv(struct wire *)
	    __attribute__((warn_unused_result));
void	 wire_free(struct wire *);

/* The first words of a jail. python is its version or "". Returns -1 with
 * errno set. */
int	 wire_hello(const char *python) __attribute__((warn_unused_result));

#endif
