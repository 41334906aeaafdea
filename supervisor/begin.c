/*
 * What a room gets when it begins: its configuration, its sockets to the
 * others, and what only it may have.
 */
#include <sys/socket.h>

#include <fcntl.h>
#include <unistd.h>

#include "log.h"
#include "supervisor.h"

/* Who is connected to whom. It is the only place. */
static const struct {
	enum child_id	a, b;
} topology[NLINKS] = {
	{ CHILD_WARDEN, CHILD_LAUNCHER },
	{ CHILD_WARDEN, CHILD_BROKER },
	{ CHILD_BROKER, CHILD_KEEPER },
	{ CHILD_BROKER, CHILD_GATEWAY },
};

/* ---- links ---- */

static void
link_drop(struct child *c, int i)
{
	if (c->link[i] != -1)
		(void)close(c->link[i]);
	c->link[i] = -1;
}

void
links_drop(struct child *c)
{
	int	i;

	for (i = 0; i < NLINKS; i++)
		link_drop(c, i);
}

static void
link_send(struct child *to, const struct child *peer, int fd)
{
	peer_send(to->peer, IMSG_CHANNEL, 0, fd,
	    json_pack("{s:s}", "peer", child_name(peer)), NULL, 0);
}

/*
 * Connect c with one neighbour. The far end goes there at once if the
 * neighbour works, else it is kept for when it begins.
 */
static void
link_make(struct child *c, struct child *to, int i)
{
	int	fds[2];

	if (c->link[i] != -1) {
		link_send(c, to, c->link[i]);
		c->link[i] = -1;
		return;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0, fds) == -1) {
		/* It can't be of use: it ends, and starts again later. */
		log_warn("%s: socketpair", child_name(c));
		child_kill(c);
		return;
	}
	link_send(c, to, fds[0]);
	link_drop(to, i);
	if (to->state >= CHILD_BEGUN && to->peer != NULL)
		link_send(to, c, fds[1]);
	else
		to->link[i] = fds[1];
}

void
links_make(struct child *c)
{
	struct child	*all = c->sup->children;
	int		 i;

	for (i = 0; i < NLINKS; i++) {
		if (topology[i].a == c->id)
			link_make(c, &all[topology[i].b], i);
		else if (topology[i].b == c->id)
			link_make(c, &all[topology[i].a], i);
	}
}

/* ---- what a room gets when it begins ---- */

/* Its part: what is in it is between the reader and the room. */
static void
send_config(const struct child *c)
{
	peer_send_json(c->peer, IMSG_ROOM_CONFIG, 0, -1, NULL, json_incref(
	    json_object_get(c->sup->parts, child_name(c))));
}

static void
listen_send(const struct child *broker)
{
	int	fd;

	if ((fd = fcntl(broker->sup->control, F_DUPFD_CLOEXEC, 0)) == -1) {
		log_warn("%s: control socket", child_name(broker));
		child_kill(broker);
		return;
	}
	peer_send(broker->peer, IMSG_LISTEN, 0, fd, NULL, NULL, 0);
}

void
child_go(struct child *c)
{
	peer_send(c->peer, IMSG_ROOM_START, 0, -1, NULL, NULL, 0);
}

void
child_begin(struct child *c)
{
	struct supervisor	*sup = c->sup;

	c->state = CHILD_BEGUN;
	send_config(c);
	links_make(c);
	if (c->id == CHILD_GATEWAY) {
		sup->gateway_waits = 1;
		secrets_ask(sup);
		return;
	}
	if (c->id == CHILD_BROKER) {
		listen_send(c);
		/* Clients wait until it is known that jails hold. */
		if (sup->children[CHILD_WARDEN].state != CHILD_READY)
			return;
	}
	child_go(c);
	if (c->id == CHILD_WARDEN)
		warden_adopt(sup);
}

void
children_reload(struct supervisor *sup)
{
	struct child	*c;

	for (c = sup->children; c < sup->children + NCHILDREN; c++)
		if (child_is_room(c) && c->state >= CHILD_BEGUN &&
		    c->peer != NULL)
			send_config(c);
	secrets_ask(sup);
}
