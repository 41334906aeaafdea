/*
 * Values of tools as text for a model.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render.h"
#include "text.h"

/* How much of a text is shown, counted from its head. */
static size_t
head(const char *s, size_t n, size_t *lines)
{
	size_t		 end = 0;
	const char	*newline;

	*lines = 0;
	while (end < n && *lines < RENDER_LINES_MAX) {
		newline = memchr(s + end, '\n', n - end);
		if (newline == NULL)
			newline = s + n - 1;
		if ((size_t)(newline - s) + 1 > RENDER_BYTES_MAX)
			break;
		end = (size_t)(newline - s) + 1;
		(*lines)++;
	}
	return (end);
}

/* Where the shown part begins, counted from the tail. */
static size_t
tail(const char *s, size_t n)
{
	size_t	begin = n, lines = 0, line;

	while (begin > 0 && lines < RENDER_LINES_MAX) {
		line = begin - 1;	/* its newline, if it has one */
		while (line > 0 && s[line - 1] != '\n')
			line--;
		if (n - line > RENDER_BYTES_MAX)
			break;
		begin = line;
		lines++;
	}
	if (begin == n && n > 0)
		begin = text_skip(s, n, n - RENDER_BYTES_MAX);
	return (begin);
}

static size_t
count_lines(const char *s, size_t n)
{
	size_t	i, lines = 0;

	for (i = 0; i < n; i++)
		if (s[i] == '\n' || i == n - 1)
			lines++;
	return (lines);
}

static void
render_read(FILE *out, const json_t *input, const json_t *value)
{
	const char	*s = json_string_value(value);
	size_t		 n = json_string_length(value), end, lines;
	json_int_t	 first;

	first = json_integer_value(json_object_get(input, "offset"));
	if (first < 1)
		first = 1;
	if (n == 0) {
		fputs("(empty)", out);
		return;
	}
	if ((end = head(s, n, &lines)) == 0) {
		end = text_cut(s, n, RENDER_BYTES_MAX);
		fwrite(s, 1, end, out);
		fprintf(out, "\n[line %lld is longer than this: %zu bytes "
		    "shown. Use bash with cut or head -c for the rest.]",
		    (long long)first, end);
		return;
	}
	fwrite(s, 1, end, out);
	if (end < n)
		fprintf(out, "[lines %lld-%lld shown, %zu more. Use "
		    "offset=%lld to go on.]", (long long)first,
		    (long long)first + (long long)lines - 1,
		    count_lines(s + end, n - end),
		    (long long)first + (long long)lines);
}

static char *
join(const json_t *value, size_t *len)
{
	static const char	*const parts[] = { "stdout", "stderr" };
	const json_t		*part;
	FILE			*out;
	char			*text = NULL;
	long			 at;
	size_t			 i;

	if ((out = open_memstream(&text, len)) == NULL)
		return (NULL);
	for (i = 0; i < 2; i++) {
		part = json_object_get(value, parts[i]);
		if (json_string_length(part) == 0)
			continue;
		if ((at = ftell(out)) > 0 && fflush(out) == 0 &&
		    text[at - 1] != '\n')
			fputc('\n', out);
		fwrite(json_string_value(part), 1, json_string_length(part),
		    out);
	}
	if (fclose(out) != 0) {
		free(text);
		return (NULL);
	}
	return (text);
}

static void
render_bash(FILE *out, const json_t *value)
{
	json_int_t	 status;
	char		*text;
	size_t		 n, begin;

	if ((text = join(value, &n)) == NULL)
		return;
	begin = tail(text, n);
	if (begin > 0)
		fprintf(out, "[the first %zu bytes are left out. Send the "
		    "output to a file to read all of it.]\n", begin);
	fwrite(text + begin, 1, n - begin, out);
	if (n == 0)
		fputs("(no output)", out);
	status = json_integer_value(json_object_get(value, "exit"));
	if (status != 0)
		fprintf(out, "%s[exit %lld%s]",
		    n > 0 && text[n - 1] == '\n' ? "" : "\n",
		    (long long)status, status == 124 ? ", out of time" : "");
	free(text);
}

