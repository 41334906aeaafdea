/*
 * The file tools of a sandbox: functions from an input to a value. Each runs
 * in a child of the jail's init, with the rights of the jail's user inside
 * the jail's root, so a path needs no check of its own: there is nothing
 * behind it that the call might not reach.
 */
#ifndef FILES_H
#define FILES_H

#include <jansson.h>
#include <stddef.h>

/* What a call may hold in memory: files read, values returned, in bytes. */
#define OP_TEXT_MAX	(4 * 1024 * 1024)
#define OP_MATCHES_MAX	20000
#define OP_PATHS_MAX	50000

/*
 * The tools. Each returns 0 with a new reference in *value, or -1 with in
 * why a sentence that says what, where, and what would be right.
 */
int	 op_read(const json_t *, json_t **, char *, size_t);
int	 op_write(const json_t *, json_t **, char *, size_t);
int	 op_edit(const json_t *, json_t **, char *, size_t);
int	 op_grep(const json_t *, json_t **, char *, size_t);
int	 op_glob(const json_t *, json_t **, char *, size_t);

/* ---- shared by them ---- */

/* Put a sentence in why; always -1. */
int	 op_fail(char *why, size_t whylen, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));
/* A string of the input; NULL with why filled in if it is missing. */
const char	*op_string(const json_t *input, const char *key, char *why,
		    size_t whylen);

/*
 * Call fn for each regular file below root, in byte order of the paths;
 * path is relative to root. Does not follow symbolic links, does not enter
 * ".git". Stops when fn returns non-zero and returns that; -1 with why.
 */
int	 op_walk(const char *root, int (*fn)(const char *path,
	    const char *full, void *ctx), void *ctx, char *why,
	    size_t whylen);
/* Does path match a pattern in which "**" spans directories? */
int	 op_match(const char *pattern, const char *path);

#endif
