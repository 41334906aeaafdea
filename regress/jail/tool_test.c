/*
 * The tool jail from outside: a command's result, what it can see, what
 * becomes of what it writes, and how a call ends.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "driver.h"
#include "test.h"

#define UID	9

/* A directory of this test's own, with a workspace and a layer in it. */
static char	dir[] = "/tmp/wfsup-tool-test.XXXXXX";

/* ---- the parts ---- */

static int
mount_of(const char *name, uid_t owner, int readonly)
{
	char	path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return (driver_mount(path, owner, UID, readonly));
}

static void
run(const char *fmt)
{
	char	command[512];

	(void)snprintf(command, sizeof(command), "cd %s && %s", dir, fmt);
	if (system(command) != 0)
		errx(1, "%s", command);
}

static int
says(const char *fmt)
{
	char	command[512];

	(void)snprintf(command, sizeof(command), "cd %s && %s", dir, fmt);
	return (system(command) == 0);
}

static int
jail_start(struct side *s, int64_t n, const struct limits *l, int parts,
    struct side *jail)
{
	struct got	got;

	if (parts) {
		driver_part(s, n, "workspace", mount_of("ws", 1000, 1));
		driver_part(s, n, "layer", mount_of("layer", 0, 0));
	}
	driver_spawn(s, n, UID, l, jail);
	if (driver_confined(s, jail) == -1 ||
	    side_want(jail, &got, IMSG_JAIL_HELLO, 5000) == -1)
		return (-1);
	got_free(&got);
	return (0);
}

static void
jail_stop(struct side *s, struct side *jail)
{
	struct got	got;

	side_close(jail);
	if (side_want(s, &got, IMSG_JAIL_REAPED, 5000) == 0)
		got_free(&got);
}

/* ---- calls ---- */

static void
bash_send(struct side *jail, uint32_t id, const char *command, int64_t ms)
{
	json_t	*input;
	char	*text;

	input = json_pack("{s:s}", "command", command);
	text = json_dumps(input, JSON_COMPACT);
	side_send(jail, IMSG_SANDBOX_CALL, id, -1, json_pack("{s:s,s:I,s:i}",
	    "op", "bash", "timeout", (json_int_t)ms, "output", 4194304), text);
	json_decref(input);
	free(text);
}

/* The standard output of a command, in a static buffer, and its status. */
static const char *
bash(struct side *jail, const char *command, int *status)
{
	static char	 out[65536];
	struct got	 got;
	json_t		*value;

	*status = -1;
	out[0] = '\0';
	bash_send(jail, 77, command, 10000);
	if (side_want(jail, &got, IMSG_SANDBOX_DONE, 15000) == -1)
		return (out);
	value = json_loads(got.body, JSON_DECODE_ANY, NULL);
	if (json_is_true(json_object_get(got.env, "ok"))) {
		*status = (int)json_integer_value(json_object_get(value,
		    "exit"));
		(void)snprintf(out, sizeof(out), "%s%s",
		    json_string_value(json_object_get(value, "stdout")),
		    json_string_value(json_object_get(value, "stderr")));
	} else
		(void)snprintf(out, sizeof(out), "%s", got.body);
	json_decref(value);
	got_free(&got);
	return (out);
}

/* One command: its status and, if want isn't NULL, its output. */
static void
expect(struct side *jail, const char *what, const char *command, int status,
    const char *want)
{
	const char	*out;
	int		 got;

	out = bash(jail, command, &got);
	if (!test_case((status == -1 || got == status) &&
	    (want == NULL || strcmp(out, want) == 0), "%s", what))
		fprintf(stderr, "exit %d: %s\n", got, out);
}

/* ---- cases ---- */

