/*
 * Tier 3: a hostile jail on the broker's socket, in the real daemon. This
 * program takes the place of wfsup-script in a copy of the binaries: it makes
 * jails by the real steps, but what runs in them speaks raw packets, which
 * the number that the script consists of chooses.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "imsg.h"
#include "msg.h"
#include "script/script.h"
#include "starter.h"
#include "test.h"
#include "wire.h"

#define DIGEST								\
	"0000000000000000000000000000000000000000000000000000000000000000"
#define NODE(path)							\
	"{\"path\":\"" path "\",\"kind\":\"sleep\",\"digest\":\"" DIGEST "\"}"
#define DONE	"{\"failures\":0}\n{\"result\":\"first\",\"failures\":[]}"

/* ---- raw packets ---- */

static char	packet[256 * 1024];

/* A packet with a header that says len (0: the truth), and n descriptors. */
static void
raw(uint32_t type, uint32_t len, const void *data, size_t datalen, int n)
{
	struct imsg_hdr	 hdr = { type, len, 7, 1 };
	char		 control[CMSG_SPACE(sizeof(int) * 100)];
	struct iovec	 iov = { packet, sizeof(hdr) + datalen };
	struct msghdr	 msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr	*cmsg;
	int		 i, three = JAIL_FD;

	if (len == 0)
		hdr.len = (uint32_t)(sizeof(hdr) + datalen);
	if (n > 0)
		hdr.len |= 0x80000000;
	memcpy(packet, &hdr, sizeof(hdr));
	memcpy(packet + sizeof(hdr), data, datalen);
	if (n > 0) {
		memset(control, 0, sizeof(control));
		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)n);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)n);
		for (i = 0; i < n; i++)
			memcpy(CMSG_DATA(cmsg) + i * (int)sizeof(int), &three,
			    sizeof(int));
	}
	while (sendmsg(JAIL_FD, &msg, MSG_NOSIGNAL) == -1 && errno == EAGAIN)
		;
}

static void
say(uint32_t type, const char *text)
{
	raw(type, 0, text, strlen(text), 0);
}

/* The first n bytes of a header, and nothing. */
static void
bytes(size_t n)
{
	struct imsg_hdr	hdr = { IMSG_NODE_CANCEL, (uint32_t)n, 0, 0 };

	(void)!write(JAIL_FD, &hdr, n);
}

/* An envelope of one character, n times over, and an end. */
static void
say_many(const char *begin, char c, size_t n)
{
	static char	text[60000];
	size_t		len = strlen(begin);

	memcpy(text, begin, len);
	memset(text + len, c, n);
	raw(IMSG_NODE_CANCEL, 0, text, len + n, 0);
}

/* ---- what is done with them ---- */

#define ROW(name, code)		static void try_##name(void) { code; }

ROW(empty, (void)sendmsg(JAIL_FD, &(struct msghdr){ 0 }, MSG_NOSIGNAL))
ROW(short_header, bytes(15))
ROW(one_byte, for (int i = 0; i < 1000; i++) bytes(1))
ROW(length_small, raw(IMSG_NODE_CANCEL, 15, "{\"path\":\"/\"}", 12, 0))
ROW(length_large, raw(IMSG_NODE_CANCEL, 0x7fffffff, "{}", 2, 0))
ROW(length_all, raw(IMSG_NODE_CANCEL, UINT32_MAX, "{}", 2, 0))
ROW(packet_large, raw(IMSG_NODE_CANCEL, 0, packet + 1000, 100000, 0))
ROW(unknown, say(0x7777, "{}"))
ROW(zero, say(0, "{}"))
ROW(keepers, say(IMSG_RUN_END,
    "{\"run\":\"x\",\"state\":\"completed\",\"exit\":0}"))
ROW(supervisors, say(IMSG_JAIL_EXIT, "{\"jail\":1,\"cause\":\"done\","
    "\"ours\":false,\"cpu_ms\":0,\"peak\":0}"))
