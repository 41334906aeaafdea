/*
 * The configuration: what is wrong with it, and where; and whose profile
 * matches.
 */
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "profile.h"
#include "test.h"
#include "verb.h"

#define PROFILE(verbs, more)						\
	"{\"verbs\":" verbs ",\"tools\":[\"read\"],\"models\":[\"*\"],"	\
	"\"agents\":[],\"tokens\":1000,\"runs\":4,"			\
	"\"memory\":268435456,\"pids\":64,\"cpu\":60,\"wall\":600,"	\
	"\"fsize\":1048576,\"files\":64,\"depth\":4,\"output\":4177920,"	\
	"\"frame\":4194304,\"calls\":4096,\"rate\":500" more "}"
#define CONFIG(profiles, allow, jails)					\
	"{\"profiles\":" profiles ",\"allow\":" allow ",\"jails\":" jails "}"
#define GOOD	"{\"default\":" PROFILE("[\"run\",\"list\"]", "") "}"
#define ANY	"[{\"who\":\"any\",\"profile\":\"default\"}]"

static const struct {
	const char	*what, *text, *says;
} bad[] = {
	{ "not an object", "[1]", "the configuration is not an object" },
	{ "an unknown key", "{\"profile\":{}}", "profile is not a key" },
	{ "no profiles", "{\"allow\":[],\"jails\":1}",
	    "profiles is not an object" },
	{ "profiles that are a list", CONFIG("[]", "[]", "1"),
	    "profiles is not an object" },
	{ "a profile that is not an object", CONFIG("{\"a\":1}", "[]", "1"),
	    "profiles.a is not an object" },
	{ "a profile without a name", CONFIG("{\"\":{}}", "[]", "1"),
	    "is not a name of 1 to 64 bytes" },
	{ "a profile without verbs", CONFIG("{\"a\":{}}", "[]", "1"),
	    "profiles.a.verbs is missing" },
	{ "an unknown verb",
	    CONFIG("{\"a\":" PROFILE("[\"run\",\"fly\"]", "") "}", "[]", "1"),
	    "profiles.a.verbs[1]: \"fly\" is not a verb" },
	{ "a verb that is a number",
	    CONFIG("{\"a\":" PROFILE("[1]", "") "}", "[]", "1"),
	    "profiles.a.verbs[0] is not a verb" },
	{ "verbs that are a word",
	    CONFIG("{\"a\":" PROFILE("\"run\"", "") "}", "[]", "1"),
	    "profiles.a.verbs is not a list" },
	{ "an unknown key of a profile",
	    CONFIG("{\"a\":" PROFILE("[]", ",\"colour\":1") "}", "[]", "1"),
	    "profiles.a.colour is not a key" },
	{ "a profile without tools",
	    CONFIG("{\"a\":{\"verbs\":[]}}", "[]", "1"),
	    "profiles.a.tools is missing" },
	{ "a tool that is a number",
	    CONFIG("{\"a\":{\"verbs\":[],\"tools\":[\"x\",2]}}", "[]", "1"),
	    "profiles.a.tools[1] is not a name" },
	{ "an empty name",
	    CONFIG("{\"a\":{\"verbs\":[],\"tools\":[\"\"]}}", "[]", "1"),
	    "profiles.a.tools[0] is not a name" },
	{ "a missing number",
	    CONFIG("{\"a\":{\"verbs\":[],\"tools\":[],\"models\":[],"
	    "\"agents\":[]}}", "[]", "1"), "profiles.a.tokens is missing" },
	{ "a number that is text",
	    CONFIG("{\"a\":{\"verbs\":[],\"tools\":[],\"models\":[],"
	    "\"agents\":[],\"tokens\":\"many\"}}", "[]", "1"),
	    "profiles.a.tokens is not a whole number" },
	{ "a negative number",
	    CONFIG("{\"a\":{\"verbs\":[],\"tools\":[],\"models\":[],"
	    "\"agents\":[],\"tokens\":-1}}", "[]", "1"),
	    "profiles.a.tokens is -1, not 0 to" },
	{ "no allow", "{\"profiles\":" GOOD ",\"jails\":1}",
	    "allow is not a list" },
	{ "an allow that is a number", CONFIG(GOOD, "[7]", "1"),
	    "allow[0] is not an object" },
	{ "an allow without who", CONFIG(GOOD, "[{}]", "1"),
	    "allow[0].who is missing" },
	{ "an unknown who",
	    CONFIG(GOOD, "[{\"who\":\"host\",\"profile\":\"default\"}]",
	    "1"), "allow[0].who: \"host\" is not user, group or any" },
	{ "a user without an id",
	    CONFIG(GOOD, "[{\"who\":\"user\",\"profile\":\"default\"}]",
	    "1"), "allow[0].id is missing" },
	{ "a group beyond 32 bits",
	    CONFIG(GOOD, "[{\"who\":\"group\",\"id\":4294967296,"
	    "\"profile\":\"default\"}]", "1"), "allow[0].id is 4294967296" },
	{ "a profile that is not there",
	    CONFIG(GOOD, "[{\"who\":\"any\",\"profile\":\"admin\"}]", "1"),
	    "allow[0].profile: there is no profile \"admin\"" },
	{ "an allow without a profile",
	    CONFIG(GOOD, "[{\"who\":\"any\"}]", "1"),
	    "allow[0].profile is missing" },
	{ "no jails", "{\"profiles\":" GOOD ",\"allow\":[]}",
	    "jails is missing" },
	{ "jails 0", CONFIG(GOOD, ANY, "0"), "jails is 0, not 1 to" },
};

