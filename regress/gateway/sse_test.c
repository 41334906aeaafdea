/*
 * Event streams: each case whole, cut at each byte, and a byte at a time.
 */
#include <bsd/string.h>

#include <stdlib.h>
#include <string.h>

#include "sse.h"
#include "test.h"

#define MAX	64

static const struct {
	const char	*what;
	const char	*in;
	const char	*want;	/* "name|data;" for each event */
} cases[] = {
	{ "LF ends a line", "data: a\n\n", "message|a;" },
	{ "CRLF ends a line", "data: a\r\n\r\n", "message|a;" },
	{ "CR ends a line", "data: a\r\rdata: b\r\r",
	    "message|a;message|b;" },
	{ "CRLF after CR lines", "data: a\r\n\r\ndata: b\n\n",
	    "message|a;message|b;" },
	{ "a BOM at the begin is skipped", "\xef\xbb\xbf" "data: a\n\n",
	    "message|a;" },
	{ "a BOM later is part of a name", "data: a\n\n\xef\xbb\xbf"
	    "data: b\n\n", "message|a;" },
	{ "comments are no events", ": ping\n\n:\n\n: ping\n\n", "" },
	{ "no blank after the colon", "data:a\n\n", "message|a;" },
	{ "one blank after the colon is stripped", "data:  a\n\n",
	    "message| a;" },
	{ "lines of data are joined by LF", "data: a\ndata: b\n\n",
	    "message|a\nb;" },
	{ "a field without a colon", "data\n\n", "message|;" },
	{ "empty data", "data:\n\n", "message|;" },
	{ "two empty lines of data", "data:\ndata:\n\n", "message|\n;" },
	{ "unknown fields are skipped", "foo: 1\nid: 7\nretry: x\n"
	    "data: a\n\n", "message|a;" },
	{ "a name holds for one event", "event: e\ndata: a\n\ndata: b\n\n",
	    "e|a;message|b;" },
	{ "the last name wins", "event: x\nevent: y\ndata: a\n\n", "y|a;" },
	{ "a name without data is no event", "event: e\n\ndata: a\n\n",
	    "message|a;" },
	{ "characters of 3 and 4 bytes",
	    "data: \xe2\x82\xac\xf0\x9f\x98\x80\n\n",
	    "message|\xe2\x82\xac\xf0\x9f\x98\x80;" },
	{ "two events in one read", "data: a\n\ndata: b\n\n",
	    "message|a;message|b;" },
	{ "what the end leaves unfinished is no event", "data: a\n\ndata: b\n",
	    "message|a;" },
	{ "a colon in data", "data: a:b\n\n", "message|a:b;" },
	{ "many blank lines", "\n\n\ndata: a\n\n\n\n", "message|a;" },
	{ "an event of the greatest length",
	    "data: 0123456789012345678901234567890123456789012345678901234567"
	    "\n\n",
	    "message|01234567890123456789012345678901234567890123456789012345"
	    "67;" },
};

struct seen {
	char	text[512];
	int	stop;
};

static int
record(void *ctx, const char *name, const char *data, size_t len)
{
	struct seen	*seen = ctx;

	if (strlen(data) != len)
		strlcat(seen->text, "WRONG LENGTH ", sizeof(seen->text));
	strlcat(seen->text, name, sizeof(seen->text));
	strlcat(seen->text, "|", sizeof(seen->text));
	strlcat(seen->text, data, sizeof(seen->text));
	strlcat(seen->text, ";", sizeof(seen->text));
	return (seen->stop ? -1 : 0);
}

/* Feed in two pieces, cut after `cut` bytes, or bytewise if that is 0. */
static int
try(const char *in, size_t cut, const char *want)
{
	struct seen	seen = { "", 0 };
	struct sse	s;
	size_t		n = strlen(in), i;
	int		bad = 0;

	sse_init(&s, MAX, record, &seen);
	if (cut == 0)
		for (i = 0; i < n; i++)
			bad |= sse_feed(&s, in + i, 1) != SSE_OK;
	else
		bad |= sse_feed(&s, in, cut) != SSE_OK ||
		    sse_feed(&s, in + cut, n - cut) != SSE_OK;
	sse_free(&s);
	return (!bad && strcmp(seen.text, want) == 0);
}

static void
test_cases(void)
{
	size_t	i, cut;
	int	good;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		good = 1;
		for (cut = 0; cut <= strlen(cases[i].in); cut++)
			good &= try(cases[i].in, cut, cases[i].want);
		test_case(good, "%s", cases[i].what);
	}
}

static void
test_limits(void)
{
	struct seen	seen = { "", 1 };
	struct sse	s;
	char		line[MAX + 32];

	memset(line, 'x', sizeof(line));
	sse_init(&s, MAX, record, &seen);
	test_case(sse_feed(&s, line, sizeof(line)) == SSE_TOO_LONG,
	    "a line without an end is refused, not kept");
	sse_free(&s);

	sse_init(&s, MAX, record, &seen);
	test_case(sse_feed(&s, "data: 0123456789012345678901234567890123456789"
	    "\ndata: 0123456789012345678901234567890123456789\n\n", 95) ==
	    SSE_TOO_LONG, "many lines that make a long event, too");
	sse_free(&s);

	sse_init(&s, MAX, record, &seen);
	test_case(sse_feed(&s, "data: a\n\ndata: b\n\n", 18) == SSE_STOPPED &&
	    strcmp(seen.text, "message|a;") == 0,
	    "nothing comes after the callback has said stop");
	sse_free(&s);
}

static void
test_zero_bytes(void)
{
	struct seen	seen = { "", 0 };
	struct sse	s;

	sse_init(&s, MAX, record, &seen);
	test_case(sse_feed(&s, "id: a\0b\ndata: x\n\n", 17) == SSE_OK &&
	    strcmp(seen.text, "message|x;") == 0,
	    "a NUL in a field that is skipped");
	sse_free(&s);
}

int
main(void)
{
	test_cases();
	test_limits();
	test_zero_bytes();
	return (test_end());
}
