/*
 * System-call filters: built once with libseccomp, kept as the kernel's own
 * bytes, and loaded by one call wherever they are needed.
 */
#ifndef FILTER_H
#define FILTER_H

#include <sys/types.h>

#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>

struct bpf;

/* One rule. A call that this machine does not have is passed over. Without
 * cmp, nargs is 0 and the rule is for the call whatever its arguments. */
struct filter_rule {
	const char		*call;
	uint32_t		 action;	/* SCMP_ACT_... */
	unsigned		 nargs;
	struct scmp_arg_cmp	 cmp;
};

/*
 * A filter of these tables, each ended by a NULL call; what is in none of
 * them gets `otherwise`. An earlier table's rules for a call stand instead
 * of a later one's; a rule that just says `otherwise` is dropped. The tables
 * end with NULL. Anything that fails is fatal.
 */
struct bpf	*filter_new(uint32_t otherwise,
		    const struct filter_rule *const *tables);
/* The same, but what is in no table is allowed if this libseccomp has a name
 * for it, and does not exist if it has none: calls of kernels to come. */
struct bpf	*filter_new_known(const struct filter_rule *const *tables);
/* Have `more` loaded too, after the first; of two answers to a call the
 * kernel takes the stricter. Takes `more`. */
void		 filter_append(struct bpf *, struct bpf *more);
/* Load it for this process, which has no_new_privs set or SYS_ADMIN. */
int		 filter_load(const struct bpf *)
		    __attribute__((warn_unused_result));

#endif
