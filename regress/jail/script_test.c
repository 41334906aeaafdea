/*
 * The script jail from outside: what it says first, what it computes, what
 * the kernel says that it has left, and how it ends.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "test.h"

#define UID	7

/* Send a script of this source. */
static void
script_send(struct side *jail, const char *source)
{
	json_t	*body;
	char	*text;

	body = json_pack("{s:s,s:{}}", "source", source, "args");
	text = json_dumps(body, JSON_COMPACT);
	side_send(jail, IMSG_SCRIPT, 0, -1,
	    json_pack("{s:s,s:s,s:I,s:i,s:i,s:i}", "run", "r1", "seed", "s",
	    "now", (json_int_t)1700000000000, "replay", 0, "tokens", 0,
	    "spent", 0), text);
	json_decref(body);
	free(text);
}

/* Start jail number n and hear its hello. */
static int
jail_start(struct side *s, int64_t n, const struct limits *l,
    struct side *jail)
{
	struct got	got;

	driver_spawn(s, n, UID + (uid_t)n, l, jail);
	if (driver_confined(s, jail) == -1 ||
	    side_want(jail, &got, IMSG_JAIL_HELLO, 5000) == -1)
		return (-1);
	got_free(&got);
	return (0);
}

/* Await REAPED; the wait status, and in words the jail's last. */
static int
jail_reaped(struct side *s, char words[64])
{
	struct got	got;
	const char	*text;
	int		status;

	if (side_want(s, &got, IMSG_JAIL_REAPED, 10000) == -1)
		return (-1);
	status = (int)json_integer_value(json_object_get(got.env, "status"));
	text = json_string_value(json_object_get(got.env, "words"));
	if (words != NULL)
		(void)snprintf(words, 64, "%s", text != NULL ? text : "");
	got_free(&got);
	return (status);
}

static void
jail_stop(struct side *s, struct side *jail)
{
	side_close(jail);
	(void)jail_reaped(s, NULL);
}

/* ---- what it says ---- */

static void
test_result(struct side *s)
{
	struct side	jail;
	struct got	got;

	driver_spawn(s, 1, UID, &driver_limits, &jail);
	test_case(driver_confined(s, &jail) > 0, "a script jail is confined");
	test_case(side_want(&jail, &got, IMSG_JAIL_HELLO, 5000) == 0,
	    "its first word is hello");
	test_case(strncmp(json_string_value(json_object_get(got.env,
	    "python")), "3.", 2) == 0, "hello says the Python version");
	got_free(&got);
	script_send(&jail, "import math\nreturn [6 * 7, math.floor(3.9)]");
	if (test_case(side_want(&jail, &got, IMSG_SCRIPT_DONE, 5000) == 0,
	    "a script's result comes"))
		test_case(strstr(got.body, "\"result\":[42,3]") != NULL,
		    "the result is right");
	got_free(&got);
	side_close(&jail);
	test_case(jail_reaped(s, NULL) == 0,
	    "a jail whose broker closes ends by itself");
}

static void
test_long(struct side *s)
{
	char		*source;
	const size_t	 len = 300000;
	struct side	 jail;
	struct got	 got;

	if ((source = malloc(len + 64)) == NULL)
		return;
	memset(source, ' ', len);
	source[0] = '#';
	(void)snprintf(source + len, 64, "\nreturn 'x' * 400000");
	if (jail_start(s, 2, &driver_limits, &jail) == 0) {
		script_send(&jail, source);
		test_case(side_want(&jail, &got, IMSG_SCRIPT_DONE, 5000) == 0
		    && got.bodylen > 400000,
		    "a long script and a long result go in parts");
		got_free(&got);
		jail_stop(s, &jail);
	}
	free(source);
}

/* ---- what it has left ---- */

static size_t
dir_entries(pid_t pid, const char *name)
{
	struct dirent	*d;
	char		 path[64];
	size_t		 n = 0;
	DIR		*dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	if ((dir = opendir(path)) == NULL)
		return (9999);
	while ((d = readdir(dir)) != NULL)
		n += d->d_name[0] != '.';
	(void)closedir(dir);
	return (n);
}

static int
same_namespace(pid_t a, pid_t b, const char *name)
{
	struct stat	sa, sb;
	char		path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)a, name);
	if (stat(path, &sa) == -1)
		return (-1);
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)b, name);
	if (stat(path, &sb) == -1)
		return (-1);
	return (sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino);
}

static const struct {
	const char	*key, *want;
} status[] = {
	{ "CapInh", "0000000000000000" }, { "CapPrm", "0000000000000000" },
	{ "CapEff", "0000000000000000" }, { "CapBnd", "0000000000000000" },
	{ "CapAmb", "0000000000000000" }, { "NoNewPrivs", "1" },
	{ "Seccomp", "2" }, { "Groups", "" }, { "Threads", "1" },
};

