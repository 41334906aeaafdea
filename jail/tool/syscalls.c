/*
 * The filter of a tool jail. Any program may run there, so it lists what is
 * refused: all that changes what the jail is made of, and all that opens
 * much of the kernel to one who needs little of it. A call that this version
 * of libseccomp has no name for does not exist.
 */
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <errno.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

#include "syscalls.h"

#define DENY(call)	{ call, SCMP_ACT_ERRNO(EPERM), 0, { 0, 0, 0, 0 } }
#define ABSENT(call)	{ call, SCMP_ACT_ERRNO(ENOSYS), 0, { 0, 0, 0, 0 } }
#define END		{ NULL, 0, 0, { 0, 0, 0, 0 } }

/* Neither for the jail nor for the starter. */
static const struct filter_rule	never[] = {
	DENY("acct"),			DENY("add_key"),
	DENY("adjtimex"),		DENY("bpf"),
	DENY("clock_adjtime"),		DENY("clock_settime"),
	DENY("create_module"),		DENY("delete_module"),
	DENY("fanotify_init"),		DENY("fanotify_mark"),
	DENY("finit_module"),		DENY("get_kernel_syms"),
	DENY("get_mempolicy"),		DENY("init_module"),
	ABSENT("io_uring_enter"),	ABSENT("io_uring_register"),
	ABSENT("io_uring_setup"),	DENY("ioperm"),
	DENY("iopl"),			DENY("kcmp"),
	DENY("kexec_file_load"),	DENY("kexec_load"),
	DENY("keyctl"),			DENY("lookup_dcookie"),
	DENY("mbind"),			DENY("memfd_secret"),
	DENY("migrate_pages"),		DENY("modify_ldt"),
	DENY("move_pages"),		DENY("name_to_handle_at"),
	DENY("nfsservctl"),		DENY("open_by_handle_at"),
	DENY("perf_event_open"),	DENY("personality"),
	DENY("pidfd_getfd"),		DENY("process_madvise"),
	DENY("process_vm_readv"),	DENY("process_vm_writev"),
	DENY("ptrace"),			DENY("query_module"),
	DENY("quotactl"),		DENY("quotactl_fd"),
	DENY("reboot"),			DENY("request_key"),
	DENY("set_mempolicy"),		DENY("set_mempolicy_home_node"),
	DENY("settimeofday"),		DENY("stime"),
	DENY("swapoff"),		DENY("swapon"),
	DENY("sysfs"),			DENY("syslog"),
	DENY("_sysctl"),		DENY("uselib"),
	DENY("userfaultfd"),		DENY("ustat"),
	DENY("vhangup"),
	END
};

/* What the starter needs to build a jail, and a jail must not have. clone3
 * does not exist there, so that the C library uses clone, whose flags can be
 * seen. */
static const struct filter_rule	construct[] = {
	DENY("chroot"),			ABSENT("clone3"),
	DENY("fsconfig"),		DENY("fsmount"),
	DENY("fsopen"),			DENY("fspick"),
	DENY("mount"),			DENY("mount_setattr"),
	DENY("move_mount"),		DENY("open_tree"),
	DENY("pivot_root"),		DENY("setdomainname"),
	DENY("sethostname"),		DENY("setns"),
	DENY("umount"),			DENY("umount2"),
	DENY("unshare"),
	END
};

#define CLONE(flag)							\
	{ "clone", SCMP_ACT_ERRNO(EPERM), 1,				\
	    { 0, SCMP_CMP_MASKED_EQ, flag, flag } }
#define FAMILY(cmp, family)						\
	{ "socket", SCMP_ACT_ERRNO(EAFNOSUPPORT), 1, { 0, cmp, family, 0 } }
/* The kernel looks at 32 bits of the request. */
#define IOCTL(request)							\
	{ "ioctl", SCMP_ACT_ERRNO(EPERM), 1,				\
	    { 1, SCMP_CMP_MASKED_EQ, 0xffffffff, request } }

/*
 * Namespaces; socket families but for unix, inet and inet6 (there is no
 * network to reach, but programs ask); typing into a terminal; a filter that
 * somebody else answers for.
 */
static const struct filter_rule	arguments[] = {
	CLONE(CLONE_NEWNS),		CLONE(CLONE_NEWCGROUP),
	CLONE(CLONE_NEWUTS),		CLONE(CLONE_NEWIPC),
	CLONE(CLONE_NEWUSER),		CLONE(CLONE_NEWPID),
	CLONE(CLONE_NEWNET),
	FAMILY(SCMP_CMP_EQ, 0),		FAMILY(SCMP_CMP_EQ, 3),
	FAMILY(SCMP_CMP_EQ, 4),		FAMILY(SCMP_CMP_EQ, 5),
	FAMILY(SCMP_CMP_EQ, 6),		FAMILY(SCMP_CMP_EQ, 7),
	FAMILY(SCMP_CMP_EQ, 8),		FAMILY(SCMP_CMP_EQ, 9),
	FAMILY(SCMP_CMP_GT, AF_INET6),
	IOCTL(TIOCSTI),			IOCTL(TIOCLINUX),
	{ "seccomp", SCMP_ACT_ERRNO(EPERM), 1,
	    { 1, SCMP_CMP_MASKED_EQ, SECCOMP_FILTER_FLAG_NEW_LISTENER,
	    SECCOMP_FILTER_FLAG_NEW_LISTENER } },
	END
};

_Static_assert(AF_UNIX == 1 && AF_INET == 2 && AF_INET6 == 10,
    "the families between these are listed by number");

const struct filter_rule *const	tool_syscalls[] = {
	never, construct, NULL
};
const struct filter_rule *const	starter_syscalls[] = { never, NULL };
const struct filter_rule *const	tool_arguments[] = { arguments, NULL };
