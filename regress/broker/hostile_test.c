/*
 * Hostile clients and scripts: whatever they send, they alone are dropped,
 * nobody else waits for them, and nothing of them is left.
 */
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "fake.h"
#include "log.h"
#include "test.h"

/* One packet of raw bytes on a raw client socket, with n descriptors. */
static int
raw_send(int s, const void *bytes, size_t len, int fd, int n)
{
	char		 control[CMSG_SPACE(16 * sizeof(int))];
	struct iovec	 iov = { (void *)(uintptr_t)bytes, len };
	struct msghdr	 msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr	*c;
	int		 i, fds[16];

	for (i = 0; i < n; i++)
		fds[i] = fd;
	if (n > 0) {
		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, (size_t)n * sizeof(int));
	}
	return (sendmsg(s, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) == -1 ? -1 : 0);
}

static size_t
packet(char *buf, uint32_t type, uint32_t id, int mark, const char *text)
{
	struct imsg_hdr	h = { .type = type, .peerid = id };

	h.len = (uint32_t)(sizeof(h) + strlen(text)) |
	    (mark ? 0x80000000U : 0);
	memcpy(buf, &h, sizeof(h));
	memcpy(buf + sizeof(h), text, strlen(text));
	return (sizeof(h) + strlen(text));
}

/* Has the broker hung up on it? */
static int
hung_up(struct rig *rig, int s)
{
	char	buf[4096];
	ssize_t	n;
	int	i;

	for (i = 0; i < 200; i++) {
		rig_pump(rig);
		n = recv(s, buf, sizeof(buf), MSG_DONTWAIT);
		if (n == 0 || (n == -1 && errno == ECONNRESET))
			return (1);
		if (n == -1)
			(void)usleep(500);
	}
	return (0);
}

/* Does somebody else still get answers? */
static int
serves(struct rig *rig)
{
	struct fake	*client = rig_client(rig);
	int		 ok;

	fake_send(client, IMSG_QUERY, 1, -1, json_pack("{s:s}", "what",
	    "version"), NULL);
	ok = fake_want(client, IMSG_ANSWER) != NULL;
	fake_close(client);
	return (ok);
}

/* Longer than the name of any run. */
#define LONG	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static const struct {
	const char	*what;
	uint32_t	 type;
	const char	*text;
	int		 mark, fds;
} packets[] = {
	{ "no envelope at all", IMSG_QUERY, "", 0, 0 },
	{ "garbage", IMSG_QUERY, "\xff\xfe\x01{{{", 0, 0 },
	{ "an unknown message", 0x7777, "{}", 0, 0 },
	{ "a message of the keeper's", IMSG_RUN_END,
	    "{\"run\":\"r\",\"state\":\"x\",\"exit\":0}", 0, 0 },
	{ "a message of the supervisor's", IMSG_ROOM_START, "{}", 0, 0 },
	{ "a message of a script's", IMSG_SCRIPT_DONE,
	    "{\"failures\":0}\n{}", 0, 0 },
	{ "an answer of the broker's own", IMSG_SUBMITTED,
	    "{\"run\":\"r\"}", 0, 0 },
	{ "a missing field", IMSG_QUERY, "{}", 0, 0 },
	{ "a field too many", IMSG_QUERY,
	    "{\"what\":\"list\",\"uid\":0}", 0, 0 },
	{ "a field of another type", IMSG_QUERY, "{\"what\":7}", 0, 0 },
	{ "a field out of range", IMSG_QUERY,
	    "{\"what\":\"list\",\"limit\":0}", 0, 0 },
	{ "a text too long", IMSG_CANCEL, "{\"run\":\"" LONG "\"}", 0, 0 },
	{ "a key twice", IMSG_QUERY,
	    "{\"what\":\"list\",\"what\":\"show\"}", 0, 0 },
	{ "an envelope that is not flat", IMSG_QUERY,
	    "{\"what\":[[\"list\"]]}", 0, 0 },
	{ "a body that is not due", IMSG_CANCEL, "{\"run\":\"r\"}\n{}", 0,
	    0 },
	{ "a continuation of nothing", IMSG_PART, "abc", 0, 0 },
	{ "a descriptor that is not due", IMSG_CANCEL, "{\"run\":\"r\"}", 1,
	    1 },
	{ "a mark without a descriptor", IMSG_SUBMIT, "{}\n{}", 1, 0 },
	{ "a descriptor without a mark", IMSG_SUBMIT, "{}\n{}", 0, 1 },
	{ "two descriptors", IMSG_SUBMIT, "{}\n{}", 1, 2 },
	{ "sixteen descriptors", IMSG_SUBMIT, "{}\n{}", 1, 16 },
};

