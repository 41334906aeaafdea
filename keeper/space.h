/*
 * Room on the disk for the journal. A sandbox's files may lie on the same
 * disk, and whoever fills it must not stop everybody: a reserve, a file of
 * which nothing is read, is given up when the store finds the disk full, and
 * made again when there is room.
 */
#ifndef SPACE_H
#define SPACE_H

#include <stdint.h>

struct keeper;
struct store;

enum space {
	SPACE_GOOD,	/* the reserve is whole */
	SPACE_LOW,	/* it is given up: what runs goes on, without tools */
	SPACE_NONE,	/* not even that: what is recorded can be read */
};

/* What room there is. Pure; all in bytes. */
enum space	 space_judge(int64_t reserved, int64_t wanted, int64_t left);
/* How large the reserve should be on a disk of this size. */
int64_t		 space_wanted(int64_t total);

/* How much of it the nodes of one run may take; those of all unfinished runs
 * of one user twice that. */
int64_t		 space_share(int64_t total);
/* The size of the disk that the store is on. */
int64_t		 space_total(const struct store *);

/* Look, and say so to the broker; until it is good, look again by itself
 * and take up what had to wait. */
void		 space_check(struct keeper *);
/* Whether a question is refused, and has been, because room is as bad as
 * worst. */
int		 space_refuses(struct keeper *, uint32_t id, enum space worst);
/* Stop looking. */
void		 space_close(struct keeper *);
/* The store has found no room: give up the reserve. */
void		 space_release(const struct store *);

#endif
