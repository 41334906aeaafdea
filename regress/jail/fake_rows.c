/*
 * The attempts, by raw system call: no library stands in between.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <netinet/in.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/if_alg.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/vm_sockets.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"

/* An attempt that is one call, and succeeds if it does not fail. */
#define CALL(name, ...)							\
static int								\
try_##name(void)							\
{									\
	return (syscall(__VA_ARGS__) != -1);				\
}

/* ---- files ---- */

CALL(shadow, SYS_openat, AT_FDCWD, "/etc/shadow", O_RDONLY)
CALL(proc, SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY)
CALL(machine, SYS_openat, AT_FDCWD, "/proc/kcore", O_RDONLY)
CALL(sysctl, SYS_openat, AT_FDCWD, "/proc/sys/kernel/core_pattern", O_WRONLY)
CALL(sys, SYS_openat, AT_FDCWD, "/sys/kernel", O_RDONLY)
CALL(disk, SYS_openat, AT_FDCWD, "/dev/vda", O_RDONLY)
CALL(null, SYS_openat, AT_FDCWD, "/dev/null", O_RDWR)
CALL(list, SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY)
CALL(dotdot, SYS_openat, AT_FDCWD, "../../../../../../root", O_RDONLY)
CALL(creat, SYS_openat, AT_FDCWD, "/x", O_WRONLY | O_CREAT, 0600)
CALL(usr, SYS_openat, AT_FDCWD, "/usr/x", O_WRONLY | O_CREAT, 0600)
CALL(chroot, SYS_chroot, ".")
CALL(mount, SYS_mount, "x", "/tmp", "tmpfs", 0, NULL)
CALL(remount, SYS_mount, NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL)
CALL(umount, SYS_umount2, "/proc", MNT_DETACH)
CALL(pivot, SYS_pivot_root, ".", ".")
CALL(open_tree, SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE)
CALL(fsopen, SYS_fsopen, "tmpfs", 0)
CALL(mknod, SYS_mknodat, AT_FDCWD, "node", S_IFBLK | 0600, 0x800)

/* The call that reads any file of a file system by number. EPERM before it
 * has looked at its arguments is what we want to see. */
static int
try_handle(void)
{
	struct {
		struct file_handle	h;
		char			bytes[8];
	} f;

	memset(&f, 0, sizeof(f));
	f.h.handle_bytes = sizeof(f.bytes);
	f.h.handle_type = 1;
	if (syscall(SYS_open_by_handle_at, AT_FDCWD, &f, O_RDONLY) != -1)
		return (1);
	return (errno == ESTALE);
}

/* ---- sockets ---- */

CALL(inet, SYS_socket, AF_INET, SOCK_STREAM, 0)
CALL(packet, SYS_socket, AF_PACKET, SOCK_RAW, 0)
CALL(raw, SYS_socket, AF_INET, SOCK_RAW, IPPROTO_ICMP)
CALL(netlink, SYS_socket, AF_NETLINK, SOCK_RAW, 0)
CALL(vsock, SYS_socket, AF_VSOCK, SOCK_STREAM, 0)
CALL(alg, SYS_socket, AF_ALG, SOCK_SEQPACKET, 0)
CALL(high_family, SYS_socket, (1L << 32) | AF_NETLINK, SOCK_RAW, 0)

static int
try_connect(void)
{
	struct sockaddr_in	sin = { .sin_family = AF_INET };
	int			fd;

	sin.sin_addr.s_addr = htonl(0x01010101);
	sin.sin_port = htons(53);
	fd = (int)syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0);
	return (fd != -1 && syscall(SYS_connect, fd, &sin, sizeof(sin)) == 0);
}

static int
try_abstract(void)
{
	struct sockaddr_un	sun = { .sun_family = AF_UNIX };
	int			fd;

	memcpy(sun.sun_path + 1, ROWS_ABSTRACT, sizeof(ROWS_ABSTRACT));
	fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
	return (fd != -1 && syscall(SYS_connect, fd, &sun,
	    offsetof(struct sockaddr_un, sun_path) + 1 +
	    sizeof(ROWS_ABSTRACT) - 1) == 0);
}

