/*
 * What this host can do for jails: each thing tried, not read from a
 * configuration, and said in words that an administrator can act on.
 */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"
#include "log.h"
#include "trees.h"

static void __attribute__((format(printf, 4, 5)))
row(const struct launcher *la, const char *name, int ok, const char *fmt, ...)
{
	char	text[256];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	peer_send(la->warden, IMSG_HOST_ROW, 0, -1, json_pack(
	    "{s:s,s:b,s:s}", "name", name, "ok", ok, "text", text), NULL, 0);
}

int
host_overlay(int userns)
{
	pid_t	pid;
	int	status;

	if ((pid = fork()) == 0) {
		if (setns(userns, CLONE_NEWUSER) == -1 ||
		    unshare(CLONE_NEWNS) == -1 ||
		    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1 ||
		    mount("none", "/tmp", "tmpfs", 0, NULL) == -1 ||
		    chdir("/tmp") == -1 || mkdir("l", 0700) == -1 ||
		    mkdir("u", 0700) == -1 || mkdir("w", 0700) == -1 ||
		    mkdir("m", 0700) == -1 || mount("none", "m", "overlay", 0,
		    "lowerdir=l,upperdir=u,workdir=w,userxattr") == -1)
			_exit(errno);
		_exit(0);
	}
	if (pid == -1 || waitpid(pid, &status, 0) == -1)
		return (errno);
	return (WIFEXITED(status) ? WEXITSTATUS(status) : EINTR);
}

void
host_tell(const struct launcher *la)
{
	struct utsname	un;
	long		abi;

	if (uname(&un) == -1)
		fatal("uname");
	row(la, "kernel", 1, "%s %s", un.sysname, un.release);
	row(la, "user-namespaces", 1, "one was made, for all jails to be in");
	row(la, "cgroup", 1, "version %d with memory and pids",
	    trees_version(la->trees));
	row(la, "seccomp", 1, "filters are loaded in every process");
	abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	row(la, "landlock", 1, abi > 0 ? "ABI %ld" :
	    "not in this kernel; nothing depends on it", abi);
	row(la, "overlay", la->overlay == 0, la->overlay == 0 ?
	    "in a user namespace, with userxattr" : "%s: load the module "
	    "overlay (modprobe overlay); sandboxes need it with Linux 5.11",
	    strerror(la->overlay));
}