ROW(clients, say(IMSG_CANCEL, "{\"run\":\"0000000000000000\"}"))
ROW(tools, say(IMSG_SANDBOX_DONE, "{\"ok\":true}\n{}"))
ROW(answer, say(IMSG_NODE_ANSWER,
    "{\"path\":\"/\",\"ok\":true,\"now\":0,\"spent\":0}\n1"))
ROW(hello_twice, say(IMSG_JAIL_HELLO,
    "{\"version\":\"0.1.0\",\"python\":\"\"}"))
ROW(garbage, say(IMSG_NODE_CANCEL, "\x80\xff{{{"))
ROW(key_twice, say(IMSG_NODE_CANCEL, "{\"path\":\"/a\",\"path\":\"/b\"}"))
ROW(deep, say_many("{\"path\":", '[', 50000))
ROW(digits, say_many("{\"path\":1", '0', 400))
ROW(utf8, say(IMSG_NODE_CANCEL, "{\"path\":\"\xc0\xaf\"}"))
ROW(surrogate, say(IMSG_NODE_CANCEL, "{\"path\":\"\\ud800\"}"))
ROW(nul, say(IMSG_NODE_CANCEL, "{\"path\":\"\\u0000\"}"))
ROW(missing, say(IMSG_NODE_CANCEL, "{}"))
ROW(extra, say(IMSG_NODE_CANCEL, "{\"path\":\"/\",\"run\":\"x\"}"))
ROW(type_wrong, say(IMSG_NODE_CANCEL, "{\"path\":1}"))
ROW(too_long, say_many("{\"path\":\"", 'x', 2000))
ROW(no_body, say(IMSG_SCRIPT_DONE, "{\"failures\":0}"))
ROW(body_not_due, say(IMSG_NODE_CANCEL, "{\"path\":\"/\"}\n{}"))
ROW(part_of_nothing, raw(IMSG_PART, 0, "abc", 3, 0))
ROW(parts_many, say(IMSG_SCRIPT_DONE,
    "{\"failures\":0,\"parts\":1099511627776}\n{}"))
ROW(parts_broken,
    say(IMSG_SCRIPT_DONE, "{\"failures\":0,\"parts\":2}\n{}");
    say(IMSG_NODE_CANCEL, "{\"path\":\"/\"}"))
ROW(parts_silence, say(IMSG_SCRIPT_DONE, "{\"failures\":0,\"parts\":2}\n{}"))
ROW(one_descriptor, raw(IMSG_NODE_CANCEL, 0, "{\"path\":\"/a\"}", 13, 1))
ROW(descriptors, raw(IMSG_NODE_CANCEL, 0, "{\"path\":\"/a\"}", 13, 100))
ROW(other_run, say(IMSG_NODE_ASK, "{\"run\":\"0000000000000000\",\"path\":"
    "\"/sleep#0\",\"kind\":\"sleep\",\"digest\":\"" DIGEST "\"}\n"
    "{\"seconds\":0}"))
ROW(kind, say(IMSG_NODE_ASK, "{\"path\":\"/root#0\",\"kind\":\"root\","
    "\"digest\":\"" DIGEST "\"}\n{}"))
ROW(not_hex, say(IMSG_NODE_ASK, "{\"path\":\"/sleep#0\",\"kind\":\"sleep\","
    "\"digest\":\"" "zz" DIGEST "\"}\n{\"seconds\":0}"))
ROW(path_twice,
    say(IMSG_NODE_ASK, NODE("/sleep#0") "\n{\"seconds\":100}");
    say(IMSG_NODE_ASK, NODE("/sleep#0") "\n{\"seconds\":200}"))
ROW(body_garbage, say(IMSG_NODE_ASK, NODE("/sleep#0") "\n{{{"))
ROW(body_array, say(IMSG_NODE_ASK, NODE("/sleep#0") "\n[1]"))
ROW(endless, say(IMSG_NODE_ASK, NODE("/sleep#0")
    "\n{\"seconds\":1e400}"))
