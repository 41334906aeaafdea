/*
 * cgroups of jails on this host, whichever version it has.
 */
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../launcher/trees.h"
#include "cgroup.h"
#include "test.h"

#define MB	(INT64_C(1) << 20)

static struct trees	*trees;
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

static int64_t
event(int fd, const char *key)
{
	char	text[512], *p;
	ssize_t	n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	p = key != NULL ? strstr(text, key) : text;
	return (p != NULL ? strtoll(p + (key != NULL ? strlen(key) : 0), NULL,
	    10) : -1);
}

/* What a jail may read of it, after the deaths above. */
static void
test_events(void)
{
	int	fds[CGROUP_EVENTS], i;

	if (!test_case(cgroup_events(cg, 1, fds) == 0,
	    "what its limits count can be read"))
		return;
	test_case(event(fds[0], "oom_kill ") == 1, "the kill");
	if (trees_version(trees) == 1)
		test_case(event(fds[1], NULL) == 16 * MB,
		    "that the limit was met");
	else
		test_case(fds[1] == -1 && event(fds[0], "oom ") > 0,
		    "that the limit was met");
	test_case(event(fds[2], "max ") > 0, "the forks that were refused");
	test_case(write(fds[0], "0", 1) == -1, "but not written");
	for (i = 0; i < CGROUP_EVENTS; i++)
		if (fds[i] != -1)
			(void)close(fds[i]);
	test_case(cgroup_events(cg, 99, fds) == -1 && errno == ENOENT &&
	    fds[0] == -1, "of one that is not there nothing can");
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

static void
test_directories(void)
{
	int	fds[2];

	test_case(pipe(fds) == 0 && cgroups_add(cg, trees_version(trees),
	    fds[0]) == -1 && fcntl(fds[0], F_GETFD) == -1,
	    "one directory too many is refused and closed");
	(void)close(fds[1]);
}

int
main(void)
{
	char	why[1024];
	int	i, dir;

	if (geteuid() != 0) {
		test_skip("cgroups: must be root");
		return (0);
	}
	if ((trees = trees_open(NULL, getpid(), why, sizeof(why))) == NULL) {
		test_skip("cgroups: %s", why);
		return (test_end());
	}
	printf("# version %d\n", trees_version(trees));
	cg = cgroups_new();
	for (i = 0; (dir = trees_dir(trees, i)) != -1; i++)
		test_case(cgroups_add(cg, trees_version(trees), dir) == 0,
		    "a directory for hierarchy %d", i);
	test_directories();
	test_limits();
	test_events();
	test_end_of();
	test_signals();
	cgroups_free(cg);
	trees_close(trees);
	return (test_end());
}
