/*
 * The real wfsupd among fake rooms: its directory, its life, its log.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake_client.h"
#include "fake_host.h"
#include "test.h"

pid_t			 daemon_pid;

static char		 dir[] = "/tmp/wfsupd_test.XXXXXX";
static char		 bin[PATH_MAX];		/* where the build's are */
static unsigned		 jail_base;

int64_t
ms(void)
{
	struct timespec	ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000);
}

void
nap(int n)
{
	struct timespec	ts = { n / 1000, n % 1000 * 1000000 };

	(void)nanosleep(&ts, NULL);
}

const char *
in_dir(const char *name)
{
	static char	path[4][PATH_MAX];
	static int	i;

	i = (i + 1) % 4;
	(void)snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name);
	return (path[i]);
}

const char *
real_bin(void)
{
	return (bin);
}

int
run(const char *fmt, ...)
{
	char	cmd[2048];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	return (system(cmd));
}


const char *
line(const char *fmt, ...)
{
	static char	buf[1024];
	char		cmd[1024];
	va_list		ap;
	FILE		*f;

	va_start(ap, fmt);
	(void)vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	buf[0] = '\0';
	if ((f = popen(cmd, "r")) == NULL)
		return (buf);
	if (fgets(buf, sizeof(buf), f) == NULL)
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	(void)pclose(f);
	return (buf);
}

/* ---- the directory ---- */

void
config_write(const char *more)
{
	FILE	*f;

	(void)umask(077);
	if ((f = fopen(in_dir("conf"), "w")) == NULL)
		exit(1);
	fprintf(f, "state directory \"%s/state\"\n"
	    "control socket \"%s/control\" mode 0600\nlog stderr\n"
	    "user broker 61011\nuser keeper 61012\nuser gateway 61013\n"
	    "user sandbox 61014\njail ids %u\nlimit spares 0\n%s", dir, dir,
	    jail_base, more);
	(void)fclose(f);
}

static const char *
self_path(void)
{
	static char	self[PATH_MAX];
	ssize_t		n;

	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = '\0';
	return (self);
}

/* This program in place of each room, and all else as it was built. */
static int
binaries_copy(void)
{
	static const char *const	rooms[] = { "broker", "keeper",
					    "gateway" };
	static const char *const	others[] = { "wfsupd",
					    "wfsup-mounter", "wfsup-errand",
					    "wfsup-reader",
					    "wfsup-launcher", "wfsup-warden",
					    "wfsup-script", "wfsup-tool" };
	size_t				i;

	for (i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++)
		if (run("cp %s %s/wfsup-%s", self_path(), dir, rooms[i]) != 0)
			return (-1);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (run("cp %s/%s %s", bin, others[i], dir) != 0)
			return (-1);
	return (0);
}

int
host_setup(void)
{
	char	self[PATH_MAX];

	if (geteuid() != 0) {
		test_skip("wfsupd: must be started by root");
		return (-1);
	}
	(void)snprintf(self, sizeof(self), "%s", self_path());
	(void)snprintf(bin, sizeof(bin), "%.4000s/../../bin", dirname(self));
	if (mkdtemp(dir) == NULL || chmod(dir, 0711) == -1 ||
	    binaries_copy() == -1)
		exit(1);
	jail_base = 0x60000000 + (unsigned)(getpid() % 1024) * 131072;
	config_write("");
	return (0);
}

void
host_end(int failed)
{
	if (failed)
		(void)run("tail -40 %s/log | sed 's/^/# /'", dir);
	if (daemon_pid > 0)
		(void)kill(daemon_pid, SIGKILL);
	(void)run("rm -rf %s", dir);
}

/* ---- the daemon ---- */

/* The log is emptied here: the last life's "ready" is not this one's. */
pid_t
daemon_fork(const char *flags)
{
	pid_t	pid;
	int	log;

	log = open(in_dir("log"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
	    0600);
	if ((pid = fork()) == 0) {
		(void)dup2(log, 2);
		(void)execl(in_dir("wfsupd"), in_dir("wfsupd"), flags, "-f",
		    in_dir("conf"), (char *)NULL);
		_exit(127);
	}
	(void)close(log);
	return (pid);
}

int
daemon_start(void)
{
	daemon_pid = daemon_fork("-dv");
	if (log_wait("wfsupd: ready", 1) == -1)
		return (-1);
	return (broker_connect());
}

int
daemon_wait(void)
{
	int64_t	end = ms() + WAIT_MS;
	int	status;

	while (waitpid(daemon_pid, &status, WNOHANG) == 0) {
		if (ms() > end)
			return (-1);
		nap(10);
	}
	return (status);
}

int
daemon_stop(void)
{
	(void)kill(daemon_pid, SIGTERM);
	return (daemon_wait());
}

int
daemon_restart(void)
{
	if (daemon_stop() == -1)
		return (-1);
	broker_close();
	return (daemon_start());
}

int
log_count(const char *text)
{
	return (atoi(line("grep -c '%s' %s/log", text, dir)));
}

int
log_wait(const char *text, int n)
{
	int64_t	end = ms() + WAIT_MS;

	while (log_count(text) < n) {
		if (ms() > end)
			return (-1);
		nap(20);
	}
	return (0);
}

/* ---- its children ---- */

pid_t
child_pid(const char *binary)
{
	return (atoi(line("pgrep -P %d -x %.15s", daemon_pid, binary)));
}

int
child_wait(const char *binary)
{
	int64_t	end = ms() + WAIT_MS;

	while (child_pid(binary) == 0) {
		if (ms() > end)
			return (-1);
		nap(20);
	}
	return (0);
}

/* Never everybody, when it is not there. */
void
kill_child(const char *binary)
{
	pid_t	pid = child_pid(binary);

	if (pid > 0)
		(void)kill(pid, SIGKILL);
}

int
kill_seen(const char *binary, const char *name)
{
	char	text[64];
	int	n;

	(void)snprintf(text, sizeof(text), "%s has died", name);
	n = log_count(text);
	kill_child(binary);
	return (log_wait(text, n + 1));
}

const char *
processes_left(void)
{
	return (line("ps -eo args | grep '^%s/[w]fsup'", dir));
}

int
processes_wait(void)
{
	int64_t	end = ms() + WAIT_MS;

	while (processes_left()[0] != '\0') {
		if (ms() > end)
			return (-1);
		nap(20);
	}
	return (0);
}

const char *
cgroups_left(pid_t daemon)
{
	return (line("find /sys/fs/cgroup -maxdepth 5 -name 'wfsup.%d' "
	    "2>/dev/null | tr '\\n' ' '", daemon));
}
