/*
 * Text for terminals: encoding, columns, numbers.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "text.h"

static const struct {
	const char	*what, *in, *want;
} encoded[] = {
	{ "plain",		"review a.c",		"review a.c" },
	{ "quotes stay",	"\"a\" \\ 'b'",		"\"a\" \\ 'b'" },
	{ "escape sequence",	"a\033[2Jb",		"a\\x1b[2Jb" },
	{ "newline",		"a\nb",			"a\\x0ab" },
	{ "C1 control",		"a\302\233b",		"a\\u{9b}b" },
	{ "right-to-left",	"a\342\200\256b",	"a\\u{202e}b" },
	{ "bad UTF-8",		"a\377b",		"a\\xffb" },
	{ "letters of others",	"\346\274\242\303\274",
	    "\346\274\242\303\274" },
};

static void
test_encoded(void)
{
	char	*got;
	size_t	 i;

	for (i = 0; i < sizeof(encoded) / sizeof(encoded[0]); i++) {
		got = text_vis_dup(encoded[i].in, strlen(encoded[i].in));
		test_case(strcmp(got, encoded[i].want) == 0, "encode: %s",
		    encoded[i].what);
		free(got);
	}
}

static const struct {
	const char	*what, *in;
	size_t		 cols;
	const char	*want;
} cuts[] = {
	{ "fits",			"abcd",		4, "abcd" },
	{ "one too long",		"abcde",	4, "ab.." },
	{ "two columns",		"abcde",	2, ".." },
	{ "one column",			"abcde",	1, "" },
	{ "no column",			"abcde",	0, "" },
	{ "wide ones fit",		"\346\274\242\346\274\242", 4,
	    "\346\274\242\346\274\242" },
	{ "wide ones don't",		"\346\274\242\346\274\242", 3, ".." },
	{ "never half a wide one",	"a\346\274\242\346\274\242", 4,
	    "a.." },
	{ "combining marks are free",	"a\314\201bcd",	4, "a\314\201bcd" },
};

static void
test_cuts(void)
{
	char	buf[64];
	size_t	i;

	for (i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		strcpy(buf, cuts[i].in);
		text_cut(buf, cuts[i].cols);
		test_case(strcmp(buf, cuts[i].want) == 0 &&
		    text_width(buf) <= cuts[i].cols, "cut: %s (%s)",
		    cuts[i].what, buf);
	}
}

static const struct {
	int64_t		 ms;
	const char	*span, *age;
} times[] = {
	{ -5,			"0 ms",		"0 s" },
	{ 99,			"99 ms",	"0 s" },
	{ 100,			"0.1 s",	"0 s" },
	{ 9999,			"9.9 s",	"9 s" },
	{ 10000,		"10 s",		"10 s" },
	{ 119000,		"1:59",		"119 s" },
	{ 120000,		"2:00",		"2 min" },
	{ 3599000,		"59:59",	"59 min" },
	{ 3600000,		"1:00:00",	"60 min" },
	{ 7200000,		"2:00:00",	"2 h" },
	{ 172800000,		"48:00:00",	"2 d" },
	{ INT64_MAX,		"2562047788015:12:55", "106751991167 d" },
};

static void
test_times(void)
{
	char	age[64], span[64];
	size_t	i;

	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		test_case(strcmp(text_span(span, sizeof(span), times[i].ms),
		    times[i].span) == 0 && strcmp(text_age(age, sizeof(age),
		    times[i].ms), times[i].age) == 0, "%lld ms: %s, %s",
		    (long long)times[i].ms, span, age);
}

static const struct {
	int64_t		 n;
	const char	*want;
} counts[] = {
	{ -1, "0" }, { 999, "999" }, { 1000, "1.0k" }, { 12345, "12.3k" },
	{ 999949, "999.9k" }, { 999950, "1.0M" }, { 4100000, "4.1M" },
};

static void
test_counts(void)
{
	char	buf[32];
	size_t	i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		test_case(strcmp(text_count(buf, sizeof(buf), counts[i].n),
		    counts[i].want) == 0, "%lld is %s",
		    (long long)counts[i].n, buf);
}

static const struct {
	const char	*what, *in, *want;
} lines[] = {
	{ "indented",		"a\nb\n\nc",	"a\n> b\n> \n> c" },
	{ "last newline",	"a\n",		"a" },
	{ "tabs stay",		"\ta\tb",	"\ta\tb" },
	{ "nothing",		"",		"" },
	{ "carriage return",	"a\r\nb",	"a\\x0d\n> b" },
};

static void
test_lines(void)
{
	FILE	*out;
	char	*buf;
	size_t	 i, len;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if ((out = open_memstream(&buf, &len)) == NULL)
			abort();
		text_put(out, lines[i].in, "> ");
		fclose(out);
		test_case(strcmp(buf, lines[i].want) == 0, "lines: %s",
		    lines[i].what);
		free(buf);
	}
}

int
main(void)
{
	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		test_skip("columns: there is no C.UTF-8 locale");
	else
		test_cuts();
	test_encoded();
	test_times();
	test_counts();
	test_lines();
	return (test_end());
}
