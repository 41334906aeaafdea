/*
 * The pure parts of taking a new run.
 */
#ifndef RUN_ADD_H
#define RUN_ADD_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "keeper.h"

/* Fill in a new id for a run added at now, milliseconds since 1970. */
void	 run_make_id(char id[RUN_ID_LEN + 1], int64_t now);
/* Is it a script with its arguments? Returns 0, or -1 and why not. */
int	 run_check_body(const json_t *body, char *why, size_t whylen)
	    __attribute__((warn_unused_result));

#endif
