/*
 * The message catalogue, expanded from messages.def: numbers, names, who may
 * send what to whom, and the check of an envelope.
 */
#ifndef MSG_H
#define MSG_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Who speaks on a socket: bits, for the catalogue's from and to. */
enum role {
	SUPERVISOR	= 1 << 0,
	BROKER		= 1 << 1,
	KEEPER		= 1 << 2,
	GATEWAY		= 1 << 3,
	SCRIPT		= 1 << 4,	/* a script jail */
	TOOL		= 1 << 5,	/* a tool jail */
	SSTARTER	= 1 << 6,	/* starts script jails */
	TSTARTER	= 1 << 7,	/* starts tool jails */
	MOUNTER		= 1 << 8,
	CONTROL		= 1 << 9,	/* a client of the control socket */
	ERRAND		= 1 << 10,	/* does one thing as somebody */
	LAUNCHER	= 1 << 11,	/* makes processes */
	WARDEN		= 1 << 12,	/* has jails made, watches and ends them */
	READER		= 1 << 13,	/* reads root's files */
};
#define ROOMS		(BROKER | KEEPER | GATEWAY | WARDEN)
#define STARTERS	(SSTARTER | TSTARTER)
#define ANY		0x3fff

enum msgflag {
	MF_BODY		= 1 << 0,	/* a body follows the envelope */
	MF_BODYOPT	= 1 << 1,
	MF_FD		= 1 << 2,	/* exactly one descriptor */
	MF_FDOPT	= 1 << 3,
	MF_REPLY	= 1 << 4,	/* repeats the peerid of a question */
	MF_RAW		= 1 << 5,	/* no envelope */
};

enum msgtype {
#define MESSAGE(name, number, from, to, flags, ...)	IMSG_##name = number,
#include "messages.def"
#undef MESSAGE
};

enum fieldtype { FIELD_STR, FIELD_INT, FIELD_BOOL };

struct fielddef {
	const char	*name;
	enum fieldtype	 type;
	int64_t		 min, max;	/* bytes, or the value */
	int		 optional;
};

struct msgdef {
	const char		*name;
	uint32_t		 type;
	int			 from, to;	/* sets of enum role */
	int			 flags;		/* of enum msgflag */
	const struct fielddef	*fields;	/* ends with a NULL name */
};

/* The n-th message of the catalogue, or NULL past its end. */
const struct msgdef	*msgdef_at(size_t n);
/* NULL if there is no such message. */
const struct msgdef	*msgdef_find(uint32_t type);

/*
 * Check an envelope: exactly the fields of def, each of its type and within
 * its range. Returns 0, or -1 and in why what is wrong, fit for a log line.
 */
int	 msgdef_check(const struct msgdef *, const json_t *env, char *why,
	    size_t whylen) __attribute__((warn_unused_result));

/*
 * Parse bytes of an envelope: one flat JSON object in UTF-8, no duplicate
 * key, no NUL. Returns a new reference, or NULL with why filled in.
 */
json_t	*msg_parse(const char *buf, size_t len, char *why, size_t whylen);

/* Fields of a checked envelope. A missing optional one gives NULL, -1, 0. */
const char	*msg_str(const json_t *env, const char *name);
int64_t		 msg_int(const json_t *env, const char *name);
int		 msg_bool(const json_t *env, const char *name);

const char	*role_name(enum role);

#endif
