/*
 * The real launcher, with this test as its supervisor and as the warden: what
 * it tells first, what it makes, and what it does not.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "imsg.h"
#include "msg.h"
#include "test.h"

#define WAIT_MS	test_slow(20000)
#define BASE	1610612736	/* of the jails' ids */

static char		 bin[PATH_MAX];
static char		 dir[] = "/tmp/launcher_test.XXXXXX";
static pid_t		 pid;
static struct imsgbuf	 launcher, warden;	/* our ends */
static struct {
	json_t		*env;
	uint32_t	 id;
	int		 fd;
} got = { NULL, 0, -1 };

static void
find_bin(void)
{
	char	self[PATH_MAX / 2];
	ssize_t	n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	(void)snprintf(bin, sizeof(bin), "%s/../../bin", dirname(self));
}

static void
say(struct imsgbuf *to, uint32_t type, uint32_t id, int fd, json_t *env)
{
	char		*text = json_dumps(env, JSON_COMPACT);
	struct iovec	 iov = { text, strlen(text) };

	if (imsg_composev(to, type, id, fd, &iov, 1) == -1 ||
	    imsgbuf_write(to) == -1)
		perror("say");
	free(text);
	json_decref(env);
}

/* What it needs to know before it starts anything but the reader. */
static void
set_up(void)
{
	say(&launcher, IMSG_LAUNCH_SETUP, 0, -1, json_pack("{s:s+,s:s+,s:i,"
	    "s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "state", dir,
	    "/state", "control", dir, "/control", "control_gid", 0,
	    "control_mode", 0600, "jail_base", BASE, "broker_uid", 61001,
	    "broker_gid", 61001, "keeper_uid", 61002, "keeper_gid", 61002,
	    "gateway_uid", 61003, "gateway_gid", 61003, "sandbox_uid", 61004,
	    "sandbox_gid", 61004));
}

/* In libexec are the binaries that it starts; the daemon is this process. */
static void
start(const char *libexec)
{
	char	binary[PATH_MAX + 32];
	int	fds[2], others[2], i;

	(void)snprintf(binary, sizeof(binary), "%s/wfsup-launcher", bin);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds) == -1
	    || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0,
	    others) == -1)
		exit(1);
	if ((pid = fork()) == 0) {
		fds[1] = fcntl(fds[1], F_DUPFD, 20);
		others[1] = fcntl(others[1], F_DUPFD, 20);
		(void)close(4);
		(void)dup2(fds[1], 3);
		for (i = 5; i <= 7; i++)
			(void)dup2(others[1], i);
		(void)close_range(8, ~0U, 0);
		(void)execl(binary, binary, "-b", "0123456789abcdef", "-f",
		    "/nonexistent", "-l", libexec, (char *)NULL);
		_exit(127);
	}
	(void)close(fds[1]);
	(void)close(others[1]);
	(void)close(others[0]);	/* they have no business in this test */
	imsgbuf_init(&launcher, fds[0]);
	imsgbuf_allow_fdpass(&launcher);
}

static const char *
in_dir(const char *name)
{
	static char	path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return (path);
}

static void
got_clear(void)
{
	json_decref(got.env);
	if (got.fd != -1)
		(void)close(got.fd);
	got.env = NULL;
	got.fd = -1;
}

/* The next packet on a socket: its type, 0 at its end, -1 if none comes. */
static int64_t
next(struct imsgbuf *buf)
{
	struct pollfd	pfd = { .fd = buf->fd, .events = POLLIN };
	struct imsg	imsg;
	uint32_t	type;

	got_clear();
	if (poll(&pfd, 1, WAIT_MS) != 1)
		return (-1);
	switch (imsgbuf_get(buf, &imsg)) {
	case IMSG_GOT:
		break;
	case IMSG_AGAIN:
		return (next(buf));
	default:
		return (0);
	}
	got.env = json_loadb(imsg.data, imsg.datalen, 0, NULL);
	got.fd = imsg_get_fd(&imsg);
	got.id = imsg.hdr.peerid;
	type = imsg.hdr.type;
	imsg_free(&imsg);
	return (type);
}

/* ---- the cases ---- */

