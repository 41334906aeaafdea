/*
 * What nothing can be cheaper than: a fork, an exec, a packet, a page.
 */
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "floor.h"

#define HOPS	20000

double
now_us(void)
{
	struct timespec	ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3);
}

static int
compare(const void *a, const void *b)
{
	double	x = *(const double *)a, y = *(const double *)b;

	return ((x > y) - (x < y));
}

void
sample_add(struct sample *s, double us)
{
	if (s->n < ROUNDS)
		s->us[s->n++] = us;
}

double
sample_median(struct sample *s)
{
	if (s->n == 0)
		return (0);
	qsort(s->us, s->n, sizeof(s->us[0]), compare);
	return (s->us[s->n / 2]);
}

double
sample_least(struct sample *s)
{
	return (sample_median(s) > 0 ? s->us[0] : 0);
}

double
fork_only(void)
{
	double	start;
	char	c;
	pid_t	pid;
	int	fds[2];

	if (pipe2(fds, O_CLOEXEC) == -1)
		err(1, "pipe2");
	start = now_us();
	if ((pid = fork()) == 0) {
		(void)!write(fds[1], "", 1);
		_exit(0);
	}
	if (pid == -1 || read(fds[0], &c, 1) != 1)
		err(1, "fork");
	start = now_us() - start;
	(void)waitpid(pid, NULL, 0);
	(void)close(fds[0]);
	(void)close(fds[1]);
	return (start);
}

double
exec_first_byte(char *const argv[])
{
	double	start;
	char	c;
	pid_t	pid;
	ssize_t	n;
	int	fds[2], null;

	if (pipe2(fds, O_CLOEXEC) == -1)
		err(1, "pipe2");
	start = now_us();
	if ((pid = vfork()) == 0) {
		(void)dup2(fds[1], 1);
		if ((null = open("/dev/null", O_RDWR)) != -1)
			(void)dup2(null, 2);
		(void)execv(argv[0], argv);
		_exit(127);
	}
	(void)close(fds[1]);
	n = read(fds[0], &c, 1);
	start = now_us() - start;
	(void)waitpid(pid, NULL, 0);
	(void)close(fds[0]);
	return (n == 1 ? start : 0);
}

static void
hop_echo(int in, int out)
{
	char	buf[8192];
	ssize_t	n;

	while ((n = recv(in, buf, sizeof(buf), 0)) > 0)
		if (send(out, buf, (size_t)n, 0) != n)
			break;
	_exit(0);
}

static void
hop_pair(int sv[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == -1)
		err(1, "socketpair");
}

static void
hop_end(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

double
two_hops(size_t size)
{
	char	buf[8192];
	double	start;
	pid_t	far, middle, back;
	int	a[2], b[2], i;

	memset(buf, 'x', sizeof(buf));
	hop_pair(a);
	hop_pair(b);
	if ((far = fork()) == 0)
		hop_echo(b[1], b[1]);
	if ((middle = fork()) == 0)
		hop_echo(a[1], b[0]);
	if ((back = fork()) == 0)
		hop_echo(b[0], a[1]);
	start = now_us();
	for (i = 0; i < HOPS; i++)
		if (send(a[0], buf, size, 0) != (ssize_t)size ||
		    recv(a[0], buf, sizeof(buf), 0) != (ssize_t)size)
			err(1, "hop");
	start = (now_us() - start) / HOPS;
	hop_end(far);
	hop_end(middle);
	hop_end(back);
	(void)close(a[0]);
	(void)close(a[1]);
	(void)close(b[0]);
	(void)close(b[1]);
	return (start);
}

double
fault_time(void)
{
	const size_t	 n = 256, page = 4096;
	double		 start, best = 1e9;
	char		*p;
	size_t		 i;
	int		 k;

	for (k = 0; k < 20; k++) {
		p = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		    MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			err(1, "mmap");
		(void)madvise(p, n * page, MADV_NOHUGEPAGE);
		start = now_us();
		for (i = 0; i < n; i++)
			*(volatile char *)(p + i * page) = 1;
		start = (now_us() - start) / (double)n;
		best = start < best ? start : best;
		(void)munmap(p, n * page);
	}
	return (best);
}
