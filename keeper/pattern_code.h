/*
 * What the compiler of patterns and the machine that runs them share: the
 * program. Jumps are relative, so that a block can be moved and copied.
 */
#ifndef PATTERN_CODE_H
#define PATTERN_CODE_H

#include <stdint.h>

#include "pattern.h"

#define PATTERN_RANGES_MAX	512

enum op {
	OP_CHAR,		/* a: the code point */
	OP_ANY,
	OP_SET,			/* a: first range, b: how many */
	OP_NOTSET,
	OP_SPLIT,		/* on at both pc + a and pc + b */
	OP_JUMP,		/* on at pc + a */
	OP_BEGIN,
	OP_END,
	OP_WORD,		/* at the edge of a word */
	OP_NOTWORD,
	OP_MATCH
};

struct insn {
	enum op	op;
	int	a, b;
};

struct range {
	uint32_t	lo, hi;
};

struct pattern {
	int		ncode, nranges;
	struct insn	code[PATTERN_CODE_MAX];
	struct range	ranges[PATTERN_RANGES_MAX];
};

/* Take one code point of valid UTF-8; 0 at the end. */
uint32_t	pattern_utf8(const char **at, const char *end);

#endif
