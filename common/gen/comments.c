#include <err.h>
#include <stdio.h>
#include <string.h>

#include "comments.h"

#define SECTION		"----"
#define MESSAGE		"\nMESSAGE("

static char		 text[256 * 1024];
static const char	*at = text;

void
comments_open(const char *path)
{
	size_t	 n;
	FILE	*f;

	if ((f = fopen(path, "r")) == NULL)
		err(1, "%s", path);
	n = fread(text, 1, sizeof(text) - 1, f);
	if (ferror(f) || n == sizeof(text) - 1)
		errx(1, "%s: can't be read, or is too long", path);
	(void)fclose(f);
}

/* The comment that begins at s, and where it ends. */
static const char *
comment_read(const char *s, struct comment *c)
{
	const char	*end;

	if ((end = strstr(s, "*/")) == NULL)
		errx(1, "a comment has no end: %.40s", s);
	c->text = s + 2 + strspn(s + 2, " *\n\t");
	c->len = end > c->text ? (size_t)(end - c->text) : 0;
	return (end + 2);
}

static int
is_section(const struct comment *c)
{
	return (c->len > strlen(SECTION) &&
	    strncmp(c->text, SECTION, strlen(SECTION)) == 0);
}

void
comments_next(const char *name, struct comments *found)
{
	const char	*message, *next;
	struct comment	 c;

	memset(found, 0, sizeof(*found));
	if ((message = strstr(at, MESSAGE)) == NULL)
		errx(1, "%s: not in the catalogue", name);
	while ((next = strstr(at, "/*")) != NULL && next < message) {
		at = comment_read(next, &c);
		if (is_section(&c))
			found->section = c;
		else if (at == message)
			found->message = c;
	}
	at = message + strlen(MESSAGE);
	if (strncmp(at, name, strlen(name)) != 0 || at[strlen(name)] != ',')
		errx(1, "%s: the catalogue has %.20s", name, at);
}
