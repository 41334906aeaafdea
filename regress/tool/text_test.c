/*
 * Bytes as text: what is not UTF-8 becomes U+FFFD, and no more than that.
 */
#include <string.h>

#include "test.h"
#include "text.h"

#define BAD	"\xef\xbf\xbd"

static const struct {
	const char	*what;
	const char	*bytes;
	size_t		 len, dropped;
	const char	*want;
} cases[] = {
	{ "nothing", "", 0, 0, "" },
	{ "plain text", "a\tb\n", 4, 0, "a\tb\n" },
	{ "two, three and four bytes", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
	    9, 0, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
	{ "NUL", "a\0b", 3, 0, "a" BAD "b" },
	{ "a byte that begins nothing", "\xff" "a\x80", 3, 0, BAD "a" BAD },
	{ "overlong", "\xc0\xaf", 2, 0, BAD BAD },
	{ "overlong by three", "\xe0\x80\xaf", 3, 0, BAD BAD BAD },
	{ "a surrogate", "\xed\xa0\x80", 3, 0, BAD BAD BAD },
	{ "past the last character", "\xf4\x90\x80\x80", 4, 0,
	    BAD BAD BAD BAD },
	{ "the last character", "\xf4\x8f\xbf\xbf", 4, 0,
	    "\xf4\x8f\xbf\xbf" },
	{ "cut at the end is one", "a\xf0\x9f\x98", 4, 0, "a" BAD },
	{ "cut in the middle is one", "\xe2\x82" "b", 3, 0, BAD "b" },
	{ "a second lead byte starts anew", "\xe2\xe2\x82\xac", 4, 0,
	    BAD "\xe2\x82\xac" },
	{ "what was not kept is said", "ab", 2, 7,
	    "ab\n[7 more bytes were not kept]\n" },
};

int
main(void)
{
	json_t	*got;
	size_t	 i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		got = text_json(cases[i].bytes, cases[i].len,
		    cases[i].dropped);
		test_case(got != NULL && strcmp(json_string_value(got),
		    cases[i].want) == 0 && json_string_length(got) ==
		    strlen(cases[i].want), "%s", cases[i].what);
		json_decref(got);
	}
	return (test_end());
}
