/*
 * Patterns: what they match, what they refuse, and that a hostile one is
 * bounded in size and time.
 */
#include <string.h>

#include "../../keeper/pattern.h"
#include "../test.h"

#define WORK	1000000

static const struct {
	const char	*pattern, *text;
	int		 want;
} matches[] = {
	{ "", "", 1 },			{ "", "x", 1 },
	{ "abc", "xxabcxx", 1 },	{ "abc", "ab", 0 },
	{ "^abc$", "abc", 1 },		{ "^abc$", "xabc", 0 },
	{ "^a*$", "", 1 },		{ "^a*$", "aaaa", 1 },
	{ "^a*$", "aab", 0 },		{ "^a+$", "", 0 },
	{ "^a+$", "aaa", 1 },		{ "^ab?c$", "ac", 1 },
	{ "^ab?c$", "abc", 1 },		{ "^ab?c$", "abbc", 0 },
	{ "^(a|b|cd)+$", "abcdcdb", 1 }, { "^(a|b|cd)+$", "abc", 0 },
	{ "^(|a)b$", "b", 1 },		{ "^(|a)b$", "ab", 1 },
	{ "^a{3}$", "aaa", 1 },		{ "^a{3}$", "aa", 0 },
	{ "^a{2,}$", "a", 0 },		{ "^a{2,}$", "aaaaa", 1 },
	{ "^a{1,3}$", "aaa", 1 },	{ "^a{1,3}$", "aaaa", 0 },
	{ "^a{0}b$", "b", 1 },		{ "^a{0}b$", "ab", 0 },
	{ "^(ab){0,2}$", "abab", 1 },	{ "^(ab){0,2}$", "ababab", 0 },
	{ "^a{,2}$", "a{,2}", 1 },	{ "^x{y}$", "x{y}", 1 },
	{ "^[a-c]+$", "abccba", 1 },	{ "^[a-c]+$", "abd", 0 },
	{ "^[^a-c]+$", "xyz", 1 },	{ "^[^a-c]+$", "xaz", 0 },
	{ "^[a\\-z]+$", "a-z", 1 },	{ "^[-a]+$", "-a", 1 },
	{ "^[a-]+$", "a-", 1 },		{ "^[\\]]$", "]", 1 },
	{ "[]", "a", 0 },		{ "^[^]$", "\n", 1 },
	{ "^\\d{4}-\\d\\d$", "2026-11", 1 }, { "^\\d+$", "12a", 0 },
	{ "^\\D+$", "abc", 1 },		{ "^\\D+$", "a1", 0 },
	{ "^[\\w.]+$", "a_9.b", 1 },	{ "^\\W$", "a", 0 },
	{ "^\\S+$", "ab", 1 },		{ "^a\\sb$", "a b", 1 },
	{ "\\bcat\\b", "a cat sat", 1 }, { "\\bcat\\b", "concat", 0 },
	{ "\\Bcat", "concat", 1 },	{ "^.$", "\xc3\xa9", 1 },
	{ "^.$", "\n", 0 },		{ "^\\u00e9$", "\xc3\xa9", 1 },
	{ "^[\xc3\xa0-\xc3\xbf]$", "\xc3\xa9", 1 },
	{ "^\\x41$", "A", 1 },		{ "^\\.\\/\\$$", "./$", 1 },
	{ "^(?:a|b)c$", "bc", 1 },	{ "^a+?b$", "aab", 1 },
	{ "^(a*)*$", "aaa", 1 },	{ "^(a*)*$", "b", 0 },
	{ "^((a|b)?){3}$", "ab", 1 },	{ "a|", "", 1 },
};

static const struct {
	const char	*pattern, *why;
} refused[] = {
	{ "(", "a group is not closed" },
	{ ")", "a parenthesis closes nothing" },
	{ "[a", "a class is not closed" },
	{ "*", "nothing to repeat before *" },
	{ "a**", "nothing to repeat before *" },
	{ "[z-a]", "a range of a class runs backwards" },
	{ "[a-\\d]", "a class can't end a range" },
	{ "\\", "a backslash at the end" },
	{ "(a)\\1", "back-references are not supported" },
	{ "\\p{L}", "\\p is not supported" },
	{ "(?=a)", "look-around and named groups are not supported" },
	{ "\\u12", "bad hexadecimal escape" },
	{ "a{5,2}", "a count runs backwards" },
	{ "a{9999999999}", "a count is over 1000" },
	{ "(a{1000}){1000}", "the pattern is too large" },
	{ "((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}",
	    "the pattern is too large" },
};

static void
test_matches(void)
{
	struct pattern	*p;
	char		 why[128] = "";
	size_t		 i, work;
	int		 got;

	for (i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
		got = -2;
		work = WORK;
		p = pattern_new(matches[i].pattern, why, sizeof(why));
		if (p != NULL)
			got = pattern_match(p, matches[i].text,
			    strlen(matches[i].text), &work);
		test_case(got == matches[i].want, "/%s/ %s '%s'",
		    matches[i].pattern, matches[i].want ? "is in" :
		    "is not in", matches[i].text[0] == '\n' ?
		    "a newline" : matches[i].text);
		pattern_free(p);
	}
}

static void
test_refused(void)
{
	struct pattern	*p;
	char		 why[128];
	size_t		 i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		why[0] = '\0';
		p = pattern_new(refused[i].pattern, why, sizeof(why));
		test_case(p == NULL && strcmp(why, refused[i].why) == 0,
		    "/%s/ is refused: %s", refused[i].pattern, why);
		pattern_free(p);
	}
}

static void
test_bounds(void)
{
	static char	 text[20000];
	struct pattern	*p;
	char		 why[128];
	size_t		 work = WORK;
	int		 i;

	memset(text, 'a', sizeof(text) - 1);
	p = pattern_new("^(a|aa)+$(a|a)*(x{900})?b", why, sizeof(why));
	test_case(p != NULL && pattern_match(p, text, strlen(text), &work) ==
	    0, "a pattern that would backtrack for ever ends at once");
	pattern_free(p);
	work = WORK;
	p = pattern_new("a{900}b", why, sizeof(why));
	test_case(p != NULL && pattern_match(p, text, strlen(text), &work) ==
	    -1, "a match that needs too much work is given up");
	pattern_free(p);
	for (i = 0; i < 1000; i++)
		text[i] = '(';
	text[i] = '\0';
	p = pattern_new(text, why, sizeof(why));
	test_case(p == NULL && strstr(why, "deep") != NULL,
	    "a thousand parentheses: %s", why);
	memset(text, 'a', 1025);
	text[1025] = '\0';
	p = pattern_new(text, why, sizeof(why));
	test_case(p == NULL && strstr(why, "1024") != NULL,
	    "a pattern that is too long: %s", why);
}

int
main(void)
{
	test_matches();
	test_refused();
	test_bounds();
	return (test_end());
}
