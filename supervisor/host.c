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
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "log.h"
#include "supervisor.h"

static void
row_send(const struct host_row *row, struct peer *broker)
{
	peer_send(broker, IMSG_HOST_ROW, 0, -1, json_pack("{s:s,s:b,s:s}",
	    "name", row->name, "ok", row->ok, "text", row->text), NULL, 0);
}

void
host_send(const struct supervisor *sup, struct peer *broker)
{
	int	i;

	for (i = 0; i < sup->nrows; i++)
		row_send(&sup->rows[i], broker);
}

void
host_row(struct supervisor *sup, const char *name, int ok, const char *fmt,
    ...)
{
	const struct child	*broker = &sup->children[CHILD_BROKER];
	struct host_row		*row = sup->rows;
	va_list			 ap;

	while (row < sup->rows + sup->nrows && strcmp(row->name, name) != 0)
		row++;
	if (row == sup->rows + HOST_ROWS)
		fatalx("host_row");
	if (row == sup->rows + sup->nrows)
		sup->nrows++;
	row->name = name;
	row->ok = ok;
	va_start(ap, fmt);
	(void)vsnprintf(row->text, sizeof(row->text), fmt, ap);
	va_end(ap);
	if (broker->peer != NULL && broker->state >= CHILD_BEGUN)
		row_send(row, broker->peer);
}

/* An overlay as a tool jail mounts it, in a child. Returns an errno. */
static int
try_overlay(int userns)
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
host_probe(struct supervisor *sup)
{
	struct utsname	un;
	int		error;
	long		abi;

	if (uname(&un) == -1)
		fatal("uname");
	host_row(sup, "kernel", 1, "%s %s", un.sysname, un.release);
	host_row(sup, "user-namespaces", 1, "the rooms' one was made");
	host_row(sup, "cgroup", 1, "version %d with memory and pids",
	    cgroups_version(sup->cgroups));
	host_row(sup, "seccomp", 1, "filters are loaded in every process");
	abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	host_row(sup, "landlock", 1, abi > 0 ? "ABI %ld" :
	    "not in this kernel; nothing depends on it", abi);
	error = try_overlay(sup->userns);
	host_row(sup, "overlay", error == 0, error == 0 ?
	    "in a user namespace, with userxattr" : "%s: load the module "
	    "overlay (modprobe overlay); sandboxes need it with Linux 5.11",
	    strerror(error));
}

/* ---- what the mounter has to try ---- */

void
host_probe_idmap(struct supervisor *sup)
{
	const char	*state = sup->conf->state;
	struct peer	*mounter = sup->children[CHILD_MOUNTER].peer;
	int		 dir, ns;

	if ((dir = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		fatal("%s", state);
	if ((ns = userns_open("0 65534 1\n", "0 65534 1\n")) == -1)
		fatal("a user namespace");
	peer_send(mounter, IMSG_MOUNT_DIR, HOST_MOUNT, dir, json_pack("{s:b}",
	    "readonly", 1), NULL, 0);
	peer_send(mounter, IMSG_MOUNT_IDMAP, HOST_MOUNT, ns, NULL, NULL, 0);
}

int
host_idmap(struct supervisor *sup, const char *step, const char *error)
{
	struct child	*mounter = &sup->children[CHILD_MOUNTER];
	const char	*state = sup->conf->state;

	if (mounter->state != CHILD_BEGUN)
		return (-1);
	if (error == NULL)
		host_row(sup, "idmapped-mounts", 1, "on the file system of %s",
		    state);
	else
		host_row(sup, "idmapped-mounts", 0, "%s: %s: %s: tool jails need "
		    "Linux 5.19 and a file system such as ext4, xfs, btrfs or, "
		    "since 6.3, tmpfs for the state and for workspaces",
		    state, step, error);
	child_works(mounter);
	return (0);
}