static void
render_match(FILE *out, const json_t *match)
{
	const json_t	*path, *text;
	size_t		 n, shown;

	path = json_object_get(match, "path");
	text = json_object_get(match, "text");
	n = json_string_length(text);
	fprintf(out, "%s:%lld: ", json_is_string(path) ?
	    json_string_value(path) : "?", (long long)json_integer_value(
	    json_object_get(match, "line")));
	if (n > 0) {
		shown = text_cut(json_string_value(text), n, RENDER_MATCH_MAX);
		fwrite(json_string_value(text), 1, shown, out);
		if (shown < n)
			fputs("...", out);
	}
	fputc('\n', out);
}

/* Of a list at most max, and what to do about the rest. */
static void
render_list(FILE *out, const json_t *value, size_t max, int matches)
{
	const json_t	*item;
	size_t		 i, n = json_array_size(value);

	if (n == 0)
		fputs("(no matches)", out);
	for (i = 0; i < n && i < max; i++) {
		item = json_array_get(value, i);
		if (matches)
			render_match(out, item);
		else if (json_is_string(item))
			fprintf(out, "%s\n", json_string_value(item));
	}
	if (n > max)
		fprintf(out, "[%zu of %zu shown. Use a narrower pattern or "
		    "path for the rest.]", max, n);
}

static void
render_json(FILE *out, const json_t *value)
{
	char	*text;
	size_t	 n, shown;

	text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY |
	    JSON_REAL_PRECISION(17));
	if (text == NULL)
		return;
	n = strlen(text);
	shown = text_cut(text, n, RENDER_BYTES_MAX);
	fwrite(text, 1, shown, out);
	if (shown < n)
		fprintf(out, "\n[%zu of %zu bytes shown]", shown, n);
	free(text);
}

static const char *
string(const json_t *object, const char *key, const char *otherwise)
{
	const char	*s = json_string_value(json_object_get(object, key));

	return (s == NULL || *s == '\0' ? otherwise : s);
}

static void
render_error(FILE *out, const json_t *error)
{
	const char	*cause = string(error, "cause", NULL);
	const char	*rule = string(error, "rule", NULL);

	fprintf(out, "Error: %s", string(error, "message", "it failed"));
	if (cause != NULL)
		fprintf(out, " (%s)", cause);
	if (rule != NULL)
		fprintf(out, " [%s]", rule);
}

static void
render_value(FILE *out, const char *tool, const json_t *input,
    const json_t *value)
{
	if (strcmp(tool, "read") == 0 && json_is_string(value))
		render_read(out, input, value);
	else if (strcmp(tool, "bash") == 0 && json_is_object(value))
		render_bash(out, value);
	else if (strcmp(tool, "grep") == 0 && json_is_array(value))
		render_list(out, value, RENDER_MATCHES_MAX, 1);
	else if (strcmp(tool, "glob") == 0 && json_is_array(value))
		render_list(out, value, RENDER_PATHS_MAX, 0);
	else if (strcmp(tool, "write") == 0 && json_is_object(value))
		fprintf(out, "%lld bytes written to %s", (long long)
		    json_integer_value(json_object_get(value, "bytes")),
		    string(input, "path", "the file"));
	else if (strcmp(tool, "edit") == 0 && json_is_object(value))
		fprintf(out, "%lld replaced in %s", (long long)
		    json_integer_value(json_object_get(value, "replaced")),
		    string(input, "path", "the file"));
	else
		render_json(out, value);
}

char *
render_outcome(const char *tool, const json_t *input, int ok,
    const json_t *value)
{
	FILE	*out;
	char	*text = NULL;
	size_t	 n;

	if ((out = open_memstream(&text, &n)) == NULL)
		return (NULL);
	if (ok)
		render_value(out, tool, input, value);
	else
		render_error(out, value);
	if (ftell(out) == 0)
		fputs("(nothing)", out);
	if (fclose(out) != 0) {
		free(text);
		return (NULL);
	}
	return (text);
}