static void
test_packets(void)
{
	struct rig	*rig = rig_new(NULL);
	char		 buf[1024];
	size_t		 i, len, before = rig_descriptors();
	int		 s, fd = open("/", O_RDONLY | O_DIRECTORY);

	for (i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		s = rig_connect(rig);
		len = packet(buf, packets[i].type, 1, packets[i].mark,
		    packets[i].text);
		if (raw_send(s, buf, len, fd, packets[i].fds) == -1)
			abort();
		test_case(hung_up(rig, s), "%s: hung up", packets[i].what);
		(void)close(s);
	}
	rig_pump(rig);
	(void)close(fd);
	test_case(rig_descriptors() == before, "none of their descriptors is "
	    "left");
	test_case(serves(rig) && control_count(rig->broker) == 0,
	    "others are served, and the broken ones forgotten");
	rig_free(rig);
}

/* Every length of a header, and headers that lie about theirs. */
static void
test_half_packets(void)
{
	static const uint32_t	lies[] = { 0, 1, 15, 16, 17, 30, 4096, 65536,
	    65537, 0x7fffffff, 0xffffffff };
	struct rig	*rig = rig_new(NULL);
	char		 buf[1024], lie[1024];
	size_t		 i, len = packet(buf, IMSG_QUERY, 1, 0,
			    "{\"what\":\"version\"}");
	int		 s, all = 1;

	for (i = 0; i < len; i++) {
		s = rig_connect(rig);
		/* An empty packet and the end look alike to who receives. */
		(void)raw_send(s, buf, i, -1, 0);
		all = hung_up(rig, s) && all;
		(void)close(s);
	}
	test_case(all, "a packet cut at any of %zu bytes: hung up", len);
	for (i = 0, all = 1; i < sizeof(lies) / sizeof(lies[0]); i++) {
		memcpy(lie, buf, len);
		memcpy(lie + 4, &lies[i], sizeof(lies[i]));
		s = rig_connect(rig);
		(void)raw_send(s, lie, len, -1, 0);
		all = hung_up(rig, s) && all;
		(void)close(s);
	}
	test_case(all, "a length that lies: hung up");
	test_case(serves(rig), "others are served");
	rig_free(rig);
}

/* A body that is promised and never comes; or is longer than allowed. */
static void
test_bodies(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*client = rig_client(rig);
	char		 buf[1024], *big;
	size_t		 len;
	int		 s = rig_connect(rig);

	len = packet(buf, IMSG_SUBMIT, 1, 0, "{\"parts\":4000}\n{");
	(void)raw_send(s, buf, len, -1, 0);
	rig_pump(rig);
	test_case(serves(rig), "a body that never comes: others are served");
	len = packet(buf, IMSG_QUERY, 1, 0, "{\"what\":\"version\"}");
	(void)raw_send(s, buf, len, -1, 0);
	test_case(hung_up(rig, s), "another message instead of it: hung up");
	(void)close(s);
	if ((big = calloc(1, BODY_MAX + 2)) == NULL)
		abort();
	memset(big, ' ', BODY_MAX + 1);
	fake_send(client, IMSG_SUBMIT, 1, -1, NULL, big);
	test_case(client->peer == NULL && fake_none(rig->keeper,
	    IMSG_RUN_ADD), "a body too long by one: hung up");
	client = rig_client(rig);
	big[BODY_MAX] = '\0';
	fake_send(client, IMSG_SUBMIT, 1, -1, NULL, big);
	test_case(fake_want(rig->keeper, IMSG_RUN_ADD) != NULL,
	    "the longest body reaches the keeper");
	free(big);
	rig_free(rig);
}

