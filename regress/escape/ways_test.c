/*
 * Tier 1: every attempt, several ways. This program is also the attacker: as
 * a starter it makes script jails by the same steps as the real one, but
 * makes an attempt in them instead of running an interpreter; and it can
 * leave steps out, so that each layer is seen to stand alone. The real one
 * has no such switch.
 */
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "filter.h"
#include "root.h"
#include "script/attempt.h"
#include "script/script.h"
#include "starter.h"
#include "test.h"
#include "wire.h"

#define UID	1000

/* What a jail is closed by. */
enum layer {
	ROOT		= 1 << 0,
	NAMESPACES	= 1 << 1,
	DESCRIPTORS	= 1 << 2,
	LIMITS		= 1 << 3,
	RIGHTS		= 1 << 4,	/* ids, capabilities */
	LANDLOCK	= 1 << 5,
	FILTER		= 1 << 6,
};
#define EVERYTHING	0x7f

static const struct way {
	const char	*name;
	int		 layers;
} ways[] = {
	{ "nothing",		0 },
	{ "all but the filter",	EVERYTHING & ~FILTER },
	{ "the filter alone",	FILTER },
	{ "all",		EVERYTHING },
	{ "the root alone",	ROOT },
	{ "namespaces alone",	NAMESPACES },
	{ "limits alone",	LIMITS },
	{ "rights alone",	RIGHTS },
	{ "Landlock alone",	LANDLOCK },
};
enum { NOTHING, REST, FILTER_ONLY, ALL, NWAYS = 9 };

/* ---- the attacker ---- */

/* The layer that a step belongs to; 0 if it is always done. */
static const struct {
	const char	*step;
	int		 layer;
} layer_of[] = {
	{ "descriptors",	DESCRIPTORS },
	{ "limits",		LIMITS },
	{ "memory",		LIMITS },
	{ "bounding",		RIGHTS },
	{ "groups",		RIGHTS },
	{ "ids",		RIGHTS },
	{ "capabilities",	RIGHTS },
	{ "process",		RIGHTS },
	{ "landlock",		LANDLOCK },
	{ "filter",		FILTER },
};

static const struct way	*way;

/* Is this step done? Those that check or need others go with them. */
static int
step_wanted(const char *name)
{
	size_t	i;

	if (strcmp(name, "verify") == 0)
		return ((way->layers & RIGHTS) != 0 &&
		    (way->layers & NAMESPACES) != 0);
	if (strcmp(name, "hostname") == 0)
		return ((way->layers & NAMESPACES) != 0);
	for (i = 0; i < sizeof(layer_of) / sizeof(layer_of[0]); i++)
		if (strcmp(name, layer_of[i].step) == 0)
			return ((way->layers & layer_of[i].layer) != 0);
	return (1);
}

/* Without the filter the starter's own, which jails inherit, is none. */
static void
attack_load(struct starter *st)
{
	static const struct filter_rule	*const none[] = { NULL };

	script_ops.load(st);
	if ((way->layers & FILTER) == 0)
		st->own = filter_new(SCMP_ACT_ALLOW, none);
}

/* What the starter did for all of its jails goes back, where it is to be
 * seen without. */
static void
attack_root(struct starter *st)
{
	static const char *const	limits[] = {
		"/proc/sys/user/max_user_namespaces",
		"/proc/sys/user/max_inotify_instances",
		"/proc/sys/user/max_fanotify_groups",
	};
	size_t				i;
	int				fd;

	for (i = 0; i < 3 && (way->layers & LIMITS) == 0; i++) {
		fd = open(limits[i], O_WRONLY);
		if (fd == -1 || write(fd, "100", 3) != 3)
			err(1, "%s", limits[i]);
		(void)close(fd);
	}
	if ((way->layers & ROOT) != 0)
		script_ops.root(st);
	else
		root_private();
}

/* Instead of step descriptors: the socket in its place, all else left. */
static int
step_socket(struct starter *st, struct jail *j)
{
	(void)st;
	/* The place is the starter's own socket's: close-on-exec, as that. */
	return (dup3(j->socket, JAIL_FD, O_CLOEXEC) == JAIL_FD ? 0 : -1);
}

/* The broker says which attempt to make. */
static int
attack_run(struct jail *j)
{
	struct wire	w;

	(void)j;
	if (wire_hello("") == -1 || wire_recv(&w) != WIRE_GOT)
		return (1);
	return (attempt_at(w.id)->fn() ? ATTEMPT_OPEN : 0);
}

static void __attribute__((noreturn))
attack_starter(int argc, char **argv)
{
	static struct step	steps[64];
	struct starter_ops	ops = script_ops;
	size_t			n = 0, i;

	for (i = 0; script_ops.steps[i].name != NULL; i++)
		if (step_wanted(script_ops.steps[i].name))
			steps[n++] = script_ops.steps[i];
		else if (strcmp(script_ops.steps[i].name, "descriptors") == 0)
			steps[n++] = (struct step){ "socket", step_socket };
	ops.steps = steps;
	ops.load = attack_load;
	ops.root = attack_root;
	ops.run = attack_run;
	/* A mount namespace each, or one attempt would change the next. */
	if ((way->layers & NAMESPACES) == 0)
		ops.namespaces = CLONE_NEWNS;
	if ((way->layers & RIGHTS) == 0)
		ops.keep = (UINT64_C(1) << 41) - 1;
	starter_main(&ops, argc, argv);
}

