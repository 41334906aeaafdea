/*
 * Regular expressions for "pattern" in a JSON Schema: the part of the
 * ECMA-262 syntax that needs no backtracking. A pattern comes from a script
 * and runs in the process that holds the journal, so its size, its depth and
 * the time it takes are bounded; regcomp(3) promises none of that.
 *
 * There is: literals, ".", classes, \d \D \w \W \s \S \b \B, \t \n \r \f \v,
 * \xHH, \uHHHH, groups, "(?:", "|", "*", "+", "?", "{m,n}", "^", "$".
 * Refused by name: look-around, back-references, \p.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stddef.h>

#define PATTERN_TEXT_MAX	1024	/* bytes of its source */
#define PATTERN_CODE_MAX	2000	/* instructions, counts unrolled */
#define PATTERN_DEPTH_MAX	32	/* groups in groups */

struct pattern;

/* Compile UTF-8 text. NULL with why filled in; free with pattern_free(). */
struct pattern	*pattern_new(const char *text, char *why, size_t whylen);
void		 pattern_free(struct pattern *);

/*
 * Is there a match anywhere in the n bytes of UTF-8 at text? Each step is
 * taken off *work. Returns 1, 0, or -1 when the work is used up.
 */
int		 pattern_match(const struct pattern *, const char *text,
		    size_t n, size_t *work) __attribute__((warn_unused_result));

#endif
