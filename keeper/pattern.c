/*
 * The compiler of patterns: by recursive descent to a small program. Blocks
 * of it are moved and copied, which is how "+", "|" and "{m,n}" are made.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern_parse.h"

#define COUNT_MAX	1000
#define UNBOUNDED	-1

static int	parse_alternatives(struct parse *);

/* Make room for one instruction at start, in front of a block. */
static int
emit_before(struct parse *p, int start, enum op op, int a, int b)
{
	struct insn	*code = p->out->code;

	if (pattern_emit(p, op, a, b) == -1)
		return (-1);
	memmove(&code[start + 1], &code[start],
	    (size_t)(p->out->ncode - 1 - start) * sizeof(*code));
	code[start] = (struct insn){ op, a, b };
	return (0);
}

static int
parse_group(struct parse *p)
{
	if (*p->at == '?') {
		if (p->at[1] != ':')
			return (pattern_refuse(p, "look-around and named groups are "
			    "not supported"));
		p->at += 2;
	}
	if (++p->depth > PATTERN_DEPTH_MAX)
		return (pattern_refuse(p, "groups are nested too deeply"));
	if (parse_alternatives(p) == -1)
		return (-1);
	p->depth--;
	if (*p->at != ')')
		return (pattern_refuse(p, "a group is not closed"));
	p->at++;
	return (0);
}

static int
parse_atom(struct parse *p)
{
	switch (*p->at) {
	case '(':
		p->at++;
		return (parse_group(p));
	case '[':
		p->at++;
		return (pattern_class(p));
	case '\\':
		p->at++;
		return (pattern_backslash(p));
	case '.':
		p->at++;
		return (pattern_emit(p, OP_ANY, 0, 0));
	case '^':
		p->at++;
		return (pattern_emit(p, OP_BEGIN, 0, 0));
	case '$':
		p->at++;
		return (pattern_emit(p, OP_END, 0, 0));
	case '*':
	case '+':
	case '?':
		return (pattern_refuse(p, "nothing to repeat before %c", *p->at));
	}
	return (pattern_emit(p, OP_CHAR, (int)pattern_char(p), 0));
}

/* "{m}", "{m,}" or "{m,n}" at p->at; 0 if it is just a brace. */
static int
parse_count(struct parse *p, int *least, int *most)
{
	const char	*s = p->at + 1;
	char		*end;

	if (!isdigit((unsigned char)*s))
		return (0);
	*least = *most = (int)strtoul(s, &end, 10);
	if (end - s > 4 || *least > COUNT_MAX)
		return (pattern_refuse(p, "a count is over %d", COUNT_MAX));
	if (*end == ',') {
		s = end + 1;
		*most = UNBOUNDED;
		if (isdigit((unsigned char)*s)) {
			*most = (int)strtoul(s, &end, 10);
			if (end - s > 4 || *most > COUNT_MAX)
				return (pattern_refuse(p, "a count is over %d",
				    COUNT_MAX));
		} else
			end++;
	}
	if (*end != '}')
		return (0);
	if (*most != UNBOUNDED && *most < *least)
		return (pattern_refuse(p, "a count runs backwards"));
	p->at = end + 1;
	return (1);
}

static int
append(struct parse *p, const struct insn *block, int len)
{
	int	i;

	for (i = 0; i < len; i++)
		if (pattern_emit(p, block[i].op, block[i].a, block[i].b) == -1)
			return (-1);
	return (0);
}

/* Write block out least times, then what may follow, in place of itself. */
static int
unroll(struct parse *p, int start, const struct insn *block, int len,
    int least, int most)
{
	int	i;

	p->out->ncode = start;
	for (i = 0; i < least; i++)
		if (append(p, block, len) == -1)
			return (-1);
	if (most == UNBOUNDED && least > 0)
		return (pattern_emit(p, OP_SPLIT, -len, 1));
	if (most == UNBOUNDED) {
		if (pattern_emit(p, OP_SPLIT, 1, len + 2) == -1 ||
		    append(p, block, len) == -1)
			return (-1);
		return (pattern_emit(p, OP_JUMP, -(len + 1), 0));
	}
	for (i = most - least; i > 0; i--)
		if (pattern_emit(p, OP_SPLIT, 1, i * (len + 1)) == -1 ||
		    append(p, block, len) == -1)
			return (-1);
	return (0);
}

static int
repeat(struct parse *p, int start, int least, int most)
{
	struct insn	*block;
	int		 error, len = p->out->ncode - start;

	if (len == 0)
		return (0);
	if ((block = calloc((size_t)len, sizeof(*block))) == NULL)
		return (pattern_refuse(p, "out of memory"));
	memcpy(block, &p->out->code[start], (size_t)len * sizeof(*block));
	error = unroll(p, start, block, len, least, most);
	free(block);
	return (error);
}

static int
parse_repeated(struct parse *p)
{
	int	start = p->out->ncode, least = 0, most = UNBOUNDED, counted;

	if (parse_atom(p) == -1)
		return (-1);
	switch (*p->at) {
	case '{':
		if ((counted = parse_count(p, &least, &most)) <= 0)
			return (counted);
		break;
	case '*':
		p->at++;
		break;
	case '+':
		p->at++;
		least = 1;
		break;
	case '?':
		p->at++;
		most = 1;
		break;
	default:
		return (0);
	}
	if (*p->at == '?')	/* lazy: the same answer to "is there one?" */
		p->at++;
	return (repeat(p, start, least, most));
}

static int
parse_sequence(struct parse *p)
{
	while (*p->at != '\0' && *p->at != '|' && *p->at != ')')
		if (parse_repeated(p) == -1)
			return (-1);
	return (0);
}

/* Jumps to the end of the alternatives wait in a list linked through a. */
static int
parse_alternatives(struct parse *p)
{
	struct insn	*code = p->out->code;
	int		 start, jump, before, last = -1;

	for (;;) {
		start = p->out->ncode;
		if (parse_sequence(p) == -1)
			return (-1);
		if (*p->at != '|')
			break;
		p->at++;
		if (emit_before(p, start, OP_SPLIT, 1,
		    p->out->ncode - start + 2) == -1 ||
		    pattern_emit(p, OP_JUMP, last, 0) == -1)
			return (-1);
		last = p->out->ncode - 1;
	}
	for (jump = last; jump != -1; jump = before) {
		before = code[jump].a;
		code[jump].a = p->out->ncode - jump;
	}
	return (0);
}

struct pattern *
pattern_new(const char *text, char *why, size_t whylen)
{
	struct parse	p = { .at = text, .why = why, .whylen = whylen };

	if (strlen(text) > PATTERN_TEXT_MAX) {
		(void)pattern_refuse(&p, "the pattern is longer than %d bytes",
		    PATTERN_TEXT_MAX);
		return (NULL);
	}
	if ((p.out = calloc(1, sizeof(*p.out))) == NULL) {
		(void)pattern_refuse(&p, "out of memory");
		return (NULL);
	}
	if (parse_alternatives(&p) == -1)
		goto fail;
	if (*p.at != '\0') {
		(void)pattern_refuse(&p, "a parenthesis closes nothing");
		goto fail;
	}
	if (pattern_emit(&p, OP_MATCH, 0, 0) == -1)
		goto fail;
	return (p.out);

 fail:
	pattern_free(p.out);
	return (NULL);
}

void
pattern_free(struct pattern *p)
{
	free(p);
}
