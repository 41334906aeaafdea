#include <bsd/stdlib.h>
#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "text.h"

static const struct option longs[] = {
	{ "all",	no_argument,		NULL, 'A' },
	{ "args",	required_argument,	NULL, 'a' },
	{ "help",	no_argument,		NULL, 'h' },
	{ "json",	no_argument,		NULL, 'j' },
	{ "limit",	required_argument,	NULL, 'l' },
	{ "name",	required_argument,	NULL, 'n' },
	{ "quiet",	no_argument,		NULL, 'q' },
	{ "socket",	required_argument,	NULL, 's' },
	{ "tokens",	required_argument,	NULL, 't' },
	{ "wait",	no_argument,		NULL, 'W' },
	{ "workspace",	required_argument,	NULL, 'w' },
	{ NULL, 0, NULL, 0 },
};

static int
options_mistake(const struct command *cmd, const char *what, const char *arg)
{
	char	vis[256];

	if (what != NULL)
		fprintf(stderr, "wfsupctl %s: %s%s%s\n", cmd->name, what,
		    arg != NULL ? ": " : "",
		    arg != NULL ? text_vis(vis, sizeof(vis), arg, strlen(arg)) :
		    "");
	fprintf(stderr, "usage: wfsupctl %s\n", cmd->synopsis);
	return (-1);
}

static int
options_number(const struct command *cmd, int letter, const char *arg,
    int64_t most, int64_t *n)
{
	const char	*why;
	char		 what[80];

	*n = strtonum(arg, 1, most, &why);
	if (why == NULL)
		return (0);
	snprintf(what, sizeof(what), "-%c takes a number from 1 to %" PRId64
	    ", not", letter, most);
	return (options_mistake(cmd, what, arg));
}

static int
options_set(struct options *o, const struct command *cmd, int letter,
    char *arg)
{
	switch (letter) {
	case 'A':
		o->all = 1;
		return (0);
	case 'a':
		o->args = arg;
		return (0);
	case 'j':
		o->json = 1;
		return (0);
	case 'l':
		return (options_number(cmd, letter, arg, 10000, &o->limit));
	case 'n':
		o->name = arg;
		return (0);
	case 'q':
		o->quiet = 1;
		return (0);
	case 's':
		o->control = arg;
		return (0);
	case 't':
		return (options_number(cmd, letter, arg, INT64_MAX,
		    &o->tokens));
	case 'W':
		o->wait = 1;
		return (0);
	case 'w':
		o->workspace = arg;
		return (0);
	default:
		return (-1);
	}
}

/* An id has 1 to 32 letters and digits: nothing else ever names a run. */
int
is_run_id(const char *s)
{
	size_t	i;

	for (i = 0; s[i] != '\0'; i++)
		if (!isalnum((unsigned char)s[i]))
			return (0);
	return (i >= 1 && i <= 32);
}

static int
options_known(int letter)
{
	size_t	i;

	for (i = 0; longs[i].name != NULL; i++)
		if (longs[i].val == letter)
			return (1);
	return (0);
}

/*
 * What getopt_long(3) has refused. The word before its place is the option,
 * but for a letter that others follow.
 */
static int
options_unknown(const struct command *cmd, int c, const char *word)
{
	char	letter[] = { '-', (char)optopt, '\0' };

	if (c == ':')
		return (options_mistake(cmd, "an option lacks its value",
		    word));
	if (optopt == 0)
		return (options_mistake(cmd, "no such option", word));
	if (options_known(optopt))
		return (options_mistake(cmd, "an option that takes no value",
		    word));
	return (options_mistake(cmd, "no such option", letter));
}

/* An option of other commands: the index-th of longs, or a letter. */
static int
options_foreign(const struct command *cmd, int c, int index)
{
	char	text[32];

	if (index == -1)
		(void)snprintf(text, sizeof(text), "-%c", c);
	else
		(void)snprintf(text, sizeof(text), "--%s", longs[index].name);
	return (options_mistake(cmd, "not an option of this command", text));
}

static int
options_operands(struct options *o, const struct command *cmd)
{
	int	i;

	if (o->noperands < cmd->least)
		return (options_mistake(cmd, cmd->runs ?
		    "the id of a run is missing" : "the script is missing",
		    NULL));
	if (o->noperands > cmd->most)
		return (options_mistake(cmd, "one word too many",
		    o->operands[cmd->most]));
	for (i = 0; cmd->runs && i < o->noperands; i++)
		if (!is_run_id(o->operands[i]))
			return (options_mistake(cmd, "not the id of a run",
			    o->operands[i]));
	return (0);
}

int
options_parse(struct options *o, const struct command *cmd, int argc,
    char **argv)
{
	int	c, index = -1;

	optind = 0;		/* GNU: begin anew */
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":Aa:hjl:n:qs:t:Ww:", longs,
	    &index)) != -1) {
		if (c == ':' || c == '?')
			return (options_unknown(cmd, c, argv[optind - 1]));
		if (c == 'h') {
			o->operands = argv;
			return (1);
		}
		if (c != 's' && strchr(cmd->letters, c) == NULL)
			return (options_foreign(cmd, c, index));
		index = -1;
		if (options_set(o, cmd, c, optarg) == -1)
			return (-1);
	}
	o->operands = argv + optind;
	o->noperands = argc - optind;
	return (options_operands(o, cmd));
}

const struct command *
command_find(const char *name)
{
	const struct command	*cmd;

	for (cmd = commands; cmd->name != NULL; cmd++)
		if (strcmp(cmd->name, name) == 0)
			return (cmd);
	return (NULL);
}
