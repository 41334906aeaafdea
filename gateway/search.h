/*
 * Regular expressions (POSIX, extended) over texts that a model would read.
 * What makes the C library's matcher slow or hungry is refused.
 */
#ifndef SEARCH_H
#define SEARCH_H

#include <regex.h>
#include <stddef.h>

#define SEARCH_GROUPS_MAX	9

struct search {
	regex_t	re;
	int	compiled;
};

/* One match: where the text of each group is; start -1 if it has none. */
struct search_match {
	const char	*line;		/* the offsets count from here */
	regmatch_t	 groups[SEARCH_GROUPS_MAX + 1];
};

/* Returns 0, or -1 with why filled in. Zeroed memory may be freed. */
int	 search_compile(struct search *, const char *regex, char *why,
	    size_t whylen) __attribute__((warn_unused_result));
void	 search_free(struct search *);

/* The first match anywhere in text; ^ and $ match at lines. 1 if found. */
int	 search_text(const struct search *, const char *text,
	    struct search_match *);
/*
 * Call found() for each match in each line, in order, until it returns
 * other than 0. newline says that it is the first one in its line.
 */
void	 search_each(const struct search *, const char *text,
	    int (*found)(void *, const struct search_match *, int newline),
	    void *);
/* The text a match is about: its first group if the regex has one. */
const regmatch_t	*search_about(const struct search *,
			    const struct search_match *);

#endif
