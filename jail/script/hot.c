/*
 * Learning and touching the hot pages.
 *
 * What the child of a rehearsal wrote to is a page of its own then, while
 * what it left alone it still shares with us: /proc says so of each page.
 * What it read of files is in its page tables, which a fork does not copy.
 */
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hot.h"
#include "imsg.h"
#include "log.h"
#include "msg.h"
#include "python.h"

#ifndef MADV_POPULATE_READ	/* Linux 5.14 */
#define MADV_POPULATE_READ	22
#define MADV_POPULATE_WRITE	23
#endif
#define PIDFD_SELF_PROCESS	(-20000)	/* Linux 6.14 */

#define PAGE			4096
#define REHEARSAL_MS		10000
#define VECTOR_MAX		1024
#define AREA_MAX		(UINT64_C(1) << 30)
#define BITS_MAX		512	/* entries of pagemap read at once */
#define TRIAL_PAGES		128
#define TRIALS			8

/* Bits of an entry of /proc/PID/pagemap. */
#define PAGE_PRESENT		(UINT64_C(1) << 63)
#define PAGE_FILE		(UINT64_C(1) << 61)
#define PAGE_EXCLUSIVE		(UINT64_C(1) << 56)

struct ranges {
	struct iovec	*iov;
	size_t		 n, pages;
};

struct hot {
	struct ranges	 writes, reads;
	int		 pays;
};

/* What every script does: it is compiled, logs, has a result. */
#define SCRIPT	"log('x', n=1)\\nreturn {'n': 1}"

/* ---- the rehearsal ---- */

static void
rehearsal_say(struct imsgbuf *ibuf, uint32_t type, const char *text)
{
	struct iovec	iov = { (char *)(uintptr_t)text, strlen(text) };

	if (imsg_composev(ibuf, type, 0, -1, &iov, 1) == -1 ||
	    imsgbuf_write(ibuf) == -1)
		fatal("rehearsal");
}

/* Play the broker until the result is there. Returns -1 if none comes. */
static int
rehearsal_play(struct imsgbuf *ibuf)
{
	struct pollfd	pfd = { .fd = ibuf->fd, .events = POLLIN };
	struct imsg	imsg;
	uint32_t	type;

	rehearsal_say(ibuf, IMSG_SCRIPT, "{\"run\":\"x\",\"seed\":\"x\","
	    "\"now\":0,\"replay\":0,\"tokens\":0,\"spent\":0}\n"
	    "{\"source\":\"" SCRIPT "\",\"args\":{}}");
	do {
		if (poll(&pfd, 1, REHEARSAL_MS) != 1 ||
		    imsgbuf_get(ibuf, &imsg) != IMSG_GOT)
			return (-1);
		type = imsg.hdr.type;
		imsg_free(&imsg);
	} while (type != IMSG_SCRIPT_DONE && type != IMSG_SCRIPT_FAIL);
	return (type == IMSG_SCRIPT_DONE ? 0 : -1);
}

/* The child opens its own record, for we see it under another number than
 * our /proc, which is the host's. */
static void __attribute__((noreturn))
rehearsal_child(int sock, int (*run)(struct jail *))
{
	struct imsgbuf	ibuf;
	int		pagemap;

	imsgbuf_init(&ibuf, sock);
	imsgbuf_allow_fdpass(&ibuf);
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (pagemap == -1 ||
	    imsg_composev(&ibuf, IMSG_JAIL_PART, 0, pagemap, NULL, 0) == -1 ||
	    imsgbuf_write(&ibuf) == -1 || dup2(sock, JAIL_FD) == -1)
		_exit(1);
	python_after_fork();
	_exit(run(NULL));
}

/* The child's first message. Returns its pagemap, or -1. */
static int
rehearsal_pagemap(struct imsgbuf *ibuf)
{
	struct pollfd	pfd = { .fd = ibuf->fd, .events = POLLIN };
	struct imsg	imsg;
	int		fd;

	if (poll(&pfd, 1, REHEARSAL_MS) != 1 ||
	    imsgbuf_get(ibuf, &imsg) != IMSG_GOT)
		return (-1);
	fd = imsg_get_fd(&imsg);
	imsg_free(&imsg);
	return (fd);
}

/* ---- which pages ---- */

struct area {
	uintptr_t	start, end;
	int		write;
};

/* The next area of a maps file that is private and can be read, and is not a
 * sanitizer's, whose size is the address space's. */
static int
area_next(FILE *maps, struct area *a)
{
	char	line[512], mode[8];

	while (fgets(line, sizeof(line), maps) != NULL) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &a->start,
		    &a->end, mode) != 3 || mode[0] != 'r' ||
		    mode[3] != 'p' || strstr(line, "[v") != NULL ||
		    a->end - a->start > AREA_MAX)
			continue;
		a->write = mode[1] == 'w';
		return (1);
	}
	return (0);
}

/* Add a page, to the last range if it is next to it. */
static void
range_add(struct ranges *r, uintptr_t page)
{
	struct iovec	*last = r->n > 0 ? &r->iov[r->n - 1] : NULL;

	r->pages++;
	if (last != NULL && (uintptr_t)last->iov_base + last->iov_len == page) {
		last->iov_len += PAGE;
		return;
	}
	r->iov = reallocarray(r->iov, r->n + 1, sizeof(*r->iov));
	if (r->iov == NULL)
		fatal("hot pages");
	r->iov[r->n++] = (struct iovec){ (void *)page, PAGE };
}

