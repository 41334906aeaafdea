/*
 * The real wfsupd and the real starters: jails of both kinds, their ends, their
 * layers and workspaces.
 */
#include <sys/socket.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_client.h"
#include "fake_host.h"
#include "fake_room.h"
#include "test.h"

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
	test_case(exited(jail, "cancel", 0), "a jail that is killed: cancel");
	(void)close(end);

	jail = start_jail("script", 0, -1, "{}", &end);
	(void)close(end);
	test_case(expect(IMSG_JAIL_EXIT) == 0 &&
	    msg_int(got.env, "jail") == jail,
	    "a jail whose broker hangs up ends");
	jail = start_jail("script", 0, -1, "{\"wall\": 1}", &end);
	test_case(exited(jail, "wall", 0), "a jail that lives too long: wall");
	(void)close(end);
}

/* Whoever tells of an end may be slow: it is not made up meanwhile. */
static void
test_late(void)
{
	pid_t	starter = child_pid("wfsup-script");
	int	end = -1;
	int64_t	jail;

	jail = start_jail("script", 0, -1, "{}", &end);
	if (starter <= 0 || jail <= 0)
		return;
	(void)kill(starter, SIGSTOP);
	(void)close(end);
	nap(3000);
	(void)kill(starter, SIGCONT);
	/* With which status, is the sanitizer's choice where there is one. */
	test_case(expect(IMSG_JAIL_EXIT) == 0 && strncmp(msg_str(got.env,
	    "cause"), "exit ", 5) == 0,
	    "a starter that is slow to tell how a jail ended is waited for");
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
	test_case(exited(jail, "done", 0),
	    "a tool jail that is no more needed: done");
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
	test_case(exited(jail, "done", 0), "and ends: done");
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
	test_case(exited(jail, "done", 0), "and end: done");
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

int
main(int argc, char **argv)
{
	fake_room(argc, argv);
	if (host_setup() == -1)
		return (0);
	if (test_case(daemon_start() == 0, "wfsupd starts")) {
		test_script();
		test_late();
		test_tool();
		test_undead();
		test_workspace();
	}
	host_end(test_failures != 0);
	return (test_end());
}
