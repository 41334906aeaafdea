/*
 * A filter that denies, for a process that can't be told what it may do.
 */
#include <errno.h>
#include <seccomp.h>
#include <string.h>

#include "confine.h"
#include "log.h"

/* What no process of ours, nor any that it starts, has a use for. */
static const int	always[] = {
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
	-1
};

static void
deny(scmp_filter_ctx ctx, const int *calls)
{
	int	error;

	for (; *calls != -1; calls++) {
		error = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), *calls,
		    0);
		if (error != 0)
			fatalx("confine: deny call %d: %s", *calls,
			    strerror(-error));
	}
}

void
confine_deny(const int *calls)
{
	scmp_filter_ctx	ctx;
	int		error;

	if ((ctx = seccomp_init(SCMP_ACT_ALLOW)) == NULL)
		fatalx("confine: seccomp_init");
	error = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
	    SCMP_ACT_KILL_PROCESS);
	if (error != 0)
		fatalx("confine: seccomp_attr_set: %s", strerror(-error));
	deny(ctx, always);
	if (calls != NULL)
		deny(ctx, calls);
	if ((error = seccomp_load(ctx)) != 0)
		fatalx("confine: seccomp_load: %s", strerror(-error));
	seccomp_release(ctx);
}
