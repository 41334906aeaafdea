/*
 * The launcher's parts. What it may start is fixed by its options and its
 * set-up: a message says which of these, never a path, an id or an option of
 * a room.
 */
#ifndef LAUNCHER_H
#define LAUNCHER_H

#include <sys/types.h>

#include <stddef.h>

#include "peer.h"

enum user { BROKER_USER, KEEPER_USER, GATEWAY_USER, SANDBOX_USER, NUSERS };

struct ids {
	uid_t	uid;
	gid_t	gid;
};

struct launcher {
	/* from its options */
	const char	*libexec;	/* where the binaries are */
	const char	*file;		/* the reader's: the configuration */
	const char	*credentials;	/* the reader's, or NULL */
	const char	*boot;
	int		 verbose;
	/* from its set-up, once; before, it starts nothing but the reader */
	json_t		*setup;		/* what has the strings */
	const char	*state;		/* the state directory */
	const char	*cgroup;	/* where jails' go, or NULL */
	struct ids	 users[NUSERS];
	uid_t		 jail_base;
	/* what it has made */
	int		 userns;	/* the rooms' user namespace */
	int		 overlay;	/* an errno: can it be mounted? */
	int		 log;		/* for the next process, or -1 */
	struct trees	*trees;
	struct event_base *base;
	struct peer	*supervisor;
	struct peer	*warden;	/* NULL before it is there */
};

/* exec.c: what becomes of a new process. */
struct spawn {
	const char	*binary;
	char		**argv;
	int		 sock, log;	/* its fds 3 and 4; lent; -1: none */
	int		 userns;	/* to enter, or -1 */
	int		 ours;		/* our child, not the supervisor's */
};

/* Returns the pid, or -1 with errno set. The child's, unless ours, are the
 * supervisor's to wait for, by *pidfd. */
pid_t	 spawn(const struct spawn *, int *pidfd);
/* In all namespaces of its own, as root with 65,536 ids from base on. */
pid_t	 spawn_starter(const struct spawn *, uid_t base, int *pidfd);

/* launch.c */
/* Start one by name; takes sock. The supervisor is told how it went.
 * Returns -1 if nobody has that name. */
int	 launch(struct launcher *, const char *room, int sock);
int	 on_launch(struct peer *, struct msg *);
int	 on_launch_log(struct peer *, struct msg *);
int	 on_launch_errand(struct peer *, struct msg *);

/* userns.c */
/* Write text into a file of /proc or of a cgroup. -1 with errno set. */
int	 file_put(const char *path, const char *text);
/* The id maps of a process. */
int	 userns_map(pid_t, const char *uid_map, const char *gid_map);
/* A user namespace in which every id that we have is itself. */
int	 userns_identity(void);
/* As fork(2), with namespaces. */
pid_t	 clone_into(int flags, int *pidfd);
int	 on_map_workspace(struct peer *, struct msg *);
int	 on_map_layer(struct peer *, struct msg *);

/* setup.c */
int	 on_setup(struct peer *, struct msg *);

/* state.c */
/* The end of a start that no other try can help, only an administrator. */
void	 wrong(const char *fmt, ...)
	    __attribute__((noreturn, format(printf, 1, 2)));
/* The state directory, and what is the keeper's and the sandboxes' in it. */
void	 state_make(const struct launcher *);
/* The control socket, listening. */
int	 listen_make(const char *path, gid_t, mode_t);

/* host.c: what this host can do, each tried. */
/* An overlay as a tool jail mounts it, in a child. Returns an errno. */
int	 host_overlay(int userns);
/* Tell the warden. */
void	 host_tell(const struct launcher *);

#endif
