/*
 * wfsupctl: what people and scripts say to the daemon.
 *
 * User		the caller; never setuid
 * Capabilities	the caller's
 * Files	reads the script, its arguments and opens the workspace, as
 *		the caller
 * Network	none; one connection to the control socket
 * Syscalls	not filtered
 * Peers	broker
 * Secrets	none
 */
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "options.h"
#include "room.h"
#include "text.h"

static int
usage(void)
{
	fputs("usage: wfsupctl [-s SOCKET] COMMAND [ARGUMENT ...]\n"
	    "Try 'wfsupctl help'.\n", stderr);
	return (EXIT_USAGE);
}

/* Text from scripts is UTF-8, whatever the caller's locale is. */
static void
set_locale(void)
{
	if (setlocale(LC_CTYPE, "") == NULL ||
	    strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		/* Without it, one column a byte. */
		(void)setlocale(LC_CTYPE, "C.UTF-8");
}

static int
run_command(struct options *o, int argc, char **argv)
{
	const struct command	*cmd;
	char			 vis[128];

	if ((cmd = command_find(argv[0])) == NULL) {
		fprintf(stderr, "wfsupctl: no such %s: %s\n",
		    argv[0][0] == '-' ? "option" : "command",
		    text_vis(vis, sizeof(vis), argv[0], strlen(argv[0])));
		return (usage());
	}
	switch (options_parse(o, cmd, argc, argv)) {
	case 0:
		break;
	case 1:
		o->noperands = 1;
		return (cmd_help(o));
	default:
		return (EXIT_USAGE);
	}
	return (cmd->run(o));
}

/* Options that stand before the command. Returns the place of its word, or
 * argc if there is none. */
static int
global_options(struct options *o, int argc, char **argv)
{
	int	i = 1;

	if (i < argc && strncmp(argv[i], "-s", 2) == 0) {
		if (argv[i][2] != '\0')
			o->control = argv[i++] + 2;
		else if (i + 1 < argc) {
			o->control = argv[i + 1];
			i += 2;
		} else {
			fputs("wfsupctl: -s lacks its value\n", stderr);
			return (argc);
		}
	}
	return (i);
}

/* --help and --version, which many try first. */
static char *
command_word(char *word)
{
	static char	help[] = "help", version[] = "version";

	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return (help);
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return (version);
	return (word);
}

int
main(int argc, char *argv[])
{
	struct options	 o;
	const char	*env = getenv("WFSUP_CONTROL");
	int		 first, status;

	set_locale();
	memset(&o, 0, sizeof(o));
	o.control = env != NULL && *env != '\0' ? env : CONTROL_SOCKET;
	first = global_options(&o, argc, argv);
	if (first >= argc)
		return (usage());
	argv[first] = command_word(argv[first]);
	status = run_command(&o, argc - first, argv + first);
	if (fflush(stdout) == EOF || ferror(stdout)) {
		perror("wfsupctl: standard output");
		return (EXIT_FAULT);
	}
	return (status);
}
