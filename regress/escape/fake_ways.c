/*
 * Tier 1: every attempt, several ways. This program is also the attacker: as
 * a starter it makes jails by the same steps as the real one, but makes an
 * attempt in them instead of what they are for; and it can leave steps out,
 * so that each layer is seen to stand alone. The real one has no such switch.
 */
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "attempt.h"
#include "filter.h"
#include "root.h"
#include "starter.h"
#include "test.h"
#include "ways.h"
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
	{ "descriptors alone",	DESCRIPTORS },
	/* For daemons that are to cry. */
	{ "all but limits",	EVERYTHING & ~LIMITS },
	{ "all but descriptors", EVERYTHING & ~DESCRIPTORS },
};
enum { NOTHING, REST, FILTER_ONLY, ALL, NWAYS = 10, MORE_WAYS = 12 };

static const struct starter_ops	*real;
static size_t			 count;

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
	{ "scratch",		ROOT },
	{ "users",		ROOT },
	{ "workspace",		ROOT },
	{ "tmp",		ROOT },
	{ "proc",		ROOT },
	{ "root",		ROOT },
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

	real->load(st);
	if ((way->layers & FILTER) == 0)
		st->own = filter_new(SCMP_ACT_ALLOW, none);
}

/* What the starter did for all of its jails goes back, where it is to be
 * seen without. */
static void
limits_back(void)
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
}

/* A script jail's root is made at once, a tool jail's image when the
 * configuration says of what. */
static void
attack_root(struct starter *st)
{
	limits_back();
	if ((way->layers & ROOT) == 0)
		root_private();
	else if (real->root != NULL)
		real->root(st);
}

static void
attack_configure(struct starter *st, const json_t *config)
{
	if ((way->layers & ROOT) != 0 && real->configure != NULL)
		real->configure(st, config);
}

/* Instead of step descriptors: the socket in its place, all else left. */
static int
step_socket(struct starter *st, struct jail *j)
{
	(void)st;
	/* The place is the starter's own socket's: close-on-exec, as that. */
	return (dup3(j->socket, JAIL_FD, O_CLOEXEC) == JAIL_FD ? 0 : -1);
}

/* As a command of a tool jail's: by a child of its init. Returns what the
 * init exits with: its own death would end both. */
static int
attempt_by_child(const struct attempt *a)
{
	pid_t	pid;
	int	status, sig;

	if ((pid = fork()) == 0) {
		if (setsid() == -1 || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) ==
		    -1)
			_exit(1);
		_exit(a->fn() ? ATTEMPT_OPEN : 0);
	}
	if (pid == -1 || waitpid(pid, &status, 0) != pid)
		return (1);
	if (!WIFSIGNALED(status))
		return (WEXITSTATUS(status));
	sig = WTERMSIG(status);
	return (sig == SIGSYS || sig == SIGSEGV || (sig == SIGKILL &&
	    (a->met[IN_TOOL].flags & LETHAL) != 0) ? 0 : 1);
}

/* The broker says which attempt to make. */
static int
attack_run(struct jail *j)
{
	const struct attempt	*a;
	struct wire		 w;

	(void)j;
	if (wire_hello("") == -1 || wire_recv(&w) != WIRE_GOT)
		return (1);
	a = attempt_at(real->kind, w.id);
	if (real->kind == IN_TOOL)
		return (attempt_by_child(a));
	return (a->fn() ? ATTEMPT_OPEN : 0);
}

