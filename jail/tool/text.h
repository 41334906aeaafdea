/*
 * Bytes as text: what a file or a command held, as a JSON string.
 */
#ifndef TEXT_H
#define TEXT_H

#include <jansson.h>
#include <stddef.h>

/*
 * A string of these bytes, a new reference. What is not valid UTF-8, and
 * NUL, becomes U+FFFD; if dropped, a last line says how many bytes are not
 * here. NULL if memory ran out.
 */
json_t	*text_json(const char *, size_t len, size_t dropped);

/* How many bytes from the first on are UTF-8 without NUL. */
size_t	 text_span(const char *, size_t len);

#endif