/* ---- one attempt ---- */

/* The wait status of a jail in which attempt n was made. */
static int
attempt_status(struct side *s, uint32_t n)
{
	struct side	jail;
	struct got	got;
	int		status = -1;

	driver_spawn(s, n + 1, UID + n, &driver_limits, &jail);
	if (driver_confined(s, &jail) != -1 &&
	    side_want(&jail, &got, IMSG_JAIL_HELLO, 5000) == 0) {
		got_free(&got);
		side_send(&jail, IMSG_SCRIPT, n, -1, NULL, "{}");
		if (side_want(s, &got, IMSG_JAIL_REAPED, 5000) == 0) {
			status = (int)json_integer_value(json_object_get(
			    got.env, "status"));
			got_free(&got);
		}
	}
	side_close(&jail);
	return (status);
}

/* Refused is: tried and failed, or killed for trying. */
static int
is_refused(int status)
{
	return ((WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
	    (WIFSIGNALED(status) && (WTERMSIG(status) == SIGSYS ||
	    WTERMSIG(status) == SIGSEGV)));
}

/* ---- all of them ---- */

#define MAX_ATTEMPTS	400

/* closed[way][attempt] */
static char	closed[NWAYS][MAX_ATTEMPTS];
static size_t	count;

static int
run_way(int w)
{
	struct side	s;
	uint32_t	n;
	int		status;

	if (driver_start(&s, "/proc/self/exe", "-w", ways[w].name, "{}")
	    == -1) {
		driver_stop(&s);
		return (-1);
	}
	for (n = 0; n < count; n++) {
		status = attempt_status(&s, n);
		if (status == -1) {
			test_case(0, "%s: no jail for: %s", ways[w].name,
			    attempt_at(n)->name);
			driver_stop(&s);
			return (-1);
		}
		closed[w][n] = (char)is_refused(status);
	}
	driver_stop(&s);
	return (0);
}

static size_t
count_closed(int w)
{
	size_t	n, sum = 0;

	for (n = 0; n < count; n++)
		sum += (size_t)closed[w][n];
	return (sum);
}

static void
judge(void)
{
	const struct attempt	*a;
	size_t			 n, two = 0;
	int			 one, filter;

	for (n = 0; (a = attempt_at(n)) != NULL; n++) {
		one = (a->flags & ALONE) != 0;
		filter = (a->flags & UNFILTERED) == 0;
		test_case(closed[ALL][n], "%s: closed", a->name);
		test_case(closed[FILTER_ONLY][n] == filter, "%s: %s by the "
		    "filter alone", a->name, filter ? "closed" : "open");
		test_case((a->flags & VARIES) != 0 || closed[REST][n] == !one,
		    "%s: %s by the rest alone: %s", a->name,
		    closed[REST][n] ? "closed" : "open", a->also);
		two += closed[FILTER_ONLY][n] && closed[REST][n];
	}
	test_case(count_closed(ALL) == count, "%zu of %zu open with all",
	    count - count_closed(ALL), count);
	test_case(two >= 45, "%zu of %zu are closed by two layers", two,
	    count);
	test_case(count - count_closed(NOTHING) >= 45,
	    "%zu would succeed with nothing in the way but the user "
	    "namespace", count - count_closed(NOTHING));
}

/* How much each layer closes of what is open with nothing. */
static void
tell(void)
{
	size_t	n, sum;
	int	w;

	for (w = NOTHING + 1; w < NWAYS; w++) {
		sum = 0;
		for (n = 0; n < count; n++)
			sum += closed[w][n] && !closed[NOTHING][n];
		printf("%s: closes %zu of the %zu that succeed with nothing\n",
		    ways[w].name, sum, count - count_closed(NOTHING));
	}
}

/* ---- outside ---- */

/* What the attackers must not reach. */
static void
listen_abstract(void)
{
	struct sockaddr_un	sun = { .sun_family = AF_UNIX };
	int			fd;

	memcpy(sun.sun_path + 1, ATTEMPT_ABSTRACT, sizeof(ATTEMPT_ABSTRACT));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd == -1 || bind(fd, (struct sockaddr *)&sun,
	    offsetof(struct sockaddr_un, sun_path) + 1 +
	    sizeof(ATTEMPT_ABSTRACT) - 1) == -1 || listen(fd, 5) == -1)
		err(1, "abstract socket");
}

/* "-d -w WAY" is for us, the rest for the starter. */
static void __attribute__((noreturn))
attacker(char **argv)
{
	char	*rest[] = { argv[0], argv[1], NULL };
	int	 i;

	for (i = 0; i < NWAYS; i++)
		if (strcmp(argv[3], ways[i].name) == 0)
			way = &ways[i];
	if (way == NULL)
		errx(1, "%s: no such way", argv[3]);
	attack_starter(2, rest);
}

int
main(int argc, char **argv)
{
	int	w;

	if (argc == 4 && strcmp(argv[2], "-w") == 0)
		attacker(argv);
	if (geteuid() != 0) {
		test_skip("escapes from a script jail: needs root");
		return (test_end());
	}
	while (attempt_at(count) != NULL)
		count++;
	test_case(count >= 60 && count <= MAX_ATTEMPTS, "%zu attempts",
	    count);
	listen_abstract();
	for (w = 0; w < NWAYS; w++)
		if (!test_case(run_way(w) == 0, "the attempts with %s",
		    ways[w].name))
			return (test_end());
	judge();
	tell();
	return (test_end());
}
