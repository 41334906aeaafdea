/*
 * The supervisor's parts: what they know of each other. Everything hangs
 * below one struct, which main() makes.
 */
#ifndef SUPERVISOR_H
#define SUPERVISOR_H

#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <event2/event.h>
#include <stdint.h>

#include "conf.h"
#include "peer.h"
#include "status.h"

/* The processes that the supervisor keeps: it starts the launcher, and that
 * all others. */
enum child_id {
	CHILD_LAUNCHER,
	CHILD_BROKER,
	CHILD_KEEPER,
	CHILD_GATEWAY,
	CHILD_SCRIPT,	/* starts script jails */
	CHILD_SCRIPT2,	/* the next one, in turn */
	CHILD_TOOL,	/* starts tool jails */
	CHILD_MOUNTER,
	NCHILDREN
};

#define NLINKS	2	/* rows of the topology table in begin.c */

enum child_state {
	CHILD_DOWN,
	CHILD_ASKED,	/* the launcher has been told to start it */
	CHILD_FORKED,	/* has not said hello */
	CHILD_BEGUN,	/* verified; was told to start */
	CHILD_READY
};

struct supervisor;
struct jails;
struct errand;
struct cgroups;

struct child {
	struct supervisor	*sup;
	enum child_id		 id;
	enum child_state	 state;
	pid_t			 pid;		/* -1: none */
	int			 pidfd;		/* -1: none */
	struct event		*ended;		/* it is readable */
	int			 sock;		/* while it is being launched */
	struct peer		*peer;		/* NULL: none */
	int64_t			 born;
	int64_t			 jails;		/* that it has made */
	int64_t			 tried;		/* to start it, as the next */
	int			 delay;		/* of its last restart, ms */
	struct event		*again;
	int			 asked;		/* so often, no answer */
	int64_t			 asked_at;
	int			 link[NLINKS];	/* ends kept for its start */
};

/* One thing that this host can or can't do. */
#define HOST_ROWS	11

struct host_row {
	char		 name[32];
	int		 ok;
	char		 text[256];
};

/* What is known of the canaries of one kind of jail. */
struct canaries {
	int64_t	row, rows;	/* the last attempt, and how many */
	int	open, done;
};

enum sup_state { SUP_STARTING, SUP_RUNNING, SUP_STOPPING };

struct supervisor {
	struct event_base	*base;
	struct conf		*conf;
	const char		*conf_name;
	char			 libexec[192];	/* where the binaries are */
	char			 boot[17];
	int			 debug;		/* log to standard error */
	int			 verbose;
	enum sup_state		 state;
	int			 status;	/* to exit with */
	int			 control;	/* the listening socket */
	struct child		 children[NCHILDREN];
	enum child_id		 script;	/* starts new script jails */
	struct jails		*jails;
	struct cgroups		*cgroups;
	STAILQ_HEAD(errands, errand) errands;	/* that wait for their turn */
	int			 errands_running, errands_count, errands_paused;
	struct canaries		 canaries[2];	/* of script, of tool jails */
	int			 canary_done;	/* both */
	struct host_row		 rows[HOST_ROWS];
	int			 nrows;
	int64_t			 stop_began, stop_hung_up;
	struct event		*watch;
	struct reload		*reload;
};

/* stop.c */
/* Stop in order, then exit with status. */
void	 sup_stop(struct supervisor *, int status);

/* config.c: root's files, never a path that a peer names. With debug no log
 * socket is used. Errors go to report. */
struct conf *config_load(const char *name, int debug,
	    const struct conf_names *, void (*report)(const char *, void *));
/* By the user data base, and with errors in the log. */
struct conf *config_first(const char *name, int debug);
void	 config_report(const char *, void *);
/* The end of a start that no other try can help, only an administrator. */
void	 config_wrong(const char *fmt, ...)
	    __attribute__((noreturn, format(printf, 1, 2)));
/* Is all the same that a reload can't change? */
int	 config_fixed(const struct conf *, const struct conf *);
/* How many files may have to be open. */
rlim_t	 config_files(const struct conf *);
/* The file of a provider's key or rules, or -1 with errno set. */
int	 config_key(const struct conf_provider *);
int	 config_rules(const struct conf_provider *);
/* A log socket, or -1: standard error. If nobody listens errno says so. */
int	 config_log(const struct conf *);
/* State directory and control socket, made while privileged. */
void	 config_state(const struct conf *);
int	 config_listen(const struct conf *);