static void
test_commands(struct side *jail)
{
	expect(jail, "bash says hello", "echo hello", 0, "hello\n");
	expect(jail, "a status is a result", "exit 3", 3, "");
	expect(jail, "standard error comes too", "echo e >&2", 0, "e\n");
	expect(jail, "a pipe and awk", "seq 3 | awk '{ n += $1 } "
	    "END { print n }'", 0, "6\n");
	expect(jail, "it is somebody", "id -un; echo $HOME $USER $PWD", 0,
	    "agent\n/workspace agent /workspace\n");
	expect(jail, "its environment is the list", "env | cut -d= -f1 | "
	    "sort | grep -v '^_$\\|^PWD$\\|^SHLVL$' | tr '\\n' ' '", 0,
	    "HOME LANG PATH TERM TMPDIR USER ");
	expect(jail, "standard input is empty", "cat", 0, "");
	expect(jail, "bytes that are no text are replaced",
	    "printf 'a\\377b\\0c'", 0, "a\xef\xbf\xbd" "b\xef\xbf\xbd" "c");
	expect(jail, "a command that is killed is 128 and the signal",
	    "kill -9 $$", 137, "");
	expect(jail, "process substitution works", "cat <(echo x)", 0,
	    "x\n");
	expect(jail, "/tmp is writable", "echo 1 > /tmp/a; cat /tmp/a", 0,
	    "1\n");
}

static void
test_workspace(struct side *jail)
{
	expect(jail, "the workspace's files are there", "cat data/file", 0,
	    "original\n");
	expect(jail, "they are the jail's own", "stat -c %U data/file", 0,
	    "agent\n");
	expect(jail, "writing works", "echo changed > data/file; "
	    "echo new > new; rm gone; mkdir d; ln -s x d/l; cat data/file",
	    0, "changed\n");
	expect(jail, "deleting works", "ls", 0, "d\ndata\nnew\n");
	test_case(says("grep -qx original ws/data/file && test -e ws/gone && "
	    "test ! -e ws/new"), "the workspace itself is unchanged");
	test_case(says("grep -qx changed layer/upper/data/file && "
	    "grep -qx new layer/upper/new && test -c layer/upper/gone"),
	    "the changes are in the layer");
	test_case(says("test \"$(stat -c %u layer/upper/new)\" = 0"),
	    "the layer belongs to whom the id map says");
}

static void
test_hidden(struct side *jail)
{
	expect(jail, "the root holds what we put there", "ls -A /", 0,
	    says("test -d /lib32 -o -L /lib32") ?
	    "bin\ndev\netc\nlib\nlib32\nlib64\nproc\nsbin\ntmp\nusr\nvar\n"
	    "workspace\n" :
	    "bin\ndev\netc\nlib\nlib64\nproc\nsbin\ntmp\nusr\nvar\n"
	    "workspace\n");
	expect(jail, "no shadow file, no home, no host's /etc",
	    "ls -d /etc/shadow /home /root /run /sys /etc/ssh 2>/dev/null",
	    2, "");
	expect(jail, "/usr can't be written", "touch /usr/x 2>/dev/null", 1,
	    "");
	expect(jail, "/ and /etc can't be written",
	    "touch /x 2>/dev/null || touch /etc/x 2>/dev/null", 1, "");
	expect(jail, "it sees no process but its own",
	    "ls /proc | grep -c '^[0-9]'", 0, NULL);
	expect(jail, "the init is not the host's",
	    "cat /proc/1/comm", 0, "wfsup-tool\n");
	expect(jail, "nothing of the machine in /proc",
	    "ls /proc/sys /proc/kcore /proc/meminfo 2>/dev/null", 2, "");
	expect(jail, "no interface but a loopback that is down",
	    "cat /proc/self/net/dev | grep -c :", 0, "1\n");
	expect(jail, "no connection", "exec 3<>/dev/tcp/127.0.0.1/22", 1,
	    NULL);
	expect(jail, "no capability, no new ones, filtered",
	    "grep -E '^(Cap|NoNew|Seccomp:|Groups)' /proc/self/status | "
	    "tr -d '\\t\\n '", 0, "Groups:CapInh:0000000000000000"
	    "CapPrm:0000000000000000CapEff:0000000000000000"
	    "CapBnd:0000000000000000CapAmb:0000000000000000NoNewPrivs:1"
	    "Seccomp:2");
	expect(jail, "no namespace of its own", "unshare -Ur true "
	    "2>/dev/null", 1, "");
	expect(jail, "no mount", "mount -t tmpfs x /tmp 2>/dev/null; "
	    "test $? -ne 0", 0, "");
	expect(jail, "it holds no descriptor of ours", "ls /proc/self/fd | "
	    "tr '\\n' ' '", 0, "0 1 2 3 ");
	expect(jail, "the init can't be looked into",
	    "ls /proc/1/fd 2>/dev/null", 2, "");
	expect(jail, "nor killed", "kill -9 1; echo alive", 0, "alive\n");
}

