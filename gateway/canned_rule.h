/*
 * A rule of the canned model, as its parser makes it and its matcher reads
 * it. Nobody else includes this.
 */
#ifndef CANNED_RULE_H
#define CANNED_RULE_H

#include <jansson.h>
#include <stdint.h>

#include "failure.h"
#include "search.h"
#include "shape.h"

#define CANNED_RULES_MAX	1000
#define CANNED_PATTERNS_MAX	16
#define CANNED_VALUES_MAX	64
#define CANNED_CALLS_MAX	64
#define CANNED_NAME_MAX		64
#define CANNED_LIST_MAX		1000
#define CANNED_DELAY_MAX	(10 * 60 * 1000)

struct range {
	int64_t	min, max;
};

/* Which message has to be there: the newest one that fits all of this. */
struct pattern {
	const char	*name;		/* for "in", or NULL */
	const char	*role, *tool, *contains;	/* NULL: any */
	struct search	 regex;
	int		 has_regex, last;
	const char	*as[SEARCH_GROUPS_MAX];	/* names of the groups */
	size_t		 nas;
};

enum op {
	OP_LINES,	/* how many lines */
	OP_COUNT,	/* how many lines match */
	OP_FIRST,	/* the first match */
	OP_LAST,
	OP_ALL,		/* a list of all */
	OP_SUM,		/* of the numbers that match */
	OP_MAX,
};

struct value {
	const char	*name;
	enum op		 op;
	struct search	 regex;
	int		 source;	/* a pattern's index, -1: last */
	json_t		*otherwise;	/* lent, or NULL */
};

struct condition {
	const char	*name;
	struct range	 range;
};

/* All texts and templates are lent by the parsed file. */
struct rule {
	const char		*name;
	const char		*model;		/* NULL: any */
	struct range		 turn, attempt;
	json_t			*offers;
	struct pattern		*patterns;
	size_t			 npatterns;
	struct value		*values;
	size_t			 nvalues;
	struct condition	*conditions;
	size_t			 nconditions;
	int64_t			 delay;
	const json_t		*text;		/* templates */
	json_t			*calls;
	const char		*finish;
	int			 fails;
	struct failure		 failure;
};

struct canned {
	json_t		*file;
	struct rule	*rules;
	size_t		 nrules;
};

/*
 * Check the templates in v, deeply: each ${name} is in env. Returns 0, or
 * -1 with the complaint.
 */
int	 template_check(struct shape *, const char *path, const json_t *v,
	    const json_t *env) __attribute__((warn_unused_result));
/*
 * A copy of v with each ${name} replaced. A string that is nothing but one
 * ${name} becomes the value itself, with its type. NULL: out of memory.
 */
json_t	*template_fill(const json_t *v, const json_t *env);
/* The same for a string that stays one, whatever it holds. */
json_t	*template_text(const json_t *v, const json_t *env);

/*
 * Do the messages fit, and what do the names then stand for? Returns a new
 * object, or NULL if they don't.
 */
json_t	*rule_match(const struct rule *, const char *model, int64_t attempt,
	    const json_t *body);

#endif
