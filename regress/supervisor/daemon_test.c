/*
 * The real wfsupd and the real starters, with fake rooms (fake_room.c): start,
 * what each process may do, jails and their causes of death, restarts,
 * reload, and an end that leaves nothing.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake_room.h"
#include "imsg.h"
#include "msg.h"
#include "supervisor.h"
#include "test.h"

#define WAIT_MS	20000

static char		 dir[] = "/tmp/wfsupd_test.XXXXXX";
static char		 bin[PATH_MAX];		/* where the build's are */
static pid_t		 daemon_pid;
static struct imsgbuf	 broker;
static unsigned		 jail_base;

/* The last message that expect() found. */
static struct {
	json_t		*env;
	int		 fd;
	uint32_t	 id;
} got = { NULL, -1, 0 };

static int64_t
ms(void)
{
	struct timespec	ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000);
}

static void
nap(int n)
{
	struct timespec	ts = { n / 1000, n % 1000 * 1000000 };

	(void)nanosleep(&ts, NULL);
}

static const char *
in_dir(const char *name)
{
	static char	path[4][PATH_MAX];
	static int	i;

	i = (i + 1) % 4;
	(void)snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name);
	return (path[i]);
}

static int __attribute__((format(printf, 1, 2)))
run(const char *fmt, ...)
{
	char	cmd[2048];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	return (system(cmd));
}

/* The one line that a command prints. */
static const char *__attribute__((format(printf, 1, 2)))
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

/* ---- the daemon ---- */

static void
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

static void
setup(void)
{
	static const char *const	rooms[] = { "broker", "keeper",
					    "gateway" };
	static const char *const	others[] = { "wfsupd",
					    "wfsup-mounter", "wfsup-errand",
					    "wfsup-script", "wfsup-tool" };
	char				self[PATH_MAX];
	size_t				i;
	ssize_t				n;

	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = '\0';
	(void)snprintf(bin, sizeof(bin), "%s", self);
	(void)snprintf(bin, sizeof(bin), "%.4000s/../../bin", dirname(self));
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = '\0';
	if (mkdtemp(dir) == NULL || chmod(dir, 0711) == -1)
		exit(1);
	for (i = 0; i < 3; i++)
		if (run("cp %s %s/wfsup-%s", self, dir, rooms[i]) != 0)
			exit(1);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (run("cp %s/%s %s", bin, others[i], dir) != 0)
			exit(1);
	jail_base = 0x60000000 + (unsigned)(getpid() % 1024) * 131072;
	config_write("");
}

static int
broker_connect(void)
{
	struct sockaddr_un	sun = { .sun_family = AF_UNIX };
	int64_t			end = ms() + WAIT_MS;
	int			fd;

	(void)snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/control", dir);
	if ((fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC |
	    SOCK_NONBLOCK, 0)) == -1)
		return (-1);
	while (connect(fd, (struct sockaddr *)&sun, sizeof(sun)) == -1) {
		if (ms() > end) {
			(void)close(fd);
			return (-1);
		}
		nap(20);
	}
	imsgbuf_init(&broker, fd);
	imsgbuf_allow_fdpass(&broker);
	return (0);
}

/* Wait for a text in the daemon's log, n times. */
static int
log_wait(const char *text, int n)
{
	int64_t	end = ms() + WAIT_MS;

	while (atoi(line("grep -c '%s' %s/log", text, dir)) < n) {
		if (ms() > end)
			return (-1);
		nap(20);
	}
	return (0);
}

