/*
 * The parser of the canned model's rules, in two files. Nobody else includes
 * this. All functions that return int give -1 with the complaint made.
 */
#ifndef CANNED_PARSE_H
#define CANNED_PARSE_H

#include "canned_rule.h"

int	 parse_no_memory(struct shape *, const char *path);
/* A new array of n items, one at the least, zeroed. */
void	*parse_array(size_t n, size_t size);
/* One of these words, which then is the table's own; NULL is good, too. */
int	 parse_word(struct shape *, const char *path, const char **word,
	    const char *const *words, size_t n)
	    __attribute__((warn_unused_result));

/*
 * The parts of rule v. Names for templates are added to env, with true for
 * what they will stand for.
 */
int	 parse_when(struct shape *, const char *path, const json_t *v,
	    struct rule *, json_t *env) __attribute__((warn_unused_result));
int	 parse_let(struct shape *, const char *path, const json_t *v,
	    struct rule *, json_t *env) __attribute__((warn_unused_result));
int	 parse_where(struct shape *, const char *path, const json_t *v,
	    struct rule *, const json_t *env)
	    __attribute__((warn_unused_result));

#endif
