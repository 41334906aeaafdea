/*
 * What the launcher gives up, once, before it reads the first byte from the
 * supervisor. Whether it has, the supervisor looks at.
 */
#include <sys/resource.h>

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <string.h>

#include "confine.h"
#include "log.h"
#include "rights.h"

/*
 * A filter is inherited by every descendant, so an allow-list here would be
 * one for the commands in tool jails, which nobody can foresee. This denies
 * what no room, starter or jail has a use for; each of them adds its own
 * allow-list, or in a tool jail a longer list like this one.
 */
static const int	denied[] = {
	SCMP_SYS(acct), SCMP_SYS(add_key), SCMP_SYS(adjtimex), SCMP_SYS(bpf),
	SCMP_SYS(clock_adjtime), SCMP_SYS(clock_settime),
	SCMP_SYS(delete_module), SCMP_SYS(fanotify_init),
	SCMP_SYS(finit_module), SCMP_SYS(init_module),
	SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
	SCMP_SYS(io_uring_setup), SCMP_SYS(ioperm), SCMP_SYS(iopl),
	SCMP_SYS(kcmp), SCMP_SYS(kexec_file_load), SCMP_SYS(kexec_load),
	SCMP_SYS(keyctl), SCMP_SYS(lookup_dcookie),
	SCMP_SYS(name_to_handle_at), SCMP_SYS(open_by_handle_at),
	SCMP_SYS(perf_event_open), SCMP_SYS(pidfd_getfd),
	SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
	SCMP_SYS(ptrace), SCMP_SYS(quotactl), SCMP_SYS(quotactl_fd),
	SCMP_SYS(reboot), SCMP_SYS(request_key), SCMP_SYS(settimeofday),
	SCMP_SYS(swapoff), SCMP_SYS(swapon), SCMP_SYS(syslog),
	SCMP_SYS(userfaultfd), SCMP_SYS(vhangup),
};

static void
rights_filter(void)
{
	scmp_filter_ctx	ctx;
	size_t		i;
	int		error;

	if ((ctx = seccomp_init(SCMP_ACT_ALLOW)) == NULL)
		fatalx("seccomp_init");
	error = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
	    SCMP_ACT_KILL_PROCESS);
	for (i = 0; error == 0 && i < sizeof(denied) / sizeof(denied[0]); i++)
		error = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM),
		    denied[i], 0);
	if (error != 0 || (error = seccomp_load(ctx)) != 0)
		fatalx("seccomp filter: %s", strerror(-error));
	seccomp_release(ctx);
}

void
rights_drop(void)
{
	struct rlimit	none = { 0, 0 };

	if (setgroups(0, NULL) == -1)
		fatal("setgroups");
	if (setrlimit(RLIMIT_CORE, &none) == -1)
		fatal("setrlimit");
	confine_caps(UINT64_C(1) << CAP_SETUID | UINT64_C(1) << CAP_SETGID);
	rights_filter();
}
