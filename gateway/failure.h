/*
 * How a model call failed, in the words of MODEL_FAIL.
 */
#ifndef FAILURE_H
#define FAILURE_H

#include <stddef.h>
#include <stdint.h>

enum failure_class {
	FAIL_TRANSIENT,		/* try again */
	FAIL_RATE_LIMIT,	/* try again, not too soon */
	FAIL_OVERFLOW,		/* the conversation is too long */
	FAIL_AUTH,		/* the key is missing or wrong */
	FAIL_INVALID,		/* the question is wrong */
	FAIL_DENIED,		/* the provider does not want to */
	FAIL_BUDGET,		/* the account has no money left */
	FAIL_PROTOCOL,		/* the answer is not what the API promises */
	FAIL_FATAL,		/* nothing that another try could help */
};

#define FAILURE_TEXT_MAX	512

struct failure {
	enum failure_class	 class;
	int			 status;	/* of HTTP, 0 if there is none */
	int64_t			 after;		/* milliseconds to wait */
	int64_t			 tokens_in, tokens_out;
	char			 text[FAILURE_TEXT_MAX];
};

const char	*failure_name(enum failure_class);
/* Returns 0, or -1 if there is no such class. */
int		 failure_find(const char *name, enum failure_class *);
/* Everything zero but class and text. */
void		 failure_set(struct failure *, enum failure_class,
		    const char *, ...) __attribute__((format(printf, 3, 4)));

/*
 * Copy n bytes of foreign text as one line of valid UTF-8: controls become
 * blanks, bad bytes "?", and what does not fit is cut between characters.
 * Returns dst.
 */
char		*text_line(char *dst, size_t dstlen, const char *src,
		    size_t n);

#endif
