/*
 * What a jail costs, beside the least that it could cost, measured in the
 * same run on the same machine. This program is also the floors: a child
 * that is only forked, and a starter whose jails are only forks of it.
 *
 * A line a row: what, its time, the floor and its time, the ratio, the target
 * and whether it is met. Nothing here is a test: the numbers are for reading.
 * "hops SIZE" prints only what two raw hops and back take, in us.
 */
#include <Python.h>

#include <err.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "filter.h"
#include "floor.h"
#include "script/python.h"
#include "script/script.h"
#include "starter.h"

#define UID		1000
#define SUSTAINED	200
#define AT_ONCE		4
#define IDLE		50

#define SCRIPT	"{\"source\":\"log('first')\\nreturn 1\",\"args\":{}}"

/* ---- the floor in Python: a starter whose jails are forks of it ---- */

static void
floor_load(struct starter *st)
{
	static const struct filter_rule	*const none[] = { NULL };

	/* The interpreter, started once, and nothing done to make it quick. */
	python_start();
	st->own = filter_new(SCMP_ACT_ALLOW, none);
}

/* With all that an interpreter does after a fork. */
static int
floor_socket(struct starter *st, struct jail *j)
{
	(void)st;
	PyOS_AfterFork_Child();
	return (dup2(j->socket, JAIL_FD) == JAIL_FD ? 0 : -1);
}

static void __attribute__((noreturn))
floor_starter(void)
{
	static const struct step	steps[] = {
		{ "socket", floor_socket }, { NULL, NULL }
	};
	struct starter_ops		ops = script_ops;
	char				*argv[] = { (char *)"floor", NULL };

	ops.steps = steps;
	ops.load = floor_load;
	ops.root = NULL;
	ops.namespaces = 0;
	ops.keep = (UINT64_C(1) << 41) - 1;
	starter_main(&ops, 1, argv);
}

/* ---- jails ---- */

static int64_t	number;		/* of the last jail */

static void
script_send(struct side *jail)
{
	side_send(jail, IMSG_SCRIPT, 0, -1, json_pack(
	    "{s:s,s:s,s:i,s:i,s:i,s:i}", "run", "r", "seed", "s", "now", 0,
	    "replay", 0, "tokens", 0, "spent", 0), SCRIPT);
}

static void
want(struct side *s, uint32_t type)
{
	struct got	got;

	if (side_want(s, &got, type, 10000) == -1)
		errx(1, "no message %#x", type);
	got_free(&got);
}

static void
jail_ready(struct side *s, struct side *jail)
{
	number++;
	driver_spawn(s, number, (uid_t)(UID + number % 60000),
	    &driver_limits, jail);
	if (driver_confined(s, jail) == -1)
		errx(1, "no jail");
}

static void
jail_end(struct side *s, struct side *jail)
{
	side_close(jail);
	(void)kill(jail->pid, SIGKILL);
	want(s, IMSG_JAIL_REAPED);
}

/* From the order to the report that the last step is done. */
static void
measure_ready(struct side *s, struct sample *ready)
{
	struct side	jail;
	double		start = now_us();

	jail_ready(s, &jail);
	sample_add(ready, now_us() - start);
	want(&jail, IMSG_JAIL_HELLO);
	jail_end(s, &jail);
}

/* A cold run, up to the script's first line. */
static void
jail_first_line(struct side *s, struct side *jail)
{
	jail_ready(s, jail);
	script_send(jail);
	want(jail, IMSG_JAIL_HELLO);
	want(jail, IMSG_SCRIPT_EVENT);
}

/* From the order on. */
static void
measure_cold(struct side *s, struct sample *cold)
{
	struct side	jail;
	double		start = now_us();

	jail_first_line(s, &jail);
	sample_add(cold, now_us() - start);
	jail_end(s, &jail);
}