ROW(result_garbage, say(IMSG_SCRIPT_DONE, "{\"failures\":0}\n{{"))
ROW(result_shape, say(IMSG_SCRIPT_DONE, "{\"failures\":0}\n[]"))
ROW(never_asked, say(IMSG_NODE_CANCEL, "{\"path\":\"/p9/sleep#9\"}");
    say(IMSG_SCRIPT_DONE, DONE))
ROW(done_twice, say(IMSG_SCRIPT_DONE, DONE); say(IMSG_SCRIPT_DONE,
    "{\"failures\":0}\n{\"result\":\"second\",\"failures\":[]}"))
ROW(done_and_more, say(IMSG_SCRIPT_DONE, DONE);
    say(IMSG_NODE_ASK, NODE("/sleep#0") "\n{\"seconds\":0}"))
ROW(done_and_garbage, say(IMSG_SCRIPT_DONE, DONE); bytes(3))
ROW(hang_up, (void)close(JAIL_FD))
ROW(hang_up_midway, say(IMSG_NODE_ASK, NODE("/sleep#0")
    "\n{\"seconds\":100}"); (void)close(JAIL_FD))

/* Asks for more than anybody may have pending, and reads no answer. */
static void
try_never_reads(void)
{
	char	text[256];
	int	i;

	for (i = 0; i < 20000; i++) {
		(void)snprintf(text, sizeof(text), "{\"path\":\"/sleep#%d\","
		    "\"kind\":\"sleep\",\"digest\":\"" DIGEST "\"}\n"
		    "{\"seconds\":0}", i);
		say(IMSG_NODE_ASK, text);
	}
	_exit(5);
}

/* Events without end. */
static void
try_flood(void)
{
	char	text[128];
	int	i;

	for (i = 0; i < 2000000; i++) {
		(void)snprintf(text, sizeof(text), "{\"kind\":\"log\",\"n\":"
		    "%d}\n{\"message\":\"x\"}", i);
		say(IMSG_SCRIPT_EVENT, text);
	}
	_exit(5);
}

/* A body of a hundred megabytes. */
static void
try_large(void)
{
	int	i;

	say(IMSG_SCRIPT_DONE, "{\"failures\":0,\"parts\":1600}\n\"");
	for (i = 0; i < 1600; i++)
		raw(IMSG_PART, 0, packet + 1000, 65000, 0);
}

