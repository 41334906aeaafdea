/*
 * The compiler of patterns: by recursive descent to a small program. Blocks
 * of it are moved and copied, which is how "+", "|" and "{m,n}" are made.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern_code.h"

#define COUNT_MAX	1000
#define UNBOUNDED	-1

struct parse {
	struct pattern	*out;
	const char	*at;
	int		 depth;
	char		*why;
	size_t		 whylen;
};

static int	parse_alternatives(struct parse *);

static int __attribute__((format(printf, 2, 3)))
refuse(struct parse *p, const char *fmt, ...)
{
	va_list	ap;

	va_start(ap, fmt);
	vsnprintf(p->why, p->whylen, fmt, ap);
	va_end(ap);
	return (-1);
}

static uint32_t
parse_char(struct parse *p)
{
	return (pattern_utf8(&p->at, p->at + strlen(p->at)));
}

static int
emit(struct parse *p, enum op op, int a, int b)
{
	struct pattern	*out = p->out;

	if (out->ncode == PATTERN_CODE_MAX)
		return (refuse(p, "the pattern is too large"));
	out->code[out->ncode++] = (struct insn){ op, a, b };
	return (0);
}

/* Make room for one instruction at start, in front of a block. */
static int
emit_before(struct parse *p, int start, enum op op, int a, int b)
{
	struct insn	*code = p->out->code;

	if (emit(p, op, a, b) == -1)
		return (-1);
	memmove(&code[start + 1], &code[start],
	    (size_t)(p->out->ncode - 1 - start) * sizeof(*code));
	code[start] = (struct insn){ op, a, b };
	return (0);
}

static int
add_range(struct parse *p, uint32_t lo, uint32_t hi)
{
	struct pattern	*out = p->out;

	if (lo > hi)
		return (refuse(p, "a range of a class runs backwards"));
	if (out->nranges == PATTERN_RANGES_MAX)
		return (refuse(p, "the pattern has too many classes"));
	out->ranges[out->nranges++] = (struct range){ lo, hi };
	return (0);
}

