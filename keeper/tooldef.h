/*
 * What tools there are. A definition is a value without context: it names
 * nothing of a run, a session or a process, so that whoever reads a
 * recovered row can bind the same tools again.
 */
#ifndef TOOLDEF_H
#define TOOLDEF_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* What a second run of the same call would do. */
enum tool_effect {
	TOOL_READ,		/* nothing: it changes nothing */
	TOOL_IDEMPOTENT,	/* the same again */
	TOOL_DURABLE,		/* its recorded steps are served, not run */
	TOOL_ONCE		/* harm, perhaps: it is not run again */
};

/* Where a call is carried out. */
enum tool_place {
	TOOL_SANDBOX,		/* in the tool jail, through the broker */
	TOOL_KEEPER		/* in the turn loop itself */
};

struct tooldef {
	const char		*name, *description;
	const char		*input;		/* JSON Schema, as text */
	const char		*output;	/* the value, as a schema */
	enum tool_effect	 effect;
	enum tool_place		 place;
	int64_t			 timeout_ms;
	int			 exclusive;	/* not beside another call */
};

/* The n-th definition of what an agent can be given, or NULL past the end. */
const struct tooldef	*tooldef_at(size_t n);
/* NULL if there is none of this name. */
const struct tooldef	*tooldef_find(const char *name);
/* The tools that end an agent with a schema; their names are reserved. */
extern const struct tooldef	tooldef_finish, tooldef_give_up;
int			 tooldef_is_reserved(const char *name);
/* Write "bash, edit, ..." to buf, which is returned. */
const char		*tooldef_names(char *buf, size_t buflen);

/* May an interrupted call be made again without asking? */
int			 tooldef_repeatable(const struct tooldef *);
/* The time limit of this call: bash says its own, in seconds. */
int64_t			 tooldef_timeout(const struct tooldef *,
			    const json_t *input);

/*
 * Check the input of a call that a script makes. Returns 0, or -1 and in why
 * a sentence: there is no such tool, or where its input is wrong.
 */
int			 tooldef_check(const char *name, const json_t *input,
			    char *why, size_t whylen)
			    __attribute__((warn_unused_result));

#endif