static const struct {
	const char	*name;
	void		(*fn)(void);
	int		 exit;		/* of wfsupctl; -1: see cause */
	const char	*cause;		/* a part of it, or NULL */
} tries[] = {
	{ "an empty packet",		try_empty,		-1, NULL },
	{ "15 bytes",			try_short_header,	9, "protocol" },
	{ "single bytes",		try_one_byte,		9, "protocol" },
	{ "a length too small",		try_length_small,	9, "protocol" },
	{ "a length of 2 GiB",		try_length_large,	9, "protocol" },
	{ "a length of all ones",	try_length_all,		9, "protocol" },
	{ "a packet too large",		try_packet_large,	9, "protocol" },
	{ "an unknown message",		try_unknown,		9, "protocol" },
	{ "message 0",			try_zero,		9, "protocol" },
	{ "the keeper's",		try_keepers,		9, "protocol" },
	{ "the supervisor's",		try_supervisors,	9, "protocol" },
	{ "a client's",			try_clients,		9, "protocol" },
	{ "a tool jail's",		try_tools,		9, "protocol" },
	{ "an answer",			try_answer,		9, "protocol" },
	{ "a second hello",		try_hello_twice,	9, "protocol" },
	{ "garbage",			try_garbage,		9, "protocol" },
	{ "a key twice",		try_key_twice,		9, "protocol" },
	{ "depth",			try_deep,		9, "protocol" },
	{ "a number of 400 digits",	try_digits,		9, "protocol" },
	{ "bad UTF-8",			try_utf8,		9, "protocol" },
	{ "a lone surrogate",		try_surrogate,		9, "protocol" },
	{ "NUL in a text",		try_nul,		9, "protocol" },
	{ "a field missing",		try_missing,		9, "protocol" },
	{ "a field too many",		try_extra,		9, "protocol" },
	{ "a field of another type",	try_type_wrong,		9, "protocol" },
	{ "a field too long",		try_too_long,		9, "protocol" },
	{ "no body",			try_no_body,		9, "protocol" },
	{ "a body not due",		try_body_not_due,	9, "protocol" },
	{ "a part of nothing",		try_part_of_nothing,	9, "protocol" },
	{ "2^40 parts",			try_parts_many,		9, "protocol" },
	{ "parts cut short",		try_parts_broken,	9, "protocol" },
	{ "parts, then silence",	try_parts_silence,	6, "wall" },
	{ "a descriptor",		try_one_descriptor,	9, "protocol" },
	{ "a hundred descriptors",	try_descriptors,	9, "protocol" },
	{ "another run's name",		try_other_run,		9, "protocol" },
	{ "a kind of node unknown",	try_kind,		9, "protocol" },
	{ "a digest too long",		try_not_hex,		9, "protocol" },
	{ "a path twice",		try_path_twice,		9, "protocol" },
	{ "a node's body no JSON",	try_body_garbage,	9, "protocol" },
	{ "a node's body an array",	try_body_array,		9, "protocol" },
	{ "sleep of 1e400",		try_endless,		9, "protocol" },
	{ "a result that is no JSON",	try_result_garbage,	9, "protocol" },
	{ "a result of no shape",	try_result_shape,	9, "protocol" },
	{ "cancel of nothing",		try_never_asked,	0, NULL },
	{ "two results",		try_done_twice,		0, NULL },
	{ "a node after the result",	try_done_and_more,	0, NULL },
	{ "garbage after the result",	try_done_and_garbage,	0, NULL },
	{ "hanging up",			try_hang_up,		9, NULL },
	{ "hanging up with a node",	try_hang_up_midway,	9, NULL },
	{ "never reading",		try_never_reads,	-1, NULL },
	{ "a flood of events",		try_flood,		-1, NULL },
	{ "100 MB",			try_large,		9, "protocol" },
};
#define NTRIES	(sizeof(tries) / sizeof(tries[0]))

/* ---- the jail ---- */

/* The script's source is the number of what to try. */
static int
hostile_run(struct jail *j)
{
	struct wire	 w;
	json_t		*body;
	const char	*source = NULL;
	size_t		 n;

	(void)j;
	if (wire_hello("0.0.0") == -1 || wire_recv(&w) != WIRE_GOT)
		return (77);
	body = json_loadb(w.body, w.bodylen, 0, NULL);
	source = json_string_value(json_object_get(body, "source"));
	if (source == NULL || (n = (size_t)atoi(source)) >= NTRIES)
		return (78);
	tries[n].fn();
	/* Whatever the broker thinks of it, it must end this itself. */
	for (;;)
		(void)poll(NULL, 0, -1);
}

static void __attribute__((noreturn))
hostile_starter(int argc, char **argv)
{
	struct starter_ops	ops = script_ops;

	ops.run = hostile_run;
	starter_main(&ops, argc, argv);
}

/* ---- the daemon ---- */

static char	dir[] = "/tmp/wfsup-peer-test.XXXXXX";

/* The last line of what a command says, parsed; *status is its exit. */
static json_t *
last_line(const char *command, int *status)
{
	char	 line[4096], last[4096] = "";
	FILE	*f;

	if ((f = popen(command, "r")) == NULL)
		err(1, "popen");
	while (fgets(line, sizeof(line), f) != NULL)
		memcpy(last, line, sizeof(last));
	*status = pclose(f);
	*status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
	return (json_loads(last, 0, NULL));
}

