/*
 * read, write, edit: one file each.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "text.h"

/* Open for reading; only regular files, without waiting for a writer. */
static int
open_regular(const char *path, size_t *size, char *why, size_t whylen)
{
	struct stat	st;
	int		fd;

	if ((fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) == -1)
		return (op_fail(why, whylen, "%s: %s", path, strerror(errno)));
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode)) {
		(void)close(fd);
		return (op_fail(why, whylen, "%s: %s", path,
		    S_ISDIR(st.st_mode) ? "is a directory (use glob)" :
		    "is not a regular file"));
	}
	if (st.st_size > OP_TEXT_MAX) {
		(void)close(fd);
		return (op_fail(why, whylen, "%s: has %jd bytes, more than %d "
		    "(use bash: head, tail, sed)", path, (intmax_t)st.st_size,
		    OP_TEXT_MAX));
	}
	*size = (size_t)st.st_size;
	return (fd);
}

/* Read to the end or until buf is full. Returns bytes, -1 with errno. */
static ssize_t
read_all(int fd, char *buf, size_t size)
{
	size_t	used = 0;
	ssize_t	n;

	while (used < size) {
		n = read(fd, buf + used, size - used);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return (-1);
		if (n == 0)
			break;
		used += (size_t)n;
	}
	return ((ssize_t)used);
}

/* The text must be fit for JSON. */
static int
check_text(const char *path, const char *buf, size_t len, char *why,
    size_t whylen)
{
	size_t	good = text_span(buf, len);

	if (good == len)
		return (0);
	return (op_fail(why, whylen, "%s: byte %zu is not UTF-8 text (use "
	    "bash: file, xxd)", path, good));
}

/* A whole file as text: at most OP_TEXT_MAX bytes of UTF-8 without NUL.
 * The caller frees. NULL with why filled in. */
static char *
op_slurp(const char *path, size_t *len, char *why, size_t whylen)
{
	char	*buf;
	size_t	 size = 0;
	ssize_t	 n;
	int	 fd;

	if ((fd = open_regular(path, &size, why, whylen)) == -1)
		return (NULL);
	if ((buf = malloc(size + 1)) == NULL) {
		(void)op_fail(why, whylen, "%s: out of memory", path);
		(void)close(fd);
		return (NULL);
	}
	n = read_all(fd, buf, size);
	(void)close(fd);
	if (n == -1)
		(void)op_fail(why, whylen, "%s: %s", path, strerror(errno));
	if (n == -1 || check_text(path, buf, (size_t)n, why, whylen) == -1) {
		free(buf);
		return (NULL);
	}
	buf[n] = '\0';
	*len = (size_t)n;
	return (buf);
}

/* Skip n lines; returns where the next begins, or the end. */
static const char *
skip_lines(const char *s, const char *end, json_int_t n)
{
	for (; n > 0 && s < end; n--) {
		s = memchr(s, '\n', (size_t)(end - s));
		if (s == NULL)
			return (end);
		s++;
	}
	return (s);
}

static json_int_t
integer_or(const json_t *input, const char *key, json_int_t otherwise)
{
	const json_t	*v = json_object_get(input, key);

	return (json_is_integer(v) ? json_integer_value(v) : otherwise);
}

static json_int_t
count_lines(const char *s, const char *end)
{
	json_int_t	n = 0;

	for (; s < end; n++)
		s = skip_lines(s, end, 1);
	return (n);
}

/* {"path", "offset": first line, from 1, "limit": lines} -> the text. */
int
op_read(const json_t *input, json_t **value, char *why, size_t whylen)
{
	const char	*path, *from, *to, *end;
	json_int_t	 offset = integer_or(input, "offset", 1);
	json_int_t	 limit = integer_or(input, "limit", INT64_MAX);
	char		*buf;
	size_t		 len;

	if ((path = op_string(input, "path", why, whylen)) == NULL ||
	    (buf = op_slurp(path, &len, why, whylen)) == NULL)
		return (-1);
	end = buf + len;
	from = skip_lines(buf, end, offset - 1);
	to = skip_lines(from, end, limit);
	if (offset > 1 && from == end) {
		(void)op_fail(why, whylen, "%s: has %lld lines, offset is "
		    "%lld", path, (long long)count_lines(buf, end),
		    (long long)offset);
		free(buf);
		return (-1);
	}
	*value = json_stringn(from, (size_t)(to - from));
	free(buf);
	return (*value == NULL ? op_fail(why, whylen, "out of memory") : 0);
}

/* Make the directories that path needs; errors show when it is opened. */
static void
make_parents(const char *path)
{
	char	*copy, *slash;

	if ((copy = strdup(path)) == NULL)
		return;
	for (slash = strchr(copy + 1, '/'); slash != NULL;
	    slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(copy, 0755);
		*slash = '/';
	}
	free(copy);
}

