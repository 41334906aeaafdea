/*
 * The catalogue as tables, and the check of an envelope against it.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "log.h"
#include "msg.h"

#define STR(n, lo, hi)	{ #n, FIELD_STR, lo, hi, 0 },
#define INT(n, lo, hi)	{ #n, FIELD_INT, lo, hi, 0 },
#define BOOL(n)		{ #n, FIELD_BOOL, 0, 1, 0 },
#define OSTR(n, lo, hi)	{ #n, FIELD_STR, lo, hi, 1 },
#define OINT(n, lo, hi)	{ #n, FIELD_INT, lo, hi, 1 },
#define OBOOL(n)	{ #n, FIELD_BOOL, 0, 1, 1 },

#define MESSAGE(name, number, from, to, flags, ...)			\
static const struct fielddef fields_##name[] = {			\
	__VA_ARGS__ { NULL, FIELD_INT, 0, 0, 0 }			\
};
#include "messages.def"
#undef MESSAGE

static const struct msgdef defs[] = {
#define MESSAGE(name, number, from, to, flags, ...)			\
	{ #name, number, from, to, flags, fields_##name },
#include "messages.def"
#undef MESSAGE
};

/* The most packets a body may continue in: far above any peer's limit. */
static const struct fielddef parts_field = { "parts", FIELD_INT, 1, 4096, 1 };

const struct msgdef *
msgdef_at(size_t n)
{
	return (n < sizeof(defs) / sizeof(defs[0]) ? &defs[n] : NULL);
}

/* Where each is in the table. */
enum place {
#define MESSAGE(name, number, from, to, flags, ...)	PLACE_##name,
#include "messages.def"
#undef MESSAGE
};

const struct msgdef *
msgdef_find(uint32_t type)
{
	switch (type) {
#define MESSAGE(name, number, from, to, flags, ...)			\
	case number:							\
		return (&defs[PLACE_##name]);
#include "messages.def"
#undef MESSAGE
	default:
		return (NULL);
	}
}

static int
complain(char *why, size_t whylen, const char *fmt, ...)
{
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, whylen, fmt, ap);
	va_end(ap);
	return (-1);
}

static int
check_string(const struct fielddef *f, const json_t *v, char *why, size_t len)
{
	size_t	n;

	if (!json_is_string(v))
		return (complain(why, len, "%s is not a string", f->name));
	n = json_string_length(v);
	if ((int64_t)n < f->min || (int64_t)n > f->max)
		return (complain(why, len, "%s has %zu bytes, not %" PRId64
		    " to %" PRId64, f->name, n, f->min, f->max));
	return (0);
}

static int
check_integer(const struct fielddef *f, const json_t *v, char *why, size_t len)
{
	int64_t	n;

	if (!json_is_integer(v))
		return (complain(why, len, "%s is not an integer", f->name));
	n = json_integer_value(v);
	if (n < f->min || n > f->max)
		return (complain(why, len, "%s is %" PRId64 ", not %" PRId64
		    " to %" PRId64, f->name, n, f->min, f->max));
	return (0);
}

static int
check_field(const struct fielddef *f, const json_t *v, char *why, size_t len)
{
	switch (f->type) {
	case FIELD_STR:
		return (check_string(f, v, why, len));
	case FIELD_INT:
		return (check_integer(f, v, why, len));
	case FIELD_BOOL:
		if (!json_is_boolean(v))
			return (complain(why, len, "%s is not a boolean",
			    f->name));
		return (0);
	}
	fatalx("check_field: type %d", (int)f->type);
}

/* Checks one field if it is there, and counts it. */
static int
check_present(const struct fielddef *f, const json_t *env, size_t *seen,
    char *why, size_t whylen)
{
	const json_t	*v;

	if ((v = json_object_get(env, f->name)) == NULL) {
		if (f->optional)
			return (0);
		return (complain(why, whylen, "%s is missing", f->name));
	}
	(*seen)++;
	return (check_field(f, v, why, whylen));
}

static const struct fielddef *
field_find(const struct msgdef *def, const char *name)
{
	const struct fielddef	*f;

	for (f = def->fields; f->name != NULL; f++)
		if (strcmp(f->name, name) == 0)
			return (f);
	return (NULL);
}

/* Is each field known and good, and is none missing? An envelope has few of
 * those that it could have: it is quicker to ask so. */
static int
is_whole(const struct msgdef *def, json_t *env)
{
	const struct fielddef	*f;
	const char		*name;
	json_t			*v;
	char			 why[1];
	size_t			 seen = 0;

	json_object_foreach(env, name, v) {
		if ((f = field_find(def, name)) == NULL ||
		    check_field(f, v, why, sizeof(why)) == -1)
			return (0);
		seen += !f->optional;
	}
	for (f = def->fields; f->name != NULL; f++)
		seen -= !f->optional;
	return (seen == 0);
}

int
msgdef_check(const struct msgdef *def, const json_t *env, char *why,
    size_t whylen)
{
	const struct fielddef	*f;
	size_t			 seen = 0;

	if (!json_is_object(env))
		return (complain(why, whylen, "envelope is not an object"));
	if (is_whole(def, (json_t *)(uintptr_t)env))
		return (0);
	for (f = def->fields; f->name != NULL; f++)
		if (check_present(f, env, &seen, why, whylen) == -1)
			return (-1);
	if ((def->flags & (MF_BODY | MF_BODYOPT)) != 0 &&
	    check_present(&parts_field, env, &seen, why, whylen) == -1)
		return (-1);
	if (seen != json_object_size(env))
		return (complain(why, whylen, "a field too many"));
	return (0);
}

json_t *
msg_parse(const char *buf, size_t len, char *why, size_t whylen)
{
	return (json_parse(buf, len, 1, why, whylen));
}

const char *
msg_str(const json_t *env, const char *name)
{
	return (json_string_value(json_object_get(env, name)));
}

int64_t
msg_int(const json_t *env, const char *name)
{
	const json_t	*v = json_object_get(env, name);

	return (v == NULL ? -1 : json_integer_value(v));
}

int
msg_bool(const json_t *env, const char *name)
{
	return (json_is_true(json_object_get(env, name)));
}

const char *
role_name(enum role role)
{
	switch (role) {
	case SUPERVISOR:
		return ("supervisor");
	case BROKER:
		return ("broker");
	case KEEPER:
		return ("keeper");
	case GATEWAY:
		return ("gateway");
	case SCRIPT:
		return ("script");
	case TOOL:
		return ("tool");
	case SSTARTER:
		return ("script-starter");
	case TSTARTER:
		return ("tool-starter");
	case MOUNTER:
		return ("mounter");
	case CONTROL:
		return ("client");
	case ERRAND:
		return ("errand");
	case LAUNCHER:
		return ("launcher");
	case WARDEN:
		return ("warden");
	case READER:
		return ("reader");
	}
	fatalx("role_name: %d", (int)role);
}
