/*
 * A set of names, or "*": all of them. An empty set means nothing.
 */
#ifndef NAMES_H
#define NAMES_H

#include <jansson.h>
#include <stddef.h>

#define NAME_MAX_LEN	128

struct names {
	int	  all;		/* "*": then no name is listed */
	size_t	  n;
	char	**v;		/* sorted, none twice */
};

/*
 * Fill an empty set from an array of strings. Returns 0, or -1 with in why
 * what is wrong; the set is then empty.
 */
int	 names_parse(struct names *, const json_t *, char *why,
	    size_t whylen) __attribute__((warn_unused_result));
/* dst, empty, becomes a copy. Fatal without memory. */
void	 names_copy(struct names *dst, const struct names *src);
/* dst, empty, becomes what is in both. */
void	 names_intersect(struct names *dst, const struct names *,
	    const struct names *);
void	 names_clear(struct names *);

int	 names_has(const struct names *, const char *);
int	 names_empty(const struct names *);
/* A new array of strings, for people. */
json_t	*names_json(const struct names *);

#endif
