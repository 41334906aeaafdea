/*
 * JSON from outside: bounded before it is parsed.
 */
#ifndef JSON_H
#define JSON_H

#include <jansson.h>
#include <stddef.h>

#define JSON_DEPTH_MAX	64

/*
 * Parse len bytes: an object or array (with depth > 1, any value) nested at
 * most depth deep, in UTF-8, without duplicate keys or NUL. Returns a new
 * reference, or NULL with in why what is wrong and at which byte.
 */
json_t	*json_parse(const char *buf, size_t len, size_t depth, char *why,
	    size_t whylen);

/* How deep the brackets of a text nest, in its own words. */
size_t	 json_text_depth(const char *buf, size_t len);

#endif
