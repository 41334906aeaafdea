/*
 * JSON as it mostly comes, in one pass: each envelope and each body is read
 * several times on its way, and jansson's reader takes a hundred steps a byte.
 */
#ifndef LOAD_H
#define LOAD_H

#include <jansson.h>
#include <stddef.h>

/*
 * The value of a text whose brackets nest at most depth deep. NULL for all
 * that is not well-formed, and for some that is: jansson is to say what it
 * means, or what is wrong. What is taken has the value that jansson gives it.
 */
json_t	*load_json(const char *buf, size_t len, size_t depth);

#endif
