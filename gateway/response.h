/*
 * One response of a Chat Completions server, from its headers to its end:
 * a stream, a whole completion, or an error. Pure.
 */
#ifndef RESPONSE_H
#define RESPONSE_H

#include <stddef.h>
#include <time.h>

#include "buffer.h"
#include "http.h"
#include "openai_stream.h"
#include "sse.h"

#define RESPONSE_EVENT_MAX	(4 * 1024 * 1024)
#define RESPONSE_ERROR_MAX	(64 * 1024)

enum response_form {
	FORM_UNKNOWN,	/* nothing has come yet */
	FORM_EVENTS,
	FORM_WHOLE,	/* a completion in one piece */
	FORM_ERROR,
};

struct response {
	enum response_form	 form;
	struct sse		 sse;
	struct openai_stream	 stream;
	struct buffer		 body;		/* whole, or an error's begin */
	int			 has_failed;
	struct failure		 failure;	/* if so */
	size_t			 sent;		/* of the text, as deltas */
	/* headers, "" if they did not come */
	char			 type[64], encoding[32], request[128];
	char			 retry_after[64], retry_after_ms[32];
	char			 should_retry[8];
};

void	 response_init(struct response *, size_t calls_before);
void	 response_free(struct response *);
void	 response_header(struct response *, const char *name,
	    const char *value);
/* -1: no more is wanted. */
int	 response_data(struct response *, int status, const char *, size_t);
/*
 * It is over. Returns the message and sets finish, or NULL and fills in
 * failure. why is what the transport has to say.
 */
json_t	*response_end(struct response *, enum http_end, int status,
	    const char *why, time_t now, const char **finish);

#endif
