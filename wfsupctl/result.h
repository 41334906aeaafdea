/*
 * How a run ended, or that it did not even begin, for people and machines.
 */
#ifndef RESULT_H
#define RESULT_H

#include <jansson.h>

#include "failure.h"
#include "options.h"

/* The daemon's word on a run that it will say nothing more about. */
struct outcome {
	int	 exit;
	int	 ended;
	int	 brief;		/* no summary of what went well */
	char	 state[33];
	char	*text;		/* the result object as it was sent */
	json_t	*body;		/* and parsed */
};

void	 outcome_free(struct outcome *);

/* Print it: the result to standard output, what went wrong to standard
 * error. Returns the exit status. */
int	 result_print(const struct options *, const struct outcome *);

/*
 * There is no result: say why on standard error and, with --json, give the
 * same object as a run would. run and state may be NULL. Returns the exit
 * status.
 */
int	 result_failed(const struct options *, const char *run,
	    const char *state, const struct failure *);
/* The same for a question that is not about a result. */
int	 answer_failed(const struct options *, const struct failure *);

#endif
