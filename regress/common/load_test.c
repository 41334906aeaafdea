/*
 * The reader of JSON against jansson's: what it takes has the same value, and
 * what is usual it takes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "load.h"
#include "plain.h"
#include "test.h"

#define DEPTH		4
#define ROUNDS		200000

/* What it has to take. */
static const char *const	usual[] = {
	"{}", "[]", " { } ", "\t[\r\n]\n", "null", "true", "false", "0", "-0",
	"-1", "1.5", "-0.0", "1e3", "1E+3", "1e-400", "1.25e-7", "\"\"",
	"9223372036854775807", "-9223372036854775808",
	"{\"digest\":\"0123456789abcdef\",\"kind\":\"sleep\",\"n\":12}",
	"{\"seconds\":1e-06}", "[1,2.0,\"a\",null,[true],{\"b\":false}]",
	"{\"a\" : 1 , \"b\" : [ 2 , 3 ] }", "[[[[]]]]",
	"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u00e4\\u20AC\\u0001\\u007f\"",
	"\"\303\244 \342\202\254 \360\237\230\200\"", 
	"\"a long one, \\n of which most is plain\"", "\"0123456\\\"\"", "\"01234567\\\"\"",
	"{\"\303\244\":1}", "{\"\":1}", "\"\177\"",
};

/* What it may leave to jansson, and what is none. */
static const char *const	odd[] = {
	"", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "{\"a\"}",
	"{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}", "{\"a\":1 \"b\":2}",
	"{\"a\":1,\"a\":2}", "{\"a\\n\":1}", "01", "-", "+1", "1.", ".5",
	"1.e5", "1e", "1e+", "-a", "0x10", "1e999", "-1e999", "NaN",
	"9223372036854775808", "-9223372036854775809", "nul", "nulll", "True",
	"\"", "\"a", "\"\\", "\"\\\"", "\"\\x\"", "\"\\u\"", "\"\\u12\"",
	"\"\\u12g4\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\ud83d\"",
	"\"\\ude00\"", "\"a\nb\"", "\"\1\"", "\"\303\"", "\"\300\200\"",
	"\"\355\240\200\"", "\"\364\220\200\200\"", "\"\377\"", "[[[[[]]]]]",
	"{\"a\":[[[[1]]]]}", "[1] 2", "[1]]", "1 1", "\357\273\277{}",
	"1234567890123456789012345678901234567890.5", "// x\n{}", "'a'",
};

static int
same(const json_t *a, const json_t *b)
{
	return (b != NULL && json_equal(a, b));
}

/* Returns 1 if it was taken, 0 if not, -1 if jansson takes another value, or
 * none, or it nests too deep. */
static int
judge(const char *text, size_t len)
{
	json_t	*v = load_json(text, len, DEPTH), *want;
	int	 ret = 0;

	if (v == NULL)
		return (0);
	want = json_loadb(text, len, JSON_REJECT_DUPLICATES |
	    JSON_DECODE_ANY, NULL);
	ret = same(v, want) && json_text_depth(text, len) <= DEPTH ? 1 : -1;
	json_decref(v);
	json_decref(want);
	return (ret);
}

static void
test_tables(void)
{
	size_t	i;

	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		test_case(judge(usual[i], strlen(usual[i])) == 1,
		    "%s is taken", usual[i]);
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		test_case(judge(odd[i], strlen(odd[i])) != -1,
		    "%s is not mistaken", odd[i]);
	test_case(judge("\"a\0b\"", 5) != -1 && judge("1\0", 2) != -1,
	    "a NUL is not mistaken");
}

static unsigned
chance(unsigned most)
{
	static uint64_t	x = 88172645463325252;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return ((unsigned)(x >> 16) % most);
}

/* Two texts in one, and bytes of it changed. */
static size_t
mutant(char *buf, size_t size)
{
	static const char	bytes[] = "{}[]\",:\\u0e-+.19tfn \n\303\244\200";
	const char		*a = usual[chance(sizeof(usual) /
				    sizeof(usual[0]))];
	const char		*b = odd[chance(sizeof(odd) / sizeof(odd[0]))];
	size_t			 at = chance((unsigned)strlen(a) + 1);
	size_t			 len;
	unsigned		 n = chance(4);

	(void)snprintf(buf, size, "%.*s%s%s", (int)at, a, chance(2) ? b : "",
	    a + at);
	len = strlen(buf);
	while (len > 0 && n-- > 0)
		buf[chance((unsigned)len)] = bytes[chance(sizeof(bytes) - 1)];
	return (len);
}

static void
test_mutants(void)
{
	char	buf[256], *text;
	size_t	len, taken = 0, i;
	int	got;

	for (i = 0; i < ROUNDS; i++) {
		len = mutant(buf, sizeof(buf));
		/* Where a sanitizer sees who reads beyond it. */
		if ((text = malloc(len + (len == 0))) == NULL)
			abort();
		memcpy(text, buf, len);
		got = judge(text, len);
		free(text);
		if (got == -1)
			break;
		taken += got == 1;
	}
	test_case(i == ROUNDS && taken > ROUNDS / 20, "of %d mutants none is "
	    "mistaken%s%s", ROUNDS, i == ROUNDS ? "" : ": ",
	    i == ROUNDS ? "" : buf);
}

/* Each byte at each place of a word, and at the end. */
static void
test_plain(void)
{
	char	s[24];
	size_t	at, wrong = 0;
	int	c, special;

	for (at = 0; at < sizeof(s); at++)
		for (c = 0; c < 256; c++) {
			memset(s, 'x', sizeof(s));
			s[at] = (char)c;
			special = c < 0x20 || c == '"' || c == '\\';
			wrong += plain_length(s, sizeof(s)) !=
			    (special ? at : sizeof(s));
			wrong += plain_ascii(s, sizeof(s)) !=
			    (special || c > 0x7f ? at : sizeof(s));
			wrong += plain_ascii(s, at) != at;
		}
	test_case(wrong == 0, "each byte at each place is plain or not");
}

int
main(void)
{
	json_object_seed(1);
	test_tables();
	test_mutants();
	test_plain();
	return (test_end());
}
