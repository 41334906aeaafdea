/*
 * What the gateway is told: its configuration, questions, and keys.
 */
#include <sys/mman.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "failure.h"
#include "question.h"
#include "secret.h"
#include "test.h"

#define P(p)	"{\"providers\":{\"a\":{" p "}}}"
#define M(m)	"{\"providers\":{\"a\":{\"type\":\"canned\"}}," \
		"\"models\":{\"m\":{" m "}}}"
#define URL(u)	P("\"type\":\"openai\",\"url\":\"" u "\"")

static const struct {
	const char	*what;
	const char	*json;
	const char	*why;	/* NULL: it is good */
} configs[] = {
	{ "nothing", "{}", NULL },
	{ "an array", "[]", "top: must be an object" },
	{ "an unknown key", "{\"a\":1}", "a: unknown key" },
	{ "a provider without a type", P(""),
	    "providers.a.type: is missing" },
	{ "an unknown type", P("\"type\":\"x\""),
	    "providers.a.type: must be \"canned\" or \"openai\"" },
	{ "an unknown key of a provider", P("\"type\":\"canned\",\"keys\":1"),
	    "providers.a.keys: unknown key" },
	{ "canned", P("\"type\":\"canned\""), NULL },
	{ "canned with an url", P("\"type\":\"canned\",\"url\":\"http://a\""),
	    "providers.a.url: a canned provider has none" },
	{ "openai without an url", P("\"type\":\"openai\""),
	    "providers.a.url: is missing" },
	{ "https", URL("https://example.com/v1"), NULL },
	{ "http", URL("http://127.0.0.1:8080"), NULL },
	{ "HTTP in capitals", URL("HTTPS://example.com"), NULL },
	{ "file:", URL("file:///etc/passwd"),
	    "providers.a.url: must begin with https://" },
	{ "no host", URL("https:///v1"), "providers.a.url: has no host" },
	{ "a port without a host", URL("http://:80/"),
	    "providers.a.url: has no host" },
	{ "a query", URL("https://h/v1?key=x"),
	    "providers.a.url: must not have a query" },
	{ "a newline", URL("https://h/v1\\nX: y"),
	    "providers.a.url: must not have a query" },
	{ "a password", URL("https://me:pw@h/v1"),
	    "providers.a.url: must not have a user" },
	{ "an @ in the path", URL("https://h/@v1"), NULL },
	{ "a timeout of 0", P("\"type\":\"canned\",\"idle_timeout\":0"),
	    "providers.a.idle_timeout: is 0, must be 1 to 86400" },
	{ "a timeout of text", P("\"type\":\"canned\",\"total_timeout\":"
	    "\"1\""), "providers.a.total_timeout: must be an integer" },
	{ "a model", M("\"provider\":\"a\",\"name\":\"n\",\"max_tokens\":5"),
	    NULL },
	{ "a model without a provider", M("\"name\":\"n\""),
	    "models.m.provider: is missing" },
	{ "a model of no provider", M("\"provider\":\"b\""),
	    "models.m.provider: there is no provider \"b\"" },
	{ "a limit below 0", M("\"provider\":\"a\",\"max_tokens\":-1"),
	    "models.m.max_tokens: is -1" },
};

static void
test_configs(void)
{
	struct config	*c;
	char		 why[256];
	json_t		*v;
	size_t		 i;
	int		 ok;

	for (i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		v = json_loads(configs[i].json, 0, NULL);
		why[0] = '\0';
		c = config_parse(v, why, sizeof(why));
		ok = configs[i].why == NULL ? c != NULL : c == NULL &&
		    strncmp(why, configs[i].why, strlen(configs[i].why)) == 0;
		if (!test_case(ok, "configuration: %s", configs[i].what))
			printf("got %s\n", why);
		config_free(c);
		json_decref(v);
	}
}

static void
test_model(void)
{
	json_t		*v = json_loads("{\"providers\":{\"a\":{\"type\":"
			    "\"canned\"}},\"models\":{\"m\":{\"provider\":"
			    "\"a\"},\"n\":{\"provider\":\"a\",\"name\":"
			    "\"big\"}}}", 0, NULL);
	struct config	*c;
	char		 text[64];

	c = config_parse(v, text, sizeof(text));
	json_decref(v);
	if (!test_case(c != NULL, "configuration: two models"))
		return;
	test_case(strcmp(config_model(c, "m")->upstream, "m") == 0 &&
	    strcmp(config_model(c, "n")->upstream, "big") == 0 &&
	    config_model(c, "o") == NULL,
	    "a model's name for its provider is its own if not given");
	test_case(strcmp(config_model_names(c, text, sizeof(text)),
	    "m, n") == 0, "the names of all models");
	test_case(strlen(config_model_names(c, text, 4)) == 3,
	    "cut where there is no room");
	config_free(c);
}

