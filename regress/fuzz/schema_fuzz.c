/* ROOM: keeper
 * A schema, a newline, a value: what a script and a model may send. A yes, or
 * a sentence in valid UTF-8, in bounded time; and the value as the model
 * would see it. What is no JSON is tried as a pattern on the second line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "pattern.h"
#include "render.h"
#include "schema.h"
#include "toolbind.h"

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* An error must be fit to be put into JSON, whatever it quotes. */
static void
must_be_text(const char *why)
{
	json_t	*text;

	if ((text = json_string(why)) == NULL || *why == '\0')
		abort();
	json_decref(text);
}

static void
try_pattern(const char *line, size_t n, const char *text, size_t len)
{
	struct pattern	*p;
	char		*source, why[128] = "";
	size_t		 work = 100000;

	if ((source = strndup(line, n)) == NULL)
		abort();
	if ((p = pattern_new(source, why, sizeof(why))) == NULL)
		must_be_text(why);
	else if (pattern_match(p, text, len, &work) == -1 && work > 10000)
		abort();
	pattern_free(p);
	free(source);
}

static void
try_schema(const json_t *schema, const json_t *value)
{
	struct toolset	*set;
	json_t		*result;
	char		 why[256] = "";

	if (schema_check_definition(schema, why, sizeof(why)) == -1) {
		must_be_text(why);
		return;
	}
	if (schema_check(schema, value, "value", why, sizeof(why)) == -1)
		must_be_text(why);
	if ((set = toolset_bind(NULL, NULL, schema, why, sizeof(why))) == NULL)
		abort();
	result = toolset_result(schema, value, why, sizeof(why));
	if (result == NULL)
		must_be_text(why);
	json_decref(result);
	toolset_free(set);
}

static void
try_render(const json_t *value)
{
	static const char	*const tools[] = { "read", "write", "edit",
		"bash", "grep", "glob", "other" };
	char			*text;
	size_t			 i;

	for (i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		if ((text = render_outcome(tools[i], value, 1, value)) == NULL)
			abort();
		must_be_text(text);
		free(text);
	}
	if ((text = render_outcome("read", value, 0, value)) == NULL)
		abort();
	must_be_text(text);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char	*line = (const char *)data, *rest;
	json_t		*schema, *value;
	char		 why[128];
	size_t		 n, len;

	if (size == 0 || (rest = memchr(line, '\n', size)) == NULL)
		return (0);
	n = (size_t)(rest++ - line);
	len = size - n - 1;
	schema = json_parse(line, n, JSON_DEPTH_MAX, why, sizeof(why));
	value = json_parse(rest, len, JSON_DEPTH_MAX, why, sizeof(why));
	if (schema != NULL && value != NULL)
		try_schema(schema, value);
	else if (schema == NULL)
		try_pattern(line, n, rest, len);
	if (value != NULL)
		try_render(value);
	json_decref(schema);
	json_decref(value);
	return (0);
}
