/*
 * The supervisor's parts: what they know of each other. Everything hangs
 * below one struct, which main() makes.
 */
#ifndef SUPERVISOR_H
#define SUPERVISOR_H

#include <sys/types.h>

#include <event2/event.h>
#include <stdint.h>

#include "peer.h"
#include "status.h"

/* The processes that the supervisor keeps: it starts the launcher, and that
 * all others. */
enum child_id {
	CHILD_LAUNCHER,
	CHILD_READER,
	CHILD_WARDEN,
	CHILD_BROKER,
	CHILD_KEEPER,
	CHILD_GATEWAY,
	CHILD_SCRIPT,	/* starts script jails */
	CHILD_SCRIPT2,	/* the next one, in turn */
	CHILD_TOOL,	/* starts tool jails */
	CHILD_MOUNTER,
	NCHILDREN
};

#define NLINKS	4	/* rows of the topology table in begin.c */

enum child_state {
	CHILD_DOWN,
	CHILD_ASKED,	/* the launcher has been told to start it */
	CHILD_FORKED,	/* has not said hello */
	CHILD_BEGUN,	/* verified; was told to start */
	CHILD_READY
};

struct supervisor;

struct child {
	struct supervisor	*sup;
	enum child_id		 id;
	enum child_state	 state;
	pid_t			 pid;		/* -1: none */
	int			 pidfd;		/* -1: none */
	struct event		*ended;		/* it is readable */
	int			 sock;		/* until somebody speaks on it */
	struct peer		*peer;		/* NULL: none */
	int64_t			 born;
	int			 wanted;	/* to be there */
	int			 delay;		/* of its last restart, ms */
	struct event		*again;
	int			 asked;		/* so often, no answer */
	int64_t			 asked_at;
	int			 link[NLINKS];	/* ends kept for its start */
};

enum sup_state { SUP_STARTING, SUP_RUNNING, SUP_STOPPING };

struct supervisor {
	struct event_base	*base;
	const char		*conf_name;	/* the configuration's file */
	json_t			*conf;		/* CONF's envelope, or NULL */
	json_t			*parts;		/* its body */
	uint32_t		 conf_id, secrets_id;	/* last questions */
	int			 reading, again;	/* a reload */
	int			 secrets_due;	/* not all have come */
	int			 gateway_waits;	/* for them */
	char			 libexec[192];	/* where the binaries are */
	char			 boot[17];
	int			 debug;		/* log to standard error */
	int			 verbose;
	enum sup_state		 state;
	int			 status;	/* to exit with */
	int			 control;	/* the listening socket */
	struct child		 children[NCHILDREN];
	int			 busy;		/* jails that somebody waits for */
	uint32_t		 ends;		/* JAILS_END that were sent */
	int			 ending;	/* the last one has no answer */
	int64_t			 stop_began, stop_hung_up;
	struct event		*watch;
};

/* stop.c */
/* Stop in order, then exit with status. */
void	 sup_stop(struct supervisor *, int status);

/* conf.c */
/* A text of it, or NULL. */
const char *conf_text(const struct supervisor *, const char *name);
/* A log socket, or -1: standard error. */
int	 conf_log(const struct supervisor *);
/* The log socket broke, or there is another: open it. */
void	 conf_log_open(void *sup);
/* The reader works: ask what is open. */
void	 conf_begin(struct supervisor *);
/* The reader is gone, and what was asked with it. */
void	 conf_lost(struct supervisor *);
/* A new configuration, or, where it has an error, the old one. */
void	 conf_reload(struct supervisor *);
int	 on_conf(struct peer *, struct msg *);
int	 on_conf_wrong(struct peer *, struct msg *);
/* Keys and rules, for the gateway. */
void	 secrets_ask(struct supervisor *);
int	 on_secret(struct peer *, struct msg *);
int	 on_secrets_done(struct peer *, struct msg *);

/* children.c */
void	 children_init(struct supervisor *);
/* The launcher works: all others, but for those that it has started unasked,
 * while there were rights to give. */
void	 children_start(struct supervisor *);
void	 child_start(struct child *);
/* It has a process (pidfd is taken), or, with -1, could not be started. */
void	 child_adopt(struct child *, pid_t, int pidfd);
void	 child_unmade(struct child *);
/* Hang up on all of them, the launcher last; with hard, kill, and with
 * harder the launcher too. Returns how many are left. */
int	 children_stop(struct supervisor *, int hard, int harder);
/* How long to wait before the next start, after a life and the last wait. */
int	 restart_delay(int last, int64_t lived);
const char *child_name(const struct child *);
int	 child_is_room(const struct child *);
/* Its rights can't be had again: without it the daemon can't go on. */
int	 child_is_precious(const struct child *);
/* The warden is who speaks to it: a starter, or the mounter. */
int	 child_is_wardens(const struct child *);
void	 child_kill(const struct child *);
/* Say no more to it, nor hear it: it ends by itself. */
void	 child_hang_up(struct child *);

/* jails.c: what there is to do with the warden. */
/* Hand over what was started for it. */
void	 warden_adopt(struct supervisor *);
/* All jails have to go; with stop, for good. jails_ending() until they have. */
void	 jails_end(struct supervisor *, int stop);
int	 jails_ending(const struct supervisor *);
int	 on_jails_gone(struct peer *, struct msg *);
int	 on_jails_busy(struct peer *, struct msg *);
int	 on_starter_want(struct peer *, struct msg *);
int	 on_room_kill(struct peer *, struct msg *);

/* hello.c */
extern const struct peer_ops	child_ops;
/* The log socket is another one: tell the rooms. */
void	 children_log(const struct supervisor *);

/* begin.c */
/* It has said hello and was verified: all that it needs, then the word. */
void	 child_begin(struct child *);
/* That word alone: the broker's has to wait for the warden. */
void	 child_go(struct child *);
/* Its sockets to others alone, for who gets no more. */
void	 links_make(struct child *);
/* It has died: the ends of sockets that were kept for it. */
void	 links_drop(struct child *);
/* Hand the configuration to every room that works, after a reload. */
void	 children_reload(struct supervisor *);

/* launch.c */
/* Start the launcher, with the sockets of those that it starts unasked. */
void	 launcher_start(struct supervisor *);
/* Ask it for a process with this socket (taken). -1: there is no launcher. */
int	 launch_child(struct child *, int sock);
int	 on_listen(struct peer *, struct msg *);
int	 on_launched(struct peer *, struct msg *);
int	 on_launch_failed(struct peer *, struct msg *);

/* rights.c: KILL, nothing else, verified. */
void	 rights_drop(void);

/* watch.c: rooms that hang. */
void	 watch_init(struct supervisor *);
/* Ask them; for each that was asked long ago, see that it goes. */
void	 watch_rooms(struct supervisor *);
/* There are jails, or somebody has not answered yet: ask soon. */
void	 watch_jails(struct supervisor *);
int	 on_pong(struct peer *, struct msg *);

/* notify.c: the service manager, and with its watchdog ours. */
void	 notify_init(struct supervisor *);
void	 notify_send(const char *text);

#endif