static int
try_socketpair(void)
{
	int	sv[2];

	return (syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, sv) == 0);
}

/* ---- processes ---- */

static int
try_fork(void)
{
	long	pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return (pid != -1);
}

static int
try_thread(void)
{
	char	*stack = malloc(65536);
	long	 pid;

	/* Not for the stack's sake: without CLONE_VM it is a fork. */
	pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, stack + 65536, 0, 0,
	    0);
	if (pid == 0)
		_exit(0);
	return (pid != -1);
}

static int
try_clone3(void)
{
	struct clone_args	args = { .exit_signal = SIGCHLD };
	long			pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid == 0)
		_exit(0);
	return (pid != -1);
}

/* Success does not come back: the status of the row's process is 42 then. */
static int
try_exec(void)
{
	char	*argv[] = { (char *)"sh", (char *)"-c", (char *)"exit 42",
		    NULL };

	(void)syscall(SYS_execve, "/bin/sh", argv, NULL);
	return (0);
}

CALL(memfd, SYS_memfd_create, "x", 0)
CALL(memfd_secret, SYS_memfd_secret, 0)
CALL(traceme, SYS_ptrace, 0, 0, 0, 0)
CALL(attach, SYS_ptrace, 16, 1, 0, 0)
CALL(kill_init, SYS_kill, 1, SIGSTOP)
CALL(pidfd, SYS_pidfd_open, 1, 0)
CALL(getfd, SYS_pidfd_getfd, 0, 0, 0)
CALL(kcmp, SYS_kcmp, 1, 1, 0, 0, 0)
CALL(setuid, SYS_setresuid, 0, 0, 0)
CALL(setgid, SYS_setresgid, 0, 0, 0)
CALL(groups, SYS_setgroups, 1, &(gid_t){ 0 })
CALL(capset, SYS_capset, &(uint32_t[2]){ 0x20080522, 0 },
    &(uint32_t[6]){ 1, 1, 0, 1, 1, 0 })
CALL(ambient, SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0)
CALL(nice, SYS_setpriority, PRIO_PROCESS, 0, -10)
CALL(realtime, SYS_sched_setscheduler, 0, SCHED_FIFO, &(int){ 10 })

static int
try_vm_readv(void)
{
	static char	here[8];
	struct iovec	iov = { here, sizeof(here) };

	return (syscall(SYS_process_vm_readv, getpid(), &iov, 1, &iov, 1, 0)
	    != -1);
}

static int
try_rlimit(void)
{
	struct rlimit	rl = { 1 << 20, 1 << 20 };

	return (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &rl, NULL) == 0);
}

/* ---- namespaces ---- */

CALL(userns, SYS_unshare, CLONE_NEWUSER)
CALL(netns, SYS_unshare, CLONE_NEWNET)
CALL(setns, SYS_setns, 0, 0)
CALL(hostname, SYS_sethostname, "x", 1)

static int
try_clone_userns(void)
{
	long	pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return (pid != -1);
}

/* ---- memory ---- */

static int
try_write_exec(void)
{
	return (syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE |
	    PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != -1);
}

static int
try_make_exec(void)
{
	void	*p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		    MAP_ANONYMOUS, -1, 0);

	return (p != MAP_FAILED && syscall(SYS_mprotect, p, 4096, PROT_READ |
	    PROT_EXEC) == 0);
}

static int
try_memory(void)
{
#ifdef __SANITIZE_ADDRESS__
	return (0);	/* its own map has no end */
#endif
	return (syscall(SYS_mmap, NULL, 2UL << 30, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != -1);
}

static int
try_mlock(void)
{
	void	*p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		    MAP_ANONYMOUS, -1, 0);

	return (p != MAP_FAILED && syscall(SYS_mlock, p, 65536) == 0);
}

