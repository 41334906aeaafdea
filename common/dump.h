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

#endif
