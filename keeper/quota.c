/*
 * Shares of the journal.
 */
#include <stdio.h>

#include "keeper.h"
#include "quota.h"

/* Have all unfinished runs of a user too much, if there come so many bytes?
 * A node asks, and there may be thousands of runs: mostly they have not even
 * all together as much as one user may. */
static int
user_over(struct keeper *k, int64_t uid, int64_t more, char *why,
    size_t whylen)
{
	struct run	*run;
	int64_t		 most = 2 * k->share, bytes = more;

	if (k->bytes + more <= most)
		return (0);
	RB_FOREACH(run, run_tree, &k->runs)
		if (run->uid == uid)
			bytes += run->bytes;
	if (bytes <= most)
		return (0);
	(void)snprintf(why, whylen, "what the journal has of the unfinished "
	    "runs of uid %lld is longer than %lld bytes", (long long)uid,
	    (long long)most);
	return (1);
}

int
quota_run_over(const struct run *run, char *why, size_t whylen)
{
	int64_t	share = run->keeper->share;

	if (run->bytes <= share)
		return (user_over(run->keeper, run->uid, 0, why, whylen));
	(void)snprintf(why, whylen, "what the journal has of the run is "
	    "longer than %lld bytes", (long long)share);
	return (1);
}

int
quota_new_over(struct keeper *k, int64_t uid, size_t script, char *why,
    size_t whylen)
{
	int64_t	bytes = WEIGH_RUN + (int64_t)script;

	if (bytes <= k->share)
		return (user_over(k, uid, bytes, why, whylen));
	(void)snprintf(why, whylen, "the script and its arguments have %zu "
	    "bytes, more than the journal takes of a run: %lld", script,
	    (long long)k->share);
	return (1);
}
