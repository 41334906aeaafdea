/*
 * What a process may do, as /proc/PID/status has it, compared with what it
 * was meant to be able to do.
 */
#ifndef STATUS_H
#define STATUS_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

struct status {
	uint32_t	uid[4], gid[4];		/* real, effective, saved, fs */
	size_t		ngroups;
	uint64_t	inheritable, permitted, effective, bounding, ambient;
	uint32_t	no_new_privs, seccomp;
};

/* no_new_privs and a seccomp filter are always wanted. */
struct status_want {
	uid_t		uid;
	gid_t		gid;
	uint64_t	caps;		/* permitted, effective and bounding */
	int		any_caps;	/* root of a user namespace of its own */
};

/* Pure. Returns -1 if a line is missing, comes twice or makes no sense. */
int	 status_parse(const char *text, struct status *);
/* Pure. Returns 0, or -1 and in why the first difference. */
int	 status_compare(const struct status *, const struct status_want *,
	    char *why, size_t whylen);

/* Reads the status of a process (0: our own) where proc is mounted. -1 with
 * errno set. */
int	 status_read(const char *proc, pid_t, struct status *);
/* And compares it. A process that can't be read is one that differs, then
 * with errno set, else 0. */
int	 status_check(const char *proc, pid_t, const struct status_want *,
	    char *why, size_t whylen);

#endif
