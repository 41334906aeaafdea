/*
 * The table of commands, and help from it.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "options.h"
#include "text.h"

#define RESULT_EXIT							\
	"\n"								\
	"The exit status says how the run ended: 0 completed, 1 the\n"	\
	"script failed, 2 a mistake in the command, 3 completed with\n"	\
	"failures, 4 cancelled, 5 not deterministic, 6 a limit or budget,\n" \
	"7 denied, 8 the model's provider, 9 a jail crashed, 10 the daemon\n" \
	"is not reachable, 11 a fault of wfsup.\n"

const struct command commands[] = {
	{
		.name = "run",
		.run = cmd_run,
		.letters = "ajnqtw",
		.least = 1,
		.most = 1,
		.synopsis = "run [-jq] [-a JSON] [-n NAME] [-t N] [-w DIR] "
		    "FILE",
		.summary = "submit a script, follow it, print its result",
		.help =
"FILE is a Python workflow script, - is standard input (see wfsup(7)).\n"
"\n"
"  -a, --args JSON      the script's args; @PATH reads them from a file\n"
"  -w, --workspace DIR  what sandboxes see as /workspace, with your rights\n"
"  -n, --name NAME      what lists call the run; else the file's name\n"
"  -t, --tokens N       a budget of N tokens for the whole run\n"
"  -j, --json           end with one JSON object on the last line\n"
"  -q, --quiet          no progress and no summary\n"
"\n"
"Ctrl-C asks, for one key, whether to leave the run going, to cancel it, or\n"
"to go on following.\n"
		    RESULT_EXIT,
	}, {
		.name = "submit",
		.run = cmd_submit,
		.letters = "ajntw",
		.least = 1,
		.most = 1,
		.synopsis = "submit [-j] [-a JSON] [-n NAME] [-t N] [-w DIR] "
		    "FILE",
		.summary = "submit a script and print the run's id",
		.help =
"The run goes on by itself. The options are those of run; with -j the id is\n"
"printed as {\"run\": ID}.\n",
	}, {
		.name = "list",
		.run = cmd_list,
		.letters = "Ajl",
		.synopsis = "list [-Aj] [-l N]",
		.summary = "the runs",
		.help =
"  -A, --all      also other users' runs, if your profile allows it\n"
"  -l, --limit N  at most N, else 50\n"
"  -j, --json     as JSON\n",
	}, {
		.name = "show",
		.run = cmd_show,
		.letters = "j",
		.least = 1,
		.most = 1,
		.runs = 1,
		.synopsis = "show [-j] RUN",
		.summary = "all about one run",
		.help =
"  -j, --json  as JSON\n",
	}, {
		.name = "result",
		.run = cmd_result,
		.letters = "jqW",
		.least = 1,
		.most = 1,
		.runs = 1,
		.synopsis = "result [-jqW] RUN",
		.summary = "the result of a run",
		.help =
"  -W, --wait   wait for its end; else a run that goes on is exit 75\n"
"  -j, --json   the whole object of run --json\n"
"  -q, --quiet  only the result and what went wrong\n"
		    RESULT_EXIT,
	}, {
		.name = "follow",
		.run = cmd_follow,
		.letters = "jq",
		.least = 1,
		.most = 1,
		.runs = 1,
		.synopsis = "follow [-jq] RUN",
		.summary = "show a run's events until its end, then its result",
		.help =
"  -j, --json   each event as a JSON object, the last line as of run --json\n"
"  -q, --quiet  without the summary\n"
"\n"
"Ctrl-C stops following; the run goes on.\n"
		    RESULT_EXIT,
	}, {
		.name = "log",
		.run = cmd_log,
		.letters = "j",
		.least = 1,
		.most = 1,
		.runs = 1,
		.synopsis = "log [-j] RUN",
		.summary = "a run's events so far",
		.help =
"  -j, --json  each event as a JSON object\n",
	}, {
		.name = "cancel",
		.run = cmd_cancel,
		.letters = "j",
		.least = 1,
		.most = INT_MAX,
		.runs = 1,
		.synopsis = "cancel [-j] RUN ...",
		.summary = "end runs",
		.help =
"What is recorded stays; result and log still know a cancelled run.\n",
	}, {
		.name = "scopes",
		.run = cmd_scopes,
		.letters = "Aj",
		.synopsis = "scopes [-Aj]",
		.summary = "what the runs that go on may ask for",
		.help =
"  -A, --all   also other users' scopes, if your profile allows it\n"
"  -j, --json  as JSON\n",
	}, {
		.name = "doctor",
		.run = cmd_doctor,
		.letters = "Aj",
		.synopsis = "doctor [-Aj]",
		.summary = "what this host has and lacks",
		.help =
"  -A, --all   also every attempt to escape that was made at the start in a\n"
"              jail of each kind, how it was met, and the layers that close it\n"
"  -j, --json  as JSON, with all of that\n"
"\n"
"The exit status is 1 if something is lacking.\n",
	}, {
		.name = "version",
		.run = cmd_version,
		.letters = "j",
		.synopsis = "version [-j]",
		.summary = "the versions of wfsupctl and of the daemon",
		.help = "",
	}, {
		.name = "help",
		.run = cmd_help,
		.letters = "",
		.most = 1,
		.synopsis = "help [COMMAND]",
		.summary = "this, or all about one command",
		.help = "",
	},
	{ .name = NULL },
};

static void
help_all(void)
{
	const struct command	*cmd;

	puts("usage: wfsupctl [-s SOCKET] COMMAND [ARGUMENT ...]\n");
	for (cmd = commands; cmd->name != NULL; cmd++)
		printf("  %-8s %s\n", cmd->name, cmd->summary);
	puts("\n  -s SOCKET  the daemon's control socket; else WFSUP_CONTROL, "
	    "else\n             " CONTROL_SOCKET "\n\n"
	    "wfsupctl help COMMAND says more; wfsupctl(8) says all.");
}

int
cmd_help(const struct options *o)
{
	const struct command	*cmd;
	char			 vis[128];

	if (o->noperands == 0) {
		help_all();
		return (EXIT_COMPLETED);
	}
	if ((cmd = command_find(o->operands[0])) == NULL) {
		fprintf(stderr, "wfsupctl: no such command: %s\n",
		    text_vis(vis, sizeof(vis), o->operands[0],
		    strlen(o->operands[0])));
		return (EXIT_USAGE);
	}
	printf("usage: wfsupctl %s\n\n%s: %s.\n", cmd->synopsis, cmd->name,
	    cmd->summary);
	if (*cmd->help != '\0')
		printf("\n%s", cmd->help);
	return (EXIT_COMPLETED);
}