static struct config *
parse(const char *text, char *why, size_t whylen)
{
	struct config	*c;
	json_t		*v = json_loads(text, JSON_DECODE_ANY, NULL);

	if (v == NULL)
		abort();
	c = config_parse(v, why, whylen);
	json_decref(v);
	return (c);
}

static void
test_bad(void)
{
	struct config	*c;
	char		 why[512];
	size_t		 i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		strcpy(why, "");
		c = parse(bad[i].text, why, sizeof(why));
		test_case(c == NULL && strstr(why, bad[i].says) != NULL,
		    "%s: %s", bad[i].what, why);
		config_free(c);
	}
}

static void
test_good(void)
{
	const struct profile	*p;
	struct config		*c;
	char			 why[512] = "";

	c = parse(CONFIG(GOOD, ANY, "64"), why, sizeof(why));
	if (!test_case(c != NULL, "a whole configuration is taken %s", why))
		return;
	p = config_profile(c, "default");
	test_case(p != NULL && p->verbs == (VERB_RUN | VERB_LIST) &&
	    names_has(&p->tools, "read") && !names_has(&p->tools, "bash") &&
	    names_has(&p->models, "any") && names_empty(&p->agents),
	    "a profile holds what it says");
	test_case(p->limits.wall == 600 && p->limits.files == 64 &&
	    p->tokens == 1000 && p->runs == 4 && p->depth == 4 &&
	    config_jails(c) == 64, "and its numbers");
	test_case(config_profile(c, "defaul") == NULL,
	    "a profile's name is whole");
	config_free(c);
}

#define THREE	"{\"a\":" PROFILE("[]", "") ",\"b\":" PROFILE("[]", "")	\
	",\"c\":" PROFILE("[]", "") "}"

static const struct {
	const char	*what;
	uid_t		 uid;
	gid_t		 gid;
	gid_t		 groups[2];
	size_t		 ngroups;
	const char	*want, *with_any;
} who[] = {
	{ "a user by number", 0, 0, { 0 }, 0, "a", "a" },
	{ "a user by its group", 5, 27, { 0 }, 0, "b", "b" },
	{ "a user by a supplementary group", 5, 5, { 4, 27 }, 2, "b", "b" },
	{ "the first rule that fits wins", 1000, 1, { 27 }, 1, "b", "b" },
	{ "a later rule", 1000, 1, { 0 }, 0, "c", "c" },
	{ "nobody's", 1001, 1, { 28, 26 }, 2, NULL, "a" },
	{ "a group of a user's number", 27, 1, { 0 }, 0, NULL, "a" },
};

static void
test_match(void)
{
	const struct profile	*p, *q;
	struct config		*c, *any;
	char			 why[512];
	size_t			 i;

	c = parse(CONFIG(THREE, "[{\"who\":\"user\",\"id\":0,"
	    "\"profile\":\"a\"},{\"who\":\"group\",\"id\":27,\"profile\":"
	    "\"b\"},{\"who\":\"user\",\"id\":1000,\"profile\":\"c\"}]", "1"),
	    why, sizeof(why));
	any = parse(CONFIG(THREE, "[{\"who\":\"user\",\"id\":0,"
	    "\"profile\":\"a\"},{\"who\":\"group\",\"id\":27,\"profile\":"
	    "\"b\"},{\"who\":\"user\",\"id\":1000,\"profile\":\"c\"},"
	    "{\"who\":\"any\",\"profile\":\"a\"}]", "1"), why, sizeof(why));
	for (i = 0; i < sizeof(who) / sizeof(who[0]); i++) {
		p = config_match(c, who[i].uid, who[i].gid, who[i].groups,
		    who[i].ngroups);
		q = config_match(any, who[i].uid, who[i].gid, who[i].groups,
		    who[i].ngroups);
		test_case((p == NULL ? who[i].want == NULL :
		    who[i].want != NULL && strcmp(p->name, who[i].want) == 0)
		    && q != NULL && strcmp(q->name, who[i].with_any) == 0,
		    "%s", who[i].what);
	}
	config_free(c);
	config_free(any);
	c = parse(CONFIG(GOOD, "[]", "1"), why, sizeof(why));
	test_case(config_match(c, 0, 0, NULL, 0) == NULL,
	    "without allow rules not even root has a profile");
	config_free(c);
}

/* Cut a good configuration at every byte, put something at every byte. */
static void
test_mutations(void)
{
	static const char	 text[] = CONFIG(GOOD, ANY, "64");
	static const char	 with[] = "0\"x[{]},:-";
	char			 copy[sizeof(text)], why[512];
	struct config		*c;
	json_t			*v;
	size_t			 i, j, tried = 0;

	for (i = 0; i < sizeof(text) - 1; i++)
		for (j = 0; j < sizeof(with) - 1; j++) {
			memcpy(copy, text, sizeof(text));
			copy[i] = with[j];
			if ((v = json_loads(copy, 0, NULL)) == NULL)
				continue;
			strcpy(why, "");
			c = config_parse(v, why, sizeof(why));
			if (c == NULL && why[0] == '\0')
				test_case(0, "no reason: %s", copy);
			config_free(c);
			json_decref(v);
			tried++;
		}
	test_case(tried > 50, "%zu mutations are taken or refused with a "
	    "reason", tried);
}

int
main(void)
{
	log_init("profile_test", 0);
	test_bad();
	test_good();
	test_match();
	test_mutations();
	return (test_end());
}
