/*
 * The compiler of patterns: what its two files know of each other.
 */
#ifndef PATTERN_PARSE_H
#define PATTERN_PARSE_H

#include <stddef.h>

#include "pattern_code.h"

struct parse {
	struct pattern	*out;
	const char	*at;
	int		 depth;
	char		*why;
	size_t		 whylen;
};

/* pattern_atom.c. All return 0, or -1 with the reason said. */
int	 pattern_refuse(struct parse *, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));
/* Take one code point of the text. */
uint32_t pattern_char(struct parse *);
/* One instruction at the end of the program. */
int	 pattern_emit(struct parse *, enum op, int a, int b);
/* "[...]", of which the bracket is taken. */
int	 pattern_class(struct parse *);
/* What a backslash that is taken begins. */
int	 pattern_backslash(struct parse *);

#endif
