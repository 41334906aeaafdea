/*
 * An object as lines of a title and a value.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include <jansson.h>

enum field_as {
	AS_TEXT,
	AS_NAMES,	/* a list of names; "nothing" if it is empty */
	AS_DATE,	/* ms since 1970 */
	AS_EXPIRY,	/* the same, 0 for never */
	AS_USER,
	AS_COUNT,
	AS_LIMIT,	/* a count, 0 for none */
	AS_NODES,	/* how many of each state */
	AS_RUNNING,	/* nodes with their age */
	AS_FAILED,	/* nodes with their errors, and how many more */
	AS_SIZE,	/* bytes, as wfsupd.conf(5) writes them */
	AS_ERROR,	/* "class: message (line N)" */
	AS_TABLE,	/* an object that a table of its own prints */
};

struct field {
	const char	*key;
	const char	*title;
	enum field_as	 as;
};

/*
 * Print the members of body that are in fields, which ends with a NULL key,
 * in their order, then all others as they are. null and absent ones are left
 * out.
 */
void	 fields_print(const struct field *fields, const json_t *body);

#endif