/* 10,000 questions at once, without reading an answer. */
static void
test_flood(void)
{
	struct rig	*rig = rig_new(NULL);
	char		 ours[256], theirs[256];
	size_t		 i, sent = 0, n1, n2, most = 0;
	int		 s = rig_connect(rig);

	n1 = packet(ours, IMSG_QUERY, 1, 0, "{\"what\":\"version\"}");
	n2 = packet(theirs, IMSG_QUERY, 2, 0, "{\"what\":\"list\"}");
	for (i = 0; i < 30000 && sent < 10000; i++) {
		if (raw_send(s, ours, n1, -1, 0) == 0)
			sent++;
		if (i % 8 == 0)
			rig_pump(rig);
	}
	test_case(sent >= 10000 && serves(rig),
	    "%zu questions unread: others are served", sent);
	(void)close(s);
	s = rig_connect(rig);
	for (i = 0, sent = 0; i < 2000; i++) {
		if (raw_send(s, theirs, n2, -1, 0) == 0)
			sent++;
		rig_pump(rig);
		if (pending_count(rig->broker->pendings) > most)
			most = pending_count(rig->broker->pendings);
	}
	test_case(most <= 8 && serves(rig), "questions for the keeper: %zu "
	    "are open at once, others are served", most);
	(void)close(s);
	fake_close(rig->keeper);
	rig_channel(rig, "keeper", KEEPER, &rig->keeper);
	test_case(pending_count(rig->broker->pendings) == 0,
	    "they go with the client and the keeper");
	rig_free(rig);
}

/* What the next packet says, a text; "" for none. */
static const char *
heard(int s)
{
	static char	buf[4096];
	ssize_t		n = recv(s, buf, sizeof(buf) - 1, MSG_DONTWAIT);

	if (n < 16)
		return ("");
	buf[n] = '\0';
	return (buf + 16);
}

/* Who connects and says nothing has a place for 30 s. */
static void
test_silence(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*idle = rig_client(rig);
	struct client	*first, *silent;
	struct timeval	 due, now;
	int		 s = rig_connect(rig), half = rig_connect(rig);
	char		 buf[1024];

	fake_send(idle, IMSG_QUERY, 9, -1, json_pack("{s:s}", "what",
	    "version"), NULL);
	(void)raw_send(half, buf, packet(buf, IMSG_SUBMIT, 1, 0,
	    "{\"parts\":4000}\n{"), -1, 0);
	rig_pump(rig);
	first = TAILQ_FIRST(control_clients(rig->broker));
	event_active(first->silent, EV_TIMEOUT, 0);
	rig_pump(rig);
	test_case(control_count(rig->broker) == 3,
	    "a client that has asked may stay");
	silent = TAILQ_NEXT(first, entry);
	(void)gettimeofday(&now, NULL);
	test_case(event_pending(silent->silent, EV_TIMEOUT, &due) &&
	    due.tv_sec - now.tv_sec >= 28 && due.tv_sec - now.tv_sec <= 30,
	    "one that has not has 30 s");
	event_active(silent->silent, EV_TIMEOUT, 0);
	event_active(TAILQ_NEXT(silent, entry)->silent, EV_TIMEOUT, 0);
	rig_pump(rig);
	test_case(strstr(heard(s), "nothing was asked for 30 s") != NULL &&
	    hung_up(rig, s), "then it is told so, and hung up on");
	test_case(strstr(heard(half), "nothing was asked") != NULL &&
	    hung_up(rig, half), "so is one that begins and does not end");
	test_case(control_count(rig->broker) == 1 && serves(rig),
	    "their places are free");
	first = TAILQ_FIRST(control_clients(rig->broker));
	event_active(first->silent, EV_TIMEOUT, 0);
	rig_pump(rig);
	test_case(control_count(rig->broker) == 0 && serves(rig),
	    "nor may one stay that asked once and no more");
	(void)close(s);
	(void)close(half);
	rig_free(rig);
}

