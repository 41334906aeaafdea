/*
 * JSON as text, with numbers as people write them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "log.h"

static void	dump_value(FILE *, const json_t *);

static void
dump_string(FILE *f, const json_t *v)
{
	char	*text;

	if ((text = json_dumps(v, JSON_ENCODE_ANY)) == NULL)
		fatalx("json_dumps: a string");
	fputs(text, f);
	free(text);
}

/* A real stays one: what is a float to the script must not become an int. */
static void
dump_real(FILE *f, double d)
{
	char	text[32];
	int	digits;

	for (digits = 15; digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	fputs(text, f);
	if (strpbrk(text, ".e") == NULL)
		fputs(".0", f);
}

static void
dump_array(FILE *f, const json_t *v)
{
	const json_t	*item;
	size_t		 i;

	fputc('[', f);
	json_array_foreach(v, i, item) {
		if (i > 0)
			fputc(',', f);
		dump_value(f, item);
	}
	fputc(']', f);
}

static void
dump_object(FILE *f, json_t *v)
{
	const char	*key;
	json_t		*item, *text;
	int		 n = 0;

	fputc('{', f);
	json_object_foreach(v, key, item) {
		if (n++ > 0)
			fputc(',', f);
		if ((text = json_string(key)) == NULL)
			fatalx("json_string");
		dump_string(f, text);
		json_decref(text);
		fputc(':', f);
		dump_value(f, item);
	}
	fputc('}', f);
}

/* Depth is bounded by what was parsed, and by what we build ourselves. */
static void
dump_value(FILE *f, const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		dump_object(f, (json_t *)(uintptr_t)v);
		return;
	case JSON_ARRAY:
		dump_array(f, v);
		return;
	case JSON_STRING:
		dump_string(f, v);
		return;
	case JSON_INTEGER:
		fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		return;
	case JSON_REAL:
		dump_real(f, json_real_value(v));
		return;
	case JSON_TRUE:
		fputs("true", f);
		return;
	case JSON_FALSE:
		fputs("false", f);
		return;
	case JSON_NULL:
		fputs("null", f);
		return;
	}
	fatalx("dump_value: type %d", json_typeof(v));
}

char *
dump_json(const json_t *v)
{
	char	*text = NULL;
	size_t	 len;
	FILE	*f;

	if ((f = open_memstream(&text, &len)) == NULL)
		fatal("open_memstream");
	dump_value(f, v);
	if (ferror(f) || fclose(f) == EOF)
		fatal("open_memstream");
	return (text);
}
