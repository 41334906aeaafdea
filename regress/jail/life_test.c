/*
 * Many lives: a thousand jails at once, two thousand one after another, and
 * nothing of them is left: no process, no namespace, no descriptor, no
 * memory of the starter's.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include <dirent.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "test.h"

#define UID		1000
#define AT_ONCE		1000
#define IN_SEQUENCE	2000
#define IN_FLIGHT	4

static int64_t	number;

/* ---- what there is ---- */

static size_t
descriptors(pid_t pid)
{
	char	path[64];
	size_t	n = 0;
	DIR	*d;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	if ((d = opendir(path)) == NULL)
		return (9999);
	while (readdir(d) != NULL)
		n++;
	(void)closedir(d);
	return (n);
}

static long
kilobytes(pid_t pid, const char *key)
{
	return (strtol(proc_status(pid, key), NULL, 10));
}

/* Network namespaces of the machine, or 0 if the kernel does not say. */
static long
namespaces(void)
{
	char	line[512];
	FILE	*f;
	long	n = 0;

	if ((f = fopen("/proc/slabinfo", "re")) == NULL)
		return (0);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "net_namespace %ld", &n) == 1)
			break;
	(void)fclose(f);
	return (n);
}

/* ---- jails ---- */

static void
jail_order(struct side *s, struct side *jail)
{
	number++;
	driver_spawn(s, number, (uid_t)(UID + number), &driver_limits, jail);
}

/* Read the starter's messages until n of a type have come. */
static int
await(struct side *s, uint32_t type, int n)
{
	struct got	got;

	while (n > 0) {
		if (side_recv(s, &got, 20000) == -1)
			return (-1);
		if (got.type == IMSG_JAIL_UNMADE)
			fprintf(stderr, "a jail was not made\n");
		n -= got.type == type;
		got_free(&got);
	}
	return (0);
}

static void
test_at_once(struct side *s)
{
	static struct side	jail[AT_ONCE];
	struct got		got;
	int			i, hellos = 0;

	for (i = 0; i < AT_ONCE; i++) {
		jail_order(s, &jail[i]);
		/* Its pipe holds only so much that nobody reads. */
		if (await(s, IMSG_JAIL_CONFINED, 1) == -1)
			break;
	}
	test_case(i == AT_ONCE, "%d jails at once", i);
	for (i = 0; i < AT_ONCE; i++)
		if (side_recv(&jail[i], &got, 5000) == 0) {
			hellos += got.type == IMSG_JAIL_HELLO;
			got_free(&got);
		}
	test_case(hellos == AT_ONCE, "all of them live");
	for (i = 0; i < AT_ONCE; i++)
		side_close(&jail[i]);
	test_case(await(s, IMSG_JAIL_REAPED, AT_ONCE) == 0,
	    "and all of them end when they are hung up on");
}

static void
test_in_sequence(struct side *s)
{
	struct side	jail[IN_FLIGHT];
	int		i, k, bad = 0;

	for (i = 0; i < IN_SEQUENCE && !bad; i += IN_FLIGHT) {
		for (k = 0; k < IN_FLIGHT; k++) {
			jail_order(s, &jail[k]);
			bad |= await(s, IMSG_JAIL_CONFINED, 1) == -1;
		}
		for (k = 0; k < IN_FLIGHT; k++)
			side_close(&jail[k]);
		bad |= await(s, IMSG_JAIL_REAPED, IN_FLIGHT) == -1;
	}
	test_case(!bad, "%d jails one after another", i);
}

/* Others make namespaces too while we look: a few more or less. */
static void
test_namespaces(long before)
{
	long	now = 0;
	int	i;

	if (before == 0) {
		test_skip("namespaces left: /proc/slabinfo can't be read");
		return;
	}
	for (i = 0; i < 50; i++) {
		if ((now = namespaces()) <= before + 100)
			break;
		(void)usleep(100000);
	}
	test_case(now <= before + 100, "their network namespaces are gone");
}

static void
test_life(struct side *s)
{
	size_t	fds = descriptors(s->pid);
	long	rss, spaces = namespaces();

	test_at_once(s);
	rss = kilobytes(s->pid, "VmRSS");
	test_in_sequence(s);
	test_case(descriptors(s->pid) == fds,
	    "the starter holds as many descriptors as before");
#ifdef __SANITIZE_ADDRESS__
	test_skip("and no more memory: the sanitizer keeps what is freed (%ld)",
	    rss);
#else
	test_case(kilobytes(s->pid, "VmRSS") < rss + 2048,
	    "and no more memory");
#endif
	test_namespaces(spaces);
}

int
main(void)
{
	struct rlimit	rl = { 4096, 4096 };
	struct side	s;

	if (geteuid() != 0) {
		test_skip("many jails: needs root");
		return (test_end());
	}
	if (setrlimit(RLIMIT_NOFILE, &rl) == -1)
		err(1, "setrlimit");
	if (test_case(driver_start(&s, driver_binary("wfsup-script"), NULL,
	    NULL, "{}") == 0, "the starter of script jails is ready"))
		test_life(&s);
	driver_stop(&s);
	return (test_end());
}
