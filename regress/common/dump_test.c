/*
 * JSON as text: the same value again, in the shortest words.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "test.h"

static const char *const	same[] = {
	"0.1", "0.30000000000000004", "1.0", "-0.0", "1e+22", "1.5e-07",
	"9007199254740993", "-9223372036854775808", "9223372036854775807",
	"null", "true", "false", "\"\"", "\"a\\\"b\\\\c\\n\\u0001\"",
	"\"\303\244\360\237\230\200\"", "[]", "{}", "[1,[2,[3,{}]]]",
	"{\"b\":1,\"a\":[0.1,0.2],\"\":null}", "1.7976931348623157e+308",
	"5e-324", "\"\\b\\f\\r\\t\\u0000\\u001F\177/\"",
};

/* What needs no escape, what does, and all that may lie between two sizes of
 * the buffer. */
static void
test_lengths(void)
{
	char	 s[300], *text;
	size_t	 n, wrong = 0;
	json_t	*v, *again;

	for (n = 0; n < sizeof(s); n++) {
		memset(s, n % 3 == 0 ? '\n' : 'x', n);
		v = json_stringn(s, n);
		text = dump_json(v);
		again = json_loads(text, JSON_DECODE_ANY, NULL);
		wrong += !json_equal(v, again);
		free(text);
		json_decref(v);
		json_decref(again);
	}
	test_case(wrong == 0, "strings of each length up to %zu come back",
	    sizeof(s));
}

static void
test_members(void)
{
	static const char	 gone[] = "x\0y";
	char			*text;

	text = dump_members("a:s,b:s*,c:s*,d:I,e:I,f:b,g:b,h:t,i:t", "\"1\n",
	    NULL, "2", (json_int_t)0, (json_int_t)INT64_MIN, 1, 0, gone,
	    (size_t)1, NULL, (size_t)0);
	test_case(strcmp(text, "{\"a\":\"\\\"1\\n\",\"c\":\"2\",\"d\":0,"
	    "\"e\":-9223372036854775808,\"f\":true,\"g\":false,"
	    "\"h\":\"x\",\"i\":null}") == 0, "members are written: %s", text);
	free(text);
	text = dump_members("a:s*,b:s*", NULL, NULL);
	test_case(strcmp(text, "{}") == 0, "none of them, too");
	free(text);
	text = dump_members("a:s*,b:I", NULL, (json_int_t)12);
	test_case(strcmp(text, "{\"b\":12}") == 0, "and what is last alone");
	free(text);
}

int
main(void)
{
	json_t	*v, *again;
	char	*text;
	size_t	 i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		v = json_loads(same[i], JSON_DECODE_ANY |
		    JSON_ALLOW_NUL, NULL);
		text = dump_json(v);
		again = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL,
		    NULL);
		test_case(json_equal(v, again) && (strcmp(text, same[i]) == 0
		    || strcmp(same[i], "5e-324") == 0), "%s stays %s",
		    same[i], text);
		free(text);
		json_decref(v);
		json_decref(again);
	}
	test_lengths();
	test_members();
	return (test_end());
}
