/*
 * The picture of a run, from its events.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "test.h"

#define START(path)	"node.start", "{\"node\":\"" path "\"}"
#define END(path, ok)	"node.end", "{\"node\":\"" path "\",\"ok\":" ok "}"

struct step {
	int64_t		 at;
	const char	*kind, *body;
};

static const struct {
	const char	*what;
	struct step	 steps[12];
	int64_t		 now;
	size_t		 max, cols;
	const char	*want;
} cases[] = {
	{
		.what = "nothing yet",
		.now = 5000, .max = 10,
		.want = "run r1  submitted  \n"
		    "0 nodes: 0 running, 0 done, 0 failed\n",
	}, {
		.what = "one node of no phase",
		.steps = {
			{ 1000, "state", "{\"state\":\"running\"}" },
			{ 2000, START("/agent#0") },
		},
		.now = 5000, .max = 10,
		.want = "run r1  running  4.0 s\n"
		    "    /agent#0    3.0 s\n"
		    "1 node: 1 running, 0 done, 0 failed\n",
	}, {
		.what = "phases count their nodes, labels name them",
		.steps = {
			{ 1000, "phase", "{\"title\":\"Find\"}" },
			{ 1000, START("/a#0") },
			{ 1000, END("/a#0", "true") },
			{ 2000, "phase", "{\"title\":\"Read\"}" },
			{ 2000, START("/a#1") },
			{ 2000, END("/a#1", "false") },
			{ 2000, "node.start", "{\"node\":\"/a#2\",\"label\":"
			    "\"a label\"}" },
			{ 2000, "node.start", "{\"node\":\"/a#3\",\"phase\":"
			    "\"Find\"}" },
			{ 2000, "tool", "{\"node\":\"/a#3\",\"tool\":"
			    "\"grep\"}" },
		},
		.now = 3000, .max = 10,
		.want = "run r1  submitted  2.0 s\n"
		    "  Find  1 of 2\n"
		    "> Read  1 of 2, 1 failed\n"
		    "    a label    1.0 s\n"
		    "    /a#3       1.0 s  grep\n"
		    "4 nodes: 2 running, 1 done, 1 failed\n",
	}, {
		.what = "few lines: the last phases, the rest of the nodes "
		    "is counted",
		.steps = {
			{ 1000, "phase", "{\"title\":\"A\"}" },
			{ 1000, "phase", "{\"title\":\"B\"}" },
			{ 1000, "phase", "{\"title\":\"C\"}" },
			{ 1000, START("/a#0") },
			{ 1000, START("/a#1") },
			{ 1000, START("/a#2") },
			{ 1000, START("/a#3") },
		},
		.now = 1000, .max = 6,
		.want = "run r1  submitted  0 ms\n"
		    "  B\n"
		    "> C  0 of 4\n"
		    "    /a#0     0 ms\n"
		    "    and 3 more\n"
		    "4 nodes: 4 running, 0 done, 0 failed\n",
	}, {
		.what = "hardly any line",
		.steps = { { 1000, START("/a#0") } },
		.now = 1000, .max = 1,
		.want = "run r1  submitted  0 ms\n",
	}, {
		.what = "no line at all",
		.max = 0,
		.want = "",
	}, {
		.what = "a node that starts again is one node",
		.steps = {
			{ 1000, START("/a#0") },
			{ 9000, START("/a#0") },
		},
		.now = 10000, .max = 10,
		.want = "run r1  submitted  9.0 s\n"
		    "    /a#0    1.0 s\n"
		    "1 node: 1 running, 0 done, 0 failed\n",
	}, {
		.what = "an end without a beginning",
		.steps = { { 1000, END("/a#0", "true") } },
		.now = 1000, .max = 10,
		.want = "run r1  submitted  0 ms\n"
		    "1 node: 0 running, 1 done, 0 failed\n",
	}, {
		.what = "a node that nobody waits for has not failed",
		.steps = {
			{ 1000, "phase", "{\"title\":\"P\"}" },
			{ 1000, START("/a#0") },
			{ 1000, "node.end", "{\"node\":\"/a#0\",\"ok\":false,"
			    "\"class\":\"CancelledError\"}" },
		},
		.now = 1000, .max = 10,
		.want = "run r1  submitted  0 ms\n"
		    "> P  1 of 1\n"
		    "1 node: 0 running, 0 done, 0 failed, 1 cancelled\n",
	}, {
		.what = "the clock stops at the end",
		.steps = {
			{ 1000, "state", "{\"state\":\"running\"}" },
			{ 3000, "state", "{\"state\":"
			    "\"completed_with_failures\"}" },
		},
		.now = 90000, .max = 10,
		.want = "run r1  completed with failures  2.0 s\n"
		    "0 nodes: 0 running, 0 done, 0 failed\n",
	}, {
		.what = "tokens, and text that wants to be obeyed",
		.steps = {
			{ 1000, "phase", "{\"title\":\"\\u001b[2J\"}" },
			{ 1000, "node.start", "{\"node\":\"/a#0\",\"label\":"
			    "\"x\\ny\"}" },
			{ 1000, "node.end", "{\"node\":\"/a#9\",\"ok\":true,"
			    "\"tokens_in\":12345,\"tokens_out\":8}" },
		},
		.now = 1000, .max = 10,
		.want = "run r1  submitted  0 ms\n"
		    "> \\x1b[2J  0 of 1\n"
		    "    x\\x0ay     0 ms\n"
		    "2 nodes: 1 running, 1 done, 0 failed; "
		    "12.3k tokens in, 8 out\n",
	}, {
		.what = "a narrow terminal",
		.steps = {
			{ 1000, "node.start", "{\"node\":\"/a#0\",\"label\":"
			    "\"a long label of a node\"}" },
		},
		.now = 1000, .max = 10, .cols = 34,
		.want = "run r1  submitted  0 ms\n"
		    "    a long lab..     0 ms\n"
		    "1 node: 1 running, 0 done, 0 failed\n",
	}, {
		.what = "bodies without sense",
		.steps = {
			{ 1000, "state", "[]" },
			{ 1000, "phase", "{}" },
			{ 1000, "node.start", "{\"node\":7}" },
			{ 1000, "node.end", "null" },
			{ 1000, "tool", "\"x\"" },
			{ 1000, "other", "{}" },
		},
		.now = 1000, .max = 10,
		.want = "run r1    0 ms\n"
		    ">   1 of 1, 1 failed\n"
		    "1 node: 0 running, 0 done, 1 failed\n",
	},
};

static void
feed(struct progress *p, const struct step *step)
{
	struct event	ev = { .at = step->at, .kind = step->kind };

	ev.body = json_loads(step->body, JSON_DECODE_ANY, NULL);
	if (ev.body == NULL)
		abort();
	progress_event(p, &ev);
	json_decref(ev.body);
}

static void
picture(const struct progress *p, int64_t now, size_t cols, size_t max,
    char *text)
{
	struct line	lines[32];
	size_t		i, n;

	n = progress_lines(p, now, cols, lines, max);
	*text = '\0';
	for (i = 0; i < n; i++) {
		strcat(text, lines[i].text);
		strcat(text, "\n");
	}
	if (n > max)
		strcat(text, "too many\n");
}

static void
test_pictures(void)
{
	struct progress	*p;
	char		 text[4096];
	size_t		 i, k;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		p = progress_new("r1");
		for (k = 0; cases[i].steps[k].kind != NULL; k++)
			feed(p, &cases[i].steps[k]);
		picture(p, cases[i].now, cases[i].cols != 0 ?
		    cases[i].cols : 80, cases[i].max, text);
		if (!test_case(strcmp(text, cases[i].want) == 0,
		    "picture: %s", cases[i].what))
			printf("%s", text);
		progress_free(p);
	}
}

/* However many phases and nodes there are, and however few lines. */
static void
test_bounds(void)
{
	struct progress	*p;
	struct step	 step = { .at = 1 };
	char		 body[64], text[32 * 520];
	size_t		 i, max;
	int		 ok = 1;

	p = progress_new("r1");
	for (i = 0; i < 1000; i++) {
		snprintf(body, sizeof(body), "{\"title\":\"%zu\",\"node\":"
		    "\"%zu\"}", i, i);
		step.body = body;
		step.kind = "phase";
		feed(p, &step);
		step.kind = "node.start";
		feed(p, &step);
	}
	for (max = 0; max < 32; max++) {
		picture(p, 1, max, max, text);
		ok &= strstr(text, "too many") == NULL;
	}
	test_case(ok && strstr(text, "1000 nodes: 1000 running") != NULL,
	    "1000 phases and nodes in 0 to 31 lines");
	progress_free(p);
}

int
main(void)
{
	(void)setlocale(LC_CTYPE, "C.UTF-8");	/* the cases are ASCII */
	test_pictures();
	test_bounds();
	return (test_end());
}