static pid_t
daemon_fork(const char *flags)
{
	pid_t	pid;
	int	log;

	if ((pid = fork()) == 0) {
		log = open(in_dir("log"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		(void)dup2(log, 2);
		(void)execl(in_dir("wfsupd"), in_dir("wfsupd"), flags, "-f",
		    in_dir("conf"), (char *)NULL);
		_exit(127);
	}
	return (pid);
}

static int
daemon_start(void)
{
	daemon_pid = daemon_fork("-dv");
	if (log_wait("wfsupd: ready", 1) == -1)
		return (-1);
	return (broker_connect());
}

static int
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

static int
daemon_restart(void)
{
	(void)kill(daemon_pid, SIGTERM);
	if (daemon_wait() == -1)
		return (-1);
	return (daemon_start());
}

/* ---- as the broker ---- */

static void
say(uint32_t type, uint32_t id, int fd, json_t *env)
{
	char		*text = json_dumps(env, JSON_COMPACT);
	struct iovec	 iov = { text, strlen(text) };

	if (imsg_composev(&broker, type, id, fd, &iov, 1) == -1 ||
	    imsgbuf_write(&broker) == -1)
		perror("say");
	free(text);
	json_decref(env);
}

/* Take messages until one of this type. Returns 0, or -1 if none comes. */
static int
expect(uint32_t type)
{
	struct pollfd	pfd = { .fd = broker.fd, .events = POLLIN };
	int64_t		end = ms() + WAIT_MS, left;
	struct imsg	imsg;

	json_decref(got.env);
	if (got.fd != -1)
		(void)close(got.fd);
	got.env = NULL;
	got.fd = -1;
	while ((left = end - ms()) > 0) {
		(void)poll(&pfd, 1, (int)left);
		switch (imsgbuf_get(&broker, &imsg)) {
		case IMSG_GOT:
			break;
		case IMSG_AGAIN:
			continue;
		default:
			return (-1);
		}
		got.env = json_loadb(imsg.data, imsg.datalen, 0, NULL);
		got.fd = imsg_get_fd(&imsg);
		got.id = imsg.hdr.peerid;
		left = imsg.hdr.type == type;
		imsg_free(&imsg);
		if (left)
			return (0);
		fprintf(stderr, "(skipped: %s)\n", json_dumps(got.env, 0));
	}
	return (-1);
}

static void
ask_jail(uint32_t id, const char *kind, int sandbox, int fd, const char *more)
{
	json_t	*env, *over;

	env = json_pack("{s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i}",
	    "kind", kind, "run", "r1", "uid", 1000, "gid", 1000,
	    "memory", 256 << 20, "pids", 32, "cpu", 10, "wall", 60,
	    "fsize", 1 << 20, "files", 64);
	if (sandbox > 0)
		(void)json_object_set_new(env, "sandbox",
		    json_integer(sandbox));
	if ((over = json_loads(more, 0, NULL)) != NULL)
		(void)json_object_update(env, over);
	json_decref(over);
	say(IMSG_JAIL_START, id, fd, env);
}

/* Start one and take its end. Returns its number, or -1. */
static int64_t
start_jail(const char *kind, int sandbox, int fd, const char *more, int *end)
{
	ask_jail(7, kind, sandbox, fd, more);
	if (expect(IMSG_JAIL_STARTED) == -1)
		return (-1);
	*end = got.fd;
	got.fd = -1;
	return (msg_int(got.env, "jail"));
}

static void
kill_jail(int64_t jail, const char *cause)
{
	say(IMSG_JAIL_KILL, 0, -1, json_pack("{s:I,s:s}", "jail",
	    (json_int_t)jail, "cause", cause));
}

/* The jail's death, as told. */
static void
check_exit(const char *what, int64_t jail, const char *cause, int ours)
{
	int	ok;

	ok = expect(IMSG_JAIL_EXIT) == 0 && msg_int(got.env, "jail") == jail &&
	    strcmp(msg_str(got.env, "cause"), cause) == 0 &&
	    msg_bool(got.env, "ours") == ours;
	test_case(ok, "%s: %s", what, cause);
	if (!ok && got.env != NULL)
		printf("# %s\n", json_dumps(got.env, 0));
}

static const char *
cgroups_left(void)
{
	return (line("find /sys/fs/cgroup -maxdepth 5 -name 'wfsup.%d' "
	    "2>/dev/null | tr '\\n' ' '", daemon_pid));
}

static pid_t
child_pid(const char *name)
{
	return (atoi(line("pgrep -P %d -x %.15s", daemon_pid, name)));
}

/* Never everybody, when it is not there. */
static void
kill_child(const char *name)
{
	pid_t	pid = child_pid(name);

	if (pid > 0)
		(void)kill(pid, SIGKILL);
}

/* ---- the cases ---- */

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
	};
	struct status_want	want = { .uid = 0 };
	char			why[256];
	size_t			i;
	pid_t			pid;

	want.caps = UINT64_C(0xe0);
	why[0] = '\0';
	test_case(status_check(daemon_pid, &want, why, sizeof(why)) == 0,
	    "wfsupd has SETUID, SETGID, KILL and a filter %s", why);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pid = child_pid(rows[i].name);
		want.uid = rows[i].uid;
		want.gid = rows[i].uid;
		want.caps = rows[i].caps;
		why[0] = '\0';
		test_case(pid > 0 && status_check(pid, &want, why,
		    sizeof(why)) == 0, "its child %s is confined %s",
		    rows[i].name, why);
	}
}

