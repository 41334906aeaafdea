/*
 * The warden's parts: what they know of each other. Everything hangs below
 * one struct, which main() makes.
 */
#ifndef WARDEN_H
#define WARDEN_H

#include <sys/queue.h>
#include <sys/types.h>

#include <event2/event.h>
#include <stdint.h>

#include "peer.h"

struct cgroups;
struct errand;
struct jails;
struct warden;

/* The processes that jails are forked from. */
enum starter_id {
	STARTER_SCRIPT,
	STARTER_SCRIPT2,	/* the next one, in turn */
	STARTER_TOOL,
	NSTARTERS
};

enum starter_state {
	STARTER_DOWN,
	STARTER_ADOPTED,	/* has not said hello */
	STARTER_BEGUN,		/* verified; was told to start */
	STARTER_READY
};

struct starter {
	struct warden		*w;
	enum starter_id		 id;
	enum starter_state	 state;
	pid_t			 pid;		/* -1: none */
	struct peer		*peer;		/* NULL: none */
	int64_t			 born;
	int64_t			 jails;		/* that it has made */
	int			 wanted;	/* the supervisor keeps it alive */
};

/* One thing that this host can or can't do. */
#define HOST_ROWS	11

struct host_row {
	char		 name[64];
	int		 ok;
	char		 text[512];
};

/* What is known of the canaries of one kind of jail. */
struct canaries {
	int64_t	row, rows;	/* the last attempt, and how many */
	int	open, done;
};

/* ROOM_CONFIG, checked. */
struct config {
	char		 state[512];	/* the state directory */
	uid_t		 sandbox_uid;	/* whose the layers are */
	gid_t		 sandbox_gid;
	uint32_t	 jail_base;	/* first of 131,072 ids */
	int64_t		 jails;		/* at most at once */
	int64_t		 spares;	/* made ahead */
	int64_t		 recycle;	/* by one starter; 0: any number */
	json_t		*first;		/* the first run's JAIL_START */
};

struct warden {
	struct event_base	*base;
	struct peer		*supervisor;
	struct peer		*launcher;	/* NULL before it is there */
	struct peer		*mounter;	/* NULL before it is there */
	struct peer		*broker;	/* NULL while it is away */
	pid_t			 mounter_pid;
	int			 mounts;	/* asked for, no answer */
	struct event		*mounter_late;	/* for too long */
	int			 mounter_works, mounter_ready;
	int			 state_dir;	/* for that try; -1: used */
	struct config		*config;	/* NULL before the first one */
	int			 ready;		/* said to be: canaries failed */
	int			 stopping;	/* there are no new jails */
	struct starter		 starters[NSTARTERS];
	enum starter_id		 script;	/* starts new script jails */
	struct jails		*jails;
	struct cgroups		*cgroups;
	int			 cgroups_known;	/* all of them */
	STAILQ_HEAD(errands, errand) errands;	/* that wait for their turn */
	int			 errands_running, errands_count, errands_paused;
	struct canaries		 canaries[2];	/* of script, of tool jails */
	json_t			*attempts;	/* theirs: envelopes of ATTEMPT */
	struct host_row		 rows[HOST_ROWS];
	int			 nrows;
	int			 busy;		/* as the supervisor was told */
	uint32_t		 end_id;	/* of a JAILS_END */
	int			 end_asked;
};

/* warden.c: the supervisor and what it connects us to. */
extern const struct handler	warden_handlers[];
void	 warden_init(struct warden *, struct event_base *,
	    struct peer *supervisor);
/* Something that the start waits for has come: was it the last? */
void	 warden_check(struct warden *);
/* A jail has come or gone: tell the supervisor what it wants to know. */
void	 warden_count(struct warden *);

/* config.c: a new one, or NULL with why filled in. */
struct config	*config_parse(const json_t *, char *why, size_t whylen);
void		 config_free(struct config *);

/* starters.c */
void	 starters_init(struct warden *);
const char *starter_name(const struct starter *);
/* The one of this name, or NULL. */
struct starter *starter_find(struct warden *, const char *name);
/* The supervisor has one started, of this pid; takes fd. */
void	 starter_adopt(struct starter *, int fd, pid_t);
/* It has a process that it does not tell of: have it killed. */
void	 starter_kill(const struct starter *);
/* Say no more to it, nor hear it: it ends by itself. */
void	 starter_hang_up(struct starter *);
/* The first of its jails' uids. */
uid_t	 starter_base(const struct starter *);

/* recycle.c */
/* There is a new script jail: is it time for the next starter? */
void	 recycle_count(struct warden *);
/* One works: if it is the next, it takes over. */
void	 recycle_ready(struct starter *);
/* A jail has gone: the old starter goes with its last one. */
void	 recycle_retire(struct warden *);
int	 recycle_due(int64_t jails, int64_t age, int64_t limit);

/* launcher.c: what launcher and mounter do for us. */
void	 launcher_connect(struct warden *, int fd);
/* Start an errand as this user; takes sock. -1: there is no launcher. */
int	 launch_errand(struct warden *, uid_t, gid_t, int groups, int sock);
/* Ask for a map. -1: there is no launcher. Takes env. */
int	 map_send(struct warden *, uint32_t type, uint32_t id, json_t *env);
/* The process of this pid; takes fd. */
void	 mounter_adopt(struct warden *, int fd, pid_t);
/* Have the mounter show a directory by a map; takes both descriptors. */
int	 mount_send(struct warden *, uint32_t id, int dir, int ns,
	    int readonly);

/* rights.c: KILL, nothing else. The root becomes /proc. */
#define PROC	""
void	 rights_drop(void);
/* Is the process as confined as it was meant to be? If not, that is the
 * end. Returns -1 if that can't be told at this time. */
int	 verify(const char *name, pid_t, uid_t, uint64_t caps, int any_caps);

/* host.c: what this host can do, each tried; sent to the broker. */
int	 on_host_row(struct peer *, struct msg *);
/* By the mounter, when it has said hello. The answers have this id. */
#define HOST_MOUNT	1
void	 host_probe_idmap(struct warden *);
/* Its map has come (taken). */
int	 host_mount(struct warden *, int ns);
int	 host_idmap(struct warden *, const char *step, const char *error);
/* Set the row of this name (not copied). The broker is told, too. */
void	 host_row(struct warden *, const char *name, int ok,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void	 host_send(const struct warden *);

#endif
