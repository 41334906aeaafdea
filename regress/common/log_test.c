/*
 * What hostile text becomes, and a log socket that is slow, gone or back.
 */
#include <sys/socket.h>

#include <event2/event.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "log_send.h"
#include "test.h"

static const struct {
	const char	*what, *in;
	size_t		 size;
	const char	*want;
} cases[] = {
	{ "plain text", "abc", 32, "abc" },
	{ "UTF-8", "h\xc3\xa9 \xe2\x82\xac", 32, "h\xc3\xa9 \xe2\x82\xac" },
	{ "a newline", "a\nb", 32, "a\\x0ab" },
	{ "an escape", "\033[1m", 32, "\\x1b[1m" },
	{ "a quote and a backslash", "\"\\", 32, "\\\"\\\\" },
	{ "a bad byte", "a\xff", 32, "a\\xff" },
	{ "a cut character", "\xe2\x82", 32, "\\xe2\\x82" },
	{ "an overlong slash", "\xc0\xaf", 32, "\\xc0\\xaf" },
	{ "a surrogate", "\xed\xa0\x80", 64, "\\xed\\xa0\\x80" },
	{ "C1", "\xc2\x9b", 32, "\\u{9b}" },
	{ "a line separator", "\xe2\x80\xa8", 32, "\\u{2028}" },
	{ "a bidi override", "\xe2\x80\xae", 32, "\\u{202e}" },
	{ "beyond the last character", "\xf4\x90\x80\x80", 64,
	    "\\xf4\\x90\\x80\\x80" },
	{ "DEL", "\x7f", 32, "\\x7f" },
	{ "cut to fit", "abcdefgh", 8, "abcd..." },
	{ "never in the middle of a code", "a\n\n\n", 8, "a..." },
	{ "just fits", "abcdefg", 8, "abcdefg" },
	{ "no room for the mark", "abc", 2, "a" },
};

static void
test_vis(void)
{
	char	out[64];
	size_t	i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		log_vis(out, cases[i].size, cases[i].in, strlen(cases[i].in));
		if (!test_case(strcmp(out, cases[i].want) == 0, "vis: %s",
		    cases[i].what))
			printf("# got %s\n", out);
	}
	log_clean(out, sizeof(out), "say \"x\"\n");
	test_case(strcmp(out, "say \"x\"\\x0a") == 0,
	    "clean: quotes pass, a newline does not");
	log_clean(out, 8, "abcdef\"ghijkl");
	test_case(strlen(out) < 8, "clean: stays in its bounds");
}

static int
receive(int fd, char *buf, size_t len)
{
	ssize_t	n = recv(fd, buf, len - 1, MSG_DONTWAIT);

	buf[n < 0 ? 0 : n] = '\0';
	return (n >= 0);
}

