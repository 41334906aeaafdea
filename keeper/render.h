/*
 * What the model sees of a tool's outcome: text, cut to what a context can
 * bear, with a note that says how to get the rest. The outcome itself is kept
 * whole in the journal.
 */
#ifndef RENDER_H
#define RENDER_H

#include <jansson.h>

#define RENDER_LINES_MAX	2000
#define RENDER_BYTES_MAX	(50 * 1024)
#define RENDER_MATCHES_MAX	100
#define RENDER_MATCH_MAX	500	/* bytes of one match */
#define RENDER_PATHS_MAX	1000

/*
 * The text of an outcome: its value if ok, else its error object. Never
 * empty, valid UTF-8. The caller frees it; NULL if there is no memory.
 */
char	*render_outcome(const char *tool, const json_t *input, int ok,
	    const json_t *value);

#endif
