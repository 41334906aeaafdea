/*
 * What the launcher gives up, once, before it reads the first byte from the
 * supervisor. Whether it has, the supervisor looks at.
 */
#include <sys/resource.h>

#include <grp.h>
#include <linux/capability.h>

#include "confine.h"
#include "log.h"
#include "rights.h"

void
rights_drop(void)
{
	struct rlimit	none = { 0, 0 };

	if (setgroups(0, NULL) == -1)
		fatal("setgroups");
	if (setrlimit(RLIMIT_CORE, &none) == -1)
		fatal("setrlimit");
	confine_caps(UINT64_C(1) << CAP_SETUID | UINT64_C(1) << CAP_SETGID);
	/*
	 * Inherited by every descendant: an allow-list here would be one for
	 * the commands in tool jails, which nobody can foresee. Each room,
	 * starter and jail adds a filter of its own.
	 */
	confine_deny(NULL);
}
