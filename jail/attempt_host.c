/*
 * Attempts at what of the host a tool jail's image leaves out: directories,
 * devices, sockets, and the files by which root tells the kernel what to do.
 */
#include <sys/syscall.h>

#include <fcntl.h>
#include <unistd.h>

#include "attempt_table.h"

/* To be in sight is too much. */
#define SIGHT(name, path)						\
    CALL(name, SYS_faccessat, AT_FDCWD, path, F_OK)
#define WRITE(name, path)						\
    CALL(name, SYS_openat, AT_FDCWD, path, O_WRONLY)

SIGHT(root, "/root")
SIGHT(home, "/home")
SIGHT(run, "/run")
SIGHT(var, "/var/lib")
SIGHT(boot, "/boot")
SIGHT(ssh, "/etc/ssh")
SIGHT(ssl, "/etc/ssl/private")
SIGHT(own, "/etc/wfsup")
SIGHT(mem, "/dev/mem")
SIGHT(kmsg, "/dev/kmsg")
SIGHT(fuse, "/dev/fuse")
SIGHT(tun, "/dev/net/tun")
SIGHT(ptmx, "/dev/ptmx")
SIGHT(log, "/dev/log")
WRITE(sysrq, "/proc/sysrq-trigger")
WRITE(modprobe, "/proc/sys/kernel/modprobe")
WRITE(uevent, "/sys/kernel/uevent_helper")

/* Out of one's limits, wherever this host has its cgroups. */
static int
try_cgroup(void)
{
	static const char *const	files[] = {
		"/sys/fs/cgroup/cgroup.procs",
		"/sys/fs/cgroup/unified/cgroup.procs",
		"/sys/fs/cgroup/memory/cgroup.procs",
		"/sys/fs/cgroup/pids/cgroup.procs",
	};
	size_t				i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (syscall(SYS_openat, AT_FDCWD, files[i], O_WRONLY) != -1)
			return (1);
	return (0);
}

const struct attempt	attempts_host[] = {
	{ "root's home", try_root, EACH(0, "empty root",
	    UNFILTERED, "image") },
	{ "homes", try_home, EACH(0, "empty root", UNFILTERED, "image") },
	{ "run", try_run, EACH(0, "empty root", UNFILTERED, "image") },
	{ "var", try_var, EACH(0, "empty root", UNFILTERED, "image") },
	{ "boot", try_boot, EACH(0, "empty root", UNFILTERED, "image") },
	{ "keys of ssh", try_ssh, EACH(0, "empty root",
	    UNFILTERED, "image") },
	{ "keys of TLS", try_ssl, EACH(0, "empty root",
	    UNFILTERED, "image") },
	{ "our configuration", try_own, EACH(0, "empty root",
	    UNFILTERED, "image") },
	{ "memory device", try_mem, EACH(0, "empty root",
	    UNFILTERED, "image") },
	{ "kernel log device", try_kmsg, EACH(0, "empty root",
	    UNFILTERED, "image") },
	{ "fuse device", try_fuse, EACH(0, "empty root",
	    UNFILTERED, "image") },
	{ "tun device", try_tun, EACH(0, "empty root",
	    UNFILTERED, "image") },
	{ "terminals", try_ptmx, EACH(0, "empty root",
	    UNFILTERED, "image") },
	{ "log socket", try_log, EACH(0, "empty root",
	    UNFILTERED, "image") },
	{ "sysrq", try_sysrq, EACH(0, "empty root",
	    UNFILTERED, "proc of processes alone, file modes") },
	{ "helper of modules", try_modprobe, EACH(0, "empty root",
	    UNFILTERED, "proc of processes alone, file modes") },
	{ "helper of devices", try_uevent, EACH(0, "empty root",
	    UNFILTERED, "image, file modes") },
	{ "leave the cgroup", try_cgroup, EACH(0, "empty root",
	    UNFILTERED, "image, file modes") },
	ATTEMPT_END
};