static void
test_hello(void)
{
	int64_t		type;
	int		n = 0, listens = 0;
	siginfo_t	si;
	struct stat	st;

	test_case(next(&launcher) == IMSG_LAUNCHED && strcmp(msg_str(got.env,
	    "room"), "reader") == 0, "it starts the reader, unasked");
	set_up();
	while ((type = next(&launcher)) > 0 && type != IMSG_ROOM_HELLO) {
		listens += type == IMSG_LISTEN && got.fd != -1;
		if (type != IMSG_LAUNCHED)
			continue;
		n++;
		/* Ours to wait for, as all that it starts. */
		test_case(waitid(P_PIDFD, (id_t)got.fd, &si, WEXITED) == 0 &&
		    si.si_pid == (pid_t)msg_int(got.env, "pid"),
		    "the %s is its parent's child", msg_str(got.env, "room"));
	}
	test_case(type == IMSG_ROOM_HELLO, "it says hello");
	test_case(n == 2, "two that need more rights than will be left");
	test_case(listens == 1 && stat(in_dir("control"), &st) == 0 &&
	    S_ISSOCK(st.st_mode) && (st.st_mode & 0777) == 0600,
	    "the control socket, with its mode");
	test_case(stat(in_dir("state/keeper"), &st) == 0 &&
	    st.st_uid == 61002 && (st.st_mode & 0777) == 0700,
	    "the state directory, with the keeper's in it");
}

/* A socket to it, as the supervisor would give it the warden's. */
static void
connect_warden(void)
{
	int	fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds) == -1)
		exit(1);
	imsgbuf_init(&warden, fds[0]);
	imsgbuf_allow_fdpass(&warden);
	say(&launcher, IMSG_CHANNEL, 0, fds[1], json_pack("{s:s}", "peer",
	    "warden"));
}

static void
test_warden(void)
{
	struct stat	st;
	int64_t		type;
	int		cgroups = 0, rows = 0;

	connect_warden();
	while ((type = next(&warden)) > 0) {
		rows += type == IMSG_HOST_ROW;
		if (type != IMSG_CGROUP)
			continue;
		cgroups += fstat(got.fd, &st) == 0 && S_ISDIR(st.st_mode);
		if (msg_bool(got.env, "last"))
			break;
	}
	test_case(type == IMSG_CGROUP && (cgroups == 1 || cgroups == 2),
	    "the warden gets %d directories for cgroups", cgroups);
	test_case(rows >= 5, "before that, %d rows on the host", rows);
}

/* The first line of a map of the user namespace that has come. */
static const char *
map_line(const char *file)
{
	static char	line[128];
	char		cmd[256];
	FILE		*f;

	(void)snprintf(cmd, sizeof(cmd), "nsenter --preserve-credentials "
	    "--user=/proc/%d/fd/%d "
	    "head -n 1 /proc/self/%s | tr -s ' ' | sed 's/^ //'", getpid(),
	    got.fd, file);
	line[0] = '\0';
	if ((f = popen(cmd, "r")) == NULL)
		return (line);
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	(void)pclose(f);
	return (line);
}

static void
test_maps(void)
{
	char	want[64];

	(void)snprintf(want, sizeof(want), "1000 %d 1", BASE + 65536 + 77);
	say(&warden, IMSG_MAP_WORKSPACE, 9, -1, json_pack("{s:i,s:i,s:i,s:i}", "jail",
	    77, "uid", 1000, "gid", 1000, "group", 50));
	test_case(next(&warden) == IMSG_MAP && got.id == 9 && got.fd != -1,
	    "a workspace's map");
	/* Seen from a namespace of its own its outside is as it is. */
	test_case(strcmp(map_line("uid_map"), want) == 0,
	    "shows its owner as the jail: %s", map_line("uid_map"));
	(void)snprintf(want, sizeof(want), "61004 %d 1", BASE + 65536 + 77);
	say(&warden, IMSG_MAP_LAYER, 10, -1, json_pack("{s:i}", "jail", 77));
	test_case(next(&warden) == IMSG_MAP && got.id == 10,
	    "a layer's map");
	test_case(strcmp(map_line("gid_map"), want) == 0,
	    "shows the sandbox user as the jail: %s", map_line("gid_map"));
}

static void
test_errand(void)
{
	struct imsgbuf	errand;
	int		fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds) == -1)
		exit(1);
	imsgbuf_init(&errand, fds[0]);
	imsgbuf_allow_fdpass(&errand);
	say(&warden, IMSG_LAUNCH_ERRAND, 0, fds[1], json_pack("{s:i,s:i,s:b}", "uid",
	    61004, "gid", 61004, "groups", 0));
	test_case(next(&errand) == IMSG_ERRAND_DONE &&
	    msg_int(got.env, "error") == ENOENT,
	    "an errand without a binary: its socket says so");
	test_case(next(&errand) == 0, "and closes");
	(void)close(fds[0]);
}

static void
test_launch(void)
{
	int	fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds) == -1)
		exit(1);
	say(&launcher, IMSG_LAUNCH, 0, fds[1], json_pack("{s:s}", "room", "keeper"));
	test_case(next(&launcher) == IMSG_LAUNCH_FAILED &&
	    strcmp(msg_str(got.env, "room"), "keeper") == 0 &&
	    strcmp(msg_str(got.env, "error"), strerror(ENOENT)) == 0,
	    "a room without a binary fails, and it goes on");
	(void)close(fds[0]);
}