/* Page faults of a process so far. */
static long
faults(pid_t pid)
{
	char	path[64];
	FILE	*f;
	long	n = 0;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		return (0);
	if (fscanf(f, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %ld", &n) != 1)
		n = 0;
	(void)fclose(f);
	return (n);
}

/* Where the time of a cold run goes: its faults, up to the first line. */
static long
count_faults(struct side *s)
{
	struct side	jail;
	long		n;

	jail_first_line(s, &jail);
	n = faults(jail.pid);
	jail_end(s, &jail);
	return (n);
}

/* From the script to its first line, in a jail that has waited. */
static void
measure_warm(struct side *s, struct sample *warm)
{
	struct side	jail;
	double		start;

	driver_ahead = 1;
	jail_ready(s, &jail);
	driver_ahead = 0;
	want(&jail, IMSG_JAIL_HELLO);
	start = now_us();
	script_send(&jail);
	want(&jail, IMSG_SCRIPT_EVENT);
	sample_add(warm, now_us() - start);
	jail_end(s, &jail);
}

static void
run_begin(struct side *s, struct side *jail)
{
	number++;
	driver_spawn(s, number, (uid_t)(UID + number % 60000),
	    &driver_limits, jail);
	script_send(jail);
}

static void
run_end(struct side *jail)
{
	struct got	got;
	uint32_t	type;

	do {
		if (side_recv(jail, &got, 10000) == -1)
			errx(1, "no end");
		type = got.type;
		got_free(&got);
	} while (type != IMSG_SCRIPT_DONE);
	side_close(jail);
}

/* What the starter has told meanwhile; how many jails it has reaped. */
static int
reaped(struct side *s, int ms)
{
	struct pollfd	pfd = { .fd = s->ibuf.fd, .events = POLLIN };
	struct got	got;
	int		n = 0;

	while (poll(&pfd, 1, ms) == 1 && side_recv(s, &got, 1000) == 0) {
		n += got.type == IMSG_JAIL_REAPED;
		got_free(&got);
		ms = 0;
	}
	return (n);
}

/* Whole runs a second, some at once, nothing made ahead; the last one's end
 * counts too. */
static double
sustained(struct side *s)
{
	struct side	jail[AT_ONCE];
	double		start = now_us();
	int		i, dead = 0;

	for (i = 0; i < SUSTAINED + AT_ONCE; i++) {
		if (i >= AT_ONCE)
			run_end(&jail[i % AT_ONCE]);
		if (i < SUSTAINED)
			run_begin(s, &jail[i % AT_ONCE]);
		dead += reaped(s, 0);
	}
	while (dead < SUSTAINED)
		dead += reaped(s, 10000);
	return (SUSTAINED / ((now_us() - start) / 1e6));
}

/* Proportional memory of a jail that waits, in kB. */
static double
idle_pss(struct side *s)
{
	struct side	jail[IDLE];
	char		path[64], line[128];
	double		kb = 0, one;
	FILE		*f;
	int		i;

	for (i = 0; i < IDLE; i++) {
		jail_ready(s, &jail[i]);
		want(&jail[i], IMSG_JAIL_HELLO);
	}
	for (i = 0; i < IDLE; i++) {
		(void)snprintf(path, sizeof(path), "/proc/%d/smaps_rollup",
		    (int)jail[i].pid);
		if ((f = fopen(path, "re")) == NULL)
			err(1, "%s", path);
		while (fgets(line, sizeof(line), f) != NULL)
			if (sscanf(line, "Pss: %lf", &one) == 1)
				kb += one;
		(void)fclose(f);
	}
	for (i = 0; i < IDLE; i++)
		jail_end(s, &jail[i]);
	return (kb / IDLE);
}

/* ---- the table ---- */

/* The end of a row: a target of 0 is none. */
static void
verdict(double value, double most)
{
	if (most > 0)
		printf("  <= %-6.3g %s", most, value <= most ? "met" :
		    "not met");
	printf("\n");
}

/* Medians; then the same of the best, which others' work disturbs less, and
 * which is judged. */
static void
row(const char *what, struct sample *us, const char *against,
    struct sample *least, double most)
{
	double	m = sample_median(us), f = sample_median(least);

	printf("%-30s %7.2f ms   %-27s %7.2f ms  %6.3f\n", what, m / 1e3,
	    against, f / 1e3, f > 0 ? m / f : 0);
	m = sample_least(us);
	f = sample_least(least);
	printf("%-30s %7.2f ms   %-27s %7.2f ms  %6.3f", "  the best of it",
	    m / 1e3, "", f / 1e3, f > 0 ? m / f : 0);
	verdict(f > 0 ? m / f : 0, most);
}

static void
rows_bwrap(struct sample *cold, struct sample *warm)
{
	static char	*const argv[] = {
		(char *)"/usr/bin/bwrap", (char *)"--unshare-all",
		(char *)"--ro-bind", (char *)"/", (char *)"/",
		(char *)"/usr/bin/python3", (char *)"-I", (char *)"-S",
		(char *)"-c", (char *)"print(1, flush=True)", NULL
	};
	struct sample	bwrap = { .n = 0 };
	double		us;
	int		i;

	for (i = 0; i < ROUNDS / 3; i++)
		if ((us = exec_first_byte(argv)) > 0)
			sample_add(&bwrap, us);
	if (bwrap.n == 0) {
		printf("skip: bwrap and python: bubblewrap is not installed, "
		    "or can't be used here\n");
		return;
	}
	row("cold run, first line", cold, "bwrap and python", &bwrap,
	    0.30);
	row("warm run, first line", warm, "bwrap and python", &bwrap,
	    0.07);
}

static void
start(struct side *s, const char *binary, const char *option)
{
	if (driver_start(s, binary, option, NULL, "{}") == -1)
		errx(1, "%s does not start", binary);
}

static void
bench(void)
{
	struct sample	ready = { .n = 0 }, cold = { .n = 0 },
			warm = { .n = 0 }, forked = { .n = 0 },
			floor_ready = { .n = 0 }, floor_cold = { .n = 0 };
	struct side	s, f;
	double		rate, floor_rate, pss;
	int		i;

	start(&s, driver_binary("wfsup-script"), NULL);
	start(&f, "/proc/self/exe", "floor");
	/* In turns, so that all see the same machine. */
	for (i = 0; i < ROUNDS; i++) {
		sample_add(&forked, fork_only());
		measure_ready(&s, &ready);
		measure_ready(&f, &floor_ready);
		measure_cold(&s, &cold);
		measure_cold(&f, &floor_cold);
		measure_warm(&s, &warm);
	}
	rate = sustained(&s);
	floor_rate = sustained(&f);
	row("script jail ready", &ready, "a zygote's plain fork",
	    &floor_ready, 3.5);
	row("cold run, first line", &cold, "a zygote's plain fork",
	    &floor_cold, 0.90);
	row("warm run, first line", &warm, "a zygote's plain fork",
	    &floor_cold, 0);
	rows_bwrap(&cold, &warm);
	printf("%-30s %7.1f /s   %-27s %7.1f /s  %6.3f  >= 1.8    %s\n",
	    "sustained runs, nothing warm", rate, "a zygote's plain forks",
	    floor_rate, rate / floor_rate, rate >= 1.8 * floor_rate ? "met" :
	    "not met");
	pss = idle_pss(&s) / 1024;
	printf("%-30s %7.2f MB   %-27s %10s  %6s", "idle script jail, PSS",
	    pss, "", "", "");
	verdict(pss, 1.0);
	printf("%-30s %7ld      of %.2f us each, at the least\n",
	    "page faults of a cold run", count_faults(&s), fault_time());
	printf("%-30s %7.2f ms   child of a small program\n",
	    "floor: fork", sample_least(&forked) / 1e3);
	driver_stop(&s);
	driver_stop(&f);
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[2], "floor") == 0)
		floor_starter();
	if (argc > 2 && strcmp(argv[1], "hops") == 0) {
		printf("%.1f\n", two_hops((size_t)atoi(argv[2])));
		return (0);
	}
	if (geteuid() != 0)
		errx(1, "needs root");
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	bench();
	return (0);
}