/* ---- much of the kernel for little ---- */

CALL(io_uring, SYS_io_uring_setup, 1, &(char[256]){ 0 })
CALL(bpf, SYS_bpf, BPF_MAP_CREATE, &(uint32_t[32]){ 2, 4, 4, 1 }, 128)
CALL(perf, SYS_perf_event_open, &(uint64_t[16]){ 1, 128 }, 0, -1, -1, 0)
CALL(userfaultfd, SYS_userfaultfd, 1)
CALL(keyctl, SYS_keyctl, 0, -3, 1)
CALL(add_key, SYS_add_key, "user", "x", "y", 1, -3)
CALL(shm, SYS_shmget, 0, 4096, 01600)
CALL(msg, SYS_msgget, 0, 01600)
CALL(personality, SYS_personality, PER_LINUX | ADDR_NO_RANDOMIZE)
CALL(iopl, SYS_iopl, 3)
CALL(ldt, SYS_modify_ldt, 0, &(char[64]){ 0 }, 64)
CALL(inotify, SYS_inotify_init1, 0)
CALL(fanotify, SYS_fanotify_init, 0, O_RDONLY)
CALL(timerfd, SYS_timerfd_create, 1, 0)
CALL(syslog, SYS_syslog, 3, &(char[64]){ 0 }, 64)
CALL(module, SYS_init_module, "", 0, "")
CALL(kexec, SYS_kexec_load, 0, 0, NULL, 0)
CALL(reboot, SYS_reboot, 0xfee1dead, 672274793, 0x1234567, NULL)
CALL(quotactl, SYS_quotactl, 0x800001U << 8, "/dev/vda", 0, NULL)
CALL(swapon, SYS_swapon, "/tmp/x", 0)
CALL(settime, SYS_clock_settime, 0, &(struct timespec){ 1, 0 })
CALL(acct, SYS_acct, "/tmp/x")
CALL(unknown, 9999)

static int
try_listener(void)
{
	struct sock_filter	allow = BPF_STMT(BPF_RET | BPF_K,
				    SECCOMP_RET_ALLOW);
	struct sock_fprog	prog = { 1, &allow };

	return (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog) != -1);
}

/* Typing into the terminal: EIO or ENOTTY say that the call was let in. */
static int
try_sti(void)
{
	char	c = 'x';

	if (syscall(SYS_ioctl, 0, TIOCSTI, &c) != -1 ||
	    syscall(SYS_ioctl, 0, (1UL << 32) | TIOCSTI, &c) != -1)
		return (1);
	return (errno != EPERM);
}

#ifdef __x86_64__
CALL(x32, 0x40000000 + SYS_getpid)

/* The i386 door: its call 20 is getpid. */
static int
try_i386(void)
{
	long	ret = 20;

	__asm__ volatile ("int $0x80" : "+a"(ret) : : "memory");
	return (ret > 0);
}
#endif

/* ---- what was left lying around ---- */

static int
try_descriptors(void)
{
	struct pollfd	pfd;
	int		fd;

	for (fd = 4; fd < 1024; fd++) {
		pfd = (struct pollfd){ .fd = fd };
		if (poll(&pfd, 1, 0) == 1 && pfd.revents == POLLNVAL)
			continue;
		return (1);
	}
	return (0);
}

