/*
 * The real reader, with this test as its supervisor: what it answers, what it
 * refuses, and what ends it.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "imsg.h"
#include "msg.h"
#include "test.h"

#define WAIT_MS	test_slow(20000)
#define USERS	"user broker 61001\nuser keeper 61002\n"		\
		"user gateway 61003\nuser sandbox 61004\n"

static char		 bin[PATH_MAX];
static char		 dir[] = "/tmp/reader_test.XXXXXX";
static pid_t		 pid;
static struct imsgbuf	 reader;	/* our end */
static struct {
	uint32_t	 type, id;
	json_t		*env, *body;
	int		 fd;
} got = { 0, 0, NULL, NULL, -1 };

static const char *
in_dir(const char *name)
{
	static char	path[4][PATH_MAX];
	static int	i;

	i = (i + 1) % 4;
	(void)snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name);
	return (path[i]);
}

static void
file_write(const char *name, mode_t mode, const char *fmt, ...)
{
	va_list	ap;
	FILE	*f;

	if ((f = fopen(in_dir(name), "w")) == NULL)
		exit(1);
	va_start(ap, fmt);
	(void)vfprintf(f, fmt, ap);
	va_end(ap);
	if (fchmod(fileno(f), mode) == -1 || fclose(f) != 0)
		exit(1);
}

static void
start(void)
{
	char	self[PATH_MAX / 2];
	ssize_t	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int	fds[2], log;

	self[n > 0 ? n : 0] = '\0';
	(void)snprintf(bin, sizeof(bin), "%s/../../bin/wfsup-reader",
	    dirname(self));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds) == -1)
		exit(1);
	log = open(in_dir("log"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if ((pid = fork()) == 0) {
		(void)dup2(log, 2);
		(void)dup2(fds[1], 3);
		(void)close_range(4, ~0U, 0);
		(void)execl(bin, bin, "-f", in_dir("conf"), "-c", dir,
		    (char *)NULL);
		_exit(127);
	}
	(void)close(log);
	(void)close(fds[1]);
	imsgbuf_init(&reader, fds[0]);
	imsgbuf_allow_fdpass(&reader);
}

static int
ended(void)
{
	int	status;

	(void)close(reader.fd);
	return (waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
	    WEXITSTATUS(status) : -1);
}

static void
got_clear(void)
{
	json_decref(got.env);
	json_decref(got.body);
	if (got.fd != -1)
		(void)close(got.fd);
	memset(&got, 0, sizeof(got));
	got.fd = -1;
}

/* The next packet: its type, 0 at the end, -1 if none comes. */
static int64_t
next(void)
{
	struct pollfd	 pfd = { .fd = reader.fd, .events = POLLIN };
	struct imsg	 imsg;
	const char	*text, *end;

	got_clear();
	if (poll(&pfd, 1, WAIT_MS) != 1)
		return (-1);
	switch (imsgbuf_get(&reader, &imsg)) {
	case IMSG_GOT:
		break;
	case IMSG_AGAIN:
		return (next());
	default:
		return (0);
	}
	text = imsg.data;
	if ((end = memchr(text, '\n', imsg.datalen)) == NULL)
		end = text + imsg.datalen;
	else
		got.body = json_loadb(end + 1, imsg.datalen -
		    (size_t)(end + 1 - text), 0, NULL);
	got.env = json_loadb(text, (size_t)(end - text), 0, NULL);
	got.fd = imsg_get_fd(&imsg);
	got.id = imsg.hdr.peerid;
	got.type = imsg.hdr.type;
	imsg_free(&imsg);
	return (got.type);
}

/* With a body, or NULL. */
static void
say(uint32_t type, uint32_t id, const char *body)
{
	struct iovec	iov[3] = { { (void *)(uintptr_t)"{}", 2 },
			    { (void *)(uintptr_t)"\n", 1 }, { NULL, 0 } };

	if (body != NULL) {
		iov[2].iov_base = (void *)(uintptr_t)body;
		iov[2].iov_len = strlen(body);
	}
	if (imsg_composev(&reader, type, id, -1, iov, body != NULL ? 3 : 1) ==
	    -1 || imsgbuf_write(&reader) == -1)
		perror("say");
}

static int
log_has(const char *text)
{
	char	line[1024];
	int	has = 0;
	FILE	*f;

	if ((f = fopen(in_dir("log"), "r")) == NULL)
		return (0);
	while (fgets(line, sizeof(line), f) != NULL)
		has |= strstr(line, text) != NULL;
	(void)fclose(f);
	return (has);
}

/* ---- the cases ---- */

static void
test_first(char **fixed)
{
	file_write("conf", 0600, USERS "log stderr\nprovider p {\n"
	    " type canned\n rules \"%s/rules\"\n}\nprovider q {\n"
	    " type openai\n url \"http://127.0.0.1/\"\n"
	    " key credential thekey\n}\n", dir);
	start();
	test_case(next() == IMSG_ROOM_HELLO, "it says hello");
	say(IMSG_CONF_READ, 7, NULL);
	test_case(next() == IMSG_CONF && got.id == 7 &&
	    msg_int(got.env, "keeper_uid") == 61002 &&
	    msg_int(got.env, "files") > 1000 &&
	    msg_str(got.env, "log") == NULL &&
	    strcmp(msg_str(got.env, "state"), "/var/lib/wfsup") == 0,
	    "the configuration: what is the supervisor's");
	test_case(json_is_object(json_object_get(got.body, "broker")) &&
	    json_is_object(json_object_get(got.body, "keeper")) &&
	    json_is_object(json_object_get(got.body, "gateway")) &&
	    json_is_object(json_object_get(got.body, "warden")) &&
	    json_array_size(json_object_get(got.body, "secrets")) == 2,
	    "and what is the rooms'");
	*fixed = json_dumps(got.env, JSON_COMPACT);
}

static void
test_secrets(void)
{
	static const char	ask[] = "[{\"provider\":\"p\",\"what\":\"rules\","
			    "\"path\":\"%s/rules\"},{\"provider\":\"q\","
			    "\"what\":\"credential\",\"path\":\"thekey\"}]";
	char			text[1024];

	(void)snprintf(text, sizeof(text), ask, dir);
	say(IMSG_SECRETS_ASK, 1, text);
	test_case(next() == IMSG_SECRETS_DONE && got.id == 1,
	    "neither is there: that was all");
	test_case(log_has("provider \"p\" is without its rules") &&
	    log_has("No such file"), "and the log says so");
	file_write("rules", 0644, "rule {\n}\n");
	file_write("thekey", 0644, "secret\n");
	say(IMSG_SECRETS_ASK, 2, text);
	test_case(next() == IMSG_RULES && got.fd != -1 &&
	    strcmp(msg_str(got.env, "provider"), "p") == 0,
	    "rules that anybody may read");
	test_case(next() == IMSG_SECRETS_DONE && log_has("chmod 600"),
	    "a key that others may read is none");
	(void)chmod(in_dir("thekey"), 0600);
	say(IMSG_SECRETS_ASK, 3, text);
	test_case(next() == IMSG_RULES && next() == IMSG_KEY &&
	    strcmp(msg_str(got.env, "provider"), "q") == 0 &&
	    next() == IMSG_SECRETS_DONE && got.id == 3,
	    "a key that is root's alone");
	say(IMSG_SECRETS_ASK, 4, "[{\"provider\":\"q\",\"what\":\"credential\","
	    "\"path\":\"../thekey\"}]");
	test_case(next() == IMSG_SECRETS_DONE,
	    "a credential is a file's name, no path");
}

static void
test_again(const char *fixed)
{
	static const struct {
		const char	*what, *conf, *words;
		mode_t		 mode;
	} rows[] = {
		{ "another user", "log stderr\nuser broker 900\n"
		    "user keeper 61002\nuser gateway 61003\n"
		    "user sandbox 61004\n",
		    "\"user broker\" takes effect only with a restart", 0600 },
		{ "more files", USERS "log stderr\nlimit jails 16384\n",
		    "LimitNOFILE=", 0600 },
		{ "a mistake", USERS "log stderr\nnonsense\n", "conf:6:",
		    0600 },
		{ "a file that others may write", USERS "log stderr\n",
		    "not writable by group or others", 0666 },
		{ "a name that nobody has", USERS
		    "allow user no-such-one profile x\nlog stderr\n",
		    "no user \"no-such-one\"", 0600 },
	};
	size_t	i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		file_write("conf", rows[i].mode, "%s", rows[i].conf);
		say(IMSG_CONF_READ, 20, fixed);
		test_case(next() == IMSG_CONF_WRONG && got.id == 20 &&
		    log_has(rows[i].words), "%s: wrong, and why",
		    rows[i].what);
	}
	file_write("conf", 0600, USERS "log stderr\nprofile x {\n}\n"
	    "allow user root profile x\nallow group root profile x\n");
	say(IMSG_CONF_READ, 21, fixed);
	test_case(next() == IMSG_CONF && got.id == 21,
	    "names that there are, and another profile: taken");
}