/* Whom no rule grants anything has few places and short messages. */
static void
test_strangers(void)
{
	struct rig	*rig = rig_new("{\"profiles\":{},\"allow\":[],"
			    "\"jails\":4}");
	int		 s[12], i;
	char		 buf[1024];

	for (i = 0; i < 12; i++)
		s[i] = rig_connect(rig);
	rig_pump(rig);
	test_case(control_count(rig->broker) == 8, "of a user without a "
	    "profile 8 clients are taken");
	(void)raw_send(s[0], buf, packet(buf, IMSG_SUBMIT, 1, 0,
	    "{\"parts\":20}\n{"), -1, 0);
	rig_pump(rig);
	test_case(control_count(rig->broker) == 8, "one may begin to ask");
	for (i = 0; i < 12; i++)
		(void)close(s[i]);
	rig_pump(rig);
	test_case(control_count(rig->broker) == 0, "they leave nothing");
	rig_free(rig);
}

/* So many clients and no more; a place that is given up is free. */
static void
test_crowd(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*late;
	struct got	*g;
	int		 s[80], i;

	for (i = 0; i < 32; i++)
		s[i] = rig_connect(rig);
	late = rig_client(rig);
	fake_send(late, IMSG_QUERY, 9, -1, json_pack("{s:s}", "what",
	    "version"), NULL);
	g = fake_want(late, IMSG_REFUSED);
	test_case(g != NULL && g->id == 9 && got_int(g, "exit") == 10,
	    "one client too many is refused: %s", got_str(g, "message"));
	test_case(control_count(rig->broker) == 32, "none is turned out for "
	    "it");
	for (i = 32; i < 80; i++)
		s[i] = rig_connect(rig);
	test_case(strstr(heard(s[79]), "this user has too many clients") !=
	    NULL, "of a crowd most are told so at once");
	test_case(control_count(rig->broker) == 32 && hung_up(rig, s[79]),
	    "and hung up on");
	test_case(!hung_up(rig, s[33]), "some are given a moment");
	for (i = 0; i < 30 && late->peer != NULL; i++) {
		rig_pump(rig);
		(void)usleep(100000);
	}
	test_case(late->peer == NULL && hung_up(rig, s[33]),
	    "and no more than that");
	(void)close(s[7]);
	rig_pump(rig);
	test_case(serves(rig), "a place that is given up is free");
	for (i = 0; i < 80; i++)
		if (i != 7)
			(void)close(s[i]);
	rig_pump(rig);
	test_case(control_count(rig->broker) == 0, "silent clients leave "
	    "nothing");
	rig_free(rig);
}

static void
test_follows(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*client = rig_client(rig);
	uint32_t	 i;

	for (i = 0; i < 17; i++)
		fake_send(client, IMSG_FOLLOW, i, -1, json_pack(
		    "{s:s, s:i, s:b}", "run", "r", "after", 0, "live", 1),
		    NULL);
	test_case(fake_want(client, IMSG_REFUSED)->id == 16,
	    "the seventeenth subscription is refused");
	fake_close(client);
	test_case(pending_count(rig->broker->pendings) == 0,
	    "all go with their client");
	rig_free(rig);
}

/* A script that asks for more nodes at once than may wait. */
static void
test_nodes(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*jail = rig_run(rig, "r1", 1);
	struct jail	*j = TAILQ_FIRST(&rig->broker->jails);
	char		 path[32];
	int		 i;

	for (i = 0; i < 5000; i++) {
		(void)snprintf(path, sizeof(path), "/sleep#%d", i);
		peer_send(jail->peer, IMSG_NODE_ASK, 0, -1, json_pack(
		    "{s:s, s:s, s:s}", "path", path, "kind", "sleep",
		    "digest", "0123456789abcdef0123456789abcdef"
		    "0123456789abcdef0123456789abcdef"), "{}", 2);
	}
	for (i = 0; i < 400; i++)
		rig_pump(rig);
	test_case(j->nnodes == 4096 && jail->peer != NULL,
	    "a script with 5,000 nodes: %zu wait, the rest is not read",
	    j->nnodes);
	for (i = 0; i < 1000; i++) {
		(void)snprintf(path, sizeof(path), "/sleep#%d", i);
		peer_send(rig->keeper->peer, IMSG_NODE_DONE, 0, -1, json_pack(
		    "{s:s, s:s, s:b, s:i, s:i}", "run", "r1", "path", path,
		    "ok", 1, "now", 1, "spent", 0), "null", 4);
	}
	for (i = 0; i < 400; i++)
		rig_pump(rig);
	test_case(j->nnodes == 4000, "as they end, the rest comes");
	rig_free(rig);
}