/* ---- how a call ends ---- */

static void
test_timeout(struct side *jail)
{
	struct got	got;
	int64_t		start = clock_ms();

	bash_send(jail, 5, "echo begun; trap '' TERM; "
	    "setsid sleep 1000 & sleep 1000", 300);
	test_case(side_want(jail, &got, IMSG_SANDBOX_DONE, 9000) == 0 &&
	    strstr(got.body, "\"exit\":124") != NULL &&
	    strstr(got.body, "longer than its timeout (") != NULL &&
	    strstr(got.body, "\"cause\":\"timeout\"") != NULL &&
	    strstr(got.body, "begun") != NULL,
	    "a timeout is exit 124, with what was said till then");
	got_free(&got);
	test_case(clock_ms() - start < 4000, "and comes in time");
	expect(jail, "nothing is left of it", "pgrep sleep || ls /proc | "
	    "grep -c '^[0-9]' | grep -qE '^[1-9]$'", 0, "");
}

static void
test_left_behind(struct side *jail)
{
	int64_t	start = clock_ms();

	expect(jail, "a background process does not hold the call up",
	    "setsid sleep 1000 & disown; echo done", 0, "done\n");
	test_case(clock_ms() - start < 2000, "and the answer comes at once");
	expect(jail, "it ends with its call", "pgrep sleep", 1, "");
}

static void
test_flight(struct side *jail)
{
	struct got	got;
	uint32_t	i, seen = 0;

	for (i = 1; i <= 8; i++)
		bash_send(jail, i, "sleep 0.3; echo $$", 5000);
	for (i = 1; i <= 8; i++)
		if (side_want(jail, &got, IMSG_SANDBOX_DONE, 5000) == 0) {
			seen |= 1u << got.id;
			got_free(&got);
		}
	test_case(seen == 0x1fe, "eight calls at once, each answered");
	bash_send(jail, 30, "sleep 1000", 0);
	bash_send(jail, 31, "sleep 0.5; echo on", 0);
	side_send(jail, IMSG_SANDBOX_CANCEL, 30, -1, NULL, NULL);
	test_case(side_want(jail, &got, IMSG_SANDBOX_DONE, 3000) == 0 &&
	    got.id == 30 && strstr(got.body, "\"cancel\"") != NULL,
	    "a cancelled call is answered so");
	got_free(&got);
	test_case(side_want(jail, &got, IMSG_SANDBOX_DONE, 3000) == 0 &&
	    got.id == 31 && strstr(got.body, "on\\n") != NULL,
	    "and the other goes on");
	got_free(&got);
}

