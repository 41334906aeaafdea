/*
 * The pages that a script touches, whatever it does: learned once, by a
 * rehearsal in a child, and made a jail's own right after its fork. One call
 * for hundreds of pages costs less than as many faults: a quarter where
 * faults are dear, as in some virtual machines, and hardly less elsewhere.
 */
#ifndef HOT_H
#define HOT_H

#include "../starter.h"

struct hot;

/*
 * Run a small script in a child, as a broker would have it run, and note
 * which pages it touched. Needs /proc. NULL, with the reason logged, if that
 * can't be known: jails are made without it, and are slower.
 */
struct hot	*hot_learn(int (*run)(struct jail *));
/* Is touching them all at once so much cheaper on this machine that even the
 * ones which a script may not need are worth it? */
int		 hot_pays(const struct hot *);
/* In a new child, once it is in its cgroup: touch them. */
void		 hot_populate(const struct hot *);

#endif