/* A script asks for n nodes, from this one on. */
static void
ask_sleeps(struct fake *jail, int first, int n)
{
	char	path[32];
	int	i;

	for (i = first; i < first + n; i++) {
		(void)snprintf(path, sizeof(path), "/sleep#%d", i);
		say_node_ask(jail, path, "sleep", NULL, NULL);
	}
}

/* They are done. */
static void
end_sleeps(struct rig *rig, int first, int n)
{
	char	path[32];
	int	i;

	for (i = first; i < first + n; i++) {
		(void)snprintf(path, sizeof(path), "/sleep#%d", i);
		fake_send(rig->keeper, IMSG_NODE_DONE, 0, -1, json_pack(
		    "{s:s, s:s, s:b, s:i, s:i}", "run", "r1", "path", path,
		    "ok", 1, "now", 1, "spent", 0), "null");
	}
}

/* Nobody waits for time who waits for answers: a run with more nodes than
 * there was credit for. What credit there is, is as if it had had them. */
static void
test_long_run(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*jail = rig_run(rig, "r1", 1);
	struct jail	*j = TAILQ_FIRST(&rig->broker->jails);
	int		 i, held = 0;

	for (i = 0; i < 2000; i += 100) {
		j->throttle.credit = 0;
		ask_sleeps(jail, i, 100);
		rig_pump(rig);
		held += j->nnodes != 100 || j->throttle.held != 0;
		end_sleeps(rig, i, 100);
		rig_pump(rig);
	}
	test_case(held == 0 && j->nnodes == 0, "without credit a hundred "
	    "nodes at once are held in %d of 20 rounds", held);
	j->throttle.credit = -1000;
	ask_sleeps(jail, 2000, 1000);
	for (i = 0; i < 4; i++)
		rig_pump(rig);
	test_case(j->nnodes == 256 && j->throttle.held == HOLD_PACE,
	    "of a thousand %zu are taken", j->nnodes);
	end_sleeps(rig, 2000, 128);
	for (i = 0; i < 4; i++)
		rig_pump(rig);
	test_case(j->nnodes == 256, "as they end, others are");
	rig_free(rig);
}

/* Who has questions open that nobody answers has credit again in time. */
static void
test_paced(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*jail = rig_run(rig, "r1", 1);
	struct jail	*j = TAILQ_FIRST(&rig->broker->jails);
	int		 i;

	j->throttle.credit = -10;
	ask_sleeps(jail, 0, 300);
	for (i = 0; i < 400 && j->nnodes < 300; i++) {
		rig_pump(rig);
		(void)usleep(5000);
	}
	test_case(j->nnodes == 300, "what waits for no answer passes in time");
	rig_free(rig);
}

/* A script that logs without end is slowed down to a bearable rate. */
static void
test_events(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*jail = rig_run(rig, "r1", 1);
	struct got	*g;
	int		 i, n = 0;

	for (i = 0; i < 20000; i++)
		peer_send(jail->peer, IMSG_SCRIPT_EVENT, 0, -1, json_pack(
		    "{s:s, s:i}", "kind", "log", "n", i), "{}", 2);
	for (i = 0; i < 1000; i++)
		rig_pump(rig);
	TAILQ_FOREACH(g, &rig->keeper->got, entry)
		n += g->type == IMSG_RUN_EVENT_ADD;
	test_case(n >= 3900 && n < 12000 && jail->peer != NULL,
	    "of 20,000 events at once %d pass", n);
	test_case(serves(rig), "others are served");
	rig_free(rig);
}

