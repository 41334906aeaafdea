/*
 * wfsupd.conf(5): what it says, and where it is wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "test.h"

static int
user(void *arg, const char *name, uid_t *uid, gid_t *gid)
{
	(void)arg;
	if (strcmp(name, "root") == 0)
		*uid = *gid = 0;
	else if (strcmp(name, "alice") == 0)
		*uid = *gid = 1000;
	else if (strncmp(name, "_wf", 3) == 0)
		*uid = *gid = 900 + (unsigned)strlen(name) +
		    (unsigned)name[3];
	else
		return (-1);
	return (0);
}

static int
group(void *arg, const char *name, gid_t *gid)
{
	(void)arg;
	*gid = 50;
	return (strcmp(name, "staff") == 0 ? 0 : -1);
}

static const struct conf_names	names = { user, group, NULL };

struct errors {
	int	count;
	char	first[1024];
};

static void
report(const char *text, void *ctx)
{
	struct errors	*e = ctx;

	if (e->count++ == 0)
		(void)snprintf(e->first, sizeof(e->first), "%s", text);
}

static struct conf *
parse(const char *text, size_t len, struct errors *e)
{
	struct conf	*conf;
	FILE		*f;

	memset(e, 0, sizeof(*e));
	if ((f = fmemopen((void *)(uintptr_t)text, len, "r")) == NULL)
		return (NULL);
	conf = conf_parse(f, "t", &names, report, e);
	(void)fclose(f);
	return (conf);
}

#define FIFTY	"aaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbb"
#define LONG	FIFTY FIFTY FIFTY FIFTY FIFTY

/* A text and the first error it must give; NULL: none. */
static const struct {
	const char	*what, *text, *error;
} cases[] = {
	{ "an empty file is the default", "\n", NULL },
	{ "comments and blank lines", "# a\n\n  # b\n", NULL },
	{ "no newline at the end", "limit jails 3", NULL },
	{ "a line that goes on", "limit \\\n jails 3\n", NULL },
	{ "an unknown word, with its line", "limit jails 3\nfrobnicate 1\n",
	    "t:2: unknown word \"frobnicate\"" },
	{ "an unknown word in a block", "profile a {\n\tcpu 3\n\tfoo 1\n}\n",
	    "t:3: unknown word \"foo\"" },
	{ "a line that ends too early", "state directory\n",
	    "t:1: the line ends too early; expected word" },
	{ "a relative path", "state directory \"x\"\n",
	    "t:1: \"x\" is not an absolute path" },
	{ "a number out of range", "limit jails 0\n",
	    "t:1: \"0\" is not a number from 1 to 16384" },
	{ "a number that is none", "limit jails many\n",
	    "t:1: \"many\" is not a number from 1 to 16384" },
	{ "a size with a unit", "profile a { \n memory 64M\n}\n", NULL },
	{ "a time is no size", "profile a {\n memory 64h\n}\n",
	    "t:2: \"64h\" is not a number from 16777216 to "
	    "70368744177664 (bytes; k, M, G)" },
	{ "a size that overflows", "profile a {\n memory 9999999999999G\n}\n",
	    "t:2: \"9999999999999G\" is not a number from 16777216 to "
	    "70368744177664 (bytes; k, M, G)" },
	{ "limits of what is said", "profile a {\n output 8k\n frame 256k\n"
	    " calls 3\n log rate 5\n}\n", NULL },
	{ "a message that is too short", "profile a {\n frame 4k\n}\n",
	    "t:2: \"4k\" is not a number from 262144 to 4194304 "
	    "(bytes; k, M, G)" },
	{ "a result that is too long", "profile a {\n output 4M\n}\n",
	    "t:2: \"4M\" is not a number from 4096 to 4177920 "
	    "(bytes; k, M, G)" },
	{ "more calls than can be", "profile a {\n calls 4097\n}\n",
	    "t:2: \"4097\" is not a number from 1 to 4096" },
	{ "a rate without a number", "profile a {\n log rate\n}\n",
	    "t:2: the line ends too early; expected word" },
	{ "a path that is too long", "cgroup \"/" LONG "\"\n",
	    "t:1: a path of 251 bytes, and no more than 240 are possible" },
	{ "an unknown user", "user broker nobody-here\n",
	    "t:1: no user \"nobody-here\" on this system" },
	{ "a room as root", "user broker root\n",
	    "t:1: \"root\" is root: no room runs as root" },
	{ "two rooms with one uid", "user broker 500\nuser keeper 500\n",
	    "t:3: two rooms have the uid 500" },
	{ "a provider without rules", "provider p {\n type canned\n}\n",
	    "t:1: provider \"p\" has no rules" },
	{ "a provider without url", "provider p {\n type openai\n}\n",
	    "t:1: provider \"p\" has no url" },
	{ "a url of another kind",
	    "provider p {\n type openai\n url ftp://x\n}\n",
	    "t:1: provider \"p\": url \"ftp://x\" is neither http nor https" },
	{ "a model without its provider", "model m {\n provider q\n}\n",
	    "t:1: model \"m\": no provider \"q\"" },
	{ "a profile twice", "profile a {\n}\nprofile a {\n}\n",
	    "t:3: profile \"a\" is there already" },
	{ "an unknown profile", "allow any profile x\n",
	    "t:1: no profile \"x\"" },
	{ "an unknown verb", "profile a {\n cpu 1\n verbs { run,\n  fly }\n}\n",
	    "t:4: profile \"a\": no verb \"fly\"" },
	{ "keywords in a list are words",
	    "agent file {\n}\nagent group {\n}\n"
	    "profile a {\n verbs { run all }\n agents { file, group }\n}\n",
	    NULL },
	{ "a tool that nobody offers", "profile a {\n cpu 1\n tools { read\n"
	    "  reed }\n}\n", "t:4: no tool \"reed\"" },
	{ "a tool of an agent that nobody offers",
	    "agent a {\n tools { reed }\n}\n", "t:2: no tool \"reed\"" },
	{ "a model that is not there", "profile a {\n models { m }\n}\n",
	    "t:2: no model \"m\"" },
	{ "a model that comes later", "profile a {\n models { m }\n}\n"
	    "model m {\n provider q\n}\nprovider q {\n url http://x\n}\n",
	    NULL },
	{ "an agent that is not there", "profile a {\n agents { g }\n}\n",
	    "t:2: no agent \"g\"" },
	{ "a star is all of them", "profile a {\n tools { \"*\" }\n"
	    " models { \"*\" }\n agents { \"*\" }\n}\n", NULL },
	{ "bare default", "profile default {\n}\nallow any profile default\n",
	    NULL },
	{ "a name that is a keyword",
	    "profile group {\n}\nallow group staff profile group\n", NULL },
	{ "a keyword after a name", "profile a profile\n",
	    "t:1: misplaced \"profile\"" },
	{ "an unclosed string", "state directory \"/x\n\n",
	    "t:1: the string that begins here never ends" },
	{ "a mode that is none", "control socket /x mode 0777\n",
	    "t:1: mode \"0777\" is not 0000 to 0666" },
	{ "an unclosed block", "profile a {\n cpu 1\n", "t:3: the line ends" },
	{ "control bytes are shown safely", "\033[2J\n",
	    "t:1: unknown word \"\\x1b[2J\"" },
};

