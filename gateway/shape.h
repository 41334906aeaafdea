/*
 * Reading JSON that a person wrote: what is wrong is said with the path of
 * the key, "rules[3].when.turn: ...", and the first complaint is kept.
 */
#ifndef SHAPE_H
#define SHAPE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define SHAPE_PATH_MAX	256

struct shape {
	char	*why;
	size_t	 whylen;
};

/* Complain about path. Always -1. */
int	 shape_bad(struct shape *, const char *path, const char *, ...)
	    __attribute__((format(printf, 3, 4)));

/* The path of a key or an item below path. Returns dst. */
char	*shape_key(char dst[SHAPE_PATH_MAX], const char *path,
	    const char *key);
char	*shape_item(char dst[SHAPE_PATH_MAX], const char *path, size_t i);

/* An object with no other keys than these, which end with NULL. */
int	 shape_object(struct shape *, const char *path, const json_t *,
	    const char *const *keys) __attribute__((warn_unused_result));
/* An array of at most max items; a missing one has none. */
int	 shape_array(struct shape *, const char *path, const json_t *obj,
	    const char *key, size_t max, json_t **)
	    __attribute__((warn_unused_result));
/*
 * A string of 1 to max bytes, an integer of a range, a boolean: what a key
 * of obj holds. If it is missing, the value stays as the caller set it.
 */
int	 shape_str(struct shape *, const char *path, const json_t *obj,
	    const char *key, size_t max, const char **)
	    __attribute__((warn_unused_result));
int	 shape_int(struct shape *, const char *path, const json_t *obj,
	    const char *key, int64_t min, int64_t max, int64_t *)
	    __attribute__((warn_unused_result));
int	 shape_bool(struct shape *, const char *path, const json_t *obj,
	    const char *key, int *) __attribute__((warn_unused_result));

#endif