static void
test_audit(int fd)
{
	char	buf[4096], big[3000];

	log_set_boot("b-1");
	audit("x.y", "deny", "run", "r\"1\n", "none", NULL, "n", audit_int(-5),
	    NULL);
	test_case(receive(fd, buf, sizeof(buf)) && strstr(buf,
	    "event=x.y outcome=deny by=test seq=1 boot=b-1 "
	    "run=\"r\\\"1\\x0a\"") != NULL, "audit: fixed fields, then pairs");
	/* A pair without value ends nothing: the list goes on. */
	test_case(strstr(buf, "none=") == NULL && strstr(buf, " n=\"-5\"") !=
	    NULL, "audit: a pair without a value is left out");
	test_case(strncmp(buf, "<84>", 4) == 0,
	    "audit: a denial is an authpriv warning");
	audit("x.y", "ok", NULL);
	test_case(receive(fd, buf, sizeof(buf)) && strncmp(buf, "<85>", 4) ==
	    0 && strstr(buf, "seq=2") != NULL,
	    "audit: the next is a notice, numbered on");
	memset(big, 'a', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	audit("x.y", "ok", "big", big, "after", "1", NULL);
	test_case(receive(fd, buf, sizeof(buf)) && strlen(buf) < 2048 &&
	    strstr(buf, "...\"") != NULL && strstr(buf, "after=\"1\"") != NULL,
	    "audit: a long value is cut, the rest is there");
	audit("x.y", "ok", "k", "%n%s", NULL);
	test_case(receive(fd, buf, sizeof(buf)) && strstr(buf, "k=\"%n%s\"")
	    != NULL, "audit: no value is a format");
}

static void
test_flood(int fd, struct event_base *base)
{
	char	buf[4096];
	int	i, got = 0, dropped = 0;

	/* Nobody reads: this must return, and lose no count. */
	for (i = 0; i < 3000; i++)
		audit("flood", "ok", NULL);
	test_case(1, "log: a receiver that does not read stops nobody");
	for (i = 0; i < 200 && dropped == 0; i++) {
		while (receive(fd, buf, sizeof(buf))) {
			got += strstr(buf, "event=flood") != NULL;
			if (strstr(buf, "dropped=") != NULL)
				dropped = atoi(strstr(buf, "dropped=") + 8);
		}
		audit("after", "ok", NULL);
		(void)event_base_loop(base, EVLOOP_NONBLOCK);
	}
	test_case(got > 1000 && got + dropped >= 3000,
	    "log: %d kept, %d counted as dropped", got, dropped);
}

static int	lost_count;

static void
lost(void *ctx)
{
	(void)ctx;
	lost_count++;
}

static void
test_lost(int fd, struct event_base *base)
{
	struct timeval	tv = { .tv_sec = 1, .tv_usec = 300000 };
	char		buf[4096];
	int		sv[2], i, seen = 0;

	(void)close(fd);
	log_warnx("while it was gone");
	(void)event_base_loopexit(base, &tv);
	(void)event_base_dispatch(base);
	test_case(lost_count == 1, "log: a lost socket is reported");
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sv) == -1)
		abort();
	log_set_socket(sv[0]);
	for (i = 0; i < 10 && receive(sv[1], buf, sizeof(buf)); i++)
		seen += strstr(buf, "while it was gone") != NULL;
	test_case(seen == 1, "log: what waited goes to the new socket");
	(void)close(sv[1]);
}

/* Nobody listens yet: lines wait for the first socket that is connected. */
static void
test_late(struct event_base *base)
{
	struct timeval	tv = { .tv_sec = 1, .tv_usec = 300000 };
	char		buf[4096];
	int		sv[2], before = lost_count;

	log_set_socket(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	audit("early", "ok", NULL);
	(void)event_base_loopexit(base, &tv);
	(void)event_base_dispatch(base);
	test_case(lost_count == before + 1, "log: a socket is asked for");
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sv) == -1)
		abort();
	log_set_socket(sv[0]);
	test_case(receive(sv[1], buf, sizeof(buf)) && strstr(buf,
	    "event=early") != NULL, "log: what was said early is not lost");
	(void)close(sv[1]);
}

/* The end comes while nobody reads: standard error has the rest. */
static void
test_end_of_log(void)
{
	char	name[] = "/tmp/wfsup-log.XXXXXX", text[4096] = "";
	int	fd = mkstemp(name), saved = dup(2);

	if (fd == -1 || saved == -1 || dup2(fd, 2) == -1)
		abort();
	log_set_socket(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	audit("last.words", "ok", NULL);
	log_flush();
	(void)dup2(saved, 2);
	(void)close(saved);
	if (pread(fd, text, sizeof(text) - 1, 0) == -1)
		abort();
	test_case(strstr(text, "event=last.words") != NULL,
	    "log: what waits at the end is not lost");
	(void)close(fd);
	(void)unlink(name);
}

int
main(void)
{
	struct event_base	*base = event_base_new();
	int			 sv[2];

	test_vis();
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sv) == -1)
		return (1);
	log_init("test", 0);
	log_loop(base, lost, NULL);
	log_set_socket(sv[0]);
	test_audit(sv[1]);
	test_flood(sv[1], base);
	test_lost(sv[1], base);
	test_late(base);
	test_end_of_log();
	log_set_socket(-1);
	event_base_free(base);
	return (test_end());
}