static void
test_script(void)
{
	struct pollfd	pfd;
	int64_t		jail;
	int		end = -1;
	char		buf[512];
	ssize_t		n;

	jail = start_jail("script", 0, -1, "{}", &end);
	if (!test_case(jail > 0 && got.id == 7, "a script jail starts"))
		return;
	pfd.fd = end;
	pfd.events = POLLIN;
	(void)poll(&pfd, 1, WAIT_MS);
	n = recv(end, buf, sizeof(buf), 0);
	test_case(n > 16 && memcmp(buf, &(uint32_t){ IMSG_JAIL_HELLO }, 4) == 0,
	    "it says hello on the broker's end");
	kill_jail(jail, "cancel");
	check_exit("a jail that is killed", jail, "cancel", 0);
	(void)close(end);

	jail = start_jail("script", 0, -1, "{}", &end);
	(void)close(end);
	test_case(expect(IMSG_JAIL_EXIT) == 0 &&
	    msg_int(got.env, "jail") == jail,
	    "a jail whose broker hangs up ends");
	jail = start_jail("script", 0, -1, "{\"wall\": 1}", &end);
	check_exit("a jail that lives too long", jail, "wall", 0);
	(void)close(end);
}

static void
test_tool(void)
{
	int	end = -1, ws;
	int64_t	jail;

	(void)run("mkdir -m 700 %s && echo hi >%s/file && "
	    "chown -R 1000:1000 %s", in_dir("ws"), in_dir("ws"), in_dir("ws"));
	ws = open(in_dir("ws"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	jail = start_jail("tool", 5, ws, "{}", &end);
	if (!test_case(jail > 0, "a tool jail with a workspace starts"))
		return;
	test_case(access(in_dir("state/sandboxes/5/upper"), F_OK) == 0,
	    "its layer is on disk");
	ask_jail(8, "tool", 5, -1, "{}");
	test_case(expect(IMSG_JAIL_FAILED) == 0,
	    "a second jail in its sandbox is refused");
	say(IMSG_SANDBOX_REMOVE, 0, -1, json_pack("{s:i}", "sandbox", 5));
	test_case(expect(IMSG_SANDBOX_REMOVED) == 0 &&
	    !msg_bool(got.env, "ok"), "a sandbox in use is not removed");
	kill_jail(jail, "done");
	check_exit("a tool jail that is no more needed", jail, "done", 0);
	(void)close(end);
	(void)run("mkdir -p %s/a/b/c; chmod 0 %s/a; ln -s /etc %s/link; "
	    "chown -R 61014:61014 %s", in_dir("state/sandboxes/5/upper"),
	    in_dir("state/sandboxes/5/upper"),
	    in_dir("state/sandboxes/5/upper"), in_dir("state/sandboxes/5"));
	say(IMSG_SANDBOX_REMOVE, 0, -1, json_pack("{s:i}", "sandbox", 5));
	test_case(expect(IMSG_SANDBOX_REMOVED) == 0 &&
	    msg_bool(got.env, "ok") &&
	    access(in_dir("state/sandboxes/5"), F_OK) == -1 &&
	    access("/etc/passwd", F_OK) == 0, "its layer is removed");
	jail = start_jail("tool", 6, -1, "{}", &end);
	test_case(jail > 0, "a tool jail without a workspace starts");
	kill_jail(jail, "done");
	check_exit("and ends", jail, "done", 0);
	(void)close(end);
	ask_jail(8, "tool", 7, open("/etc/passwd", O_RDONLY | O_CLOEXEC),
	    "{}");
	test_case(expect(IMSG_JAIL_FAILED) == 0,
	    "a workspace that is a file is refused");
	ask_jail(8, "tool", 7, open("/etc", O_PATH | O_DIRECTORY | O_CLOEXEC),
	    "{}");
	test_case(expect(IMSG_JAIL_FAILED) == 0,
	    "a workspace that was not opened for reading is refused");
}

/* Rows about the host, until one of this name; is it well? -1: none came. */
static int
row_ok(const char *name)
{
	while (expect(IMSG_HOST_ROW) == 0)
		if (strcmp(msg_str(got.env, "name"), name) == 0)
			return (msg_bool(got.env, "ok"));
	return (-1);
}

/* What is frozen does not die of SIGKILL before it is thawed. */
static void
test_undead(void)
{
	static const char	freezer[] = "/sys/fs/cgroup/freezer/wfsup.test";
	int64_t			jail;
	int			end = -1, pid;

	if (run("mkdir -p %s && test -e %s/freezer.state", freezer,
	    freezer) != 0) {
		test_skip("a jail that does not die: no cgroup freezer");
		return;
	}
	jail = start_jail("script", 0, -1, "{}", &end);
	pid = (int)msg_int(got.env, "pid");
	(void)run("echo %d >%s/cgroup.procs && echo FROZEN >%s/freezer.state",
	    pid, freezer, freezer);
	kill_jail(jail, "cancel");
	test_case(row_ok("kills") == 0, "a jail that does not die in a "
	    "second: the host's report says so");
	ask_jail(9, "script", 0, -1, "{}");
	test_case(expect(IMSG_JAIL_FAILED) == 0 && strstr(msg_str(got.env,
	    "error"), "does not die") != NULL, "and no jail is started");
	(void)run("echo THAWED >%s/freezer.state", freezer);
	test_case(expect(IMSG_JAIL_EXIT) == 0 && msg_int(got.env, "jail") ==
	    jail, "when it has died that is told");
	test_case(row_ok("kills") == 1, "and the host is well again");
	(void)close(end);
	jail = start_jail("script", 0, -1, "{}", &end);
	test_case(jail > 0, "jails are started again");
	kill_jail(jail, "done");
	check_exit("and end", jail, "done", 0);
	(void)close(end);
	(void)run("rmdir %s", freezer);
}

static void
ask_workspace(uid_t uid, int64_t dev, int64_t ino)
{
	say(IMSG_WORKSPACE_OPEN, 3, -1, json_pack(
	    "{s:s,s:s,s:i,s:i,s:I,s:I}", "run", "r1", "path", in_dir("ws"),
	    "uid", (int)uid, "gid", (int)uid, "dev", (json_int_t)dev,
	    "ino", (json_int_t)ino));
}

static void
test_workspace(void)
{
	struct stat	st, at;

	(void)run("mkdir -p %s; chown 1000:1000 %s; chmod 700 %s",
	    in_dir("ws"), in_dir("ws"), in_dir("ws"));
	if (stat(in_dir("ws"), &st) == -1)
		exit(1);
	ask_workspace(1000, (int64_t)st.st_dev, (int64_t)st.st_ino);
	test_case(expect(IMSG_WORKSPACE) == 0 && got.id == 3 &&
	    fstat(got.fd, &at) == 0 && at.st_ino == st.st_ino,
	    "its owner's workspace is opened again");
	ask_workspace(1001, (int64_t)st.st_dev, (int64_t)st.st_ino);
	test_case(expect(IMSG_WORKSPACE_LOST) == 0,
	    "not as somebody who can't open it");
	ask_workspace(1000, (int64_t)st.st_dev, (int64_t)st.st_ino + 1);
	test_case(expect(IMSG_WORKSPACE_LOST) == 0,
	    "not if another directory is there");
}

static void
test_restarts(void)
{
	int64_t	jail;
	int	end = -1;

	jail = start_jail("script", 0, -1, "{}", &end);
	kill_child("wfsup-gateway");
	test_case(log_wait("gateway has died", 1) == 0 &&
	    child_pid("wfsup-script") > 0, "the gateway dies alone");
	kill_child("wfsup-keeper");
	check_exit("the keeper dies, and with it each jail", jail, "restart",
	    1);
	(void)close(end);
	test_case(log_wait("keeper has died", 1) == 0, "that was seen");
	nap(600);
	jail = start_jail("script", 0, -1, "{}", &end);
	kill_child("wfsup-script");
	check_exit("a starter dies, and with it its jails", jail, "restart",
	    1);
	(void)close(end);
	nap(1500);
	jail = start_jail("script", 0, -1, "{}", &end);
	test_case(jail > 0, "the starter is there again");
	kill_child("wfsup-broker");
	(void)close(end);
	(void)log_wait("broker has died", 1);
	imsgbuf_clear(&broker);
	(void)close(broker.fd);
	test_case(broker_connect() == 0, "the broker is there again");
	jail = start_jail("script", 0, -1, "{}", &end);
	test_case(jail > 0, "and starts jails");
	kill_jail(jail, "done");
	check_exit("which end", jail, "done", 0);
	(void)close(end);
	test_case(child_pid("wfsup-gateway") > 0 && child_pid("wfsup-keeper")
	    > 0, "all rooms are there again");
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

/* Reload with so many spare jails. */
static int
set_spares(int n)
{
	char	more[32];
	int	before = atoi(line("grep -c 'event=daemon.reload outcome=ok' %s/log", dir));

	(void)snprintf(more, sizeof(more), "limit spares %d\n", n);
	config_write(more);
	(void)kill(daemon_pid, SIGHUP);
	return (log_wait("event=daemon.reload outcome=ok", before + 1));
}

/* Wait until the script starter has n jails. */
static int
jails_wait(int n)
{
	int64_t	end = ms() + WAIT_MS;

	while (atoi(line("pgrep -c -P %d", child_pid("wfsup-script"))) != n)
		if (ms() > end)
			return (-1);
		else
			nap(20);
	return (0);
}

static void
test_spares(void)
{
	int64_t	first, next;
	int	end[3] = { -1, -1, -1 };
	char	buf[512];

	test_case(set_spares(2) == 0 && jails_wait(0) == 0,
	    "no spare jail before one has been asked for");
	first = start_jail("script", 0, -1, "{}", &end[0]);
	test_case(jails_wait(3) == 0, "after the first there are two spares");
	next = start_jail("script", 0, -1, "{\"wall\": 2}", &end[1]);
	test_case(next == first + 1, "the next one was a spare");
	test_case(recv(end[1], buf, sizeof(buf), MSG_DONTWAIT) > 16 &&
	    memcmp(buf, &(uint32_t){ IMSG_JAIL_HELLO }, 4) == 0,
	    "and had said hello");
	check_exit("its time counts from then", next, "wall", 0);
	test_case(jails_wait(3) == 0, "another takes its place");
	next = start_jail("script", 0, -1, "{\"memory\": 134217728}", &end[2]);
	test_case(next > first + 3, "one with other limits is made for itself");
	test_case(jails_wait(4) == 0, "and a spare of these limits");
	kill_child("wfsup-script");
	test_case(expect(IMSG_JAIL_EXIT) == 0 && expect(IMSG_JAIL_EXIT) == 0,
	    "of spares that die nobody hears");
	test_case(atoi(line("grep -c 'run=\"\"' %s/log", dir)) == 0,
	    "nor the log");
	nap(1500);
	test_case(set_spares(0) == 0, "no more of them");
	(void)close(end[0]);
	(void)close(end[1]);
	(void)close(end[2]);
	first = start_jail("script", 0, -1, "{}", &end[0]);
	kill_jail(first, "done");
	check_exit("jails are made when asked for", first, "done", 0);
	test_case(jails_wait(0) == 0, "and no other is there");
	(void)close(end[0]);
}

/* What the broker may not say. Each time it is dropped, and comes back. */
static void
test_hostile_broker(void)
{
	static const struct {
		const char	*what;
		uint32_t	 type;
		const char	*env;
		int		 fd;	/* send one along */
	} rows[] = {
		{ "a jail of no kind", IMSG_JAIL_START, "{\"kind\": \"what\"}",
		    0 },
		{ "a script jail with a sandbox", IMSG_JAIL_START,
		    "{\"sandbox\": 3}", 0 },
		{ "a script jail with a workspace", IMSG_JAIL_START, "{}", 1 },
		{ "a tool jail without a sandbox", IMSG_JAIL_START,
		    "{\"kind\": \"tool\"}", 0 },
		{ "a workspace by a relative path", IMSG_WORKSPACE_OPEN,
		    "{\"run\": \"r\", \"path\": \"etc\", \"uid\": 0, "
		    "\"gid\": 0, \"dev\": 1, \"ino\": 2}", 0 },
		{ "hello twice", IMSG_ROOM_HELLO,
		    "{\"version\": \"0.1.0\"}", 0 },
		{ "ready twice", IMSG_ROOM_READY, "{}", 0 },
	};
	size_t	i;
	int	fd, n;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		n = atoi(line("grep -c 'broker has died' %s/log", dir));
		fd = rows[i].fd ? open("/", O_RDONLY | O_DIRECTORY |
		    O_CLOEXEC) : -1;
		if (rows[i].type == IMSG_JAIL_START)
			ask_jail(1, "script", 0, fd, rows[i].env);
		else
			say(rows[i].type, 1, fd,
			    json_loads(rows[i].env, 0, NULL));
		test_case(log_wait("broker has died", n + 1) == 0,
		    "a broker that says %s is dropped", rows[i].what);
		imsgbuf_clear(&broker);
		(void)close(broker.fd);
		/* A restart waits longer each time: a new life is as good. */
		if (daemon_restart() == -1)
			return;
	}
}

static void
test_killed(void)
{
	int	end = -1;

	(void)start_jail("script", 0, -1, "{}", &end);
	(void)kill(daemon_pid, SIGKILL);
	(void)daemon_wait();
	nap(300);
	test_case(line("ps -eo args | grep '^%s/[w]fsup'", dir)[0] == '\0',
	    "SIGKILL of wfsupd ends all");
	(void)close(end);
	imsgbuf_clear(&broker);
	(void)close(broker.fd);
	end = daemon_pid;
	test_case(daemon_start() == 0, "and it starts again");
	test_case(line("find /sys/fs/cgroup -maxdepth 5 -name 'wfsup.%d' "
	    "2>/dev/null", end)[0] == '\0', "without the old cgroups");
}

/* Each lie costs the jail, and some the starter; never the daemon. */
static void
test_lying_starter(void)
{
	static const struct {
		const char	*what;
		enum lie	 lie;
		const char	*step;
	} rows[] = {
		{ "a jail that is not confined", LIE_UNCONFINED, "verify" },
		{ "a jail without a process", LIE_NO_PROCESS, "verify" },
		{ "a descriptor that is no pidfd", LIE_NO_PIDFD, "verify" },
		{ "the starter as a jail", LIE_ITSELF, "verify" },
		{ "a jail that was not asked for", LIE_OTHER, "start" },
		{ "the death of one that lives", LIE_REAPED, "start" },
	};
	char	files[32];
	size_t	i;

	if (run("cp -f %s %s && chmod 755 %s", in_dir("wfsup-broker"),
	    in_dir("wfsup-script"), in_dir("wfsup-script")) != 0)
		return;
	kill_child("wfsup-script");
	(void)log_wait("script-starter has died", 1);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		(void)snprintf(files, sizeof(files), "{\"files\": %d}",
		    rows[i].lie);
		ask_jail(4, "script", 0, -1, files);
		test_case(expect(IMSG_JAIL_FAILED) == 0 && strcmp(msg_str(
		    got.env, "step"), rows[i].step) == 0,
		    "a starter that tells of %s is not believed",
		    rows[i].what);
		/* Until it is clear that no process will be shown. */
		if (rows[i].lie == LIE_NO_PROCESS)
			test_case(log_wait("has not shown its process", 1) ==
			    0 && log_wait("script-starter has died", 2) == 0,
			    "and is ended");
	}
	(void)run("cp -f %s/wfsup-script %s && chmod 755 %s", bin, dir,
	    in_dir("wfsup-script"));
	(void)daemon_restart();
}

/* Wait for two texts, in whatever order they come. */
static int
log_recv(int sock, const char *one, const char *other)
{
	struct pollfd	pfd = { .fd = sock, .events = POLLIN };
	int64_t		end = ms() + WAIT_MS;
	char		buf[4096];
	ssize_t		n;
	int		seen = 0;

	while (ms() < end && seen != 3) {
		(void)poll(&pfd, 1, 200);
		n = recv(sock, buf, sizeof(buf) - 1, MSG_DONTWAIT);
		buf[n > 0 ? n : 0] = '\0';
		if (strstr(buf, one) != NULL)
			seen |= 1;
		if (strstr(buf, other) != NULL)
			seen |= 2;
	}
	return (seen == 3 ? 0 : -1);
}

static int
log_bind(void)
{
	struct sockaddr_un	sun = { .sun_family = AF_UNIX };
	int			fd;

	(void)snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/syslog", dir);
	(void)unlink(sun.sun_path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd == -1 || bind(fd, (struct sockaddr *)&sun, sizeof(sun)) == -1)
		exit(1);
	return (fd);
}

static void
test_log_socket(void)
{
	char	conf[512];
	int	sock = log_bind();

	(void)kill(daemon_pid, SIGTERM);
	(void)daemon_wait();
	(void)snprintf(conf, sizeof(conf), "log socket \"%s/syslog\"\n", dir);
	config_write(conf);
	daemon_pid = daemon_fork("-v");
	test_case(log_recv(sock, "wfsupd: ready", "broker: CHANNEL") == 0,
	    "lines go to the log socket, those of a confined room, too");
	kill_child("wfsup-keeper");
	test_case(log_recv(sock, "keeper has died", "broker: CHANNEL") == 0,
	    "also later");
	(void)close(sock);
	sock = log_bind();
	kill_child("wfsup-keeper");
	test_case(log_recv(sock, "keeper has died", "broker: CHANNEL") == 0,
	    "a log daemon that comes back is found again, by rooms, too");
	(void)close(sock);
	(void)kill(daemon_pid, SIGTERM);
	(void)daemon_wait();
	config_write("");
	(void)daemon_start();
}

static void
test_stop(void)
{
	int	end = -1, status;
	char	left[1024];

	(void)start_jail("script", 0, -1, "{}", &end);
	(void)kill(daemon_pid, SIGTERM);
	status = daemon_wait();
	test_case(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	    "SIGTERM with a jail running: exit 0");
	(void)snprintf(left, sizeof(left), "%s", cgroups_left());
	test_case(left[0] == '\0', "no cgroup is left %s", left);
	test_case(access(in_dir("control"), F_OK) == -1,
	    "no control socket is left");
	(void)snprintf(left, sizeof(left), "%s", line("ps -eo args | "
	    "grep '^%s/[w]fsup'", dir));
	test_case(left[0] == '\0', "no process is left %s", left);
	(void)close(end);
}

int
main(int argc, char **argv)
{
	fake_room(argc, argv);
	if (geteuid() != 0) {
		test_skip("wfsupd: must be started by root");
		return (0);
	}
	setup();
	test_refusals();
	if (test_case(daemon_start() == 0, "wfsupd starts")) {
		test_rights();
		test_script();
		test_tool();
		test_undead();
		test_workspace();
		test_reload();
		test_spares();
		test_restarts();
		test_killed();
		test_hostile_broker();
		test_lying_starter();
		test_log_socket();
		test_stop();
	}
	if (test_failures != 0)
		(void)run("tail -40 %s/log | sed 's/^/# /'", dir);
	if (daemon_pid > 0)
		(void)kill(daemon_pid, SIGKILL);
	(void)run("rm -rf %s", dir);
	return (test_end());
}
