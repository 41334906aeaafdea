/*
 * Where jails' cgroups go, on this host, whichever version it has.
 */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "trees.h"

static int
status_of(pid_t pid)
{
	int	status = -1;

	(void)waitpid(pid, &status, 0);
	return (status);
}

/* Plain directories where cgroups would be: no file in them limits. */
static void
test_plain(void)
{
	char	why[1024];
	pid_t	pid;

	if ((pid = fork()) == 0) {
		if (unshare(CLONE_NEWNS) == -1 || mount(NULL, "/", NULL,
		    MS_REC | MS_PRIVATE, NULL) == -1 || mount("none",
		    "/sys/fs/cgroup", "tmpfs", 0, NULL) == -1 ||
		    mkdir("/sys/fs/cgroup/memory", 0755) == -1 ||
		    mkdir("/sys/fs/cgroup/pids", 0755) == -1)
			_exit(2);
		_exit(trees_open("", getpid(), why, sizeof(why)) == NULL &&
		    strstr(why, "/sys/fs/cgroup/memory: ") != NULL ? 0 : 1);
	}
	test_case(status_of(pid) == 0, "directories that are no cgroups");
}

/* A process that is gone for sure: its pid was not given to another yet. */
static pid_t
dead_pid(void)
{
	pid_t	pid;

	if ((pid = fork()) == 0)
		_exit(0);
	(void)status_of(pid);
	return (pid);
}

/* The place of trees' first directory. */
static void
place(const struct trees *t, char *path, size_t size)
{
	char	link[64];
	int	fd = trees_dir(t, 0);
	ssize_t	n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, size - 1);
	path[n > 0 ? n : 0] = '\0';
	(void)close(fd);
}

/* What a daemon has left that was killed, with a jail's below it. */
static void
test_left(void)
{
	char		why[1024], path[512], jail[600];
	struct trees	*left, *t;

	/* Not closed: whoever had it is dead. */
	if ((left = trees_open(NULL, dead_pid(), why, sizeof(why))) == NULL) {
		test_case(0, "one to be left: %s", why);
		return;
	}
	place(left, path, sizeof(path));
	(void)snprintf(jail, sizeof(jail), "%s/jail-7", path);
	test_case(mkdir(jail, 0755) == 0, "%s is left", jail);
	t = trees_open(NULL, getpid(), why, sizeof(why));
	test_case(t != NULL && access(path, F_OK) == -1 && errno == ENOENT,
	    "the next one sweeps it away");
	trees_close(left);
	trees_close(t);
}

/* Jails' own that are still there at the end go, too. */
static void
test_close(void)
{
	char		why[1024], path[512], jail[600];
	struct trees	*t;

	if ((t = trees_open(NULL, getpid(), why, sizeof(why))) == NULL) {
		test_case(0, "opened again: %s", why);
		return;
	}
	place(t, path, sizeof(path));
	(void)snprintf(jail, sizeof(jail), "%s/jail-1", path);
	test_case(mkdir(jail, 0755) == 0, "a jail's: %s", jail);
	trees_close(t);
	test_case(access(path, F_OK) == -1, "closed: nothing is left");
}

int
main(void)
{
	char		 why[1024];
	struct trees	*t;

	if (geteuid() != 0) {
		test_skip("cgroups: must be root");
		return (0);
	}
	t = trees_open("/no/such/group", getpid(), why, sizeof(why));
	test_case(t == NULL && strstr(why, "/no/such/group") != NULL,
	    "a cgroup that is not there: %s", t == NULL ? why : "opened");
	if ((t = trees_open(NULL, getpid(), why, sizeof(why))) == NULL) {
		test_skip("cgroups: %s", why);
		return (test_end());
	}
	trees_close(t);
	test_plain();
	test_left();
	test_close();
	return (test_end());
}
