/*
 * What the two starters of jails share: the loop that does as the warden
 * says, the record of a jail, and the table of construction steps.
 */
#ifndef STARTER_H
#define STARTER_H

#include <sys/queue.h>
#include <sys/types.h>

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "attempt.h"
#include "imsg.h"
#include "msg.h"

/* In a jail: the socket to the broker, and, until it is confined, the one
 * to the starter. */
#define JAIL_FD		3
#define JAIL_REPORT_FD	4

/* In a tool jail's init: what its cgroup counts, from here on. */
#define JAIL_EVENTS_FD	5
#define JAIL_EVENTS	3

#define JAIL_CGROUPS	8

struct starter;
struct bpf;
struct canary;
struct hot;
struct words;

enum jail_state {
	JAIL_COLLECTING,	/* parts come in */
	JAIL_BUILDING,		/* the child does its steps */
	JAIL_RUNNING,		/* confined */
	JAIL_FAILED,		/* a step failed, not yet reaped */
};

/* One jail, from its first part until its init is reaped. */
struct jail {
	TAILQ_ENTRY(jail)	 entry;
	int64_t			 number;
	enum jail_state		 state;
	pid_t			 pid;
	int			 report;	/* to the child, while building */
	struct words		*words;		/* its last ones */
	struct canary		*canary;	/* NULL: it is none */

	/* The parts. */
	int			 socket;
	int			 workspace;	/* a detached mount, or -1 */
	int			 layer;		/* a detached mount, or -1 */
	int			 cgroups[JAIL_CGROUPS];
	size_t			 ncgroups;
	int			 events[JAIL_EVENTS];	/* or -1 */

	/* Of JAIL_SPAWN. */
	uid_t			 uid;
	int64_t			 memory, pids, cpu, fsize, files;
	int			 ahead;
};
TAILQ_HEAD(jails, jail);

/* One step of a jail's construction, done by the child. Returns 0, or -1
 * with errno set: then there is no jail. */
struct step {
	const char	*name;
	int		(*fn)(struct starter *, struct jail *);
};

/* What distinguishes the two starters. */
struct starter_ops {
	enum role		 self;
	enum jail_kind		 kind;
	const char		*name;		/* for the log */
	uint64_t		 namespaces;	/* CLONE_NEW... of a jail */
	const struct step	*steps;		/* ends with a NULL name */
	uint64_t		 keep;		/* capabilities of the starter */
	/* With all files in sight, before anything is given up: make the
	 * filters and whatever else a jail begins with. */
	void			(*load)(struct starter *);
	/* Change the root. May be NULL. */
	void			(*root)(struct starter *);
	/* Obey the first ROOM_CONFIG. May be NULL. */
	void			(*configure)(struct starter *,
				    const json_t *);
	/* In the jail, confined: returns its exit status. */
	int			(*run)(struct jail *);
	/* The same in a canary: make the attempts. */
	int			(*canary)(struct canary *);
};

struct starter {
	const struct starter_ops	*ops;
	struct imsgbuf			 ibuf;
	struct jails			 jails;
	const char			*fail;	/* the step that is to fail */
	int				 null;	/* /dev/null */
	int				 signals;	/* a signalfd */
	int				 configured;
	struct bpf			*own;	/* the starter's filter */
	struct bpf			*filter;	/* a jail's filter */
	int64_t				 mapped;	/* our address space */
	struct hot			*hot;	/* pages that jails begin with */
};

/*
 * Be a starter: fd 3 is the warden, we are root in a user namespace and
 * pid 1 in a pid namespace, both our own. Returns never; whatever can't be
 * set up is fatal, and every jail dies with us.
 */
void	 starter_main(const struct starter_ops *, int argc, char **argv)
	    __attribute__((noreturn));

/* spawn.c */

/* Make the child of a jail whose parts are complete. Returns its pidfd, or
 * -1 with errno set. */
int	 spawn_jail(struct starter *, struct jail *)
	    __attribute__((warn_unused_result));
/* What the child has reported: the number of the step that failed and its
 * errno, or SPAWN_CONFINED, or SPAWN_SILENT if it died before it could. */
#define SPAWN_CONFINED	(-1)
#define SPAWN_SILENT	(-2)
int	 spawn_report(struct jail *, int *error);

struct jail	*jail_find(struct jails *, int64_t number);
struct jail	*jail_find_pid(struct jails *, pid_t);
struct jail	*jail_new(struct jails *, int64_t number);
/* Take a part. Returns -1 if the jail can't have it; fd is closed then. */
int	 jail_part(struct jail *, const char *part, int fd)
	    __attribute__((warn_unused_result));
void	 jail_close_parts(struct jail *);
void	 jail_free(struct jails *, struct jail *);

#endif
