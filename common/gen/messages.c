/*
 * Expands the catalogue at build time: "python" prints the constants that
 * the jail's prelude uses, "mdoc" the messages of wfsup-protocol(7), with what
 * the comments of the catalogue say.
 */
#include <ctype.h>
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "comments.h"

struct row {
	const char	*name, *from, *to, *flags, *fields;
	unsigned	 number;
};

/* Sets, fields and ranges are printed from their own text, but for a list of
 * fields that has a name. */
#undef UINT32_MAX
#undef INT32_MAX
#undef INT64_MAX
#undef INT64_C
#define TEXT(...)	#__VA_ARGS__
static const struct row rows[] = {
#define MESSAGE(name, number, from, to, flags, ...)			\
	{ #name, #from, #to, #flags, TEXT(__VA_ARGS__), number },
#include "messages.def"
};

static void
print_python(void)
{
	size_t	i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		printf("%s = 0x%04x\n", rows[i].name, rows[i].number);
}

/* Print s, lower case, with " | " as a comma. */
static void
print_set(const char *s)
{
	for (; *s != '\0'; s++) {
		if (strncmp(s, " | ", 3) == 0) {
			printf(", ");
			s += 2;
		} else
			putchar(*s >= 'A' && *s <= 'Z' ? *s - 'A' + 'a' : *s);
	}
}

static const struct {
	const char	*macro, *words, *range;
} types[] = {
	{ "STR(",	"text",			"%.*s to %.*s bytes" },
	{ "INT(",	"number",		"%.*s to %.*s" },
	{ "BOOL(",	"true or false",	NULL },
	{ "OSTR(",	"text, optional",	"%.*s to %.*s bytes" },
	{ "OINT(",	"number, optional",	"%.*s to %.*s" },
	{ "OBOOL(",	"true or false, optional", NULL },
};

/* One field, "INT(jail, 1, INT64_MAX)". Returns where the next begins. */
static const char *
print_field(const char *s)
{
	const char	*name, *low, *high, *end;
	size_t		 i;

	for (i = 0; strncmp(s, types[i].macro, strlen(types[i].macro)) != 0;)
		if (++i == sizeof(types) / sizeof(types[0]))
			return (s + 1);
	name = s + strlen(types[i].macro);
	printf(".It Va %.*s\n%s", (int)strcspn(name, ",)"), name,
	    types[i].words);
	low = strchr(name, ',');
	end = strchr(name, ')');
	if (types[i].range != NULL && low != NULL) {
		low += 2;
		high = strchr(low, ',') + 2;
		/* INT64_C(9007199254740991) has brackets of its own. */
		if (strncmp(high, "INT64_C(", 8) == 0)
			high += 8;
		end = strchr(high, ')');
		printf(", ");
		printf(types[i].range, (int)strcspn(low, ","), low,
		    (int)(end - high), high);
	}
	printf("\n");
	return (end + 1);
}

/* Is the blank at i the end of a sentence? Not that of "...". */
static int
is_sentence(const char *line, size_t i)
{
	return (i > 1 && line[i] == ' ' && line[i - 1] == '.' &&
	    line[i - 2] != '.');
}

/* One line of a comment as mdoc has text: each sentence begins a line, and
 * where a body is told of the reader sees it. */
static void
print_line(const char *line, size_t len)
{
	size_t	i;

	if (len > 0 && (line[0] == '.' || line[0] == '\''))
		printf("\\&");
	for (i = 0; i < len; i++) {
		if (len - i > 4 && strncmp(line + i, "Body", 4) == 0)
			printf("%s.br\n", i > 0 && !is_sentence(line, i - 1) ?
			    "\n" : "");
		if (line[i] == '\\')
			printf("\\e");
		else if (is_sentence(line, i))
			putchar('\n');
		else
			putchar(line[i] == '\t' ? ' ' : line[i]);
	}
	putchar('\n');
}

/* What a comment says, without what makes it one. */
static void
print_comment(const char *s, const char *end)
{
	size_t	n;

	while (s < end) {
		s += strspn(s, " *\t");
		if (s >= end)
			return;
		n = strcspn(s, "\n");
		if (s + n > end)
			n = (size_t)(end - s);
		while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t'))
			n--;
		if (n > 0)
			print_line(s, n);
		s += strcspn(s, "\n");
		s += *s == '\n';
	}
}

/* "---- the title ----", and perhaps text. */
static void
print_section(const struct comment *c, int first)
{
	const char	*title = c->text + strspn(c->text, "- "), *end;

	if ((end = strstr(title, " ----")) == NULL)
		errx(1, "a section has no title: %.40s", c->text);
	if (!first)
		printf(".El\n");
	printf(".Ss %c%.*s\n", toupper((unsigned char)*title),
	    (int)(end - title - 1), title + 1);
	print_comment(end + strlen(" ----"), c->text + c->len);
	printf(".Bl -tag -width Ds\n");
}

static void
print_from(const struct row *row)
{
	printf(".It Cm %s Pq 0x%04x\nFrom ", row->name, row->number);
	print_set(row->from);
	printf(" to ");
	print_set(row->to);
	printf("%s%s.\n",
	    strstr(row->flags, "MF_BODY") ? ", with a body" : "",
	    strstr(row->flags, "MF_FDOPT") ?
	    ", with or without a descriptor" :
	    strstr(row->flags, "MF_FD") ? ", with a descriptor" : "");
}

static void
print_fields(const char *s)
{
	if (*s == '\0')
		return;
	printf(".Bl -tag -width Ds -compact\n");
	while (*s != '\0')
		s = print_field(s);
	printf(".El\n");
}

static void
print_mdoc(void)
{
	struct comments	found;
	size_t		i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		comments_next(rows[i].name, &found);
		if (found.section.text != NULL)
			print_section(&found.section, i == 0);
		else if (i == 0)
			printf(".Bl -tag -width Ds\n");
		if (strstr(rows[i].flags, "MF_BODY") != NULL &&
		    (found.message.text == NULL || memmem(found.message.text,
		    found.message.len, "Body", 4) == NULL))
			errx(1, "%s: its comment has no word on its Body",
			    rows[i].name);
		print_from(&rows[i]);
		print_comment(found.message.text,
		    found.message.text + found.message.len);
		print_fields(rows[i].fields);
	}
	printf(".El\n");
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "python") == 0)
		print_python();
	else if (argc == 3 && strcmp(argv[1], "mdoc") == 0) {
		comments_open(argv[2]);
		print_mdoc();
	} else {
		fprintf(stderr, "usage: messages python | mdoc CATALOGUE\n");
		return (2);
	}
	return (0);
}
