/*
 * The journal slot of a submission: which outside effect may be in flight.
 * One slot, replaced in place for each turn. Every write needs the number of
 * the attempt that owns the submission and a slot that is not committed; else
 * it returns 0 and has written nothing.
 */
#ifndef TURN_JOURNAL_H
#define TURN_JOURNAL_H

#include <jansson.h>
#include <stdint.h>

struct store;

/* The numbers are in the store. Within a turn the phase only grows. */
enum journal_phase {
	JOURNAL_NONE			= 0,	/* no provider was reached */
	JOURNAL_BEFORE_PROVIDER		= 1,
	JOURNAL_PROVIDER_STARTED	= 2,
	JOURNAL_TOOLS_RECORDED		= 3,
	JOURNAL_COMMITTED		= 4
};

struct journal {
	enum journal_phase	phase;
	int64_t			attempt, turn, revision;
	int64_t			checkpoint_leaf, committed_leaf; /* 0: none */
	char			stream_key[80];		/* empty: none */
	int			stream_consumed;
};

/* Everything up to leaf is durable; nothing outside has happened in this
 * turn. Deletes the segments of earlier streams. */
int	 journal_before_provider(struct store *, int64_t submission,
	    int64_t attempt, int64_t turn, int64_t leaf);
/* The request is about to be sent. */
int	 journal_provider_started(struct store *, int64_t submission,
	    int64_t attempt);
/* The entry with the calls is in the transcript, no tool has started. */
int	 journal_tools_recorded(struct store *, int64_t submission,
	    int64_t attempt, int64_t entry);
/* The final entry, leaf, is in the transcript. */
int	 journal_commit(struct store *, int64_t submission, int64_t attempt,
	    int64_t leaf);
/* What was streamed is in the transcript now. */
int	 journal_consume_stream(struct store *, int64_t submission,
	    int64_t attempt);
/* phase is JOURNAL_NONE if there is no slot. */
void	 journal_load(struct store *, int64_t submission, struct journal *);

/* Keep the n-th piece of the stream's text. 0 if there is no open stream. */
int	 journal_segment(struct store *, int64_t submission, int64_t attempt,
	    int64_t n, const char *text, size_t len);
/* All pieces of a stream, joined; NULL if there is nothing. To be freed. */
char	*journal_stream_text(struct store *, int64_t submission,
	    const char *stream_key);

#endif
