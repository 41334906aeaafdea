/*
 * Attempts at parts of the kernel that are large, seldom needed, and have
 * been broken before.
 */
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <unistd.h>

#include "attempt_table.h"

CALL(io_uring, SYS_io_uring_setup, 1, &(char[256]){ 0 })
CALL(bpf, SYS_bpf, BPF_MAP_CREATE, &(uint32_t[32]){ 2, 4, 4, 1 }, 128)
CALL(perf, SYS_perf_event_open, &(uint64_t[16]){ 1, 128 }, 0, -1, -1, 0)
CALL(userfaultfd, SYS_userfaultfd, 1)
CALL(keyctl, SYS_keyctl, 0, -3, 1)
CALL(add_key, SYS_add_key, "user", "x", "y", 1, -3)
CALL(personality, SYS_personality, PER_LINUX | ADDR_NO_RANDOMIZE)
CALL(iopl, SYS_iopl, 3)
CALL(ldt, SYS_modify_ldt, 0, &(char[64]){ 0 }, 64)
CALL(inotify, SYS_inotify_init1, 0)
CALL(fanotify, SYS_fanotify_init, 0, O_RDONLY)
CALL(timerfd, SYS_timerfd_create, 1, 0)
CALL(eventfd, SYS_eventfd2, 0, 0)
CALL(epoll, SYS_epoll_create1, 0)
CALL(pipe, SYS_pipe2, &(int[2]){ 0 }, 0)
CALL(module, SYS_init_module, "", 0, "")
CALL(kexec, SYS_kexec_load, 0, 0, NULL, 0)
CALL(reboot, SYS_reboot, 0xfee1dead, 672274793, 0x89abcdef, NULL)
CALL(quotactl, SYS_quotactl, 0x800001U << 8, "/dev/vda", 0, NULL)
CALL(swapon, SYS_swapon, "/tmp/x", 0)
CALL(acct, SYS_acct, "/tmp/x")
CALL(unknown, 9999)

/* ENOKEY says that the call was let in, and had looked. */
static int
try_request_key(void)
{
	return (syscall(SYS_request_key, "user", "x", NULL, -3) != -1 ||
	    errno == ENOKEY);
}

/* EIO or ENOTTY say that the call was let in. */
static int
let_in(unsigned long request)
{
	char	c = 'x';

	if (syscall(SYS_ioctl, 0, request, &c) != -1 ||
	    syscall(SYS_ioctl, 0, (1UL << 32) | request, &c) != -1)
		return (1);
	return (errno != EPERM);
}

/* Typing into the terminal, and pasting. */
static int
try_sti(void)
{
	return (let_in(TIOCSTI));
}

static int
try_selection(void)
{
	return (let_in(TIOCLINUX));
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

#define OWN_KEYS	"keys are its uid's and end with it"

const struct attempt	attempts_kernel[] = {
	{ "io_uring", try_io_uring, BOTH(VARIES,
	    "a kernel that has it switched off") },
	{ "bpf", try_bpf, BOTH(0, "no capability") },
	{ "perf", try_perf, BOTH(0, "no capability") },
	{ "userfaultfd", try_userfaultfd, BOTH(VARIES,
	    "a kernel that has it for root alone") },
	{ "keyctl", try_keyctl, BOTH(ALONE, OWN_KEYS) },
	{ "add_key", try_add_key, BOTH(ALONE, OWN_KEYS) },
	{ "request_key", try_request_key, BOTH(ALONE, OWN_KEYS) },
	{ "personality", try_personality, EACH(ALONE,
	    "there is no exec that it would be for",
	    ALONE, "weakens what it starts itself") },
	{ "iopl", try_iopl, BOTH(0, "no capability") },
	{ "modify_ldt", try_ldt, BOTH(ALONE, "changes oneself") },
	{ "inotify", try_inotify, SCRIPT(0, "limits") },
	{ "fanotify", try_fanotify, BOTH(0, "no capability") },
	{ "timerfd", try_timerfd, SCRIPT(ALONE, "a clock") },
	{ "eventfd", try_eventfd, SCRIPT(ALONE, "a counter") },
	{ "epoll", try_epoll, SCRIPT(ALONE, "a list of one's own") },
	{ "pipe", try_pipe, SCRIPT(ALONE, "a pipe to oneself") },
	{ "init_module", try_module, BOTH(0, "no capability") },
	{ "kexec", try_kexec, BOTH(0, "no capability") },
	{ "reboot", try_reboot, BOTH(0, "no capability") },
	{ "quotactl", try_quotactl, BOTH(0, "no capability") },
	{ "swapon", try_swapon, BOTH(0, "no capability") },
	{ "acct", try_acct, BOTH(0, "no capability") },
	{ "a call nobody knows", try_unknown, BOTH(0, "kernel") },
	{ "TIOCSTI", try_sti, BOTH(ALONE, "no descriptor is a terminal") },
	{ "TIOCLINUX", try_selection, BOTH(ALONE,
	    "no descriptor is a terminal") },
#ifdef __x86_64__
	{ "x32", try_x32, BOTH(VARIES, "a kernel without it") },
	{ "i386", try_i386, BOTH(VARIES, "a kernel without it") },
#endif
	ATTEMPT_END
};
