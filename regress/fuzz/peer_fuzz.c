/* ROOM: common
 * Packets of any shape to a peer that plays the broker, as a hostile jail
 * or client would send them. Input: a byte for the role, then packets, each
 * with a length of two bytes. Nothing may crash, leak or stay open.
 */
#include <sys/socket.h>

#include <event2/event.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "log.h"
#include "peer.h"

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static struct event_base	*base;

static int
take(struct peer *p, struct msg *m)
{
	char	 why[128];
	json_t	*body;

	(void)p;
	body = msg_body(m, why, sizeof(why));
	json_decref(body);
	return (0);
}

static const struct handler	handlers[] = {
	{ IMSG_JAIL_HELLO, take }, { IMSG_NODE_ASK, take },
	{ IMSG_NODE_CANCEL, take }, { IMSG_SCRIPT_EVENT, take },
	{ IMSG_SCRIPT_DONE, take }, { IMSG_SCRIPT_FAIL, take },
	{ IMSG_SANDBOX_DONE, take }, { IMSG_SUBMIT, take },
	{ IMSG_FOLLOW, take }, { IMSG_QUERY, take }, { IMSG_CANCEL, take },
	{ 0, NULL },
};
static const struct peer_ops	ops = { BROKER, handlers, NULL };

static void
spin(void)
{
	int	i;

	for (i = 0; i < 3; i++)
		(void)event_base_loop(base, EVLOOP_NONBLOCK);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum role	 roles[] = { SCRIPT, TOOL, CONTROL };
	struct peer		*p;
	size_t			 n;
	int			 sv[2];

	if (base == NULL) {
		base = event_base_new();
		json_object_seed(1);
		if (freopen("/dev/null", "w", stderr) == NULL)
			abort();
	}
	if (size < 1 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK |
	    SOCK_CLOEXEC, 0, sv) == -1)
		return (0);
	p = peer_new(base, sv[1], roles[data[0] % 3], "fuzz", &ops, NULL);
	if (p == NULL)
		abort();
	for (data++, size--; size >= 2; data += n, size -= n) {
		n = (size_t)data[0] << 8 | data[1];
		data += 2;
		size -= 2;
		if (n > size)
			n = size;
		if (send(sv[0], data, n, MSG_DONTWAIT | MSG_NOSIGNAL) == -1)
			break;
		spin();
	}
	(void)close(sv[0]);
	/* Closed or dropped, it is freed by the loop. */
	spin();
	return (0);
}