/* children.c */
void	 children_init(struct supervisor *);
/* The launcher works: all others, but for the mounter, which it has started
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
void	 child_kill(const struct child *);
/* Say no more to it, nor hear it: it ends by itself. */
void	 child_hang_up(struct child *);
uid_t	 starter_base(const struct child *);

/* recycle.c */
int	 child_is_starter(const struct child *);
/* The starter of script jails that no new one comes from: not yet, or no
 * more. Nobody misses it. */
int	 child_is_spare(const struct child *);
/* There is a new script jail: is it time for the next starter? */
void	 recycle_count(struct supervisor *);
/* One works: if it is the next, it takes over. */
void	 recycle_ready(struct child *);
/* A jail has gone: the old starter goes with its last one. */
void	 recycle_retire(struct supervisor *);
int	 recycle_due(int64_t jails, int64_t age, int64_t limit);

/* hello.c */
extern const struct peer_ops	child_ops;
/* It has all that it needs. */
void	 child_works(struct child *);
/* The log socket is another one: tell the rooms. */
void	 children_log(const struct supervisor *);

/* begin.c */
/* It has said hello and was verified: all that it needs, then the word. */
void	 child_begin(struct child *);
/* That word alone: the broker's has to wait for the canaries. */
void	 child_go(struct child *);
/* It has died: the ends of sockets that were kept for it. */
void	 links_drop(struct child *);
/* Hand the configuration to every room that works, after a reload. */
void	 children_reload(struct supervisor *);

/* launch.c */
/* Start the launcher, with the mounter's socket: while there are rights. */
void	 launcher_start(struct supervisor *);
/* Ask it for a process with this socket (taken). -1: there is no launcher. */
int	 launch_child(struct child *, int sock);
int	 launch_errand(struct supervisor *, uid_t, gid_t, int groups,
	    int sock);
int	 on_launched(struct peer *, struct msg *);
int	 on_launch_failed(struct peer *, struct msg *);
int	 on_cgroup(struct peer *, struct msg *);
/* Ask it for a map. -1: there is no launcher. Takes env. */
int	 map_send(struct supervisor *, uint32_t type, uint32_t id, json_t *env);
/* Have the mounter show a directory by a map; takes both descriptors. */
int	 mount_send(struct supervisor *, uint32_t id, int dir, int ns,
	    int readonly);

/* reload.c */
void	 reload_init(struct supervisor *);
/* A new configuration, or, where it has an error, the old one. */
void	 reload(struct supervisor *);
int	 on_name(struct peer *, struct msg *);
/* The log socket broke, or there is another: open it. */
void	 reload_log(void *sup);

/* rights.c: KILL, nothing else, verified. */
void	 rights_drop(void);
/* Reads the status of a process (0: of our own). -1 with errno set. */
int	 status_read(pid_t, struct status *);
/* And compares it. A process that can't be read is one that differs. */
int	 status_check(pid_t, const struct status_want *, char *why,
	    size_t whylen);

/* host.c: what this host can do, each tried; sent to the broker. */
int	 on_host_row(struct peer *, struct msg *);
/* By the mounter, when it has said hello. The answers have this id. */
#define HOST_MOUNT	1
void	 host_probe_idmap(struct supervisor *);
/* Its map has come (taken). */
int	 host_mount(struct supervisor *, int ns);
int	 host_idmap(struct supervisor *, const char *step, const char *error);
/* Set the row of this name (not copied). The broker is told, too. */
void	 host_row(struct supervisor *, const char *name, int ok,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void	 host_send(const struct supervisor *, struct peer *broker);

/* watch.c: rooms that hang. */
void	 watch_init(struct supervisor *);
/* Ask them; for each that was asked long ago, see that it goes. */
void	 watch_rooms(struct supervisor *);
/* There is a jail: ask from now on. */
void	 watch_jail(struct supervisor *);
int	 on_pong(struct peer *, struct msg *);

/* notify.c: the service manager, and with its watchdog ours. */
void	 notify_init(struct supervisor *);
void	 notify_send(const char *text);

#endif
