/*
 * Server-sent events: bytes in, in pieces of any size, events out. Pure.
 */
#ifndef SSE_H
#define SSE_H

#include <stddef.h>

#include "buffer.h"

enum sse_result {
	SSE_OK,
	SSE_STOPPED,	/* the callback wanted no more */
	SSE_TOO_LONG,	/* an event longer than the limit */
	SSE_MEMORY,
};

/*
 * One event. name is "message" unless the stream says otherwise; data is
 * NUL-terminated and lent, its lines joined by LF. -1: no more of them.
 */
typedef int	(*sse_event)(void *, const char *name, const char *data,
		    size_t len);

struct sse {
	sse_event	 event;
	void		*ctx;
	size_t		 max;		/* bytes of one event */
	struct buffer	 line, data, name;
	int		 has_data;
	int		 after_cr;	/* a LF now ends no other line */
	int		 begun;		/* the first line has been seen */
};

void		 sse_init(struct sse *, size_t max, sse_event, void *ctx);
void		 sse_free(struct sse *);
/* After anything but SSE_OK only sse_free() is allowed. What the stream's
 * end leaves unfinished is no event. */
enum sse_result	 sse_feed(struct sse *, const char *, size_t)
		    __attribute__((warn_unused_result));

#endif
