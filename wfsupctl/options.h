/*
 * What the command line says.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#define CONTROL_SOCKET	"/run/wfsup/control.sock"

struct options {
	const char	*control;	/* path of the control socket */
	const char	*args;		/* JSON, or @FILE */
	const char	*workspace;
	const char	*name;
	int64_t		 tokens;	/* 0: no budget */
	int64_t		 limit;		/* 0: the daemon's own */
	int		 json;
	int		 quiet;
	int		 all;
	int		 wait;
	char		**operands;
	int		 noperands;
};

struct command {
	const char	*name;
	int		(*run)(const struct options *);	/* the exit status */
	const char	*letters;	/* the options that it takes */
	int		 least, most;	/* operands */
	int		 runs;		/* the operands are ids of runs */
	const char	*synopsis;
	const char	*summary;
	const char	*help;
};

/* The commands, up to one without a name. */
extern const struct command	commands[];

/* Can s be the id of a run? */
int			 is_run_id(const char *s);
/* NULL if there is none of this name. */
const struct command	*command_find(const char *name);

/*
 * Parse what stands after the command's name: argv[0] is the name. A
 * mistake is said on standard error. Returns 0, 1 if help is wanted, or -1.
 */
int	 options_parse(struct options *, const struct command *, int argc,
	    char **argv) __attribute__((warn_unused_result));

/* The commands themselves: they return the exit status. */
int	 cmd_run(const struct options *);
int	 cmd_submit(const struct options *);
int	 cmd_follow(const struct options *);
int	 cmd_log(const struct options *);
int	 cmd_result(const struct options *);
int	 cmd_list(const struct options *);
int	 cmd_show(const struct options *);
int	 cmd_cancel(const struct options *);
int	 cmd_scopes(const struct options *);
int	 cmd_doctor(const struct options *);
int	 cmd_version(const struct options *);
int	 cmd_help(const struct options *);

#endif
