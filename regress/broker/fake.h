/*
 * The whole broker in one process with everybody it speaks to: a rig. Each
 * fake is a peer that writes down what it is sent; what the broker sends is
 * checked against the catalogue on its way in.
 */
#ifndef FAKE_H
#define FAKE_H

#include <sys/queue.h>

#include <event2/event.h>

#include "broker.h"

/* A message that a fake has been sent. */
struct got {
	uint32_t		 type, id;
	json_t			*env;
	char			*body;		/* NUL-terminated, or NULL */
	int			 fd;
	TAILQ_ENTRY(got)	 entry;
};
TAILQ_HEAD(got_list, got);

struct fake {
	struct rig		*rig;
	struct peer		*peer;		/* NULL: gone */
	struct handler		*handlers;
	struct peer_ops		 ops;
	struct got_list		 got;
	struct got		*last;		/* what fake_want() returned */
	TAILQ_ENTRY(fake)	 entry;
};
TAILQ_HEAD(fake_list, fake);

struct rig {
	struct event_base	*base;
	struct broker		*broker;
	struct peer		*supervisor_end;	/* the broker's */
	struct fake		*supervisor, *warden, *keeper, *gateway;
	struct fake_list	 fakes;
	char			 address[64];
};

/* Profile "default" for this user: these verbs, tools, models; jails. */
#define RIG_VERBS	"\"run\",\"list\",\"show\",\"result\",\"follow\"," \
			"\"cancel\",\"scopes\",\"doctor\""
/* Of the profile that rig_config() has: to be changed before it. */
extern struct rig_limits {
	long	output, frame, calls, rate;
}		 rig_limits;
char		*rig_config(const char *verbs, const char *tools,
		    const char *models, long tokens, long jails);
/* Started and ready, with keeper and gateway. config NULL: a usual one. */
struct rig	*rig_new(const char *config);
void		 rig_free(struct rig *);
/* Let everything happen that can happen now. */
void		 rig_pump(struct rig *);

/* A fake that speaks on fd (taken) as self with a broker. */
struct fake	*fake_new(struct rig *, enum role self, int fd);
/* It hangs up. */
void		 fake_close(struct fake *);
void		 fake_free(struct fake *);
void		 fake_send(struct fake *, uint32_t type, uint32_t id, int fd,
		    json_t *env, const char *body);
/* The first message of this type, waited for; NULL if none comes. Lent until
 * the next call for the same fake. */
struct got	*fake_want(struct fake *, uint32_t type);
/* No message of this type, after everything has happened. */
int		 fake_none(struct fake *, uint32_t type);

const char	*got_str(const struct got *, const char *);
int64_t		 got_int(const struct got *, const char *);
int		 got_bool(const struct got *, const char *);	/* -1: none */

/* Steps that many tests need. */
void		 rig_channel(struct rig *, const char *peer, enum role,
		    struct fake **);
int		 rig_connect(struct rig *);	/* a raw client socket */
int		 rig_socket(void);		/* the same in two steps */
int		 rig_connect_to(struct rig *, int fd);
struct fake	*rig_client(struct rig *);
/* The supervisor starts the jail that has been asked for. NULL if none. */
struct fake	*rig_jail(struct rig *, enum role, int64_t number);
/* The same, and it has said hello. */
struct fake	*rig_ready(struct rig *, enum role, int64_t number);
/* A run that the keeper has started, with its script jail ready. */
struct fake	*rig_run(struct rig *, const char *run, int64_t number);
void		 rig_exit(struct rig *, int64_t jail, const char *cause,
		    int ours);
size_t		 rig_descriptors(void);

/* Messages with the usual fields. */
void	 say_node_ask(struct fake *, const char *path, const char *kind,
	    const char *tool, const char *model);
void	 say_tool_call(struct rig *, uint32_t id, const char *run,
	    int64_t sandbox, const char *tool);
void	 say_model_call(struct rig *, uint32_t id, const char *run,
	    const char *model, int64_t reserve);
void	 say_run_end(struct rig *, const char *run);
void	 say_query(struct fake *client, uint32_t id, const char *what,
	    const char *run, int all);
/* workspace may be NULL, fd, which is taken, -1, and tokens 0: none. */
void	 say_submit(struct fake *client, uint32_t id, const char *workspace,
	    int fd, int64_t tokens);

#endif