/* A keeper that does not read: who asks is not read either. */
static void
test_slow_keeper(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*jail = rig_run(rig, "r1", 1);
	char		*big, path[32];
	size_t		 most = 0;
	int		 i;

	if ((big = calloc(1, 1024 * 1024)) == NULL)
		abort();
	memset(big, 'x', 1024 * 1024 - 1);
	peer_pause(rig->keeper->peer);
	peer_set_queue_max(jail->peer, 256 * 1024 * 1024);
	for (i = 0; i < 64; i++) {
		(void)snprintf(path, sizeof(path), "/tool#%d", i);
		peer_send(jail->peer, IMSG_NODE_ASK, 0, -1, json_pack(
		    "{s:s, s:s, s:s, s:s}", "path", path, "kind", "tool",
		    "tool", "read", "digest",
		    "0123456789abcdef0123456789abcdef"
		    "0123456789abcdef0123456789abcdef"), big,
		    1024 * 1024 - 1);
	}
	for (i = 0; i < 300; i++) {
		rig_pump(rig);
		if (peer_queued(rig->broker->keeper) > most)
			most = peer_queued(rig->broker->keeper);
	}
	test_case(most <= 10 * 1024 * 1024, "a keeper that does not read: "
	    "%zu bytes wait for it at the most", most);
	peer_resume(rig->keeper->peer);
	for (i = 0; i < 64; i++)
		if (fake_want(rig->keeper, IMSG_NODE_BEGIN) == NULL)
			break;
	test_case(i == 64, "all arrive when it reads again");
	free(big);
	rig_free(rig);
}

/* No descriptor may be opened beyond those that there are. */
static void
descriptors_limit(struct rlimit *saved)
{
	struct rlimit	none;
	int		fd = open("/", O_RDONLY | O_CLOEXEC);

	if (fd == -1 || getrlimit(RLIMIT_NOFILE, saved) == -1)
		abort();
	(void)close(fd);
	none = *saved;
	none.rlim_cur = (rlim_t)fd;
	if (setrlimit(RLIMIT_NOFILE, &none) == -1)
		abort();
}

/* Without descriptors nothing breaks, and all goes on when there are some. */
static void
test_no_descriptors(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*script;
	struct rlimit	 saved;
	int		 s = rig_socket();

	fake_send(rig->keeper, IMSG_RUN_START, 0, -1, json_pack(
	    "{s:s, s:i, s:i, s:s, s:i, s:i, s:s, s:i, s:i}", "run", "r1",
	    "uid", 5, "gid", 5, "profile", "default", "tokens", 0, "spent",
	    0, "workspace", "/", "dev", 1, "ino", 2), NULL);
	fake_send(rig->warden, IMSG_WORKSPACE, 0, open("/",
	    O_RDONLY | O_DIRECTORY), json_pack("{s:s}", "run", "r1"), NULL);
	script = rig_ready(rig, SCRIPT, 1);
	descriptors_limit(&saved);
	if (rig_connect_to(rig, s) == -1)
		abort();
	say_tool_call(rig, 1, "r1", 1, "read");
	test_case(script != NULL && control_count(rig->broker) == 0 &&
	    fake_none(rig->warden, IMSG_JAIL_START),
	    "without descriptors clients and jails wait");
	(void)setrlimit(RLIMIT_NOFILE, &saved);
	test_case(fake_want(rig->warden, IMSG_JAIL_START) != NULL,
	    "the jail starts when there is one");
	(void)usleep(250000);
	rig_pump(rig);
	test_case(control_count(rig->broker) == 1 && serves(rig),
	    "the client is accepted then, too");
	(void)close(s);
	rig_free(rig);
}

int
main(void)
{
	size_t	before;

	log_init("hostile_test", 0);
	before = rig_descriptors();
	test_packets();
	test_half_packets();
	test_bodies();
	test_flood();
	test_silence();
	test_strangers();
	test_crowd();
	test_follows();
	test_nodes();
	test_long_run();
	test_paced();
	test_events();
	test_slow_keeper();
	test_no_descriptors();
	test_case(rig_descriptors() == before, "no descriptor is left");
	return (test_end());
}