static void __attribute__((noreturn))
attack_starter(int argc, char **argv)
{
	static struct step	steps[64];
	struct starter_ops	ops = *real;
	size_t			n = 0, i;

	/* A fault is a refusal, not for a sanitizer to explain. */
	if (signal(SIGSEGV, SIG_DFL) == SIG_ERR)
		exit(1);
	for (i = 0; real->steps[i].name != NULL; i++)
		if (step_wanted(real->steps[i].name))
			steps[n++] = real->steps[i];
		else if (strcmp(real->steps[i].name, "descriptors") == 0)
			steps[n++] = (struct step){ "socket", step_socket };
	ops.steps = steps;
	ops.load = attack_load;
	ops.root = attack_root;
	ops.configure = attack_configure;
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
	struct limits	l = driver_limits;
	struct side	jail;
	struct got	got;
	int		status = -1;

	l.memory = WAYS_MEMORY;
	driver_spawn(s, n + 1, UID + n, &l, &jail);
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

static int
run_way(int w)
{
	struct side	s;
	uint32_t	n;
	int		status;

	if (driver_start(&s, "/proc/self/exe", "-w", ways[w].name,
	    WAYS_CONFIG) == -1) {
		driver_stop(&s);
		return (-1);
	}
	for (n = 0; n < count; n++) {
		status = attempt_status(&s, n);
		if (status == -1) {
			test_case(0, "%s: no jail for: %s", ways[w].name,
			    attempt_at(real->kind, n)->name);
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

/* How many layers close attempt n each by itself. What is closed with none of
 * them (by the modes of the host's files, by the kernel) counts as by one. */
static int
layers_closing(size_t n)
{
	int	w, sum = closed[NOTHING][n];

	for (w = ALL + 1; w < NWAYS; w++)
		sum += closed[w][n] && !closed[NOTHING][n];
	return (sum);
}

/* With what the filter closes it must do so alone. What it lets pass must
 * show in a script jail, where nothing else is met there; of a tool jail's
 * some meet the modes of the host's files, whatever is left out. */
static void
judge_one(size_t n)
{
	const struct attempt	*a = attempt_at(real->kind, n);
	const char		*name = a->name;
	const int		 flags = a->met[real->kind].flags;
	int			 filter = (flags & UNFILTERED) == 0;

	test_case(closed[ALL][n], "%s: closed", name);
	if (filter || real->kind == IN_SCRIPT)
		test_case(closed[FILTER_ONLY][n] == filter, "%s: %s by the "
		    "filter alone", name, filter ? "closed" : "open");
	test_case((flags & VARIES) != 0 || closed[REST][n] ==
	    ((flags & ALONE) == 0), "%s: %s by the rest alone: %s", name,
	    closed[REST][n] ? "closed" : "open", a->met[real->kind].also);
}

static void
judge(void)
{
	size_t	n, two = 0;

	for (n = 0; n < count; n++) {
		judge_one(n);
		two += (attempt_at(real->kind, n)->met[real->kind].flags &
		    UNFILTERED) == 0 ? closed[FILTER_ONLY][n] &&
		    closed[REST][n] : layers_closing(n) >= 2;
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

/* What the attackers must not reach. If it is in use another test's is it. */
void
ways_listen(void)
{
	struct sockaddr_un	sun = { .sun_family = AF_UNIX };
	int			fd;

	memcpy(sun.sun_path + 1, ATTEMPT_ABSTRACT, sizeof(ATTEMPT_ABSTRACT));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd == -1 || (bind(fd, (struct sockaddr *)&sun,
	    offsetof(struct sockaddr_un, sun_path) + 1 +
	    sizeof(ATTEMPT_ABSTRACT) - 1) == -1 && errno != EADDRINUSE) ||
	    (listen(fd, 5) == -1 && errno != EADDRINUSE && errno != EINVAL))
		err(1, "abstract socket");
}

static void __attribute__((noreturn))
attacker(const char *name, int argc, char **argv)
{
	int	i;

	for (i = 0; i < MORE_WAYS; i++)
		if (strcmp(name, ways[i].name) == 0)
			way = &ways[i];
	if (way == NULL)
		errx(1, "%s: no such way", name);
	attack_starter(argc, argv);
}

/* The real starter, but a step of its jails fails. */
static void __attribute__((noreturn))
failing(char *step, int argc, char **argv)
{
	char	*more[16] = { argv[0], (char *)(uintptr_t)"-f", step };

	if (argc > 13)
		errx(1, "too many arguments");
	memcpy(more + 3, argv + 1, (size_t)(argc - 1) * sizeof(*argv));
	starter_main(real, argc + 2, more);
}

/* In the place of the real starter, by its name: the file NAME.way has what
 * is left of it, or, after "fail ", the step that fails. */
static void
impostor(int argc, char **argv)
{
	static char	name[64];
	char		path[512];
	FILE		*f;

	if (strncmp(basename(argv[0]), "wfsup-", 6) != 0)
		return;
	(void)snprintf(path, sizeof(path), "%s.way", argv[0]);
	if ((f = fopen(path, "re")) == NULL ||
	    fgets(name, sizeof(name), f) == NULL)
		err(1, "%s", path);
	(void)fclose(f);
	name[strcspn(name, "\n")] = '\0';
	if (strncmp(name, "fail ", 5) == 0)
		failing(name + 5, argc, argv);
	attacker(name, argc, argv);
}

int
ways_main(const struct starter_ops *ops, int argc, char **argv)
{
	char	*rest[] = { argv[0], argv[1], NULL };
	int	 w;

	real = ops;
	impostor(argc, argv);
	/* "-d -w WAY" is for us, the rest for the starter. */
	if (argc == 4 && strcmp(argv[2], "-w") == 0)
		attacker(argv[3], 2, rest);
	if (geteuid() != 0) {
		test_skip("escapes from a %s jail: needs root", ops->name);
		return (test_end());
	}
	while (attempt_at(ops->kind, count) != NULL)
		count++;
	test_case(count >= 60 && count <= MAX_ATTEMPTS, "%zu attempts",
	    count);
	ways_listen();
	for (w = 0; w < NWAYS; w++)
		if (!test_case(run_way(w) == 0, "the attempts with %s",
		    ways[w].name))
			return (test_end());
	judge();
	tell();
	return (test_end());
}
