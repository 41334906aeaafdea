/*
 * Questions whose answer is one JSON value.
 */
#ifndef QUERY_H
#define QUERY_H

#include <jansson.h>

#include "failure.h"
#include "options.h"

/* An answer: its text as sent, and parsed. */
struct answer {
	char	*text;
	json_t	*body;
};

/*
 * Ask for what, of run (NULL: of none), as o says. -1 with the failure; else
 * free the answer.
 */
int	 query(const struct options *o, const char *what, const char *run,
	    struct answer *, struct failure *)
	    __attribute__((warn_unused_result));
void	 answer_free(struct answer *);

/* Columns of the terminal on standard output, 0 if it is none. */
size_t	 query_columns(void);

/* Members of an answer; every one may be missing. Lent. */
const char	*member_str(const json_t *, const char *key);
int64_t		 member_int(const json_t *, const char *key);
/* A user's name, or the number of one without. Copied to dst. */
const char	*member_user(const json_t *, const char *key, char *dst,
		    size_t dstlen);
/* Any value as one line of text; the caller frees. */
char		*member_text(const json_t *);

#endif
