/*
 * The canned model: rules in a file say what it answers. It needs no network
 * and no key, and the same question always gets the same answer. The file is
 * described in wfsup-canned(5). Pure: no clock, no file, no event.
 */
#ifndef CANNED_H
#define CANNED_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "failure.h"

#define CANNED_FILE_MAX	(1024 * 1024)

struct canned;

struct canned_question {
	const char	*model;
	int64_t		 attempt;	/* so often asked before */
	const json_t	*body;		/* checked */
};

/* Either a message, or (message is NULL) a failure after some text. */
struct canned_answer {
	json_t		*message;	/* the caller's */
	const char	*finish;	/* a constant */
	int64_t		 delay;		/* milliseconds */
	json_t		*partial;	/* a string or NULL, the caller's */
	struct failure	 failure;
};

/* Returns NULL with in why the key, "rules[3].when.turn", and the reason. */
struct canned	*canned_parse(const char *text, size_t len, char *why,
		    size_t whylen);
void		 canned_free(struct canned *);
size_t		 canned_count(const struct canned *);

/* Fills in the whole answer; that no rule fits is a failure, too. */
void		 canned_answer(const struct canned *,
		    const struct canned_question *, struct canned_answer *);

#endif