static void
test_status(pid_t pid)
{
	const char	*ids, *got;
	char		 want[64];
	size_t		 i;

	for (i = 0; i < sizeof(status) / sizeof(status[0]); i++) {
		got = proc_status(pid, status[i].key);
		test_case(strncmp(got, status[i].want,
		    strlen(status[i].want)) == 0 && (status[i].want[0] != '\0'
		    || got[0] == '\0'), "/proc says %s is \"%s\"",
		    status[i].key, status[i].want);
	}
	(void)snprintf(want, sizeof(want), "%d\t%d\t%d\t%d",
	    DRIVER_BASE + UID + 3, DRIVER_BASE + UID + 3,
	    DRIVER_BASE + UID + 3, DRIVER_BASE + UID + 3);
	ids = proc_status(pid, "Uid");
	test_case(strcmp(ids, want) == 0, "its uids are its own");
	ids = proc_status(pid, "Gid");
	test_case(strcmp(ids, want) == 0, "its gids are its own");
}

static void
test_confined(struct side *s)
{
	static const char *const	names[] = { "pid", "net", "ipc", "uts" };
	struct side			jail;
	size_t				i;

	if (jail_start(s, 3, &driver_limits, &jail) == -1) {
		test_case(0, "a jail to look at");
		return;
	}
	test_status(jail.pid);
	test_case(dir_entries(jail.pid, "fd") == 4,
	    "it holds descriptors 0 to 3 only");
	test_case(dir_entries(jail.pid, "root/") == 0, "its root is empty");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		test_case(same_namespace(jail.pid, s->pid, names[i]) == 0 &&
		    same_namespace(jail.pid, getpid(), names[i]) == 0,
		    "its %s namespace is its own", names[i]);
	test_case(same_namespace(jail.pid, getpid(), "mnt") == 0,
	    "its mounts are not the host's");
	test_case(dir_entries(s->pid, "root/") == 0,
	    "the starter's root is empty too");
	test_case(strcmp(proc_status(s->pid, "Seccomp"), "2") == 0,
	    "the starter has a filter of its own");
	jail_stop(s, &jail);
}

/* ---- how it ends ---- */

static void
test_limits(struct side *s)
{
	struct limits	 l = driver_limits;
	struct side	 jail;
	struct got	 got;
	char		 words[64];
	int		 st;

	l.cpu = 1;
	if (jail_start(s, 4, &l, &jail) == 0) {
		script_send(&jail, "while True: pass");
		st = jail_reaped(s, words);
		test_case(WIFSIGNALED(st) && WTERMSIG(st) == SIGSYS &&
		    strcmp(words, "cpu") == 0,
		    "an endless loop ends at the CPU limit, and says so");
		side_close(&jail);
	}
#ifdef __SANITIZE_ADDRESS__
	test_skip("too much memory: the sanitizer's own map has no end");
	return;
#endif
	if (jail_start(s, 5, &driver_limits, &jail) == 0) {
		script_send(&jail, "return len(bytearray(2 ** 31))");
		test_case(side_want(&jail, &got, IMSG_SCRIPT_FAIL, 5000) == 0
		    && strstr(got.body, "MemoryError") != NULL,
		    "too much memory is a MemoryError");
		got_free(&got);
		jail_stop(s, &jail);
	}
	/* No cgroup here: it is the address space that has an end. */
	if (jail_start(s, 6, &driver_limits, &jail) == 0) {
		script_send(&jail, "held = []\nfor i in range(10 ** 9):\n"
		    "    held.append([i])");
		st = jail_reaped(s, words);
		test_case(WIFSIGNALED(st) && WTERMSIG(st) == SIGSYS &&
		    strcmp(words, "oom") == 0,
		    "one with too little left to report it says so at last");
		side_close(&jail);
	}
}

/* A way from any object to the module os, as scripts find it. */
#define OS	"g = [c for c in object.__subclasses__() if c.__name__ == "  \
		"'_wrap_close'][0].__init__.__globals__\n"

static void
test_words(struct side *s)
{
	struct side	jail;
	char		words[64];
	int		st;

	if (jail_start(s, 7, &driver_limits, &jail) == 0) {
		script_send(&jail, OS "g['kill'](1, 9)");
		st = jail_reaped(s, words);
		test_case(WIFSIGNALED(st) && WTERMSIG(st) == SIGSYS &&
		    strcmp(words, "syscall kill") == 0,
		    "a forbidden call ends it, and is named");
		side_close(&jail);
	}
	if (jail_start(s, 10, &driver_limits, &jail) == 0) {
		script_send(&jail, OS "g['abort']()");
		st = jail_reaped(s, words);
		test_case(WIFSIGNALED(st) && WTERMSIG(st) == SIGSYS &&
		    strcmp(words, "signal ABRT") == 0,
		    "one that aborts says so: %s", words);
		side_close(&jail);
	}
	if (jail_start(s, 8, &driver_limits, &jail) == 0) {
		script_send(&jail, OS "g['_exit'](5)");
		st = jail_reaped(s, words);
		test_case(WIFEXITED(st) && WEXITSTATUS(st) == 5 &&
		    words[0] == '\0', "one that exits has no last words");
		side_close(&jail);
	}
}

