#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "json.h"
#include "refusal.h"
#include "wire.h"

/* Longest texts that SUBMIT takes, in bytes. */
#define NAME_MAX_BYTES		128
#define WORKSPACE_MAX_BYTES	512

static int __attribute__((format(printf, 2, 3)))
input_mistake(struct failure *f, const char *fmt, ...)
{
	va_list	ap;

	f->exit = EXIT_USAGE;
	strcpy(f->class, "UsageError");
	va_start(ap, fmt);
	vsnprintf(f->message, sizeof(f->message), fmt, ap);
	va_end(ap);
	return (-1);
}

/* Read all of fd, at most max bytes and one more. NUL-terminated. */
static char *
read_all(int fd, size_t max, size_t *len)
{
	char	*buf;
	ssize_t	 n;

	if ((buf = malloc(max + 2)) == NULL)
		oom();
	for (*len = 0; *len <= max; *len += (size_t)n) {
		n = read(fd, buf + *len, max + 1 - *len);
		if (n == -1 && errno == EINTR)
			n = 0;
		else if (n == -1) {
			free(buf);
			return (NULL);
		} else if (n == 0)
			break;
	}
	buf[*len] = '\0';
	return (buf);
}

/* The text of a file, or of standard input if its name is "-". */
static char *
input_file(const char *path, size_t max, size_t *len, struct failure *f)
{
	char	*text = NULL;
	int	 fd = STDIN_FILENO;

	if (strcmp(path, "-") != 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd == -1 || (text = read_all(fd, max, len)) == NULL)
		input_mistake(f, "can't read %s: %s", path, strerror(errno));
	if (fd != -1 && fd != STDIN_FILENO)
		close(fd);
	if (text != NULL && *len > max) {
		if (max == SOURCE_MAX)		/* as the daemon says it */
			failure_set(f, EXIT_SCRIPT, "ScriptError", "%s",
			    SOURCE_LONG);
		else
			input_mistake(f, "%s is longer than 4 MiB", path);
		free(text);
		text = NULL;
	}
	return (text);
}

/* Is the text what a JSON string may hold, NUL apart? jansson judges, so
 * that it will not refuse later what passes here. */
static int
is_utf8(const char *text, size_t len)
{
	json_t	*s;

	s = json_stringn(text, len);
	json_decref(s);
	return (s != NULL);
}

/* Is text UTF-8 without NUL? If not, -1 with the place of the mistake. */
static int
input_utf8(const char *what, const char *text, size_t len, struct failure *f)
{
	const char	*end, *nl, *p;
	size_t		 line;

	end = text + len;
	for (p = text, line = 1; p < end; p = nl + 1, line++) {
		if ((nl = memchr(p, '\n', (size_t)(end - p))) == NULL)
			nl = end;
		if (memchr(p, '\0', (size_t)(nl - p)) != NULL)
			return (input_mistake(f, "%s holds a NUL byte in line "
			    "%zu", what, line));
		if (!is_utf8(p, (size_t)(nl - p)))
			return (input_mistake(f, "%s is not UTF-8 in line %zu",
			    what, line));
	}
	return (0);
}

/* The text of --args: as given, or of the file after "@". To be freed. */
static char *
args_text(const char *arg, size_t *len, struct failure *f)
{
	char	*text;

	if (arg[0] == '@')
		return (input_file(arg + 1, ARGS_MAX, len, f));
	if ((text = strdup(arg)) == NULL)
		oom();
	*len = strlen(text);
	return (text);
}

/* The words of jansson, but where they speak of its flags. */
static void
args_mistake(const char *what, const json_error_t *error, struct failure *f)
{
	enum json_error_code	code = json_error_code(error);

	if (code == json_error_null_character ||
	    code == json_error_null_byte_in_key)
		input_mistake(f, "%s has a NUL character (line %d, column %d)",
		    what, error->line, error->column);
	else
		input_mistake(f, "%s is not JSON: %s (line %d, column %d)",
		    what, error->text, error->line, error->column);
}

