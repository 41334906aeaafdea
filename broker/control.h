/*
 * The control socket and its clients. Who a client is, the kernel says.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include <sys/queue.h>
#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

#include "peer.h"
#include "pending.h"
#include "refusal.h"
#include "share.h"
#include "throttle.h"

struct broker;
struct control;
struct request;
struct scope;

struct client {
	struct broker		*broker;	/* lent */
	struct peer		*peer;		/* ours */
	struct throttle		 throttle;
	uid_t			 uid;
	gid_t			 gid;
	gid_t			*groups;
	size_t			 ngroups;
	uint64_t		 scope;		/* 0: no profile, or none yet */
	unsigned		 config_number;	/* the scope is of this one */
	size_t			 asks;		/* open questions */
	size_t			 follows;	/* open subscriptions */
	uint64_t		 sent;		/* bytes it had taken */
	int64_t			 moved;		/* when; 0: nothing waits */
	struct event		*silent;	/* is it to stay? */
	int			 spoke;		/* since that was asked */
	TAILQ_ENTRY(client)	 entry;
};
TAILQ_HEAD(client_list, client);

/* Listen on fd (taken), in place of what there was. */
void	 control_listen(struct broker *, int fd);
/* Begin to accept. */
void	 control_begin(struct broker *);
void	 control_free(struct control *);
size_t	 control_count(const struct broker *);

/* For share.c: lent. There is a control. Look at the shares soon. */
struct client_list	*control_clients(const struct broker *);
struct share_list	*control_shares(const struct broker *);
void	 control_tick(struct broker *, int ms);

/* What the client may: as the configuration in force says. NULL: nothing. */
struct scope	*client_scope(struct client *);
/* It has asked something: it may stay for a while. */
void		 client_spoke(struct client *);
/* One question of this client has been answered. */
void		 client_answered(struct client *);

/* request.c: what a client may say. */
extern const struct handler	control_handlers[];
void	 control_follow_send(struct broker *, const struct pending *);
/* Refuse the question id of a client. */
void	 control_refuse(struct peer *, uint32_t id, enum refusal,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Refuse it, for the keeper is not there. */
void	 control_refuse_away(struct peer *, uint32_t id);
/*
 * Judge a request for the question id. Returns 0, or -1 and refuses it: the
 * question is over then. what is for the audit line.
 */
int	 request_judge(struct client *, uint32_t id, const char *what,
	    struct request *);
/* The client's question, which the keeper shall answer. */
struct pending	*client_ask(struct client *, enum ask, const struct msg *);

/* submit.c */
int	 control_submit(struct peer *, struct msg *);

/* answer.c: what the keeper answers. */
void	 control_client_gone(struct client *);
int	 control_run_added(struct peer *, struct msg *);
int	 control_refused(struct peer *, struct msg *);
int	 control_answer(struct peer *, struct msg *);
int	 control_event(struct peer *, struct msg *);
int	 control_follow_end(struct peer *, struct msg *);
void	 control_keeper_gone(struct broker *);
void	 control_keeper_back(struct broker *);

#endif