/* More calls than may run at once. */
static void
test_turns(struct side *jail)
{
	struct got	got;
	uint32_t	i, good = 0;

	for (i = 0; i < 200; i++)
		bash_send(jail, i, "true | true | true", 0);
	for (i = 0; i < 200; i++)
		if (side_want(jail, &got, IMSG_SANDBOX_DONE, 5000) == 0) {
			good += strstr(got.body, "\"exit\":0") != NULL;
			got_free(&got);
		}
	test_case(good == 200, "two hundred calls take their turns");
	for (i = 0; i < 40; i++)
		bash_send(jail, i, "sleep 0.2", 0);
	side_send(jail, IMSG_SANDBOX_CANCEL, 39, -1, NULL, NULL);
	test_case(side_want(jail, &got, IMSG_SANDBOX_DONE, 3000) == 0 &&
	    got.id == 39 && strstr(got.body, "\"cancel\"") != NULL,
	    "one that waits is cancelled before it starts");
	got_free(&got);
	for (i = 0; i < 39; i++)
		if (side_want(jail, &got, IMSG_SANDBOX_DONE, 3000) == 0)
			got_free(&got);
}

static void
test_bad_calls(struct side *jail)
{
	struct got	got;

	side_send(jail, IMSG_SANDBOX_CALL, 1, -1, json_pack("{s:s,s:i,s:i}",
	    "op", "nonsense", "timeout", 0, "output", 65536), "{}");
	test_case(side_want(jail, &got, IMSG_SANDBOX_DONE, 3000) == 0 &&
	    strstr(got.body, "no such tool") != NULL, "an unknown tool");
	got_free(&got);
	side_send(jail, IMSG_SANDBOX_CALL, 1, -1, json_pack("{s:s,s:i,s:i}",
	    "op", "bash", "timeout", 0, "output", 65536), "[1]");
	test_case(side_want(jail, &got, IMSG_SANDBOX_DONE, 3000) == 0 &&
	    json_is_false(json_object_get(got.env, "ok")),
	    "an input that is no object");
	got_free(&got);
	side_send(jail, IMSG_SANDBOX_CALL, 1, -1, json_pack("{s:s,s:i,s:i}",
	    "op", "bash", "timeout", 0, "output", 65536), "{\"command\":5}");
	test_case(side_want(jail, &got, IMSG_SANDBOX_DONE, 3000) == 0 &&
	    json_is_false(json_object_get(got.env, "ok")),
	    "a command that is no string");
	got_free(&got);
	bash_send(jail, 2, "head -c 30000000 /dev/zero | tr '\\0' x", 0);
	test_case(side_want(jail, &got, IMSG_SANDBOX_DONE, 20000) == 0 &&
	    strstr(got.body, "\"cause\":\"size\"") != NULL &&
	    strstr(got.body, "exit 0, but 30000000 bytes on standard output "
	    "and 0 on") != NULL, "a flood of output is an error that says so");
	got_free(&got);
	bash_send(jail, 2, "head -c 3000000 /dev/zero | tr '\\0' x; head -c "
	    "1500000 /dev/zero | tr '\\0' x >&2; exit 7", 0);
	test_case(side_want(jail, &got, IMSG_SANDBOX_DONE, 20000) == 0 &&
	    strstr(got.body, "\"cause\":\"size\"") != NULL &&
	    strstr(got.body, "exit 7, but 3000000 bytes on standard output "
	    "and 1500000 on") != NULL, "so are two that are too much together");
	got_free(&got);
}

static void
test_limits(struct side *s)
{
	struct limits	l = driver_limits;
	struct side	jail;

	l.pids = 20;
	l.fsize = 1 << 20;
	if (jail_start(s, 2, &l, 0, &jail) == -1) {
		test_case(0, "a jail without a workspace");
		return;
	}
	expect(&jail, "without a workspace it is empty", "ls -A", 0, "");
	expect(&jail, "and writable", "echo 1 > a && cat a", 0, "1\n");
	expect(&jail, "a file has a longest size",
	    "exec 2>/dev/null; head -c 2000000 /dev/zero > big; "
	    "stat -c %s big", 0,
	    "1048576\n");
	expect(&jail, "a fork bomb is stopped",
	    "f() { f | f & }; f 2>/dev/null; sleep 0.3; echo over", -1, NULL);
	expect(&jail, "and leaves a jail that works", "echo well", 0,
	    "well\n");
	jail_stop(s, &jail);
}

