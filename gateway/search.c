/*
 * Regular expressions for the canned provider. The C library's regcomp()
 * recurses with each bracket, unrolls {n,m}, and searches exponentially with
 * back-references: all three are bounded before it sees the text.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

#define REGEX_LENGTH_MAX	1024
#define REGEX_REPEAT_MAX	1000

/* Skip a bracket expression that begins at s; returns its last byte. */
static const char *
bracket_end(const char *s)
{
	char	mark;

	s++;
	if (*s == '^')
		s++;
	if (*s == ']')
		s++;
	for (; *s != '\0' && *s != ']'; s++) {
		if (*s != '[' || strchr(":.=", s[1]) == NULL || s[1] == '\0')
			continue;
		mark = s[1];
		for (s += 2; *s != '\0' && (*s != mark || s[1] != ']'); s++)
			;
		if (*s == '\0')
			break;
		s++;
	}
	return (*s == '\0' ? s - 1 : s);
}

/* The greatest number within the braces at s. */
static unsigned long
brace_number(const char *s)
{
	unsigned long	n, most = 1;
	char		*end;

	for (s++; *s != '\0' && *s != '}'; s++)
		if (isdigit((unsigned char)*s)) {
			n = strtoul(s, &end, 10);
			if (n > most)
				most = n;
			s = end - 1;
		}
	return (most);
}

/* What there is to say against a regex, or NULL. */
static const char *
regex_objection(const char *s)
{
	unsigned long	repeat = 1, n;
	int		groups = 0;

	if (strlen(s) > REGEX_LENGTH_MAX)
		return ("is longer than 1024 bytes");
	for (; *s != '\0'; s++)
		switch (*s) {
		case '\\':
			if (s[1] >= '1' && s[1] <= '9')
				return ("back-references are not supported");
			if (s[1] != '\0')
				s++;
			break;
		case '[':
			s = bracket_end(s);
			break;
		case '(':
			if (++groups > SEARCH_GROUPS_MAX)
				return ("has more than 9 groups");
			break;
		case '{':
			n = brace_number(s);
			if (n > REGEX_REPEAT_MAX / repeat)
				return ("repeats more than 1000 times");
			repeat *= n;
			break;
		}
	return (NULL);
}

int
search_compile(struct search *search, const char *regex, char *why,
    size_t whylen)
{
	const char	*objection;
	int		 error;

	if ((objection = regex_objection(regex)) != NULL) {
		(void)snprintf(why, whylen, "%s", objection);
		return (-1);
	}
	error = regcomp(&search->re, regex, REG_EXTENDED | REG_NEWLINE);
	if (error != 0) {
		(void)regerror(error, &search->re, why, whylen);
		return (-1);
	}
	search->compiled = 1;
	return (0);
}

void
search_free(struct search *search)
{
	if (search->compiled)
		regfree(&search->re);
	search->compiled = 0;
}

/* Match in line[from] to line[to]; what is before from is still seen. */
static int
match_at(const struct search *search, const char *line, regoff_t from,
    regoff_t to, struct search_match *m)
{
	regmatch_t	groups[SEARCH_GROUPS_MAX + 1] = { { from, to } };
	int		flags = REG_STARTEND | (from > 0 ? REG_NOTBOL : 0);

	if (regexec(&search->re, line, SEARCH_GROUPS_MAX + 1, groups,
	    flags) != 0)
		return (0);
	m->line = line;
	memcpy(m->groups, groups, sizeof(groups));
	return (1);
}

int
search_text(const struct search *search, const char *text,
    struct search_match *m)
{
	size_t	n = strlen(text);

	return (match_at(search, text, 0, (regoff_t)n, m));
}

/* All matches of one line. Returns what found() did. */
static int
line_each(const struct search *search, const char *line, regoff_t len,
    int (*found)(void *, const struct search_match *, int), void *ctx)
{
	struct search_match	m;
	regoff_t		from = 0;
	int			ret, newline = 1;

	while (from <= len && match_at(search, line, from, len, &m)) {
		if ((ret = found(ctx, &m, newline)) != 0)
			return (ret);
		newline = 0;
		/* An empty match must not be found again. */
		from = m.groups[0].rm_eo +
		    (m.groups[0].rm_eo == m.groups[0].rm_so);
	}
	return (0);
}

void
search_each(const struct search *search, const char *text,
    int (*found)(void *, const struct search_match *, int), void *ctx)
{
	const char	*line;
	size_t		 len;

	for (line = text; *line != '\0'; line += len) {
		len = strcspn(line, "\n");
		if (line_each(search, line, (regoff_t)len, found, ctx) != 0)
			return;
		if (line[len] == '\n')
			len++;
	}
}

const regmatch_t *
search_about(const struct search *search, const struct search_match *m)
{
	return (&m->groups[search->re.re_nsub > 0 ? 1 : 0]);
}