static void
try_one(size_t n)
{
	json_t		*end, *error;
	const char	*cause, *result;
	char		 command[256];
	int		 status;

	(void)snprintf(command, sizeof(command), "echo %zu >%s/s.py && "
	    "wfsupctl run %s/s.py --json 2>/dev/null", n, dir, dir);
	end = last_line(command, &status);
	error = json_object_get(end, "error");
	cause = json_string_value(json_object_get(error, "cause"));
	result = json_string_value(json_object_get(end, "result"));
	test_case((tries[n].exit == -1 ? status == 9 || status == 6 :
	    status == tries[n].exit) && (tries[n].cause == NULL ||
	    (cause != NULL && strstr(cause, tries[n].cause) != NULL)) &&
	    (status != 0 || (result != NULL && strcmp(result, "first") == 0)),
	    "peer: %s: exit %d%s%s", tries[n].name, status,
	    cause != NULL ? " " : "", cause != NULL ? cause : "");
	json_decref(end);
}

/* The daemon's rooms, as a line of pids. */
static void
rooms(char *line, size_t len)
{
	char	 command[128];
	FILE	*f;

	(void)snprintf(command, sizeof(command),
	    "pgrep -P $(cat \"$WFSUP_SCRATCH/pid\") | tr '\\n' ' '");
	if ((f = popen(command, "r")) == NULL || fgets(line, (int)len, f) ==
	    NULL)
		err(1, "pgrep");
	(void)pclose(f);
}

static int
inside(const char *where)
{
	char	before[512], after[512];
	size_t	n;

	memcpy(dir, where, sizeof(dir));
	rooms(before, sizeof(before));
	for (n = 0; n < NTRIES; n++) {
#ifdef __SANITIZE_ADDRESS__
		/* What it needs for large buffers is more than the jail has. */
		if (tries[n].fn == try_packet_large ||
		    tries[n].fn == try_large) {
			test_skip("peer: %s: the sanitizer's own memory",
			    tries[n].name);
			continue;
		}
#endif
		try_one(n);
	}
	rooms(after, sizeof(after));
	test_case(strcmp(before, after) == 0, "no room of the daemon has died");
	return (test_end());
}

/* The binaries again, with this one instead of wfsup-script, in one's own
 * directory: the daemon takes those that lie beside it. */
static int
binaries(void)
{
	const char	*b = getenv("B");
	char		 command[1024];

	if (mkdtemp(dir) == NULL)
		return (-1);
	(void)snprintf(command, sizeof(command), "mkdir -p %s/b/bin && "
	    "cp %s/bin/* %s/b/bin/ && cp /proc/%d/exe %s/b/bin/wfsup-script "
	    "&& chmod 755 %s %s/b %s/b/bin %s/b/bin/* && "
	    "ln -s $PWD/etc %s/etc", dir, b != NULL ? b : "build", dir,
	    (int)getpid(), dir, dir, dir, dir, dir, dir);
	return (system(command));
}

int
main(int argc, char **argv)
{
	char	command[1024];
	int	status;

	if (argc > 2 && strcmp(argv[1], "inside") == 0)
		return (inside(argv[2]));
	if (argc > 1)
		hostile_starter(argc, argv);
	if (geteuid() != 0) {
		test_skip("a hostile jail: needs root");
		return (test_end());
	}
	if (!test_case(binaries() == 0, "binaries with a hostile jail"))
		return (test_end());
	(void)snprintf(command, sizeof(command), "printf 'profile escape {\\n"
	    "verbs { run result follow cancel }\\nwall 4\\n}\\n"
	    "allow user 0 profile escape\\n' >%s/conf && cp etc/scratch %s/s "
	    "&& sed -i 's,^top=.*,top=%s,' %s/s && B=b %s/s -c %s/conf -- "
	    "/proc/%d/exe inside %s", dir, dir, dir, dir, dir, dir,
	    (int)getpid(), dir);
	status = system(command);
	test_case(status == 0, "the daemon stands all of it");
	(void)snprintf(command, sizeof(command), "rm -rf %s", dir);
	(void)!system(command);
	return (test_end());
}
