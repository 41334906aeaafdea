/*
 * Expands the catalogue at build time: "python" prints the constants that
 * the jail's prelude uses, "mdoc" the table of the manual page.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Sets such as BROKER | KEEPER are printed from their own text. */
#define STRINGIFY(...)	#__VA_ARGS__

struct row {
	const char	*name, *from, *to, *flags, *fields;
	unsigned	 number;
};

static const struct row rows[] = {
#define MESSAGE(name, number, from, to, flags, ...)			\
	{ #name, #from, #to, #flags, STRINGIFY(__VA_ARGS__), number },
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

static void
print_mdoc(void)
{
	size_t	i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		printf(".It Cm %s Pq 0x%04x\n", rows[i].name, rows[i].number);
		printf("From ");
		print_set(rows[i].from);
		printf(" to ");
		print_set(rows[i].to);
		printf(".\n");
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