static const struct {
	const char	*what;
	const char	*json;
	const char	*why;
} questions[] = {
	{ "no messages", "{}", "messages: there are none" },
	{ "messages that are none", "{\"messages\":[7]}",
	    "messages[0]: is not a message" },
	{ "an unknown role", "{\"messages\":[{\"role\":\"x\"}]}",
	    "messages[0].role: there is no role \"x\"" },
	{ "content that is missing", "{\"messages\":[{\"role\":\"user\"}]}",
	    "messages[0].content: must be a string" },
	{ "a tool's message without an id", "{\"messages\":[{\"role\":"
	    "\"tool\",\"name\":\"f\",\"content\":\"\"}]}",
	    "messages[0].id: is missing" },
	{ "a call without arguments", "{\"messages\":[{\"role\":"
	    "\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"name\":\"f\"}]}]}",
	    "messages[0].tool_calls[0].arguments: is missing" },
	{ "a tool without an input", "{\"messages\":[{\"role\":\"user\","
	    "\"content\":\"\"}],\"tools\":[{\"name\":\"f\",\"description\":"
	    "\"\"}]}", "tools[0].input: must be an object" },
	{ "a limit that is none", "{\"messages\":[{\"role\":\"user\","
	    "\"content\":\"\"}],\"max_tokens\":\"5\"}",
	    "max_tokens: must be an integer" },
};

static void
test_questions(void)
{
	char	 why[256];
	json_t	*v;
	size_t	 i;

	for (i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		v = json_loads(questions[i].json, 0, NULL);
		why[0] = '\0';
		if (!test_case(question_check(v, why, sizeof(why)) == -1 &&
		    strncmp(why, questions[i].why,
		    strlen(questions[i].why)) == 0, "question: %s",
		    questions[i].what))
			printf("got %s\n", why);
		json_decref(v);
	}
	v = json_loads("{\"messages\":[{\"role\":\"user\",\"content\":"
	    "\"12345\"}],\"tools\":null}", 0, NULL);
	test_case(question_tokens(v) == 2,
	    "a question's size is a quarter of its characters");
	json_decref(v);
}

static int
file_of(const char *text, size_t n)
{
	int	fd = memfd_create("test", MFD_CLOEXEC);

	if (fd == -1 || write(fd, text, n) != (ssize_t)n ||
	    lseek(fd, 0, SEEK_SET) == -1)
		abort();
	return (fd);
}

static const struct {
	const char	*what;
	const char	*file;
	const char	*key;	/* NULL: refused */
} keys[] = {
	{ "with a newline", "sk-1\n", "sk-1" },
	{ "without one", "sk-1", "sk-1" },
	{ "with CRLF", "sk-1\r\n", "sk-1" },
	{ "that is empty", "\n", NULL },
	{ "with a blank", "sk 1\n", NULL },
	{ "of two lines", "sk-1\nX-Other: y\n", NULL },
	{ "with a control", "sk\x01", NULL },
};

static void
test_keys(void)
{
	struct secret	s;
	char		why[128], longest[SECRET_MAX + 1];
	size_t		i;
	int		fd, ret;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		memset(&s, 0, sizeof(s));
		fd = file_of(keys[i].file, strlen(keys[i].file));
		ret = secret_read(&s, fd, why, sizeof(why));
		test_case(keys[i].key == NULL ? ret == -1 && s.text == NULL :
		    ret == 0 && strcmp(s.text, keys[i].key) == 0,
		    "a key %s", keys[i].what);
		secret_wipe(&s);
		(void)close(fd);
	}
	memset(longest, 'k', sizeof(longest));
	memset(&s, 0, sizeof(s));
	fd = file_of(longest, sizeof(longest));
	test_case(secret_read(&s, fd, why, sizeof(why)) == -1 &&
	    strstr(why, "longer") != NULL, "a key that is too long");
	(void)close(fd);
}

static void
test_scrub(void)
{
	char		key[] = "sk-0123456789abcdef";
	struct secret	s = { key, sizeof(key) - 1 };
	char		text[] = "bad key sk-0123456789abcdef, or sk-01234";

	secret_scrub(&s, text);
	test_case(strcmp(text, "bad key ********************, or ********") ==
	    0 || strstr(text, "sk-01") == NULL,
	    "a key is masked in a text, a piece of it as well");
}

static const struct {
	const char	*what;
	const char	*in;
	size_t		 n;
	size_t		 room;
	const char	*want;
} texts[] = {
	{ "as it is", "abc", 3, 10, "abc" },
	{ "controls are blanks", "a\nb\x1b\x7f", 5, 10, "a b  " },
	{ "bad bytes are question marks", "a\xff\xc0\x80z", 5, 10, "a???z" },
	{ "a surrogate in UTF-8 is bad", "\xed\xa0\x80", 3, 10, "???" },
	{ "an overlong character is bad", "\xe0\x80\xaf", 3, 10, "???" },
	{ "beyond the last character is bad", "\xf4\x90\x80\x80", 4, 10,
	    "????" },
	{ "characters of 2, 3 and 4 bytes pass",
	    "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9, 10,
	    "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
	{ "cut between characters", "ab\xe2\x82\xac", 5, 5, "ab" },
	{ "cut at the end of the input", "\xe2\x82\xac", 2, 10, "??" },
	{ "NUL is a blank", "a\0b", 3, 10, "a b" },
};

static void
test_texts(void)
{
	char	got[16];
	size_t	i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		text_line(got, texts[i].room, texts[i].in, texts[i].n);
		if (!test_case(strcmp(got, texts[i].want) == 0, "text: %s",
		    texts[i].what))
			printf("got %s\n", got);
	}
}

int
main(void)
{
	test_configs();
	test_model();
	test_questions();
	test_keys();
	test_scrub();
	test_texts();
	return (test_end());
}
