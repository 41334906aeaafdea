/*
 * What a run takes in the journal: the texts of its rows, and about so many
 * bytes more for each row. store_schema.c says the same in SQL, for the runs
 * of a store that has just been opened; in between it is counted row by row,
 * with run_grow().
 */
#ifndef QUOTA_H
#define QUOTA_H

#include <stddef.h>
#include <stdint.h>

struct keeper;
struct run;

#define WEIGH_RUN	1024
#define WEIGH_NODE	384	/* and its path twice: an index has it, too */
#define WEIGH_EVENT	64
#define WEIGH_AGENT	512	/* a submission and its journal slot */
#define WEIGH_ENTRY	128
#define WEIGH_OUTCOME	64

/* One run, or one user, can't fill the disk for everybody: has this one more
 * than its share? Then with a sentence in why. */
int	 quota_run_over(const struct run *, char *why, size_t whylen);
/* Would one more of a user's have, with a script of so many bytes? */
int	 quota_new_over(struct keeper *, int64_t uid, size_t script, char *why,
	    size_t whylen);

#endif
