/*
 * What a control client may ask for.
 */
#ifndef VERB_H
#define VERB_H

#include <jansson.h>

enum verb {
	VERB_RUN	= 1 << 0,
	VERB_LIST	= 1 << 1,
	VERB_SHOW	= 1 << 2,
	VERB_RESULT	= 1 << 3,
	VERB_FOLLOW	= 1 << 4,
	VERB_CANCEL	= 1 << 5,
	VERB_SCOPES	= 1 << 6,
	VERB_DOCTOR	= 1 << 7,
	VERB_ALL	= 1 << 8,	/* other users' runs too */
};

/* The verb of a name, 0 if there is none; and the name of one verb. */
unsigned		 verb_find(const char *);
const char		*verb_name(unsigned);
json_t			*verbs_json(unsigned);

#endif
