#include "refusal.h"

static const struct {
	const char	*class;
	int		 exit;
} refusals[] = {
	[REFUSE_SCRIPT] =	{ "ScriptError",	1 },
	[REFUSE_USAGE] =	{ "UsageError",		2 },
	[REFUSE_NOT_FOUND] =	{ "NotFoundError",	2 },
	[REFUSE_ENDED] =	{ "EndedError",		2 },
	[REFUSE_LIMIT] =	{ "LimitError",		6 },
	[REFUSE_DENIED] =	{ "DeniedError",	7 },
	[REFUSE_AWAY] =		{ "UnavailableError",	10 },
	[REFUSE_SPACE] =	{ "SpaceError",		10 },
};

const char *
refusal_class(enum refusal why)
{
	return (refusals[why].class);
}

int
refusal_exit(enum refusal why)
{
	return (refusals[why].exit);
}
