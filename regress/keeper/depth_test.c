/*
 * How deep a value may nest: 64, whatever wraps it on its way. Deeper, and the
 * run has broken the protocol, for its jail refuses that first.
 */
#include <stdio.h>
#include <string.h>

#include "fake.h"

#define DEEP_MAX	70

/* Text with each % replaced by an array n deep. Static. */
static const char *
deep(const char *text, int n)
{
	static char	 buf[4 * DEEP_MAX + 256];
	const char	*p;
	size_t		 len = 0;

	for (p = text; *p != '\0'; p++) {
		if (*p != '%') {
			buf[len++] = *p;
			continue;
		}
		memset(buf + len, '[', (size_t)n);
		memset(buf + len + n, ']', (size_t)n);
		len += 2 * (size_t)n;
	}
	buf[len] = '\0';
	return (buf);
}

static struct fake *
begin(char run[32])
{
	struct fake	*f = fake_new(NULL);

	(void)snprintf(run, 32, "%s", fake_run(f, "x"));
	fake_jail(f, run);
	(void)fake_wait(f, IMSG_SCRIPT);
	return (f);
}

/* Does the run end with this exit code, and is the script to blame? */
static int
ends(struct fake *f, int exit)
{
	struct got	*g = fake_wait(f, IMSG_RUN_END);

	return (g != NULL && got_int(g, "exit") == exit &&
	    (got_str(g, "offence")[0] != '\0') == (exit == 9));
}

static void
say_done(struct fake *f, const char *run, const char *body)
{
	fake_say(f, IMSG_RUN_DONE, 0, body, "{\"run\": \"%s\", "
	    "\"failures\": 0}", run);
}

static void
say_node(struct fake *f, const char *run, const char *body)
{
	fake_say(f, IMSG_NODE_BEGIN, 0, body, "{\"run\": \"%s\", \"path\": "
	    "\"/tool#0\", \"kind\": \"tool\", \"digest\": \"" DIGEST_A "\", "
	    "\"tool\": \"read\"}", run);
}

static void
test_result(void)
{
	char		 run[32];
	struct fake	*f = begin(run);

	say_done(f, run, deep("{\"result\": %, \"failures\": []}", 64));
	test_case(ends(f, 0), "a result 64 deep");
	fake_free(f);
	f = begin(run);
	say_done(f, run, deep("{\"result\": %, \"failures\": []}", 65));
	test_case(ends(f, 9), "65 deep it is the script's offence");
	fake_free(f);
}

static void
test_input(void)
{
	const char	*input = "{\"name\": \"read\", \"input\": "
			    "{\"path\": \"a\", \"offset\": %}}";
	char		 run[32];
	struct fake	*f = begin(run);
	struct got	*g;

	say_node(f, run, deep(input, 63));
	g = fake_wait(f, IMSG_NODE_DONE);
	test_case(g != NULL && body_str(g, "class") != NULL &&
	    strcmp(body_str(g, "class"), "ToolError") == 0,
	    "an input 64 deep is a tool's to judge");
	fake_restart(f, NULL);
	test_case(fake_wait(f, IMSG_RUN_START) != NULL, "and is replayed");
	fake_free(f);
	f = begin(run);
	say_node(f, run, deep(input, 64));
	test_case(ends(f, 9), "65 deep it is the script's offence");
	fake_free(f);
}

/* A node that runs is read back, with its input, by the next keeper. */
static void
test_recover(void)
{
	char		 run[32];
	struct fake	*f = begin(run);

	fake_say(f, IMSG_NODE_BEGIN, 0, deep("{\"name\": \"own\", "
	    "\"input\": {\"path\": \"a\", \"content\": %}}", 63),
	    "{\"run\": \"%s\", \"path\": \"/tool#0\", \"kind\": \"tool\", "
	    "\"digest\": \"" DIGEST_A "\", \"tool\": \"own\"}", run);
	fake_turn(f, 50);
	fake_restart(f, NULL);
	test_case(fake_wait(f, IMSG_RUN_START) != NULL,
	    "an input 64 deep does not stop the next keeper");
	fake_free(f);
}

static void
test_event(void)
{
	char		 run[32];
	struct fake	*f = begin(run);
	int		 i;

	for (i = 64; i <= 65; i++)
		fake_say(f, IMSG_RUN_EVENT_ADD, 0, deep("{\"message\": \"m\", "
		    "\"data\": %}", i), "{\"run\": \"%s\", \"kind\": \"log\", "
		    "\"n\": %d}", run, i);
	test_case(ends(f, 9), "what a log line has is 64 deep at most");
	fake_free(f);
}

static void
test_args(void)
{
	struct fake	*f = fake_new(NULL);
	const char	*env = "{\"uid\": 1, \"gid\": 1, \"profile\": \"p\", "
			    "\"tokens\": 0}";

	fake_say(f, IMSG_RUN_ADD, 1, deep("{\"source\": \"1\", \"args\": %}",
	    64), "%s", env);
	test_case(fake_wait(f, IMSG_RUN_ADDED) != NULL, "arguments 64 deep");
	fake_say(f, IMSG_RUN_ADD, 2, deep("{\"source\": \"1\", \"args\": %}",
	    65), "%s", env);
	test_case(fake_wait(f, IMSG_REFUSED) != NULL, "65 deep are refused");
	fake_free(f);
}

int
main(void)
{
	test_result();
	test_input();
	test_recover();
	test_event();
	test_args();
	return (test_end());
}
