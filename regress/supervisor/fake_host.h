/*
 * A directory of its own for the real wfsupd, the real starters and fake
 * rooms; starting and ending it there, and what is seen of it from outside.
 */
#ifndef FAKE_HOST_H
#define FAKE_HOST_H

#include <sys/types.h>

#include <stdint.h>

#include "test.h"

#define WAIT_MS	test_slow(20000)

extern pid_t	 daemon_pid;

int64_t		 ms(void);
void		 nap(int n);

/* A path in the directory. One of four buffers, used in turn. */
const char	*in_dir(const char *name);
/* The directory of the real binaries. */
const char	*real_bin(void);
int		 run(const char *fmt, ...)
		    __attribute__((format(printf, 1, 2)));
/* The one line that a command prints; lent until the next call. */
const char	*line(const char *fmt, ...)
		    __attribute__((format(printf, 1, 2)));

/* Make the directory. Returns -1 if that takes another user than we are. */
int		 host_setup(void);
/* The daemon is killed if it lives; with failed, its last words are shown. */
void		 host_end(int failed);
/* The configuration, and more lines. */
void		 config_write(const char *more);

/* Fork it with these flags; its log is empty when this returns. */
pid_t		 daemon_fork(const char *flags);
/* Start it, wait until it is ready, and be the broker's client. */
int		 daemon_start(void);
/* Wait for its end. Returns its status, or -1. */
int		 daemon_wait(void);
/* SIGTERM, and wait. */
int		 daemon_stop(void);
int		 daemon_restart(void);

/* How often a basic regular expression is found in its log. */
int		 log_count(const char *text);
/* Wait until it is there n times. */
int		 log_wait(const char *text, int n);

/* The daemon's child of this name: wfsup-keeper. 0: there is none. */
pid_t		 child_pid(const char *binary);
int		 child_wait(const char *binary);
void		 kill_child(const char *binary);
/* Kill it, and wait until the daemon, to which it is name, has seen that. */
int		 kill_seen(const char *binary, const char *name);
/* What is there of its processes and cgroups; wait until none is. */
const char	*processes_left(void);
int		 processes_wait(void);
const char	*cgroups_left(pid_t daemon);

#endif
