/*
 * Bounded parsing. jansson nests up to 2,048 levels and makes up to 79 bytes
 * of heap from one of text; the depth is counted here before it sees a byte,
 * and the length is bounded by what a peer may send.
 */
#include <stdint.h>
#include <stdio.h>

#include "json.h"

/* The index of the quote that ends the string begun before i, or len. */
static size_t
string_end(const char *buf, size_t i, size_t len)
{
	while (i < len && buf[i] != '"')
		i += buf[i] == '\\' ? 2 : 1;
	return (i);
}

size_t
json_text_depth(const char *buf, size_t len)
{
	size_t	i, depth = 0, most = 0;

	for (i = 0; i < len; i++)
		switch (buf[i]) {
		case '"':
			i = string_end(buf, i + 1, len);
			break;
		case '{':
		case '[':
			if (++depth > most)
				most = depth;
			break;
		case '}':
		case ']':
			if (depth > 0)
				depth--;
			break;
		}
	return (most);
}

/* Does v nest deeper than most? */
static int
nests_over(const json_t *v, size_t most)
{
	json_t		*value, *item = (json_t *)(uintptr_t)v;
	const char	*key;
	size_t		 i;

	if (!json_is_object(v) && !json_is_array(v))
		return (0);
	if (most == 0)
		return (1);
	json_object_foreach(item, key, value)
		if (nests_over(value, most - 1))
			return (1);
	json_array_foreach(item, i, value)
		if (nests_over(value, most - 1))
			return (1);
	return (0);
}

int
json_is_deep(const json_t *v)
{
	return (nests_over(v, JSON_DEPTH_MAX));
}

int
json_has_deep(const json_t *body)
{
	return (nests_over(body, JSON_DEPTH_MAX + 1));
}

json_t *
json_parse(const char *buf, size_t len, size_t depth, char *why, size_t whylen)
{
	json_error_t	 error;
	json_t		*v;
	size_t		 flags = JSON_REJECT_DUPLICATES;

	if (json_text_depth(buf, len) > depth) {
		(void)snprintf(why, whylen, "nested more than %zu deep", depth);
		return (NULL);
	}
	if (depth > 1)
		flags |= JSON_DECODE_ANY;
	if ((v = json_loadb(buf, len, flags, &error)) == NULL)
		(void)snprintf(why, whylen, "%s at byte %d", error.text,
		    error.position);
	return (v);
}
