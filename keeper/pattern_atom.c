/*
 * The compiler of patterns, its smallest parts: characters, escapes, classes.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pattern_parse.h"

int
pattern_refuse(struct parse *p, const char *fmt, ...)
{
	va_list	ap;

	va_start(ap, fmt);
	vsnprintf(p->why, p->whylen, fmt, ap);
	va_end(ap);
	return (-1);
}

uint32_t
pattern_char(struct parse *p)
{
	return (pattern_utf8(&p->at, p->at + strlen(p->at)));
}

int
pattern_emit(struct parse *p, enum op op, int a, int b)
{
	struct pattern	*out = p->out;

	if (out->ncode == PATTERN_CODE_MAX)
		return (pattern_refuse(p, "the pattern is too large"));
	out->code[out->ncode++] = (struct insn){ op, a, b };
	return (0);
}

static int
add_range(struct parse *p, uint32_t lo, uint32_t hi)
{
	struct pattern	*out = p->out;

	if (lo > hi)
		return (pattern_refuse(p, "a range of a class runs backwards"));
	if (out->nranges == PATTERN_RANGES_MAX)
		return (pattern_refuse(p, "the pattern has too many classes"));
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
			return (pattern_refuse(p, "bad hexadecimal escape"));
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
		return (pattern_refuse(p, "a backslash at the end"));
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
		return (pattern_refuse(p, "back-references are not supported"));
	if (isalpha((unsigned char)letter))
		return (pattern_refuse(p, "\\%c is not supported", letter));
	*c = pattern_char(p);
	return (0);
}

/* One end of a range inside a class, or a \d and its kin (then *c is 0). */
static int
parse_class_item(struct parse *p, uint32_t *c, int *is_class)
{
	*is_class = 0;
	if (*p->at != '\\') {
		*c = pattern_char(p);
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

int
pattern_class(struct parse *p)
{
	uint32_t	lo, hi;
	int		first = p->out->nranges, not, is_class;

	if ((not = *p->at == '^'))
		p->at++;
	while (*p->at != ']') {
		if (*p->at == '\0')
			return (pattern_refuse(p, "a class is not closed"));
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
				return (pattern_refuse(p, "a class can't end a range"));
		}
		if (add_range(p, lo, hi) == -1)
			return (-1);
	}
	p->at++;
	return (pattern_emit(p, not ? OP_NOTSET : OP_SET, first,
	    p->out->nranges - first));
}

int
pattern_backslash(struct parse *p)
{
	uint32_t	c;
	int		first = p->out->nranges;

	if (*p->at == 'b' || *p->at == 'B')
		return (pattern_emit(p, *p->at++ == 'b' ? OP_WORD : OP_NOTWORD, 0, 0));
	if (*p->at != '\0' && strchr("dDwWsS", *p->at) != NULL) {
		if (add_class(p, *p->at++) == -1)
			return (-1);
		return (pattern_emit(p, OP_SET, first, p->out->nranges - first));
	}
	if (parse_escape(p, &c) == -1)
		return (-1);
	return (pattern_emit(p, OP_CHAR, (int)c, 0));
}