/* One that is made ahead says hello to nobody, and waits. */
static void
test_ahead(struct side *s)
{
	struct side	jail;
	struct got	got;

	driver_ahead = 1;
	driver_spawn(s, 9, UID + 9, &driver_limits, &jail);
	driver_ahead = 0;
	test_case(driver_confined(s, &jail) > 0, "a jail is made ahead");
	script_send(&jail, "return 'waited'");
	test_case(side_want(&jail, &got, IMSG_JAIL_HELLO, 5000) == 0,
	    "its hello is there when somebody listens");
	got_free(&got);
	test_case(side_want(&jail, &got, IMSG_SCRIPT_DONE, 5000) == 0 &&
	    strstr(got.body, "waited") != NULL, "and its run works");
	got_free(&got);
	jail_stop(s, &jail);
}

static void
test_starter_death(struct side *s)
{
	struct side	jail;
	struct got	got;
	int		ms;

	if (jail_start(s, 6, &driver_limits, &jail) == -1)
		return;
	(void)kill(s->pid, SIGKILL);
	for (ms = 0; ms < test_slow(2000) && kill(jail.pid, 0) == 0; ms += 10)
		(void)usleep(10000);
	test_case(kill(jail.pid, 0) == -1, "no jail outlives its starter");
	test_case(side_recv(&jail, &got, 1000) == -1,
	    "and its socket is closed");
	side_close(&jail);
}

/* Mappings that a process shares with another. */
static size_t
shared_maps(pid_t pid)
{
	char	path[64], line[512], mode[8];
	size_t	n = 0;
	FILE	*f;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		return (9999);
	while (fgets(line, sizeof(line), f) != NULL)
		n += sscanf(line, "%*s %7s", mode) == 1 && mode[3] == 's';
	(void)fclose(f);
	return (n);
}

static void
test_many(struct side *s)
{
	struct side	jail[20];
	size_t		i, fds, made = 0;

	fds = dir_entries(s->pid, "fd");
	for (i = 0; i < 20; i++)
		made += jail_start(s, (int64_t)(100 + i), &driver_limits,
		    &jail[i]) == 0;
	test_case(made == 20, "twenty jails at once");
	test_case(made == 20 && shared_maps(jail[19].pid) == 1,
	    "a jail shares one page with its starter, none with others");
	for (i = 0; i < made; i++)
		jail_stop(s, &jail[i]);
	test_case(dir_entries(s->pid, "fd") == fds,
	    "the starter holds as many descriptors as before");
}

/* ---- each step may fail ---- */

static const char *const	steps[] = {
	"populate", "signals", "python", "cgroup", "hostname", "descriptors",
	"limits", "bounding", "groups", "ids", "capabilities", "process",
	"memory", "no_new_privs", "verify", "landlock", "words", "filter",
};

static void
test_step(const char *step)
{
	struct side	 s, jail;
	struct got	 got;
	const char	*text;

	if (driver_start(&s, driver_binary("wfsup-script"), "-f", step, "{}")
	    == -1) {
		test_case(0, "starter with failing step %s", step);
		return;
	}
	driver_spawn(&s, 1, UID, &driver_limits, &jail);
	if (side_want(&s, &got, IMSG_JAIL_SPAWNED, 5000) == 0)
		got_free(&got);
	if (side_want(&s, &got, IMSG_JAIL_UNMADE, 5000) == 0) {
		text = json_string_value(json_object_get(got.env, "step"));
		test_case(strcmp(text, step) == 0,
		    "step %s fails: the report names it", step);
		got_free(&got);
	} else
		test_case(0, "step %s fails: a report", step);
	test_case(jail_reaped(&s, NULL) > 0 &&
	    side_recv(&jail, &got, 1000) == -1,
	    "step %s fails: no jail, no word from it", step);
	side_close(&jail);
	driver_stop(&s);
}

int
main(void)
{
	struct side	s;
	size_t		i;

	if (geteuid() != 0) {
		test_skip("script jail: needs root");
		return (test_end());
	}
	if (!test_case(driver_start(&s, driver_binary("wfsup-script"), NULL,
	    NULL, "{}") == 0, "the starter of script jails is ready"))
		return (test_end());
	test_result(&s);
	test_long(&s);
	test_confined(&s);
	test_limits(&s);
	test_words(&s);
	test_many(&s);
	test_ahead(&s);
	test_starter_death(&s);
	driver_stop(&s);
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		test_step(steps[i]);
	return (test_end());
}
