/*
 * JSON from outside: bounded before it is parsed.
 */
#ifndef JSON_H
#define JSON_H

#include <jansson.h>
#include <stddef.h>

/* How deep a value of the language may nest; and a body, which wraps some. */
#define JSON_DEPTH_MAX	64
#define JSON_BODY_DEPTH	(JSON_DEPTH_MAX + 8)

/*
 * Parse len bytes: an object or array (with depth > 1, any value) nested at
 * most depth deep, in UTF-8, without duplicate keys or NUL. Returns a new
 * reference, or NULL with in why what is wrong and at which byte.
 */
json_t	*json_parse(const char *buf, size_t len, size_t depth, char *why,
	    size_t whylen);

/* How deep the brackets of a text nest, in its own words. */
size_t	 json_text_depth(const char *buf, size_t len);

/* Does a value nest deeper than JSON_DEPTH_MAX? */
int	 json_is_deep(const json_t *);
/* Does a member of a body? */
int	 json_has_deep(const json_t *body);

#endif