/* What no supervisor says ends it. */
static void
test_nonsense(void)
{
	static const struct {
		const char	*what, *body;
		uint32_t	 type;
	} rows[] = {
		{ "a body that is no JSON", "{", IMSG_CONF_READ },
		{ "secrets that are none", "{}", IMSG_SECRETS_ASK },
		{ "a secret without a name", "[{}]", IMSG_SECRETS_ASK },
		{ "somebody else's message", NULL, IMSG_ROOM_START },
	};
	size_t	i;
	int64_t	type;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start();
		(void)next();
		say(rows[i].type, 1, rows[i].body);
		while ((type = next()) > 0)
			;
		test_case(type == 0 && ended() >= 0, "%s: it ends",
		    rows[i].what);
	}
}

/* Root may write its files without a capability; this root may not. */
static void
test_rights(void)
{
	char	cmd[256];

	(void)snprintf(cmd, sizeof(cmd), "awk '$6 !~ /^ro(,|$)/ { exit 1 }' "
	    "/proc/%d/mountinfo", pid);
	test_case(system(cmd) == 0, "nothing that it sees can be written");
	(void)snprintf(cmd, sizeof(cmd), "grep -q '^CapBnd:.0*$' "
	    "/proc/%d/status", pid);
	test_case(system(cmd) == 0, "it has no capability");
}

int
main(void)
{
	char	*fixed, cmd[64];

	if (geteuid() != 0) {
		test_skip("the reader: must be root");
		return (test_end());
	}
	if (mkdtemp(dir) == NULL)
		exit(1);
	test_first(&fixed);
	test_rights();
	test_secrets();
	test_again(fixed);
	test_case(ended() == 0, "without a supervisor it ends");
	test_nonsense();
	free(fixed);
	got_clear();
	(void)snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	test_case(system(cmd) == 0, "its directory can be removed");
	return (test_end());
}