/* The value of --args, a new reference; NULL with the failure filled in. */
static json_t *
input_args(const char *arg, struct failure *f)
{
	json_error_t	 error;
	json_t		*value = NULL;
	const char	*what;
	char		*text;
	size_t		 len;

	if (arg == NULL)
		return (json_object());
	what = arg[0] == '@' ? arg + 1 : "--args";
	if ((text = args_text(arg, &len, f)) == NULL)
		return (NULL);
	if (json_text_depth(text, len) > JSON_DEPTH_MAX)
		input_mistake(f, "%s: nested more than %d deep", what,
		    JSON_DEPTH_MAX);
	else if ((value = json_loadb(text, len, JSON_REJECT_DUPLICATES |
	    JSON_DECODE_ANY, &error)) == NULL)
		args_mistake(what, &error, f);
	free(text);
	return (value);
}

/* Open the workspace with the caller's rights; its real path to path. */
static int
input_workspace(const char *arg, char *path, struct failure *f)
{
	char	*real;
	int	 fd = -1;

	if ((real = realpath(arg, NULL)) != NULL)
		fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		input_mistake(f, "workspace %s: %s", arg, strerror(errno));
	else if (strlen(real) > WORKSPACE_MAX_BYTES || !is_utf8(real,
	    strlen(real))) {
		input_mistake(f, "workspace %s: its path must be UTF-8 of at "
		    "most %d bytes", arg, WORKSPACE_MAX_BYTES);
		close(fd);
		fd = -1;
	} else
		strcpy(path, real);
	free(real);
	return (fd);
}

/* A name was given, or is the file's if that can be one, or is none. */
static int
input_name(const struct options *o, const char **name, struct failure *f)
{
	const char	*base;
	int		 fits;

	*name = o->name;
	if (o->name != NULL) {
		if (o->name[0] != '\0' && strlen(o->name) <= NAME_MAX_BYTES &&
		    is_utf8(o->name, strlen(o->name)))
			return (0);
		return (input_mistake(f, "--name must be UTF-8 of 1 to %d "
		    "bytes", NAME_MAX_BYTES));
	}
	if (strcmp(o->operands[0], "-") == 0)
		return (0);
	base = strrchr(o->operands[0], '/');
	base = base == NULL ? o->operands[0] : base + 1;
	fits = strlen(base) <= NAME_MAX_BYTES && is_utf8(base, strlen(base));
	*name = fits ? base : NULL;
	return (0);
}

static int
input_envelope(struct input *in, const struct options *o, struct failure *f)
{
	const char	*name;
	char		 path[WORKSPACE_MAX_BYTES + 1] = "";

	if (input_name(o, &name, f) == -1)
		return (-1);
	if (o->workspace != NULL &&
	    (in->workspace = input_workspace(o->workspace, path, f)) == -1)
		return (-1);
	in->env = json_pack("{s:s*, s:s*}", "name", name, "workspace",
	    o->workspace != NULL ? path : NULL);
	if (in->env == NULL || (o->tokens != 0 && json_object_set_new(in->env,
	    "tokens", json_integer((json_int_t)o->tokens)) == -1))
		oom();
	return (0);
}

static int
input_body(struct input *in, const struct options *o, struct failure *f)
{
	json_t	*args, *body;
	char	*source;
	size_t	 len;

	if ((source = input_file(o->operands[0], SOURCE_MAX, &len,
	    f)) == NULL)
		return (-1);
	if (input_utf8(o->operands[0], source, len, f) == -1 ||
	    (args = input_args(o->args, f)) == NULL) {
		free(source);
		return (-1);
	}
	body = json_pack("{s:s%, s:o}", "source", source, len, "args", args);
	free(source);
	if (body == NULL || (in->body = json_dumps(body, JSON_COMPACT)) == NULL)
		oom();
	json_decref(body);
	in->bodylen = strlen(in->body);
	if (in->bodylen > WIRE_SEND_MAX)
		return (input_mistake(f, "%s and its arguments are longer "
		    "than 4 MiB", o->operands[0]));
	return (0);
}

int
input_read(struct input *in, const struct options *o, struct failure *f)
{
	memset(in, 0, sizeof(*in));
	in->workspace = -1;
	if (input_envelope(in, o, f) == -1 || input_body(in, o, f) == -1)
		return (-1);
	return (0);
}

void
input_free(struct input *in)
{
	json_decref(in->env);
	free(in->body);
	if (in->workspace != -1)
		close(in->workspace);
}
