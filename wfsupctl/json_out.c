#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "failure.h"
#include "json_out.h"
#include "utf8.h"

static void
put_escape(FILE *out, uint32_t c)
{
	if (c < 0x10000) {
		fprintf(out, "\\u%04x", c);
		return;
	}
	c -= 0x10000;
	fprintf(out, "\\u%04x\\u%04x", 0xd800 + (c >> 10), 0xdc00 +
	    (c & 0x3ff));
}

/* Such characters stand only in strings, so escapes are as good. */
static void
put_safe(FILE *out, const char *text)
{
	uint32_t	c;
	size_t		len;

	for (; *text != '\0'; text += len) {
		len = utf8_decode(text, strnlen(text, 4), &c);
		if (c == UTF8_BAD)
			put_escape(out, 0xfffd);
		else if (c == 0x7f || utf8_is_trap(c))
			put_escape(out, c);
		else
			fwrite(text, 1, len, out);
	}
}

static void
put_scalar(FILE *out, const json_t *v)
{
	char	*text = dump_json(v);

	put_safe(out, text);
	free(text);
}

static void
put_key(FILE *out, const char *key)
{
	json_t	*s;

	if ((s = json_string(key)) == NULL)
		oom();
	put_scalar(out, s);
	json_decref(s);
	fputs(": ", out);
}

static void	put_value(FILE *, const json_t *, int);

/* The separator before the n-th member, on a new line. */
static void
put_separator(FILE *out, size_t n, int depth)
{
	fprintf(out, "%s\n%*s", n > 0 ? "," : "", depth * 2, "");
}

static void
put_object(FILE *out, const json_t *v, int depth)
{
	const char	*key;
	json_t		*member;
	size_t		 n = 0;

	fputc('{', out);
	json_object_foreach((json_t *)(uintptr_t)v, key, member) {
		put_separator(out, n++, depth + 1);
		put_key(out, key);
		put_value(out, member, depth + 1);
	}
	if (n > 0)
		put_separator(out, 0, depth);
	fputc('}', out);
}

static void
put_array(FILE *out, const json_t *v, int depth)
{
	json_t	*member;
	size_t	 i;

	fputc('[', out);
	json_array_foreach(v, i, member) {
		put_separator(out, i, depth + 1);
		put_value(out, member, depth + 1);
	}
	if (i > 0)
		put_separator(out, 0, depth);
	fputc(']', out);
}

static void
put_value(FILE *out, const json_t *v, int depth)
{
	if (json_is_object(v))
		put_object(out, v, depth);
	else if (json_is_array(v))
		put_array(out, v, depth);
	else
		put_scalar(out, v);
}

void
json_out_pretty(FILE *out, const json_t *v)
{
	put_value(out, v, 0);
}

void
json_out_line(FILE *out, const json_t *v)
{
	char	*text = dump_json(v);

	put_safe(out, text);
	fputc('\n', out);
	free(text);
}

void
json_out_text(FILE *out, const char *text)
{
	char	*line;
	size_t	 i, n = 0;

	/* Line breaks in JSON stand only between its words. */
	if ((line = malloc(strlen(text) + 1)) == NULL)
		oom();
	for (i = 0; text[i] != '\0'; i++)
		if (text[i] != '\n' && text[i] != '\r')
			line[n++] = text[i];
	line[n] = '\0';
	put_safe(out, line);
	fputc('\n', out);
	free(line);
}