static void
test_texts(void)
{
	struct errors	 e;
	struct conf	*conf;
	size_t		 i;
	int		 ok;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		conf = parse(cases[i].text, strlen(cases[i].text), &e);
		if (cases[i].error == NULL)
			ok = conf != NULL && e.count == 0;
		else
			ok = conf == NULL && strncmp(e.first, cases[i].error,
			    strlen(cases[i].error)) == 0;
		if (!test_case(ok, "conf: %s", cases[i].what))
			printf("# got: %s\n", e.first);
		conf_free(conf);
	}
}

static void
test_all_errors(void)
{
	static const char	text[] = "foo\nlimit jails 0\nbar\n";
	struct errors		e;

	conf_free(parse(text, strlen(text), &e));
	test_case(e.count == 3, "conf: goes on after an error to find more");
}

static void
test_junk(void)
{
	struct errors	 e;
	char		*junk = calloc(1, 100001);
	size_t		 i;

	if (junk == NULL)
		abort();
	for (i = 0; i < 100000; i++)
		junk[i] = i % 2 == 0 ? 'x' : '\n';
	conf_free(parse(junk, 100000, &e));
	test_case(e.count == 20, "conf: 50,000 mistakes, 20 reports");
	free(junk);
}

static void
test_json(void)
{
	static const char text[] =
	    "provider p {\n type canned\n rules /r.json\n}\n"
	    "model m {\n provider p\n max tokens 77\n}\n"
	    "profile a {\n verbs { run }\n tools { bash grep }\n cpu 5\n}\n"
	    "allow user alice profile a\nallow group staff profile a\n";
	struct errors	 e;
	struct conf	*conf;
	json_t		*b, *k, *g, *w;

	conf = parse(text, strlen(text), &e);
	if (!test_case(conf != NULL, "conf: a small whole configuration")) {
		printf("# got: %s\n", e.first);
		return;
	}
	b = conf_broker_json(conf);
	k = conf_keeper_json(conf);
	g = conf_gateway_json(conf);
	w = conf_warden_json(conf);
	test_case(json_integer_value(json_object_get(json_object_get(w,
	    "first"), "cpu")) == 5,
	    "conf: the warden learns the limits of the first profile granted");
	test_case(json_integer_value(json_object_get(json_object_get(
	    json_object_get(b, "profiles"), "a"), "cpu")) == 5 &&
	    json_integer_value(json_object_get(json_array_get(
	    json_object_get(b, "allow"), 0), "id")) == 1000,
	    "conf: the broker learns profiles and rules");
	test_case(strcmp(json_string_value(json_object_get(k,
	    "default_model")), "m") == 0,
	    "conf: one model is the default model");
	test_case(json_integer_value(json_object_get(json_object_get(
	    json_object_get(g, "models"), "m"), "max_tokens")) == 77 &&
	    json_object_get(json_object_get(json_object_get(g, "providers"),
	    "p"), "rules") == NULL,
	    "conf: the gateway learns no path");
	json_decref(b);
	json_decref(k);
	json_decref(w);
	json_decref(g);
	conf_free(conf);
}

/* An account that no line names can't be found by the line's number. */
static int
user_none(void *arg, const char *name, uid_t *uid, gid_t *gid)
{
	return (strcmp(name, "_wfgate") == 0 ? -1 :
	    user(arg, name, uid, gid));
}

static void
test_default_user(void)
{
	static const struct conf_names	 none = { user_none, group, NULL };
	struct errors			 e = { 0, "" };
	struct conf			*conf;
	FILE				*f;

	if ((f = fmemopen((char[]){ "limit jails 3\n" }, 14, "r")) == NULL)
		abort();
	conf = conf_parse(f, "t", &none, report, &e);
	(void)fclose(f);
	test_case(conf == NULL && e.count == 1 && strstr(e.first, "no user "
	    "\"_wfgate\" on this system, which is the default as there is "
	    "no \"user gateway\" line") != NULL,
	    "a default user that is not there: %s", e.first);
}

int
main(void)
{
	test_texts();
	test_all_errors();
	test_junk();
	test_json();
	test_default_user();
	return (test_end());
}
