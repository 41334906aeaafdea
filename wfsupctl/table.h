/*
 * Columns of text on standard output.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS	10

struct table;

/* titles ends with NULL. One that begins with ">" is a column of numbers,
 * which stand at its right. */
struct table	*table_new(const char *const *titles);
void		 table_free(struct table *);

/* The next cell, row by row; text of others' is encoded here. */
void		 table_add(struct table *, const char *text);
/* Print all; with cols > 0 no line is longer than that. */
void		 table_print(const struct table *, FILE *, size_t cols);

#endif
