/*
 * Expands the catalogue at build time: "python" prints the constants that
 * the jail's prelude uses, "mdoc" the table of wfsup-protocol(7).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

static void
print_mdoc(void)
{
	const char	*s;
	size_t		 i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		printf(".It Cm %s Pq 0x%04x\nFrom ", rows[i].name,
		    rows[i].number);
		print_set(rows[i].from);
		printf(" to ");
		print_set(rows[i].to);
		printf("%s%s.\n",
		    strstr(rows[i].flags, "MF_BODY") ? ", with a body" : "",
		    strstr(rows[i].flags, "MF_FDOPT") ?
		    ", with or without a descriptor" :
		    strstr(rows[i].flags, "MF_FD") ? ", with a descriptor" :
		    "");
		if (rows[i].fields[0] == '\0')
			continue;
		printf(".Bl -tag -width Ds -compact\n");
		for (s = rows[i].fields; *s != '\0';)
			s = print_field(s);
		printf(".El\n");
	}
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "python") == 0)
		print_python();
	else if (argc == 2 && strcmp(argv[1], "mdoc") == 0)
		print_mdoc();
	else {
		fprintf(stderr, "usage: messages python | mdoc\n");
		return (2);
	}
	return (0);
}
