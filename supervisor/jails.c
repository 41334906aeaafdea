/*
 * What the supervisor has to do with jails: it keeps alive what the warden
 * makes them with, and has them all ended when who asked for them is gone.
 */
#include <string.h>

#include "log.h"
#include "supervisor.h"

void
warden_adopt(struct supervisor *sup)
{
	const struct child	*warden = &sup->children[CHILD_WARDEN];
	struct child		*c;

	if (warden->state < CHILD_BEGUN || warden->peer == NULL)
		return;
	for (c = sup->children; c < sup->children + NCHILDREN; c++) {
		if (!child_is_wardens(c) || c->pid == -1 || c->sock == -1)
			continue;
		peer_send(warden->peer, IMSG_ADOPT, 0, c->sock, json_pack(
		    "{s:s,s:i}", "room", child_name(c), "pid", c->pid), NULL,
		    0);
		c->sock = -1;
	}
}

void
jails_end(struct supervisor *sup, int stop)
{
	const struct child	*warden = &sup->children[CHILD_WARDEN];

	/* Without a warden, or before it has begun, there are none. */
	sup->ending = warden->peer != NULL && warden->state >= CHILD_BEGUN;
	if (sup->ending)
		peer_send(warden->peer, IMSG_JAILS_END, ++sup->ends, -1,
		    json_pack("{s:b}", "stop", stop), NULL, 0);
}

int
jails_ending(const struct supervisor *sup)
{
	return (sup->ending && sup->children[CHILD_WARDEN].peer != NULL);
}

int
on_jails_gone(struct peer *p, struct msg *m)
{
	struct child	*c = peer_ctx(p);

	if (m->id == c->sup->ends)
		c->sup->ending = 0;
	return (0);
}

int
on_jails_busy(struct peer *p, struct msg *m)
{
	struct child	*c = peer_ctx(p);

	c->sup->busy = msg_bool(m->env, "busy");
	if (c->sup->busy)
		watch_jails(c->sup);
	return (0);
}

/* One of those that the warden may speak of: starters and the broker. */
static struct child *
spoken_of(struct peer *p, const struct msg *m)
{
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;
	const char		*name = msg_str(m->env, "room");
	struct child		*c;

	for (c = sup->children; c < sup->children + NCHILDREN; c++)
		if ((child_is_wardens(c) || c->id == CHILD_BROKER) &&
		    !child_is_precious(c) && strcmp(child_name(c),
		    name) == 0)
			return (c);
	return (NULL);
}

int
on_starter_want(struct peer *p, struct msg *m)
{
	struct child	*c = spoken_of(p, m);

	if (c == NULL || c->id == CHILD_BROKER)
		return (-1);
	c->wanted = msg_bool(m->env, "want");
	if (c->wanted && c->state == CHILD_DOWN &&
	    c->sup->state == SUP_RUNNING)
		child_start(c);
	return (0);
}

int
on_room_kill(struct peer *p, struct msg *m)
{
	struct child	*c = spoken_of(p, m);
	pid_t		 pid = (pid_t)msg_int(m->env, "pid");

	if (c == NULL)
		return (-1);
	if (pid == -1 || pid == c->pid)
		child_kill(c);
	return (0);
}
