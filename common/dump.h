/*
 * JSON as text, with numbers as people write them: jansson makes
 * 0.10000000000000001 of 0.1, and users see the results we keep.
 */
#ifndef DUMP_H
#define DUMP_H

#include <jansson.h>

/* Any value as compact text, in the order of its keys. A real is the shortest
 * text that reads back as the same number. Never NULL; the caller frees. */
char	*dump_json(const json_t *);

/*
 * An object as text, without making it first: "name:s,n:I" and so on, and of
 * each member the value: s a string, t a string and its length as size_t
 * (NULL: null), I a json_int_t, b a boolean. A member s* is left out if it is
 * NULL. Strings are UTF-8, names need no escape.
 */
char	*dump_members(const char *fmt, ...);

#endif
