/*
 * The transcript of a submission: a tree of entries, and a leaf that marks
 * the active path. Entries are only ever added; going back is moving the
 * leaf. It is the truth about what was said.
 */
#ifndef TRANSCRIPT_H
#define TRANSCRIPT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "classify.h"

struct store;

/*
 * The body of an entry, by its kind:
 *  user	{"text", "submission", "reminder"?}
 *  assistant	{"stop", "content": TEXT or null, "tool_calls"?: [{"id",
 *		"name", "arguments"}...], "error"?: {"class", "message"},
 *		"retry_at"?, "tokens"?: [in, out]}
 *  tool	{"id", "name", "text", "ok"}
 *  signal	{"signal", "stream"}
 */
struct entry {
	int64_t			 num;
	struct entry_view	 view;
	json_t			*body;
};

/* The active path, from the input entry on. */
struct transcript {
	struct entry	*entries;
	size_t		 n;
	int64_t		 leaf;		/* 0: there is nothing */
};

void	 transcript_load(struct store *, int64_t submission,
	    struct transcript *);
void	 transcript_free(struct transcript *);

/*
 * Append an entry below the leaf, which it becomes. key names it within the
 * submission: if it is there already, nothing changes. Takes body. Returns
 * its number, or 0 if attempt does not own the submission. grown: how many
 * bytes the journal has more.
 */
int64_t	 transcript_append(struct store *, int64_t submission,
	    int64_t attempt, enum entry_kind, const char *key, json_t *body,
	    int64_t *grown);
/* Go back to an earlier entry; what came after it stays stored. */
int	 transcript_rewind(struct store *, int64_t submission,
	    int64_t attempt, int64_t entry);

/* The words of "stop" and "signal" in a body. */
const char	*stop_name(enum stop);
const char	*signal_name(enum signal_kind);

/* ---- outcomes of tool calls ---- */

struct outcome {
	int	 ok, ends;
	json_t	*body;		/* NULL: none is recorded */
};

/* Record what a call came to, as it lands: the first one stays. Takes body.
 * 0 if attempt does not own the submission. grown as above. */
int	 outcome_record(struct store *, int64_t submission, int64_t attempt,
	    int64_t entry, size_t call, struct outcome, int64_t *grown);
/* All recorded outcomes of a batch of n calls: an array to be freed with
 * outcomes_free(). */
struct outcome	*outcomes_load(struct store *, int64_t submission,
		    int64_t entry, size_t n);
void		 outcomes_free(struct outcome *, size_t n);

/* ---- what the model gets ---- */

/*
 * The messages of a path, without a system message: a new array. Left out
 * are answers that failed or were cut off (unless gone on with), and calls
 * without all of their outcomes in order.
 */
json_t	*transcript_messages(const struct transcript *);

#endif
