#include <string.h>

#include "log.h"
#include "verb.h"

static const struct {
	const char	*name;
	unsigned	 verb;
} verbs[] = {
	{ "run",	VERB_RUN },
	{ "list",	VERB_LIST },
	{ "show",	VERB_SHOW },
	{ "result",	VERB_RESULT },
	{ "follow",	VERB_FOLLOW },
	{ "cancel",	VERB_CANCEL },
	{ "scopes",	VERB_SCOPES },
	{ "doctor",	VERB_DOCTOR },
	{ "all",	VERB_ALL },
};
#define NVERBS	(sizeof(verbs) / sizeof(verbs[0]))

unsigned
verb_find(const char *name)
{
	size_t	i;

	for (i = 0; i < NVERBS; i++)
		if (strcmp(verbs[i].name, name) == 0)
			return (verbs[i].verb);
	return (0);
}

const char *
verb_name(unsigned verb)
{
	size_t	i;

	for (i = 0; i < NVERBS; i++)
		if (verbs[i].verb == verb)
			return (verbs[i].name);
	return ("?");
}

json_t *
verbs_json(unsigned set)
{
	json_t	*list;
	size_t	 i;

	if ((list = json_array()) == NULL)
		fatalx("json_array");
	for (i = 0; i < NVERBS; i++)
		if ((set & verbs[i].verb) != 0 && json_array_append_new(list,
		    json_string(verbs[i].name)) == -1)
			fatalx("verbs_json");
	return (list);
}
