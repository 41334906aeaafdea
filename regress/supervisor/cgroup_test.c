/*
 * cgroups of jails on this host, whichever version it has.
 */
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "test.h"

#define MB	(INT64_C(1) << 20)

static struct cgroups	*cg;
static int		 procs[CGROUP_TREES], nprocs;

/* A child in the cgroup, as a jail enters it. */
static pid_t
enter(void (*fn)(void))
{
	pid_t	pid;
	int	i;

	if ((pid = fork()) != 0)
		return (pid);
	for (i = 0; i < nprocs; i++)
		if (write(procs[i], "0", 1) != 1)
			_exit(9);
	fn();
	_exit(0);
}

static void
eat(void)
{
	char	*p = mmap(NULL, 64 * MB, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p != MAP_FAILED)
		memset(p, 1, 64 * MB);
}

static void
breed(void)
{
	int	i;

	for (i = 0; i < 8; i++)
		if (fork() == -1)
			_exit(3);
		else if (i == 7)
			_exit(0);
}

static void
wait_for_death(void)
{
	for (;;)
		(void)pause();
}

static int
status_of(pid_t pid)
{
	int	status = -1;

	(void)waitpid(pid, &status, 0);
	return (status);
}

static void
test_limits(void)
{
	struct cgroup_counts	counts;
	int			status;

	nprocs = cgroup_make(cg, 1, 16 * MB, 4, procs);
	if (!test_case(nprocs > 0, "a jail's cgroup is made: %s",
	    nprocs > 0 ? "yes" : strerror(errno)))
		return;
	status = status_of(enter(eat));
	cgroup_count(cg, 1, &counts);
	test_case(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
	    counts.oom == 1, "64 MiB where 16 are allowed: killed, counted");
	test_case(counts.peak > 8 * MB && counts.peak <= 17 * MB,
	    "its peak is known: %lld", (long long)counts.peak);
	status = status_of(enter(breed));
	cgroup_count(cg, 1, &counts);
	test_case(counts.pids > 0, "eight processes where four are allowed: "
	    "refused, counted");
}

static void
test_end_of(void)
{
	pid_t	pid = enter(wait_for_death);
	int	tries, ret;

	(void)usleep(50000);
	test_case(cgroup_remove(cg, 1) == -1 && errno == EBUSY,
	    "one with a process in it is not removed");
	cgroup_kill(cg, 1);
	test_case(WIFSIGNALED(status_of(pid)), "all in it can be killed");
	for (tries = 0; (ret = cgroup_remove(cg, 1)) == -1 && tries < 50;
	    tries++)
		(void)usleep(20000);
	test_case(ret == 0, "then it is removed");
	while (nprocs > 0)
		(void)close(procs[--nprocs]);
	test_case(cgroup_remove(cg, 1) == 0, "twice is once");
	test_case(cgroup_make(cg, 2, MB, 1 << 30, procs) == -1 &&
	    cgroup_remove(cg, 2) == 0, "a limit that can't be set: no cgroup");
}

static void
on_alarm(int sig)
{
	(void)sig;
}

/* As many signals as a daemon gets whose children all end at once. */
static void
test_signals(void)
{
	struct itimerval	often = { { 0, 50 }, { 0, 50 } };
	const struct itimerval	never = { { 0, 0 }, { 0, 0 } };
	struct sigaction	sa = { .sa_handler = on_alarm,
				    .sa_flags = SA_RESTART };
	int			i, failed = 0;

	(void)sigaction(SIGALRM, &sa, NULL);
	(void)setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 200; i++) {
		nprocs = cgroup_make(cg, 3, 16 * MB, 4, procs);
		failed += nprocs == -1;
		while (nprocs > 0)
			(void)close(procs[--nprocs]);
		(void)cgroup_remove(cg, 3);
	}
	(void)setitimer(ITIMER_REAL, &never, NULL);
	test_case(failed == 0, "two hundred made amid signals: %d failed",
	    failed);
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
		_exit(cgroups_open("", why, sizeof(why)) == NULL &&
		    strstr(why, "/sys/fs/cgroup/memory: ") != NULL ? 0 : 1);
	}
	test_case(status_of(pid) == 0, "directories that are no cgroups");
}

int
main(void)
{
	char	why[1024];

	if (geteuid() != 0) {
		test_skip("cgroups: must be root");
		return (0);
	}
	cg = cgroups_open("/no/such/group", why, sizeof(why));
	test_case(cg == NULL && strstr(why, "/no/such/group") != NULL,
	    "a cgroup that is not there: %s", cg == NULL ? why : "opened");
	if ((cg = cgroups_open(NULL, why, sizeof(why))) == NULL) {
		test_skip("cgroups: %s", why);
		return (test_end());
	}
	printf("# version %d\n", cgroups_version(cg));
	test_limits();
	test_end_of();
	test_signals();
	test_plain();
	cgroups_close(cg);
	test_case((cg = cgroups_open(NULL, why, sizeof(why))) != NULL,
	    "closed and opened again");
	cgroups_close(cg);
	return (test_end());
}
