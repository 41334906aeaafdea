/*
 * The one judge of what is UTF-8, and of which characters are traps.
 */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_BAD	UINT32_MAX

/*
 * The character that the n bytes at s, at least one, begin with. Returns how
 * many bytes it has. If there is none, *c is UTF8_BAD, and the bytes are the
 * most that one U+FFFD stands for, as the Unicode standard recommends.
 */
size_t	 utf8_decode(const char *s, size_t n, uint32_t *c);

/* Is it invisible, does it break a line or turn its direction? */
int	 utf8_is_trap(uint32_t c);

#endif