static int
write_all(int fd, const char *buf, size_t len)
{
	ssize_t	n;

	for (; len > 0; buf += n, len -= (size_t)n) {
		n = write(fd, buf, len);
		if (n == -1 && errno != EINTR)
			return (-1);
		if (n == -1)
			n = 0;
	}
	return (0);
}

static int
write_file(const char *path, const char *buf, size_t len, char *why,
    size_t whylen)
{
	int	fd, flags = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK |
		    O_CLOEXEC;

	fd = open(path, flags, 0644);
	if (fd == -1 && errno == ENOENT) {
		make_parents(path);
		fd = open(path, flags, 0644);
	}
	if (fd == -1)
		return (op_fail(why, whylen, "%s: %s", path, strerror(errno)));
	if (write_all(fd, buf, len) == -1) {
		(void)op_fail(why, whylen, "%s: %s", path, strerror(errno));
		(void)close(fd);
		return (-1);
	}
	if (close(fd) == -1)
		return (op_fail(why, whylen, "%s: %s", path, strerror(errno)));
	return (0);
}

/* {"path", "content"} -> {"bytes"}. Parents are made, a file replaced. */
int
op_write(const json_t *input, json_t **value, char *why, size_t whylen)
{
	const char	*path, *content;
	size_t		 len;

	if ((path = op_string(input, "path", why, whylen)) == NULL ||
	    (content = op_string(input, "content", why, whylen)) == NULL)
		return (-1);
	len = json_string_length(json_object_get(input, "content"));
	if (write_file(path, content, len, why, whylen) == -1)
		return (-1);
	*value = json_pack("{s:I}", "bytes", (json_int_t)len);
	return (*value == NULL ? op_fail(why, whylen, "out of memory") : 0);
}

static size_t
count_matches(const char *s, const char *old)
{
	size_t	n = 0, len = strlen(old);

	for (; (s = strstr(s, old)) != NULL; s += len)
		n++;
	return (n);
}

/* A copy of text with its n occurrences of old replaced. NULL: too big. */
static char *
replace(const char *text, size_t len, const char *old, const char *with,
    size_t n, size_t *outlen)
{
	const char	*next;
	char		*out, *to;
	size_t		 grown;

	if (__builtin_mul_overflow(n, strlen(with), &grown) ||
	    __builtin_add_overflow(grown, len - n * strlen(old), outlen) ||
	    *outlen > OP_TEXT_MAX || (out = malloc(*outlen + 1)) == NULL)
		return (NULL);
	for (to = out; (next = strstr(text, old)) != NULL;
	    text = next + strlen(old)) {
		memcpy(to, text, (size_t)(next - text));
		to += next - text;
		memcpy(to, with, strlen(with));
		to += strlen(with);
	}
	memcpy(to, text, strlen(text) + 1);
	return (out);
}

static int
edit_text(const char *path, const char *text, size_t len, const json_t *input,
    size_t n, char *why, size_t whylen)
{
	char	*out;
	size_t	 outlen;
	int	 ret;

	out = replace(text, len, json_string_value(json_object_get(input,
	    "old")), json_string_value(json_object_get(input, "new")), n,
	    &outlen);
	if (out == NULL)
		return (op_fail(why, whylen, "%s: the result would have more "
		    "than %d bytes", path, OP_TEXT_MAX));
	ret = write_file(path, out, outlen, why, whylen);
	free(out);
	return (ret);
}

/* {"path", "old", "new", "all"} -> {"replaced"}. old is text, not a regular
 * expression, and must be there exactly once unless all is true. */
int
op_edit(const json_t *input, json_t **value, char *why, size_t whylen)
{
	const char	*path, *old;
	char		*text;
	size_t		 n, len;
	int		 ret;

	if ((path = op_string(input, "path", why, whylen)) == NULL ||
	    (old = op_string(input, "old", why, whylen)) == NULL ||
	    op_string(input, "new", why, whylen) == NULL)
		return (-1);
	if (old[0] == '\0')
		return (op_fail(why, whylen, "old is empty"));
	if ((text = op_slurp(path, &len, why, whylen)) == NULL)
		return (-1);
	n = count_matches(text, old);
	if (n == 0 || (n > 1 && !json_is_true(json_object_get(input, "all"))))
		ret = op_fail(why, whylen, n == 0 ? "%s: old is not in it" :
		    "%s: old is in it %zu times; give more of the text, or "
		    "all: true", path, n);
	else
		ret = edit_text(path, text, len, input, n, why, whylen);
	free(text);
	if (ret == -1)
		return (-1);
	*value = json_pack("{s:I}", "replaced", (json_int_t)n);
	return (*value == NULL ? op_fail(why, whylen, "out of memory") : 0);
}
