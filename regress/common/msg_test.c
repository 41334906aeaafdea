/*
 * The catalogue and the check of an envelope.
 */
#include <string.h>

#include "json.h"
#include "log.h"
#include "msg.h"
#include "test.h"

static void
test_catalogue(void)
{
	const struct msgdef	*a, *b;
	size_t			 i, j;
	int			 unique = 1, named = 1, ends = 1;

	for (i = 0; (a = msgdef_at(i)) != NULL; i++) {
		for (j = 0; j < i; j++) {
			b = msgdef_at(j);
			if (a->type == b->type ||
			    strcmp(a->name, b->name) == 0)
				unique = 0;
		}
		named = named && msgdef_find(a->type) == a;
		ends = ends && a->from != 0 && a->to != 0;
	}
	test_case(i > 60, "catalogue: %zu messages", i);
	test_case(unique, "catalogue: no number or name twice");
	test_case(named, "catalogue: each is found by its number");
	test_case(ends, "catalogue: each has a sender and a receiver");
	test_case(msgdef_find(0) == NULL && msgdef_find(0xffffffff) == NULL,
	    "catalogue: an unknown number is not found");
	test_case((msgdef_find(IMSG_JAIL_START)->from & (SCRIPT | TOOL |
	    CONTROL)) == 0, "catalogue: no jail or client starts jails");
}

/* Which messages a role may send at all: a jail's powers, in full. */
static void
test_jail_powers(void)
{
	static const char *const script[] = {
		"PART", "JAIL_HELLO", "NODE_ASK", "NODE_CANCEL",
		"SCRIPT_EVENT", "SCRIPT_DONE", "SCRIPT_FAIL",
	};
	const struct msgdef	*d;
	size_t			 i, n = 0;

	for (i = 0; (d = msgdef_at(i)) != NULL; i++)
		if ((d->from & SCRIPT) != 0 && (n >= 7 ||
		    strcmp(d->name, script[n++]) != 0))
			break;
	test_case(d == NULL && n == 7,
	    "catalogue: a script jail may send these seven and no more");
	for (i = 0; (d = msgdef_at(i)) != NULL; i++)
		if ((d->from & (SCRIPT | TOOL | CONTROL)) != 0 &&
		    (d->flags & MF_RAW) == 0 && d->to != BROKER)
			break;
	test_case(d == NULL, "catalogue: jails and clients reach the broker "
	    "alone");
}

static const struct {
	const char	*what, *text;
	uint32_t	 type;
	int		 want;
} cases[] = {
	{ "all fields", "{\"jail\":1,\"cause\":\"wall\"}", IMSG_JAIL_KILL, 0 },
	{ "a field missing", "{\"jail\":1}", IMSG_JAIL_KILL, -1 },
	{ "a field extra", "{\"jail\":1,\"cause\":\"x\",\"y\":1}",
	    IMSG_JAIL_KILL, -1 },
	{ "a string for a number", "{\"jail\":\"1\",\"cause\":\"x\"}",
	    IMSG_JAIL_KILL, -1 },
	{ "a real for a number", "{\"jail\":1.0,\"cause\":\"x\"}",
	    IMSG_JAIL_KILL, -1 },
	{ "below the range", "{\"jail\":0,\"cause\":\"x\"}",
	    IMSG_JAIL_KILL, -1 },
	{ "an empty string", "{\"jail\":1,\"cause\":\"\"}",
	    IMSG_JAIL_KILL, -1 },
	{ "null", "{\"jail\":null,\"cause\":\"x\"}", IMSG_JAIL_KILL, -1 },
	{ "an optional field missing", "{\"what\":\"list\"}", IMSG_QUERY, 0 },
	{ "an optional field", "{\"what\":\"list\",\"all\":true}",
	    IMSG_QUERY, 0 },
	{ "1 for a boolean", "{\"what\":\"list\",\"all\":1}", IMSG_QUERY, -1 },
	{ "parts where a body is", "{\"run\":\"r\",\"kind\":\"log\",\"n\":0,"
	    "\"parts\":2}", IMSG_RUN_EVENT_ADD, 0 },
	{ "parts 0", "{\"run\":\"r\",\"kind\":\"log\",\"n\":0,\"parts\":0}",
	    IMSG_RUN_EVENT_ADD, -1 },
	{ "parts without a body", "{\"jail\":1,\"cause\":\"x\",\"parts\":2}",
	    IMSG_JAIL_KILL, -1 },
	{ "no fields", "{}", IMSG_OK, 0 },
};