/* A root of the administrator's own, even below the directory on which the
 * image is put together. */
static void
test_root(void)
{
	struct side	s, jail;
	char		config[128];

	run("chmod 711 . && mkdir root && ln -s /usr root/usr && "
	    "ln -s usr/bin usr/lib usr/lib64 root && mkdir root/lib32 && "
	    "echo own > root/lib32/mark");
	(void)snprintf(config, sizeof(config), "{\"root\":\"%s/root\"}", dir);
	if (test_case(driver_start(&s, driver_binary("wfsup-tool"), NULL,
	    NULL, config) == 0 && jail_start(&s, 1, &driver_limits, 0, &jail)
	    == 0, "a jail with another root")) {
		expect(&jail, "shows that root", "cat /lib32/mark; ls -d "
		    "/etc/alternatives /sbin 2>/dev/null", 2, "own\n");
		jail_stop(&s, &jail);
	}
	driver_stop(&s);
}

/* ---- each step may fail ---- */

static const char *const	steps[] = {
	"signals", "cgroup", "hostname", "scratch", "users", "workspace",
	"tmp", "proc", "root", "descriptors", "limits", "bounding", "groups",
	"ids", "capabilities", "process", "no_new_privs", "verify", "filter",
};

static void
test_step(const char *step)
{
	struct side	 s, jail;
	struct got	 got;
	const char	*text = "";

	if (driver_start(&s, driver_binary("wfsup-tool"), "-f", step,
	    "{\"root\":\"/\"}") == -1) {
		test_case(0, "starter with failing step %s", step);
		return;
	}
	driver_spawn(&s, 1, UID, &driver_limits, &jail);
	if (side_want(&s, &got, IMSG_JAIL_SPAWNED, 5000) == 0)
		got_free(&got);
	if (side_want(&s, &got, IMSG_JAIL_UNMADE, 5000) == 0)
		text = json_string_value(json_object_get(got.env, "step"));
	test_case(strcmp(text, step) == 0, "step %s fails: the report names "
	    "it", step);
	got_free(&got);
	test_case(side_want(&s, &got, IMSG_JAIL_REAPED, 5000) == 0 &&
	    side_recv(&jail, &got, 1000) == -1,
	    "step %s fails: no jail, no word from it", step);
	side_close(&jail);
	driver_stop(&s);
}

static void
test_all(struct side *s)
{
	struct side	jail;

	if (!test_case(jail_start(s, 1, &driver_limits, 1, &jail) == 0,
	    "a tool jail over a workspace"))
		return;
	test_commands(&jail);
	test_workspace(&jail);
	test_hidden(&jail);
	test_timeout(&jail);
	test_left_behind(&jail);
	test_flight(&jail);
	test_turns(&jail);
	test_bad_calls(&jail);
	jail_stop(s, &jail);
	if (test_case(jail_start(s, 3, &driver_limits, 1, &jail) == 0,
	    "a second jail over the same layer")) {
		expect(&jail, "finds the changes of the first",
		    "cat data/file; ls", 0, "changed\nd\ndata\nnew\n");
		jail_stop(s, &jail);
	}
	test_limits(s);
}

int
main(void)
{
	struct side	s;
	size_t		i;

	if (geteuid() != 0) {
		test_skip("tool jail: needs root");
		return (test_end());
	}
	if (mkdtemp(dir) == NULL)
		err(1, "mkdtemp");
	run("mkdir -p ws/data layer/upper layer/work && "
	    "echo original > ws/data/file && echo 1 > ws/gone && "
	    "chmod -R go= ws && chown -R 1000:1000 ws");
	if (test_case(driver_start(&s, driver_binary("wfsup-tool"), NULL,
	    NULL, "{\"root\":\"/\"}") == 0,
	    "the starter of tool jails is ready"))
		test_all(&s);
	driver_stop(&s);
	test_root();
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		test_step(steps[i]);
	run("cd / && rm -rf \"$OLDPWD\"");
	return (test_end());
}
