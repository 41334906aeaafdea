/*
 * grep and glob: what is in a tree.
 */
#include <sys/types.h>

#include <errno.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "text.h"

/* A longer line is cut, and says so. */
#define LINE_SHOWN	2000

struct search {
	const char	*root;
	const char	*glob;		/* or NULL: every file */
	regex_t		 regex;
	json_t		*found;
	size_t		 most;
	int		 full, failed;
};

static const char *
root_of(const json_t *input)
{
	const json_t	*v = json_object_get(input, "path");

	return (json_is_string(v) && json_string_length(v) > 0 ?
	    json_string_value(v) : ".");
}

/* A pattern without a slash is for the name alone, wherever the file is. */
static int
glob_wants(const char *glob, const char *path)
{
	const char	*slash;

	if (glob == NULL)
		return (1);
	if (strchr(glob, '/') == NULL && (slash = strrchr(path, '/')) != NULL)
		path = slash + 1;
	return (op_match(glob, path));
}

/* Take v (NULL: out of memory) into the list. Non-zero ends the walk. */
static int
found_add(struct search *s, json_t *v)
{
	if (v == NULL || json_array_append_new(s->found, v) == -1)
		return (s->failed = 1);
	return (s->full = json_array_size(s->found) >= s->most);
}

/* The path as the caller can use it again. */
static json_t *
shown_path(const struct search *s, const char *path)
{
	char	full[4096];

	if (strcmp(s->root, ".") == 0)
		return (text_json(path, strlen(path), 0));
	(void)snprintf(full, sizeof(full), "%s/%s", s->root, path);
	return (text_json(full, strlen(full), 0));
}

static int
grep_line(struct search *s, const char *path, int64_t number,
    const char *line, size_t len)
{
	json_t	*p, *t;

	p = shown_path(s, path);
	t = text_json(line, len < LINE_SHOWN ? len : LINE_SHOWN,
	    len < LINE_SHOWN ? 0 : len - LINE_SHOWN);
	return (found_add(s, json_pack("{s:o,s:I,s:o}", "path", p, "line",
	    (json_int_t)number, "text", t)));
}

static int
grep_stream(struct search *s, const char *path, FILE *f)
{
	char	*line = NULL;
	size_t	 size = 0;
	int64_t	 number = 0;
	ssize_t	 n;
	int	 stop = 0;

	while (!stop && (n = getline(&line, &size, f)) != -1) {
		number++;
		/* A NUL byte: not text, and nothing to show. */
		if (memchr(line, '\0', (size_t)n) != NULL)
			break;
		if (line[n - 1] == '\n')
			line[--n] = '\0';
		if (regexec(&s->regex, line, 0, NULL, 0) == 0)
			stop = grep_line(s, path, number, line, (size_t)n);
	}
	free(line);
	return (stop);
}

static int
grep_file(const char *path, const char *full, void *arg)
{
	struct search	*s = arg;
	FILE		*f;
	int		 stop;

	if (!glob_wants(s->glob, path))
		return (0);
	/* A file that can't be read has no matches for this reader. */
	if ((f = fopen(full, "re")) == NULL)
		return (0);
	/* The root may be the file itself. */
	if (strcmp(full, s->root) == 0) {
		s->root = ".";
		stop = grep_stream(s, full, f);
		s->root = full;
	} else
		stop = grep_stream(s, path, f);
	(void)fclose(f);
	return (stop);
}

static int
glob_file(const char *path, const char *full, void *arg)
{
	struct search	*s = arg;

	(void)full;
	return (op_match(s->glob, path) ? found_add(s, shown_path(s, path)) :
	    0);
}

/* The end of a search: its list, or why there is none. */
static int
search_end(struct search *s, int ret, json_t **value, char *why,
    size_t whylen)
{
	if (s->failed)
		ret = op_fail(why, whylen, "out of memory");
	else if (s->full)
		ret = op_fail(why, whylen, "more than %zu found: narrow the "
		    "pattern or the path", s->most - 1);
	if (ret == -1)
		json_decref(s->found);
	else
		*value = s->found;
	return (ret == -1 ? -1 : 0);
}

/* {"pattern": POSIX extended, "path", "glob", "ignore_case"} -> a list of
 * {"path", "line", "text"}. */
int
op_grep(const json_t *input, json_t **value, char *why, size_t whylen)
{
	struct search	 s = { .root = root_of(input),
			    .most = OP_MATCHES_MAX + 1 };
	const char	*pattern;
	char		 error[128];
	int		 ret, flags = REG_EXTENDED | REG_NOSUB;

	if ((pattern = op_string(input, "pattern", why, whylen)) == NULL)
		return (-1);
	if (json_is_true(json_object_get(input, "ignore_case")))
		flags |= REG_ICASE;
	if ((ret = regcomp(&s.regex, pattern, flags)) != 0) {
		(void)regerror(ret, &s.regex, error, sizeof(error));
		return (op_fail(why, whylen, "pattern \"%s\": %s", pattern,
		    error));
	}
	s.glob = json_string_value(json_object_get(input, "glob"));
	if ((s.found = json_array()) == NULL)
		s.failed = 1;
	ret = s.failed ? 0 : op_walk(s.root, grep_file, &s, why, whylen);
	regfree(&s.regex);
	return (search_end(&s, ret, value, why, whylen));
}

/* {"pattern": "*.c", "src/ ** / *.h" (without spaces), "path"} -> paths. */
int
op_glob(const json_t *input, json_t **value, char *why, size_t whylen)
{
	struct search	s = { .root = root_of(input),
			    .most = OP_PATHS_MAX + 1 };
	int		ret;

	if ((s.glob = op_string(input, "pattern", why, whylen)) == NULL)
		return (-1);
	if ((s.found = json_array()) == NULL)
		s.failed = 1;
	ret = s.failed ? 0 : op_walk(s.root, glob_file, &s, why, whylen);
	return (search_end(&s, ret, value, why, whylen));
}
