/*
 * What a submission is made of, read and checked before the daemon is asked:
 * a mistake here is the caller's, exit 2 and one sentence.
 */
#ifndef INPUT_H
#define INPUT_H

#include <jansson.h>
#include <stddef.h>

#include "failure.h"
#include "options.h"

#define ARGS_MAX	(4 * 1024 * 1024)

struct input {
	json_t	*env;		/* SUBMIT's envelope */
	char	*body;		/* and its body */
	size_t	 bodylen;
	int	 workspace;	/* open directory, or -1 */
};

/* Read what o says into in. -1 with the failure; free it in any case. */
int	 input_read(struct input *, const struct options *o, struct failure *)
	    __attribute__((warn_unused_result));
void	 input_free(struct input *);

#endif
