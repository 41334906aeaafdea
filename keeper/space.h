/*
 * Room on the disk for the journal. A sandbox's files may lie on the same
 * disk, and whoever fills it must not stop everybody: a reserve, a file of
 * which nothing is read, is given up when the store finds the disk full, and
 * made again when there is room. A second one is for ends only, which need
 * little and make room: that of a run, and above all a cancel.
 */
#ifndef SPACE_H
#define SPACE_H

#include <stddef.h>
#include <stdint.h>

struct keeper;
struct store;

enum space {
	SPACE_GOOD,	/* the reserve is whole */
	SPACE_LOW,	/* it is given up: what runs goes on, without tools */
	SPACE_NONE,	/* not even that: a run can only be cancelled */
};

/* What room there is. Pure; all in bytes. */
enum space	 space_judge(int64_t reserved, int64_t wanted, int64_t left);
/* Is what is left enough for so many bytes more, the log of the store being so
 * long? Pure. */
int		 space_takes(int64_t left, int64_t bytes, int64_t log);
/* How large the reserve should be on a disk of this size. */
int64_t		 space_wanted(int64_t total);

/* How much of it the nodes of one run may take; those of all unfinished runs
 * of one user twice that. */
int64_t		 space_share(int64_t total);
/* How much of it all ended runs may take, if the configuration says nothing.
 */
int64_t		 space_history(int64_t total);
/* The size of the disk that the store is on. */
int64_t		 space_total(const struct store *);

/* Look, and say so to the broker; until it is good, look again by itself
 * and take up what had to wait. */
void		 space_check(struct keeper *);
/* Whether a new run of so many bytes is refused, and has been, because room is
 * not good, or would not be. */
int		 space_refuses(struct keeper *, uint32_t id, size_t bytes);
/* Stop looking. */
void		 space_close(struct keeper *);
/* A run is about to end: it may have the last reserve, until the commit. */
void		 space_lend(struct keeper *);
void		 space_take_back(struct keeper *);
/* The store has found no room: give up the reserve of what runs. */
void		 space_release(const struct store *);

#endif
