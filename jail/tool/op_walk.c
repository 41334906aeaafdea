/*
 * Walking a tree in a fixed order, and matching its paths: a script that
 * runs twice on the same files must see the same list.
 */
#include <sys/stat.h>
#include <sys/types.h>

#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <stdint.h>
#include <string.h>

#include "files.h"

static int
by_name(const FTSENT **a, const FTSENT **b)
{
	return (strcmp((*a)->fts_name, (*b)->fts_name));
}

/* What of a path comes after its root. */
static const char *
below(const FTSENT *e, const char *root)
{
	const char	*path = e->fts_path + strlen(root);

	while (*path == '/')
		path++;
	/* A root that is a file itself. */
	return (*path == '\0' ? e->fts_name : path);
}

int
op_walk(const char *root, int (*fn)(const char *, const char *, void *),
    void *ctx, char *why, size_t whylen)
{
	char	*roots[] = { (char *)(uintptr_t)root, NULL };
	FTSENT	*e;
	FTS	*fts;
	int	 ret = 0;

	fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR,
	    by_name);
	if (fts == NULL)
		return (op_fail(why, whylen, "%s: %s", root, strerror(errno)));
	while (ret == 0 && (e = fts_read(fts)) != NULL) {
		if (e->fts_level == 0 && (e->fts_info == FTS_NS ||
		    e->fts_info == FTS_DNR))
			ret = op_fail(why, whylen, "%s: %s", root,
			    strerror(e->fts_errno));
		else if (e->fts_info == FTS_D && e->fts_level > 0 &&
		    strcmp(e->fts_name, ".git") == 0)
			(void)fts_set(fts, e, FTS_SKIP);
		else if (e->fts_info == FTS_F)
			ret = fn(below(e, root), e->fts_path, ctx);
	}
	(void)fts_close(fts);
	return (ret);
}

/* "**" and a slash: zero or more directories. */
static int
match_spanning(const char *pattern, const char *path)
{
	for (;;) {
		if (op_match(pattern, path))
			return (1);
		if ((path = strchr(path, '/')) == NULL)
			return (0);
		path++;
	}
}

/* One component of pattern against one of path. */
static int
match_component(const char *pattern, size_t plen, const char *path,
    size_t len)
{
	char	p[256], s[256];

	if (plen >= sizeof(p) || len >= sizeof(s))
		return (0);
	memcpy(p, pattern, plen);
	p[plen] = '\0';
	memcpy(s, path, len);
	s[len] = '\0';
	return (fnmatch(p, s, FNM_PERIOD) == 0);
}

int
op_match(const char *pattern, const char *path)
{
	size_t	plen, len;

	while (strncmp(pattern, "**/**/", 6) == 0)
		pattern += 3;
	if (strncmp(pattern, "**/", 3) == 0)
		return (match_spanning(pattern + 3, path));
	if (strcmp(pattern, "**") == 0)
		return (1);
	plen = strcspn(pattern, "/");
	len = strcspn(path, "/");
	if (!match_component(pattern, plen, path, len))
		return (0);
	if (pattern[plen] == '\0' || path[len] == '\0')
		return (pattern[plen] == path[len]);
	return (op_match(pattern + plen + 1, path + len + 1));
}
