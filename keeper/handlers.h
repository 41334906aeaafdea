/*
 * What the keeper does with what the broker says: one handler a message.
 * None of them ends the process, whatever a script has put into a body.
 */
#ifndef HANDLERS_H
#define HANDLERS_H

#include "peer.h"

/* All of them: a table that ends with a NULL fn. */
extern const struct handler	broker_handlers[];

int	 msg_run_add(struct peer *, struct msg *);
int	 msg_run_jail(struct peer *, struct msg *);
int	 msg_run_jail_gone(struct peer *, struct msg *);
int	 msg_run_wait(struct peer *, struct msg *);
int	 msg_run_event_add(struct peer *, struct msg *);
int	 msg_run_done(struct peer *, struct msg *);
int	 msg_run_fail(struct peer *, struct msg *);
int	 msg_run_cancel(struct peer *, struct msg *);
int	 msg_node_begin(struct peer *, struct msg *);
int	 msg_node_drop(struct peer *, struct msg *);
int	 msg_tool_done(struct peer *, struct msg *);
int	 msg_model_delta(struct peer *, struct msg *);
int	 msg_model_done(struct peer *, struct msg *);
int	 msg_model_fail(struct peer *, struct msg *);
int	 msg_run_follow(struct peer *, struct msg *);
int	 msg_run_unfollow(struct peer *, struct msg *);
int	 msg_run_query(struct peer *, struct msg *);
int	 msg_sandbox_removed(struct peer *, struct msg *);

#endif