/* What no supervisor says ends it, and with it the daemon; what no warden says
 * ends the warden's socket, which comes to the same. */
static void
test_nonsense(void)
{
	static const struct {
		const char	*what, *env;
		uint32_t	 type;
		int		 fd, warden;
	} cases[] = {
		{ "a name that nobody has", "{\"room\":\"sh\"}", IMSG_LAUNCH, 1,
		    0 },
		{ "a path for a name", "{\"room\":\"/bin/sh\"}", IMSG_LAUNCH,
		    1, 0 },
		{ "no socket", "{\"room\":\"keeper\"}", IMSG_LAUNCH, 0, 0 },
		{ "a field too many", "{\"jail\":1,\"uid\":0}", IMSG_MAP_LAYER,
		    0, 1 },
		{ "a jail's id out of range", "{\"jail\":65536}",
		    IMSG_MAP_LAYER, 0, 1 },
		{ "the warden's message", "{\"jail\":1}", IMSG_MAP_LAYER, 0, 0 },
		{ "the supervisor's message", "{}", IMSG_PING, 0, 1 },
		{ "somebody else's message", "{\"row\":1}", IMSG_CANARY_ROW, 0,
		    0 },
	};
	struct imsgbuf	*to;
	size_t		 i;
	int64_t		 type;
	int		 status;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start("/nonexistent");
		set_up();
		while ((type = next(&launcher)) > 0 && type != IMSG_ROOM_HELLO)
			;
		connect_warden();
		to = cases[i].warden ? &warden : &launcher;
		say(to, cases[i].type, 0, cases[i].fd ? open("/dev/null",
		    O_RDONLY) : -1, json_loads(cases[i].env, 0, NULL));
		while ((type = next(to)) > 0)
			;
		if (cases[i].warden)
			(void)close(launcher.fd);
		test_case(type == 0 && waitpid(pid, &status, 0) == pid &&
		    WIFEXITED(status), "%s: it ends", cases[i].what);
		if (!cases[i].warden)
			(void)close(launcher.fd);
		(void)close(warden.fd);
	}
}

/* Nothing but the reader is started, and nobody listened to, before it is set
 * up; and it is set up once. */
static void
test_early(void)
{
	static const struct {
		const char	*what, *env;
		uint32_t	 type;
		int		 set_up;
	} cases[] = {
		{ "a room before the set-up", "{\"room\":\"keeper\"}",
		    IMSG_LAUNCH, 0 },
		{ "a warden before the set-up", "{\"peer\":\"warden\"}",
		    IMSG_CHANNEL, 0 },
		{ "a second set-up", NULL, IMSG_LAUNCH_SETUP, 1 },
	};
	size_t	i;
	int64_t	type;
	int	status;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start("/nonexistent");
		if (cases[i].set_up) {
			set_up();
			while ((type = next(&launcher)) > 0 &&
			    type != IMSG_ROOM_HELLO)
				;
			set_up();
		} else
			say(&launcher, cases[i].type, 0, open("/dev/null",
			    O_RDONLY), json_loads(cases[i].env, 0, NULL));
		while ((type = next(&launcher)) > 0)
			;
		test_case(type == 0 && waitpid(pid, &status, 0) == pid &&
		    WIFEXITED(status), "%s: it ends", cases[i].what);
		(void)close(launcher.fd);
	}
}

int
main(void)
{
	char	left[128];
	int	status;

	if (geteuid() != 0) {
		test_skip("the launcher: must be root");
		return (test_end());
	}
	find_bin();
	if (mkdtemp(dir) == NULL)
		exit(1);
	test_early();
	start(bin);
	test_hello();
	test_warden();
	test_maps();
	(void)close(warden.fd);
	(void)close(launcher.fd);
	test_case(waitpid(pid, &status, 0) == pid && status == 0,
	    "without a supervisor it ends");
	(void)snprintf(left, sizeof(left), "find /sys/fs/cgroup -maxdepth 5 "
	    "-name wfsup.%d 2>/dev/null | grep -q .", getpid());
	test_case(system(left) != 0, "and leaves no cgroup");
	start("/nonexistent");
	set_up();
	while (next(&launcher) > 0)
		if (json_object_get(got.env, "version") != NULL &&
		    got.fd == -1)
			break;
	test_warden();
	test_errand();
	test_launch();
	(void)close(warden.fd);
	(void)close(launcher.fd);
	(void)waitpid(pid, &status, 0);
	test_nonsense();
	got_clear();
	(void)snprintf(left, sizeof(left), "rm -rf %s", dir);
	test_case(system(left) == 0, "its directory can be removed");
	return (test_end());
}
