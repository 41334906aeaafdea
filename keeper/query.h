/*
 * What the answers to questions about runs are made of.
 */
#ifndef QUERY_H
#define QUERY_H

#include <sqlite3.h>

#include "keeper.h"

/* What list and show have in common, from these columns of runs. */
#define QUERY_COLUMNS	"id, name, state, phase, uid, added," \
			" started, ended, exit, tokens_in, tokens_out"
#define QUERY_COUNT	11
json_t	*query_common(struct keeper *, sqlite3_stmt *);

/* Takes the value. */
void	 query_set(json_t *, const char *key, json_t *);

/* All about the run with this number, which is there. */
json_t	*show_new(struct keeper *, int64_t num);

#endif
