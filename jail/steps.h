/*
 * The construction steps that both kinds of jail have. Each does one thing,
 * in the child, and returns 0, or -1 with errno set.
 */
#ifndef STEPS_H
#define STEPS_H

#include <stdint.h>

#include "starter.h"

/* Enter the jail's cgroups. */
int	 step_cgroup(struct starter *, struct jail *);
int	 step_hostname(struct starter *, struct jail *);
/* The socket becomes JAIL_FD, 0 to 2 /dev/null, nothing else is left but
 * JAIL_REPORT_FD and what there is of JAIL_EVENTS_FD. */
int	 step_descriptors(struct starter *, struct jail *);
int	 step_signals(struct starter *, struct jail *);
/* Empty the bounding set, while CAP_SETPCAP is still held. */
int	 step_bounding(struct starter *, struct jail *);
int	 step_groups(struct starter *, struct jail *);
int	 step_ids(struct starter *, struct jail *);
int	 step_capabilities(struct starter *, struct jail *);
/* Not to be traced or dumped; dies with the starter. After the ids, whose
 * change clears both. */
int	 step_process(struct starter *, struct jail *);
/* No memory becomes executable, if the kernel can see to that. */
int	 step_memory(struct starter *, struct jail *);
int	 step_no_new_privs(struct starter *, struct jail *);
/* Ask the kernel whether the steps above hold. */
int	 step_verify(struct starter *, struct jail *);
/* A Landlock domain that allows nothing, if the kernel has Landlock. */
int	 step_landlock(struct starter *, struct jail *);
int	 step_filter(struct starter *, struct jail *);
/* Say why, when the filter or the CPU limit ends it. */
int	 step_words(struct starter *, struct jail *);

/* One limit, soft and hard: the same, or two. */
int	 limit_set(int resource, int64_t value);
int	 limit_set_two(int resource, int64_t soft, int64_t hard);

/* Capabilities as bits. Effective and permitted, of this process only. */
#define CAP(cap)	(UINT64_C(1) << (cap))
int	 caps_set(uint64_t) __attribute__((warn_unused_result));
/* The same, and in no other set more than that, for good. */
int	 caps_keep(uint64_t) __attribute__((warn_unused_result));

#endif
