/*
 * JSON as text: the same value again, in the shortest words.
 */
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
	"5e-324",
};

int
main(void)
{
	json_t	*v, *again;
	char	*text;
	size_t	 i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		v = json_loads(same[i], JSON_DECODE_ANY, NULL);
		text = dump_json(v);
		again = json_loads(text, JSON_DECODE_ANY, NULL);
		test_case(json_equal(v, again) && (strcmp(text, same[i]) == 0
		    || strcmp(same[i], "5e-324") == 0), "%s stays %s",
		    same[i], text);
		free(text);
		json_decref(v);
		json_decref(again);
	}
	return (test_end());
}
