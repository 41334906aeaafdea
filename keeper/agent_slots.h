/*
 * Slots: how many agents work at once, of all runs together. The others wait
 * as queued submissions, and their timeouts have not begun.
 */
#ifndef AGENT_SLOTS_H
#define AGENT_SLOTS_H

/* Each may need a tool jail, of which the broker has 256 if not told
 * otherwise. */
#define AGENTS_MAX	100

struct agent;
struct agent_slots;
struct keeper;

/* Returns 1 if the agent has a slot now. Else it waits: agent_run() is
 * called when it is its turn. */
int	 slot_take(struct agent *);
/* Wait even if there is a slot: others may be about to take theirs back. */
void	 slot_wait(struct agent *);
/* It works already, after a restart: count it, whatever the limit. */
void	 slot_hold(struct agent *);
/* It has ended, or waits no more. */
void	 slot_leave(struct agent *);
void	 slots_free(struct agent_slots *);

#endif