/* The ranges of \d, \w, \s; of their complements if the letter is upper. */
static int
add_class(struct parse *p, char letter)
{
	static const struct range	digit[] = { { '0', '9' } };
	static const struct range	word[] = {
		{ '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } };
	static const struct range	space[] = { { 9, 13 }, { 32, 32 },
		{ 0xa0, 0xa0 }, { 0x1680, 0x1680 }, { 0x2000, 0x200a },
		{ 0x2028, 0x2029 }, { 0x202f, 0x202f }, { 0x205f, 0x205f },
		{ 0x3000, 0x3000 }, { 0xfeff, 0xfeff } };
	const struct range		*set = space;
	size_t				 i, n = 10;
	uint32_t			 from = 0;
	int				 lower = letter | 0x20;

	if (lower == 'd') {
		set = digit;
		n = 1;
	} else if (lower == 'w') {
		set = word;
		n = 4;
	}
	for (i = 0; i < n; i++) {
		if (letter == lower) {
			if (add_range(p, set[i].lo, set[i].hi) == -1)
				return (-1);
			continue;
		}
		if (set[i].lo > from &&
		    add_range(p, from, set[i].lo - 1) == -1)
			return (-1);
		from = set[i].hi + 1;
	}
	if (letter != lower)
		return (add_range(p, from, UINT32_MAX));
	return (0);
}

static int
parse_hex(struct parse *p, int digits, uint32_t *c)
{
	*c = 0;
	for (; digits > 0; digits--, p->at++) {
		if (!isxdigit((unsigned char)*p->at))
			return (refuse(p, "bad hexadecimal escape"));
		*c = *c << 4 | (uint32_t)(*p->at <= '9' ? *p->at - '0' :
		    (*p->at | 0x20) - 'a' + 10);
	}
	return (0);
}

/* The character that an escape stands for; the backslash is taken. */
static int
parse_escape(struct parse *p, uint32_t *c)
{
	static const char	names[] = "tnrfv0", values[] = "\t\n\r\f\v";
	const char		*name;
	char			 letter = *p->at;

	if (letter == '\0')
		return (refuse(p, "a backslash at the end"));
	if (letter == 'x' || letter == 'u') {
		p->at++;
		return (parse_hex(p, letter == 'x' ? 2 : 4, c));
	}
	if ((name = strchr(names, letter)) != NULL) {
		p->at++;
		*c = (uint32_t)values[name - names];
		return (0);
	}
	if (letter >= '1' && letter <= '9')
		return (refuse(p, "back-references are not supported"));
	if (isalpha((unsigned char)letter))
		return (refuse(p, "\\%c is not supported", letter));
	*c = parse_char(p);
	return (0);
}

/* One end of a range inside a class, or a \d and its kin (then *c is 0). */
static int
parse_class_item(struct parse *p, uint32_t *c, int *is_class)
{
	*is_class = 0;
	if (*p->at != '\\') {
		*c = parse_char(p);
		return (0);
	}
	p->at++;
	if (*p->at != '\0' && strchr("dDwWsS", *p->at) != NULL) {
		*is_class = 1;
		*c = 0;
		return (add_class(p, *p->at++));
	}
	if (*p->at == 'b') {
		p->at++;
		*c = '\b';
		return (0);
	}
	return (parse_escape(p, c));
}

static int
parse_class(struct parse *p)
{
	uint32_t	lo, hi;
	int		first = p->out->nranges, not, is_class;

	if ((not = *p->at == '^'))
		p->at++;
	while (*p->at != ']') {
		if (*p->at == '\0')
			return (refuse(p, "a class is not closed"));
		if (parse_class_item(p, &lo, &is_class) == -1)
			return (-1);
		if (is_class)
			continue;
		hi = lo;
		if (p->at[0] == '-' && p->at[1] != ']' && p->at[1] != '\0') {
			p->at++;
			if (parse_class_item(p, &hi, &is_class) == -1)
				return (-1);
			if (is_class)
				return (refuse(p, "a class can't end a range"));
		}
		if (add_range(p, lo, hi) == -1)
			return (-1);
	}
	p->at++;
	return (emit(p, not ? OP_NOTSET : OP_SET, first,
	    p->out->nranges - first));
}

static int
parse_group(struct parse *p)
{
	if (*p->at == '?') {
		if (p->at[1] != ':')
			return (refuse(p, "look-around and named groups are "
			    "not supported"));
		p->at += 2;
	}
	if (++p->depth > PATTERN_DEPTH_MAX)
		return (refuse(p, "groups are nested too deeply"));
	if (parse_alternatives(p) == -1)
		return (-1);
	p->depth--;
	if (*p->at != ')')
		return (refuse(p, "a group is not closed"));
	p->at++;
	return (0);
}

static int
parse_backslash(struct parse *p)
{
	uint32_t	c;
	int		first = p->out->nranges;

	if (*p->at == 'b' || *p->at == 'B')
		return (emit(p, *p->at++ == 'b' ? OP_WORD : OP_NOTWORD, 0, 0));
	if (*p->at != '\0' && strchr("dDwWsS", *p->at) != NULL) {
		if (add_class(p, *p->at++) == -1)
			return (-1);
		return (emit(p, OP_SET, first, p->out->nranges - first));
	}
	if (parse_escape(p, &c) == -1)
		return (-1);
	return (emit(p, OP_CHAR, (int)c, 0));
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
		return (parse_class(p));
	case '\\':
		p->at++;
		return (parse_backslash(p));
	case '.':
		p->at++;
		return (emit(p, OP_ANY, 0, 0));
	case '^':
		p->at++;
		return (emit(p, OP_BEGIN, 0, 0));
	case '$':
		p->at++;
		return (emit(p, OP_END, 0, 0));
	case '*':
	case '+':
	case '?':
		return (refuse(p, "nothing to repeat before %c", *p->at));
	}
	return (emit(p, OP_CHAR, (int)parse_char(p), 0));
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
		return (refuse(p, "a count is over %d", COUNT_MAX));
	if (*end == ',') {
		s = end + 1;
		*most = UNBOUNDED;
		if (isdigit((unsigned char)*s)) {
			*most = (int)strtoul(s, &end, 10);
			if (end - s > 4 || *most > COUNT_MAX)
				return (refuse(p, "a count is over %d",
				    COUNT_MAX));
		} else
			end++;
	}
	if (*end != '}')
		return (0);
	if (*most != UNBOUNDED && *most < *least)
		return (refuse(p, "a count runs backwards"));
	p->at = end + 1;
	return (1);
}

static int
append(struct parse *p, const struct insn *block, int len)
{
	int	i;

	for (i = 0; i < len; i++)
		if (emit(p, block[i].op, block[i].a, block[i].b) == -1)
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
		return (emit(p, OP_SPLIT, -len, 1));
	if (most == UNBOUNDED) {
		if (emit(p, OP_SPLIT, 1, len + 2) == -1 ||
		    append(p, block, len) == -1)
			return (-1);
		return (emit(p, OP_JUMP, -(len + 1), 0));
	}
	for (i = most - least; i > 0; i--)
		if (emit(p, OP_SPLIT, 1, i * (len + 1)) == -1 ||
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
		return (refuse(p, "out of memory"));
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
		    emit(p, OP_JUMP, last, 0) == -1)
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
		(void)refuse(&p, "the pattern is longer than %d bytes",
		    PATTERN_TEXT_MAX);
		return (NULL);
	}
	if ((p.out = calloc(1, sizeof(*p.out))) == NULL) {
		(void)refuse(&p, "out of memory");
		return (NULL);
	}
	if (parse_alternatives(&p) == -1)
		goto fail;
	if (*p.at != '\0') {
		(void)refuse(&p, "a parenthesis closes nothing");
		goto fail;
	}
	if (emit(&p, OP_MATCH, 0, 0) == -1)
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
