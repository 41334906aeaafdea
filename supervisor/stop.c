/*
 * An orderly stop: who records and who judges first, then the jails, then
 * everybody else. So the stop settles nothing: no call fails for it, no try
 * is used up by it, and all goes on from the journal at the next start.
 */
#include <stdlib.h>

#include "clock.h"
#include "log.h"
#include "supervisor.h"

#define STOP_STEP_MS	20
#define STOP_JAILS_MS	5000	/* for the jails */
#define STOP_ROOMS_MS	3000	/* then for the rooms, before they are killed */
#define STOP_CLEAR_MS	6000	/* then for the launcher, to clear up */

/* The jails, then everybody else; again until nobody is left. */
static void
stop_step(int fd, short what, void *arg)
{
	struct supervisor	*sup = arg;
	struct timeval		 tv = { 0, STOP_STEP_MS * 1000 };
	int64_t			 now = clock_ms();

	(void)fd;
	(void)what;
	if (!jails_ending(sup) ||
	    now - sup->stop_began > STOP_JAILS_MS) {
		if (sup->stop_hung_up == 0)
			sup->stop_hung_up = now;
		if (children_stop(sup, now - sup->stop_hung_up >
		    STOP_ROOMS_MS, now - sup->stop_hung_up >
		    STOP_ROOMS_MS + STOP_CLEAR_MS) == 0) {
			(void)event_base_loopbreak(sup->base);
			return;
		}
	}
	if (event_base_once(sup->base, -1, EV_TIMEOUT, stop_step, sup,
	    &tv) == -1)
		fatalx("event_base_once");
}

void
sup_stop(struct supervisor *sup, int status)
{
	struct timeval	soon = { 0, 0 };

	if (sup->state == SUP_STOPPING)
		return;
	sup->state = SUP_STOPPING;
	sup->status = status;
	sup->stop_began = clock_ms();
	notify_send("STOPPING=1");
	audit("daemon.stop", status == 0 ? "ok" : "fail", NULL);
	child_hang_up(&sup->children[CHILD_KEEPER]);
	child_hang_up(&sup->children[CHILD_BROKER]);
	jails_end(sup, 1);
	if (event_base_once(sup->base, -1, EV_TIMEOUT, stop_step, sup,
	    &soon) == -1)
		fatalx("event_base_once");
}