static void
page_learn(struct hot *hot, const struct area *a, uintptr_t page,
    uint64_t bits)
{
	if ((bits & PAGE_PRESENT) == 0)
		return;
	if ((bits & PAGE_FILE) != 0)
		range_add(&hot->reads, page);
	else if (a->write && (bits & PAGE_EXCLUSIVE) != 0)
		range_add(&hot->writes, page);
}

/* The child's pages within one of our own areas. */
static void
area_learn(struct hot *hot, int pagemap, const struct area *a)
{
	uint64_t	bits[BITS_MAX];
	uintptr_t	page = a->start;
	size_t		i, n;
	ssize_t		len;

	while (page < a->end) {
		n = (a->end - page) / PAGE;
		if (n > BITS_MAX)
			n = BITS_MAX;
		len = pread(pagemap, bits, n * sizeof(bits[0]),
		    (off_t)(page / PAGE * sizeof(bits[0])));
		if (len <= 0)
			return;
		n = (size_t)len / sizeof(bits[0]);
		for (i = 0; i < n; i++, page += PAGE)
			page_learn(hot, a, page, bits[i]);
	}
}

/* Areas are ours, for what the child mapped anew no other child has. */
static void
pages_learn(struct hot *hot, int pagemap)
{
	struct area	 a;
	FILE		*maps;

	if ((maps = fopen("/proc/self/maps", "re")) == NULL)
		return;
	while (area_next(maps, &a))
		area_learn(hot, pagemap, &a);
	(void)fclose(maps);
}

static void
rehearse(struct hot *hot, int sock)
{
	struct imsgbuf	ibuf;
	int		pagemap;

	imsgbuf_init(&ibuf, sock);
	imsgbuf_allow_fdpass(&ibuf);
	if ((pagemap = rehearsal_pagemap(&ibuf)) != -1) {
		if (rehearsal_play(&ibuf) == 0)
			pages_learn(hot, pagemap);
		(void)close(pagemap);
	}
	imsgbuf_clear(&ibuf);
}

/* ---- whether it is worth it ---- */

static double
now_us(void)
{
	struct timespec	ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3);
}

/* Touch fresh pages, one by one or all at once; how long it took. */
static double
touch_time(int at_once)
{
	double	 start;
	char	*p;
	size_t	 i;

	p = mmap(NULL, TRIAL_PAGES * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		fatal("hot pages");
	(void)madvise(p, TRIAL_PAGES * PAGE, MADV_NOHUGEPAGE);
	start = now_us();
	if (at_once)
		(void)madvise(p, TRIAL_PAGES * PAGE, MADV_POPULATE_WRITE);
	else
		for (i = 0; i < TRIAL_PAGES; i++)
			*(volatile char *)(p + i * PAGE) = 1;
	start = now_us() - start;
	(void)munmap(p, TRIAL_PAGES * PAGE);
	return (start);
}

/* The best of some tries, for others use the machine too. */
static int
touch_pays(void)
{
	double	all = 1e9, each = 1e9, us;
	int	i;

	for (i = 0; i < TRIALS; i++) {
		if ((us = touch_time(0)) < each)
			each = us;
		if ((us = touch_time(1)) < all)
			all = us;
	}
	log_debug("hot pages: %.2f us a page one by one, %.2f at once",
	    each / TRIAL_PAGES, all / TRIAL_PAGES);
	return (all * 2 < each);
}

int
hot_pays(const struct hot *hot)
{
	return (hot->pays);
}

struct hot *
hot_learn(int (*run)(struct jail *))
{
	struct hot	*hot;
	pid_t		 pid;
	int		 pair[2];

	if ((hot = calloc(1, sizeof(*hot))) == NULL ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1)
		fatal("hot pages");
	if ((pid = fork()) == -1)
		fatal("fork");
	if (pid == 0)
		rehearsal_child(pair[1], run);
	(void)close(pair[1]);
	rehearse(hot, pair[0]);
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
		;
	(void)close(pair[0]);
	log_debug("hot pages: %zu written in %zu ranges, %zu read in %zu",
	    hot->writes.pages, hot->writes.n, hot->reads.pages,
	    hot->reads.n);
	if (hot->writes.n == 0)
		log_warnx("the rehearsal told nothing: jails start slowly");
	hot->pays = touch_pays();
	return (hot);
}

/* ---- in a jail ---- */

/* All ranges by a call or a few; before Linux 6.14, one by one. It is only
 * for speed: a page that can't be had at this time is had when it is used. */
static void
ranges_advise(const struct ranges *r, int advice)
{
	size_t	i, n;

	for (i = 0; i < r->n; i += n) {
		n = r->n - i < VECTOR_MAX ? r->n - i : VECTOR_MAX;
		if (syscall(SYS_process_madvise, PIDFD_SELF_PROCESS,
		    &r->iov[i], n, advice, 0) == -1)
			break;
	}
	for (; i < r->n; i++)
		(void)madvise(r->iov[i].iov_base, r->iov[i].iov_len, advice);
}

void
hot_populate(const struct hot *hot)
{
	ranges_advise(&hot->writes, MADV_POPULATE_WRITE);
	ranges_advise(&hot->reads, MADV_POPULATE_READ);
}
