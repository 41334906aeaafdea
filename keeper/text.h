/*
 * Cutting text without breaking a character of UTF-8.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/* The longest length <= max at which the n bytes of UTF-8 at s may be cut. */
size_t	 text_cut(const char *s, size_t n, size_t max);
/* The first place >= from, <= n, at which a character begins. */
size_t	 text_skip(const char *s, size_t n, size_t from);
/* Take out the halves of characters that "%.64s" and a short buffer have
 * left in what snprintf(3) made of UTF-8. */
void	 text_trim(char *s);
/* How many characters the n bytes are. */
size_t	 text_chars(const char *s, size_t n);

#endif