static void
test_check(void)
{
	char	 why[128];
	json_t	*env;
	size_t	 i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		env = msg_parse(cases[i].text, strlen(cases[i].text), why,
		    sizeof(why));
		test_case(env != NULL && msgdef_check(msgdef_find(
		    cases[i].type), env, why, sizeof(why)) == cases[i].want,
		    "envelope: %s", cases[i].what);
		json_decref(env);
	}
}

static const struct {
	const char	*what, *text;
	size_t		 len, depth;
	int		 good;
} texts[] = {
	{ "an object", "{\"a\":1}", 7, 1, 1 },
	{ "nothing", "", 0, 1, 0 },
	{ "an array in it", "{\"a\":[]}", 8, 1, 0 },
	{ "brackets in a string", "{\"a\":\"[[{\"}", 11, 1, 1 },
	{ "an escaped quote", "{\"a\":\"\\\"[\"}", 11, 1, 1 },
	{ "a string for an envelope", "\"a\"", 3, 1, 0 },
	{ "a string for a body", "\"a\"", 3, 64, 1 },
	{ "a duplicate key", "{\"a\":1,\"a\":2}", 13, 1, 0 },
	{ "trailing bytes", "{} x", 4, 1, 0 },
	{ "a NUL byte", "{\"a\":\"\0\"}", 9, 1, 0 },
	{ "an escaped NUL", "{\"a\":\"\\u0000\"}", 14, 1, 0 },
	{ "a lone surrogate", "{\"a\":\"\\ud800\"}", 14, 1, 0 },
	{ "bad UTF-8", "{\"a\":\"\xff\"}", 9, 1, 0 },
	{ "an overlong form", "{\"a\":\"\xc0\xaf\"}", 10, 1, 0 },
	{ "NaN", "{\"a\":NaN}", 9, 1, 0 },
	{ "2^63", "{\"a\":9223372036854775808}", 25, 1, 0 },
	{ "1e400", "{\"a\":1e400}", 11, 1, 0 },
};

static void
test_parse(void)
{
	char	 why[128], deep[300];
	json_t	*v;
	size_t	 i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		v = json_parse(texts[i].text, texts[i].len, texts[i].depth,
		    why, sizeof(why));
		test_case((v != NULL) == texts[i].good, "json: %s",
		    texts[i].what);
		json_decref(v);
	}
	memset(deep, '[', 64);
	memset(deep + 64, ']', 64);
	v = json_parse(deep, 128, 64, why, sizeof(why));
	test_case(v != NULL, "json: 64 deep");
	test_case(!json_is_deep(v) && !json_has_deep(v),
	    "json: 64 deep is a value");
	json_decref(v);
	memset(deep, '[', 66);
	memset(deep + 66, ']', 66);
	v = json_parse(deep, 132, JSON_BODY_DEPTH, why, sizeof(why));
	test_case(json_is_deep(v) && json_has_deep(v),
	    "json: 66 deep is none, and no member of one");
	json_decref(v);
	deep[0] = '{';
	memcpy(deep + 1, "\"a\":", 4);
	memset(deep + 5, '[', 64);
	memset(deep + 69, ']', 64);
	deep[133] = '}';
	v = json_parse(deep, 134, JSON_BODY_DEPTH, why, sizeof(why));
	test_case(json_is_deep(v) && !json_has_deep(v),
	    "json: a body has members 64 deep");
	json_decref(v);
	memset(deep, '[', 65);
	memset(deep + 65, ']', 65);
	test_case(json_parse(deep, 130, 64, why, sizeof(why)) == NULL &&
	    strcmp(why, "nested more than 64 deep") == 0, "json: 65 deep");
}

int
main(void)
{
	json_object_seed(1);
	test_catalogue();
	test_jail_powers();
	test_check();
	test_parse();
	return (test_end());
}
