/*
 * Parsing /proc/PID/status, and comparing it with what is wanted.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "status.h"

enum line { UID, GID, GROUPS, INH, PRM, EFF, BND, AMB, NNP, SECCOMP, NLINES };

static const char *const	names[NLINES] = {
	[UID] = "Uid", [GID] = "Gid", [GROUPS] = "Groups",
	[INH] = "CapInh", [PRM] = "CapPrm", [EFF] = "CapEff",
	[BND] = "CapBnd", [AMB] = "CapAmb",
	[NNP] = "NoNewPrivs", [SECCOMP] = "Seccomp",
};

/*
 * Up to max numbers between blanks, up to the end of the line. Returns how
 * many there are (all of them, also those past max), or -1.
 */
static int
parse_numbers(const char *p, int base, uint64_t *out, int max)
{
	char	*end;
	int	 n;

	for (n = 0;; n++) {
		p += strspn(p, " \t");
		if (*p == '\n' || *p == '\0')
			return (n);
		/* strtoull(3) alone would take a sign. */
		if (strchr("0123456789abcdef", *p) == NULL)
			return (-1);
		errno = 0;
		out[n < max ? n : max - 1] = strtoull(p, &end, base);
		if (end == p || errno != 0)
			return (-1);
		p = end;
	}
}

static int
parse_ids(const char *value, uint32_t ids[4])
{
	uint64_t	n[4];
	int		i;

	if (parse_numbers(value, 10, n, 4) != 4)
		return (-1);
	for (i = 0; i < 4; i++) {
		if (n[i] > UINT32_MAX)
			return (-1);
		ids[i] = (uint32_t)n[i];
	}
	return (0);
}

static int
parse_small(const char *value, uint32_t *out)
{
	uint64_t	n;

	if (parse_numbers(value, 10, &n, 1) != 1 || n > UINT32_MAX)
		return (-1);
	*out = (uint32_t)n;
	return (0);
}

static int
parse_caps(const char *value, uint64_t *out)
{
	return (parse_numbers(value, 16, out, 1) == 1 ? 0 : -1);
}

static int
parse_groups(const char *value, size_t *out)
{
	uint64_t	last;
	int		n;

	if ((n = parse_numbers(value, 10, &last, 1)) == -1)
		return (-1);
	*out = (size_t)n;
	return (0);
}

static int
parse_line(enum line line, const char *value, struct status *st)
{
	switch (line) {
	case UID:
		return (parse_ids(value, st->uid));
	case GID:
		return (parse_ids(value, st->gid));
	case GROUPS:
		return (parse_groups(value, &st->ngroups));
	case INH:
		return (parse_caps(value, &st->inheritable));
	case PRM:
		return (parse_caps(value, &st->permitted));
	case EFF:
		return (parse_caps(value, &st->effective));
	case BND:
		return (parse_caps(value, &st->bounding));
	case AMB:
		return (parse_caps(value, &st->ambient));
	case NNP:
		return (parse_small(value, &st->no_new_privs));
	case SECCOMP:
		return (parse_small(value, &st->seccomp));
	case NLINES:
		break;
	}
	return (-1);
}

/* Which of our lines begins here, or NLINES. */
static int
find_line(const char *p, const char **value)
{
	size_t	len;
	int	i;

	for (i = 0; i < NLINES; i++) {
		len = strlen(names[i]);
		if (strncmp(p, names[i], len) == 0 && p[len] == ':') {
			*value = p + len + 1;
			break;
		}
	}
	return (i);
}

int
status_parse(const char *text, struct status *st)
{
	const char	*p, *value = NULL;
	unsigned	 seen = 0;
	int		 line;

	memset(st, 0, sizeof(*st));
	for (p = text; p != NULL && *p != '\0';) {
		line = find_line(p, &value);
		if (line != NLINES) {
			if ((seen & 1u << line) != 0 ||
			    parse_line((enum line)line, value, st) == -1)
				return (-1);
			seen |= 1u << line;
		}
		if ((p = strchr(p, '\n')) != NULL)
			p++;
	}
	return (seen == (1u << NLINES) - 1 ? 0 : -1);
}

static int
ids_are(const uint32_t ids[4], uint32_t want)
{
	return (ids[0] == want && ids[1] == want && ids[2] == want &&
	    ids[3] == want);
}

int
status_compare(const struct status *st, const struct status_want *want,
    char *why, size_t whylen)
{
	if (!ids_are(st->uid, want->uid))
		(void)snprintf(why, whylen, "uid is %u/%u/%u/%u, not %u",
		    st->uid[0], st->uid[1], st->uid[2], st->uid[3], want->uid);
	else if (!ids_are(st->gid, want->gid))
		(void)snprintf(why, whylen, "gid is %u/%u/%u/%u, not %u",
		    st->gid[0], st->gid[1], st->gid[2], st->gid[3], want->gid);
	else if (st->ngroups != 0)
		(void)snprintf(why, whylen, "has %zu supplementary groups",
		    st->ngroups);
	else if (!want->any_caps && (st->inheritable != 0 ||
	    st->ambient != 0 || st->permitted != want->caps ||
	    st->effective != want->caps || st->bounding != want->caps))
		(void)snprintf(why, whylen, "capabilities are inh %" PRIx64
		    " prm %" PRIx64 " eff %" PRIx64 " bnd %" PRIx64 " amb %"
		    PRIx64 ", not %" PRIx64, st->inheritable, st->permitted,
		    st->effective, st->bounding, st->ambient, want->caps);
	else if (st->no_new_privs != 1)
		(void)snprintf(why, whylen, "no_new_privs is not set");
	else if (st->seccomp != 2 && st->seccomp != 3)
		/* 3: it had one, which has just killed it. */
		(void)snprintf(why, whylen, "there is no seccomp filter");
	else
		return (0);
	return (-1);
}

/* ---- a look at others ---- */

int
status_read(const char *proc, pid_t pid, struct status *st)
{
	char	path[64], text[8192];
	size_t	used = 0;
	ssize_t	n;
	int	fd;

	if (pid == 0)
		(void)snprintf(path, sizeof(path), "%s/self/status", proc);
	else
		(void)snprintf(path, sizeof(path), "%s/%d/status", proc, pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return (-1);
	while (used < sizeof(text) - 1 && (n = read(fd, text + used,
	    sizeof(text) - 1 - used)) > 0)
		used += (size_t)n;
	(void)close(fd);
	text[used] = '\0';
	if (status_parse(text, st) == 0)
		return (0);
	errno = EINVAL;
	return (-1);
}

int
status_check(const char *proc, pid_t pid, const struct status_want *want,
    char *why, size_t whylen)
{
	struct status	st;

	if (status_read(proc, pid, &st) == -1) {
		(void)snprintf(why, whylen, "its status can't be read "
		    "(is /proc mounted with hidepid?): %s",
		    strerror(errno));
		return (-1);
	}
	errno = 0;
	return (status_compare(&st, want, why, whylen));
}
