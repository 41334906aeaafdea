/*
 * The comments of the catalogue, which the manual page shows.
 */
#ifndef COMMENTS_H
#define COMMENTS_H

#include <stddef.h>

/* A comment without its marks; text is lent, and NULL if there is none. */
struct comment {
	const char	*text;
	size_t		 len;
};

/* What stands before the next message of the catalogue. */
struct comments {
	struct comment	section;	/* of the messages from here on */
	struct comment	message;	/* right before it */
};

/* Read the catalogue, or end the process. */
void	 comments_open(const char *path);
/* Go on to the message name, which is the next one, or end the process. */
void	 comments_next(const char *name, struct comments *);

#endif