const struct row	rows[] = {
	{ "shadow",		try_shadow,		0 },
	{ "proc",		try_proc,		1 },
	{ "kcore",		try_machine,		0 },
	{ "sysctl",		try_sysctl,		0 },
	{ "sys",		try_sys,		0 },
	{ "disk",		try_disk,		0 },
	{ "null",		try_null,		1 },
	{ "list the root",	try_list,		1 },
	{ "dotdot",		try_dotdot,		0 },
	{ "create in /",	try_creat,		0 },
	{ "create in /usr",	try_usr,		0 },
	{ "chroot",		try_chroot,		0 },
	{ "mount",		try_mount,		0 },
	{ "remount",		try_remount,		0 },
	{ "umount",		try_umount,		0 },
	{ "pivot_root",		try_pivot,		0 },
	{ "open_tree",		try_open_tree,		0 },
	{ "fsopen",		try_fsopen,		0 },
	{ "mknod",		try_mknod,		0 },
	{ "open by handle",	try_handle,		0 },
	{ "inet socket",	try_inet,		1 },
	{ "inet connect",	try_connect,		0 },
	{ "packet socket",	try_packet,		0 },
	{ "raw socket",		try_raw,		0 },
	{ "netlink socket",	try_netlink,		0 },
	{ "vsock socket",	try_vsock,		0 },
	{ "alg socket",		try_alg,		0 },
	{ "family with high bits", try_high_family,	0 },
	{ "host's abstract socket", try_abstract,	0 },
	{ "socketpair",		try_socketpair,		1 },
	{ "fork",		try_fork,		1 },
	{ "clone",		try_thread,		1 },
	{ "clone3",		try_clone3,		0 },
	{ "exec",		try_exec,		1 },
	{ "memfd",		try_memfd,		1 },
	{ "memfd_secret",	try_memfd_secret,	0 },
	{ "ptrace traceme",	try_traceme,		0 },
	{ "ptrace attach",	try_attach,		0 },
	{ "stop the init",	try_kill_init,		1 },
	{ "pidfd_open",		try_pidfd,		1 },
	{ "pidfd_getfd",	try_getfd,		0 },
	{ "kcmp",		try_kcmp,		0 },
	{ "process_vm_readv",	try_vm_readv,		0 },
	{ "setresuid",		try_setuid,		0 },
	{ "setresgid",		try_setgid,		0 },
	{ "setgroups",		try_groups,		0 },
	{ "capset",		try_capset,		0 },
	{ "ambient capability",	try_ambient,		0 },
	{ "nice",		try_nice,		0 },
	{ "realtime",		try_realtime,		0 },
	{ "raise a limit",	try_rlimit,		0 },
	{ "user namespace",	try_userns,		0 },
	{ "net namespace",	try_netns,		0 },
	{ "user namespace by clone", try_clone_userns,	0 },
	{ "setns",		try_setns,		0 },
	{ "sethostname",	try_hostname,		0 },
	{ "writable and executable", try_write_exec,	1 },
	{ "make executable",	try_make_exec,		1 },
	{ "2 GiB",		try_memory,		0 },
	{ "mlock",		try_mlock,		0 },
	{ "io_uring",		try_io_uring,		0 },
	{ "bpf",		try_bpf,		0 },
	{ "perf",		try_perf,		0 },
	{ "userfaultfd",	try_userfaultfd,	0 },
	{ "keyctl",		try_keyctl,		0 },
	{ "add_key",		try_add_key,		0 },
	{ "shmget",		try_shm,		1 },
	{ "msgget",		try_msg,		1 },
	{ "personality",	try_personality,	0 },
	{ "iopl",		try_iopl,		0 },
	{ "modify_ldt",		try_ldt,		0 },
	{ "inotify",		try_inotify,		1 },
	{ "fanotify",		try_fanotify,		0 },
	{ "timerfd",		try_timerfd,		1 },
	{ "syslog",		try_syslog,		0 },
	{ "init_module",	try_module,		0 },
	{ "kexec",		try_kexec,		0 },
	{ "reboot",		try_reboot,		0 },
	{ "quotactl",		try_quotactl,		0 },
	{ "swapon",		try_swapon,		0 },
	{ "clock_settime",	try_settime,		0 },
	{ "acct",		try_acct,		0 },
	{ "a call nobody knows", try_unknown,		0 },
	{ "seccomp listener",	try_listener,		0 },
	{ "TIOCSTI",		try_sti,		0 },
#ifdef __x86_64__
	{ "x32",		try_x32,		0 },
	{ "i386",		try_i386,		0 },
#endif
	{ "descriptors",	try_descriptors,	0 },
	{ NULL,			NULL,			0 }
};
