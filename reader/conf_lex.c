/*
 * The lexer of wfsupd.conf(5): words, quoted words, braces, commas, ends of
 * lines. A backslash before the end of a line joins it with the next one; a
 * '#' begins a comment.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "conf_parse.h"

static int
next_char(struct parser *p)
{
	int	c;

	while ((c = getc(p->in)) == '\\') {
		if ((c = getc(p->in)) != '\n') {
			(void)ungetc(c, p->in);
			return ('\\');
		}
		p->line++;
	}
	return (c);
}

static int
skip_space(struct parser *p)
{
	int	c;

	while ((c = next_char(p)) == ' ' || c == '\t' || c == '\r')
		continue;
	if (c == '#')
		while ((c = getc(p->in)) != '\n' && c != EOF)
			continue;
	return (c);
}

/* Append c to the word; a word that is too long is reported once. */
static void
token_add(struct parser *p, size_t *n, int c)
{
	if (*n == sizeof(p->token) - 1)
		conf_error(p, "a word of more than %zu bytes",
		    sizeof(p->token) - 1);
	if (*n < sizeof(p->token) - 1) {
		p->token[*n] = (char)c;
		p->token[*n + 1] = '\0';
	}
	(*n)++;
}

static int
quoted_word(struct parser *p)
{
	size_t	n = 0;
	int	c, start = p->line;

	p->quoted = 1;
	while ((c = getc(p->in)) != '"') {
		if (c == EOF) {
			p->line = start;
			conf_error(p, "the string that begins here never ends");
			return (LEX_END);
		}
		if (c == '\n')
			p->line++;
		if (c == '\\' && (c = getc(p->in)) == 'n')
			c = '\n';
		if (c == '\0')
			conf_error(p, "NUL in a string");
		else if (c != EOF)
			token_add(p, &n, c);
	}
	return (LEX_WORD);
}

static int
is_word(int c)
{
	return (c != EOF && c != '\0' && !isspace(c) &&
	    strchr("{},#\"", c) == NULL);
}

static int
bare_word(struct parser *p, int c)
{
	size_t	n = 0;

	for (; is_word(c); c = next_char(p))
		token_add(p, &n, c);
	if (c != EOF)
		(void)ungetc(c, p->in);
	return (LEX_WORD);
}

int
conf_lex(struct parser *p)
{
	int	c;

	p->token[0] = '\0';
	p->quoted = 0;
	/* The line of an end of line is the one it ends. */
	p->line += p->newline;
	p->newline = 0;
	c = skip_space(p);
	if (c == EOF)
		return (LEX_END);
	if (c == '\n') {
		p->newline = 1;
		return (LEX_NEWLINE);
	}
	if (c == '"')
		return (quoted_word(p));
	if (is_word(c))
		return (bare_word(p, c));
	p->token[0] = (char)c;
	p->token[1] = '\0';
	if (c == '}')
		p->in_words = 0;
	if (c == '\0')
		conf_error(p, "NUL byte");
	return (c == '\0' ? LEX_NEWLINE : c);
}
