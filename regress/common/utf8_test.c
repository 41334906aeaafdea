/*
 * What is a character of UTF-8, what is none, and how much of it.
 */
#include <string.h>

#include "test.h"
#include "utf8.h"

static const struct {
	const char	*what, *bytes;
	size_t		 n, len;
	uint32_t	 want;
} cases[] = {
	{ "ASCII", "ab", 2, 1, 'a' },
	{ "NUL", "", 1, 1, 0 },
	{ "DEL", "\x7f", 1, 1, 0x7f },
	{ "the first of two bytes", "\xc2\x80", 2, 2, 0x80 },
	{ "the last of two bytes", "\xdf\xbf", 2, 2, 0x7ff },
	{ "the first of three bytes", "\xe0\xa0\x80", 3, 3, 0x800 },
	{ "the last before the surrogates", "\xed\x9f\xbf", 3, 3, 0xd7ff },
	{ "the first after them", "\xee\x80\x80", 3, 3, 0xe000 },
	{ "the last of three bytes", "\xef\xbf\xbf", 3, 3, 0xffff },
	{ "the first of four bytes", "\xf0\x90\x80\x80", 4, 4, 0x10000 },
	{ "the last of all", "\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff },
	{ "and no more than one", "\xc3\xa9\xc3\xa9", 4, 2, 0xe9 },
	{ "a byte from the middle", "\x80\x80", 2, 1, UTF8_BAD },
	{ "an overlong slash", "\xc0\xaf", 2, 1, UTF8_BAD },
	{ "an overlong DEL", "\xc1\xbf", 2, 1, UTF8_BAD },
	{ "an overlong of three", "\xe0\x9f\xbf", 3, 1, UTF8_BAD },
	{ "an overlong of four", "\xf0\x8f\xbf\xbf", 4, 1, UTF8_BAD },
	{ "the first surrogate", "\xed\xa0\x80", 3, 1, UTF8_BAD },
	{ "the last surrogate", "\xed\xbf\xbf", 3, 1, UTF8_BAD },
	{ "past the last of all", "\xf4\x90\x80\x80", 4, 1, UTF8_BAD },
	{ "a lead byte of more", "\xf5\x80\x80\x80", 4, 1, UTF8_BAD },
	{ "a lead byte of five", "\xf8\x88\x80\x80\x80", 5, 1, UTF8_BAD },
	{ "0xff", "\xff", 1, 1, UTF8_BAD },
	{ "two bytes cut", "\xc3", 1, 1, UTF8_BAD },
	{ "three bytes cut after two", "\xe2\x82", 2, 2, UTF8_BAD },
	{ "four bytes cut after two", "\xf0\x9f", 2, 2, UTF8_BAD },
	{ "four bytes cut after three", "\xf0\x9f\x98", 3, 3, UTF8_BAD },
	{ "three bytes, broken by ASCII", "\xe2\x82" "a", 3, 2, UTF8_BAD },
	{ "four bytes, broken by a lead byte", "\xf0\x9f\xc3\xa9", 4, 2,
	    UTF8_BAD },
};

/* Encode c, by arithmetic alone. Returns how many bytes. */
static size_t
encode(char s[4], uint32_t c)
{
	size_t	i, n;

	n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	if (n == 1) {
		s[0] = (char)c;
		return (1);
	}
	for (i = n - 1; i > 0; i--, c >>= 6)
		s[i] = (char)(0x80 | (c & 0x3f));
	s[0] = (char)((0xf00u >> n) | c);
	return (n);
}

/* The first for which decoding is not what encoding was; past all if none. */
static uint32_t
first_wrong(void)
{
	char		s[4];
	uint32_t	c, got, want;
	size_t		len, n;

	for (c = 0; c <= 0x10ffff; c++) {
		want = c >= 0xd800 && c < 0xe000 ? UTF8_BAD : c;
		n = encode(s, c);
		len = utf8_decode(s, n, &got);
		if (got != want || len != (want == UTF8_BAD ? 1 : n))
			break;
		/* Cut, it is none, and all that is there is one. */
		if (want != UTF8_BAD && n > 1 && (utf8_decode(s, n - 1,
		    &got) != n - 1 || got != UTF8_BAD))
			break;
	}
	return (c);
}

static const struct {
	const char	*what;
	uint32_t	 c;
	int		 want;
} traps[] = {
	{ "a letter", 'a', 0 },
	{ "C1", 0x9b, 1 },
	{ "a hard space", 0xa0, 0 },
	{ "a soft hyphen", 0xad, 1 },
	{ "a zero-width space", 0x200b, 1 },
	{ "a line separator", 0x2028, 1 },
	{ "a bidi override", 0x202e, 1 },
	{ "a bidi isolate", 0x2066, 1 },
	{ "a byte order mark", 0xfeff, 1 },
	{ "a tag", 0xe0041, 1 },
	{ "an emoji", 0x1f600, 0 },
};

int
main(void)
{
	uint32_t	c;
	size_t		i, len;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		len = utf8_decode(cases[i].bytes, cases[i].n, &c);
		if (!test_case(len == cases[i].len && c == cases[i].want,
		    "decode: %s", cases[i].what))
			printf("# got %#x of %zu bytes\n", c, len);
	}
	c = first_wrong();
	test_case(c == 0x110000, "each character there is, whole and cut");
	if (c != 0x110000)
		printf("# wrong: %#x\n", c);
	for (i = 0; i < sizeof(traps) / sizeof(traps[0]); i++)
		test_case(utf8_is_trap(traps[i].c) == traps[i].want,
		    "%s is %s trap", traps[i].what, traps[i].want ? "a" :
		    "no");
	return (test_end());
}
