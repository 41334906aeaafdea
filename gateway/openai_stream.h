/*
 * The chunks of a Chat Completions stream, put together. Pure. It takes what
 * servers really send: calls without an index or with all the same one,
 * arguments as an object, no finish_reason, no [DONE].
 */
#ifndef OPENAI_STREAM_H
#define OPENAI_STREAM_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"
#include "failure.h"

#define OPENAI_CALLS_MAX	256
#define OPENAI_TEXT_MAX		(2 * 1024 * 1024)

struct openai_call {
	int64_t		 index;		/* as the stream counts, or -1 */
	char		*id, *name;	/* NULL: not yet said */
	struct buffer	 arguments;
};

struct openai_stream {
	struct buffer		 content;
	struct openai_call	 calls[OPENAI_CALLS_MAX];
	size_t			 ncalls;
	size_t			 calls_before;	/* in the conversation */
	char			 finish[32];	/* "": not yet said */
	char			 id[128];	/* the provider's, "" if none */
	int			 done;		/* [DONE] was seen */
	int			 begun;		/* a chunk was understood */
	int			 failed;
	struct failure		 failure;
	int64_t			 tokens_in, tokens_out;	/* -1: not said */
};

/* calls_before: so many tool calls are in the conversation already, for
 * the ids of calls that come without one. */
void	 openai_stream_init(struct openai_stream *, size_t calls_before);
void	 openai_stream_free(struct openai_stream *);

/* One chunk, or a whole response. Returns -1 when no more is wanted: it
 * is done, or it has failed. */
int	 openai_stream_chunk(struct openai_stream *, const char *, size_t);

/* Has the model said that it has finished? */
int	 openai_stream_complete(const struct openai_stream *);
/*
 * The message that a complete stream makes: a new object, and in finish one
 * of MODEL_DONE's words, a constant. NULL: see failure.
 */
json_t	*openai_stream_message(struct openai_stream *, const char **finish);

#endif
