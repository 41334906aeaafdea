/*
 * What the two halves of the check of a value share: the state of one check,
 * and the keywords that look at a value without going into it.
 */
#ifndef SCHEMA_CHECK_H
#define SCHEMA_CHECK_H

#include <jansson.h>

#include "schema_path.h"

enum answer {
	YES = 0,
	NO = -1,
	TOO_MUCH = -2		/* the bound on depth or work is reached */
};

struct check {
	const json_t	*root;
	struct path	 path;
	int		 depth;
	size_t		 work;		/* left */
	char		*why;
	size_t		 whylen;
};

/* What a keyword has to judge by. */
struct site {
	const json_t	*schema, *arg, *value;
};

#define refuse(c, ...)							\
	((enum answer)path_error(&(c)->path, (c)->why, (c)->whylen,	\
	    __VA_ARGS__))

/* Take n steps off the work that is left. */
enum answer	schema_spend(struct check *, size_t n);

enum answer	schema_type(struct check *, const struct site *);
enum answer	schema_enum(struct check *, const struct site *);
enum answer	schema_const(struct check *, const struct site *);
enum answer	schema_minimum(struct check *, const struct site *);
enum answer	schema_maximum(struct check *, const struct site *);
enum answer	schema_above(struct check *, const struct site *);
enum answer	schema_below(struct check *, const struct site *);
enum answer	schema_multiple(struct check *, const struct site *);
enum answer	schema_min_length(struct check *, const struct site *);
enum answer	schema_max_length(struct check *, const struct site *);
enum answer	schema_min_items(struct check *, const struct site *);
enum answer	schema_max_items(struct check *, const struct site *);
enum answer	schema_min_properties(struct check *, const struct site *);
enum answer	schema_max_properties(struct check *, const struct site *);
enum answer	schema_pattern(struct check *, const struct site *);
enum answer	schema_unique(struct check *, const struct site *);
enum answer	schema_required(struct check *, const struct site *);

#endif
