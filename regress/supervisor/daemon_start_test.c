/*
 * The real wfsupd, with fake rooms: what it refuses to start with, what each
 * process may do, reload, and an end that leaves nothing.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "fake_client.h"
#include "fake_host.h"
#include "fake_room.h"
#include "supervisor.h"
#include "test.h"

static void
test_refusals(void)
{
	(void)chmod(in_dir("conf"), 0666);
	test_case(run("%s -n -f %s 2>/dev/null", in_dir("wfsupd"),
	    in_dir("conf")) != 0, "a file that others can write is refused");
	(void)chmod(in_dir("conf"), 0600);
	test_case(run("%s -n -f %s 2>/dev/null", in_dir("wfsupd"),
	    in_dir("conf")) == 0, "-n: a right file");
	config_write("nonsense 5\n");
	test_case(run("%s -n -f %s 2>&1 | grep -q ':10:'", in_dir("wfsupd"),
	    in_dir("conf")) == 0, "-n: a wrong word, with its line");
	config_write("");
}

/* Starts that fail, and would fail again: their status says so. */
static const struct {
	const char	*what, *before, *prefix, *after, *words;
} hopeless[] = {
	{ "a configuration with a mistake", "echo nonsense 5 >>conf", "",
	    "sed -i '$d' conf", "conf:10:" },
	{ "no configuration", "mv conf conf.not", "", "mv conf.not conf",
	    "No such file" },
	{ "a user who is not root", "chmod 644 conf",
	    "setpriv --reuid 61099 --clear-groups", "chmod 600 conf",
	    "must be started by root" },
	{ "too few open files", "true", "prlimit --nofile=64:64", "true",
	    "no more than 64 files" },
	{ "a state directory of somebody else", "mkdir -p state; "
	    "chown 61099 state", "", "chown 0 state", "must be a directory" },
	{ "a file in place of the control socket", "touch control", "",
	    "rm control", "is no socket" },
	{ "a cgroup that is not there", "echo 'cgroup \"/nope\"' >>conf", "",
	    "sed -i '$d' conf", "jails need a cgroup" },
};

static void
test_hopeless(void)
{
	size_t	i;
	int	status;

	for (i = 0; i < sizeof(hopeless) / sizeof(hopeless[0]); i++) {
		(void)run("cd %s && %s", in_dir(""), hopeless[i].before);
		status = run("exec %s timeout 20 %s -d -f %s 2>%s",
		    hopeless[i].prefix, in_dir("wfsupd"), in_dir("conf"),
		    in_dir("log"));
		test_case(WIFEXITED(status) && WEXITSTATUS(status) == 78 &&
		    log_count(hopeless[i].words) == 1,
		    "%s: exit 78, and the log says why", hopeless[i].what);
		(void)run("cd %s && %s", in_dir(""), hopeless[i].after);
	}
}

/* It is there, and so it listens there. */
static void
test_second(void)
{
	int	status;

	status = run("exec timeout 20 %s -d -f %s 2>%s", in_dir("wfsupd"),
	    in_dir("conf"), in_dir("second"));
	test_case(WIFEXITED(status) && WEXITSTATUS(status) == 78 &&
	    run("grep -q 'another daemon listens' %s", in_dir("second")) == 0,
	    "a second daemon: exit 78, and why");
}

static void
test_rights(void)
{
	static const struct {
		const char	*name;
		unsigned	 uid;
		uint64_t	 caps;
	} rows[] = {
		{ "wfsup-broker", 61011, 0 },
		{ "wfsup-keeper", 61012, 0 },
		{ "wfsup-gateway", 61013, 0 },
		{ "wfsup-mounter", 0, UINT64_C(1) << 21 },
		{ "wfsup-warden", 0, UINT64_C(1) << 5 },
		{ "wfsup-launcher", 0, UINT64_C(0xc0) },
		{ "wfsup-reader", 0, 0 },
	};
	struct status_want	want = { .uid = 0 };
	char			why[256];
	size_t			i;
	pid_t			pid;

	want.caps = UINT64_C(0x20);
	why[0] = '\0';
	test_case(status_check("/proc", daemon_pid, &want, why, sizeof(why)) == 0,
	    "wfsupd has KILL alone and a filter %s", why);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pid = child_pid(rows[i].name);
		want.uid = rows[i].uid;
		want.gid = rows[i].uid;
		want.caps = rows[i].caps;
		why[0] = '\0';
		test_case(pid > 0 && status_check("/proc", pid, &want, why,
		    sizeof(why)) == 0, "its child %s is confined %s",
		    rows[i].name, why);
	}
}

static void
test_reload(void)
{
	config_write("nonsense\n");
	(void)kill(daemon_pid, SIGHUP);
	test_case(log_wait("conf:10:", 1) == 0 &&
	    log_wait("old configuration stays", 1) == 0,
	    "a wrong new file: the old one stays, and its line is named");
	config_write("limit runs 3\n");
	(void)kill(daemon_pid, SIGHUP);
	test_case(log_wait("daemon.reload ok\\|event=daemon.reload outcome=ok",
	    1) == 0, "a right one is taken");
}

static void
test_killed(void)
{
	pid_t	killed;
	int	end = -1;

	(void)start_jail("script", 0, -1, "{}", &end);
	(void)kill(daemon_pid, SIGKILL);
	(void)daemon_wait();
	test_case(processes_wait() == 0, "SIGKILL of wfsupd ends all");
	(void)close(end);
	broker_close();
	killed = daemon_pid;
	test_case(daemon_start() == 0, "and it starts again");
	test_case(cgroups_left(killed)[0] == '\0', "without the old cgroups");
}

static void
test_stop(void)
{
	int	end = -1, status;
	char	left[1024];

	(void)start_jail("script", 0, -1, "{}", &end);
	status = daemon_stop();
	test_case(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	    "SIGTERM with a jail running: exit 0");
	(void)snprintf(left, sizeof(left), "%s", cgroups_left(daemon_pid));
	test_case(left[0] == '\0', "no cgroup is left %s", left);
	test_case(access(in_dir("control"), F_OK) == -1,
	    "no control socket is left");
	(void)snprintf(left, sizeof(left), "%s", processes_left());
	test_case(left[0] == '\0', "no process is left %s", left);
	(void)close(end);
}

int
main(int argc, char **argv)
{
	fake_room(argc, argv);
	if (host_setup() == -1)
		return (0);
	test_refusals();
	test_hopeless();
	if (test_case(daemon_start() == 0, "wfsupd starts")) {
		test_rights();
		test_second();
		test_reload();
		test_killed();
		test_stop();
	}
	host_end(test_failures != 0);
	return (test_end());
}
