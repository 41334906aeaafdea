/*
 * Measuring, and the least that things can cost on this machine.
 */
#ifndef FLOOR_H
#define FLOOR_H

#include <stddef.h>

#define ROUNDS	60

struct sample {
	double	us[ROUNDS];
	size_t	n;
};

double	 now_us(void);

/* What is more than ROUNDS is dropped; of none both are 0. */
void	 sample_add(struct sample *, double us);
double	 sample_median(struct sample *);
double	 sample_least(struct sample *);

/* fork, and the child says that it runs. */
double	 fork_only(void);
/* exec of a command until its first byte; 0 if it has none. */
double	 exec_first_byte(char *const argv[]);
/* A packet through two processes and back, raw: what a node's question and
 * answer would cost if nobody looked at them. */
double	 two_hops(size_t size);
/* One page fault: the best of some tries. */
double	 fault_time(void);

#endif
