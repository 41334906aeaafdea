/*
 * Giving up rights, once, in one call, before the first byte from a peer is
 * read. Anything that can't be given up is fatal.
 */
#ifndef CONFINE_H
#define CONFINE_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

struct confine {
	uid_t		 uid;
	gid_t		 gid;
	const char	*root;	/* directory to become "/", NULL: an empty one */
	int		 network;	/* keep the host's network namespace */
	int		 files;		/* keep the host's files, read-only */
	const int	*syscalls;	/* SCMP_SYS() numbers, ends with -1 */
};

/*
 * For a process that is root in the rooms' user namespace: own mount, ipc,
 * uts and (without network) net namespace, root directory, ids without
 * supplementary groups, no capability, bounding set empty, no core files,
 * no_new_privs, dies with its parent, and the system-call filter: what is
 * not listed kills the process. Verifies what it has done.
 */
void	 confine(const struct confine *);

/*
 * For a process that stays root, or root of a user namespace: these
 * capabilities (bits) and no other, the bounding set the same, and
 * no_new_privs. Needs SETPCAP.
 */
void	 confine_caps(uint64_t caps);

/* The filter alone, for a process that has dropped the rest itself. */
void	 confine_syscalls(const int *syscalls);
/* The same without the calls that rooms have in common: these and no other. */
void	 confine_only(const int *syscalls);

/*
 * For a process that runs what nobody can foresee, and for its descendants:
 * what no process of ours has a use for fails with EPERM, and so do these (or
 * NULL).
 */
void	 confine_deny(const int *syscalls);

/* The calls that every room needs: libc, libevent, jansson, exit. */
extern const int	confine_base[];

#endif
