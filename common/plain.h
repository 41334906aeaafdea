/*
 * Text of JSON that stands for itself: most of it, so it is looked at several
 * bytes at a time.
 */
#ifndef PLAIN_H
#define PLAIN_H

#include <stddef.h>

/* How many of the n bytes at s need no escape. */
size_t	 plain_length(const char *s, size_t n);
/* The same, but only as far as they are ASCII. */
size_t	 plain_ascii(const char *s, size_t n);

#endif
