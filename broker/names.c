#include <bsd/stdlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "names.h"

static int
names_compare(const void *a, const void *b)
{
	const char *const	*x = a, *const *y = b;

	return (strcmp(*x, *y));
}

static char **
names_find(const struct names *set, const char *name)
{
	if (set->n == 0)
		return (NULL);
	return (bsearch(&name, set->v, set->n, sizeof(*set->v),
	    names_compare));
}

/* Append a copy; the caller keeps the order. */
static void
names_append(struct names *set, const char *name)
{
	set->v = reallocarray(set->v, set->n + 1, sizeof(*set->v));
	if (set->v == NULL || (set->v[set->n] = strdup(name)) == NULL)
		fatal("names");
	set->n++;
}

static int
names_parse_one(struct names *set, const json_t *v, size_t i, char *why,
    size_t whylen)
{
	const char	*name = json_string_value(v);
	size_t		 len = json_string_length(v);

	if (name == NULL || len == 0 || len > NAME_MAX_LEN) {
		(void)snprintf(why, whylen,
		    "[%zu] is not a name of 1 to %d bytes", i, NAME_MAX_LEN);
		return (-1);
	}
	if (strcmp(name, "*") == 0)
		set->all = 1;
	else
		names_append(set, name);
	return (0);
}

/* Sort, and drop what is there twice. */
static void
names_order(struct names *set)
{
	size_t	i, n = 0;

	if (set->n == 0)
		return;
	/* Not qsort(3), which asks for the size of memory when it has much to
	 * do: a call that no room has. */
	if (heapsort(set->v, set->n, sizeof(*set->v), names_compare) == -1)
		fatal("heapsort");
	for (i = 0; i < set->n; i++) {
		if (n > 0 && strcmp(set->v[n - 1], set->v[i]) == 0)
			free(set->v[i]);
		else
			set->v[n++] = set->v[i];
	}
	set->n = n;
}

int
names_parse(struct names *set, const json_t *list, char *why, size_t whylen)
{
	const json_t	*v;
	size_t		 i;

	if (!json_is_array(list)) {
		(void)snprintf(why, whylen, " is not a list of names");
		return (-1);
	}
	json_array_foreach(list, i, v)
		if (names_parse_one(set, v, i, why, whylen) == -1) {
			names_clear(set);
			return (-1);
		}
	if (set->all) {
		names_clear(set);
		set->all = 1;
	}
	names_order(set);
	return (0);
}

void
names_copy(struct names *dst, const struct names *src)
{
	size_t	i;

	dst->all = src->all;
	for (i = 0; i < src->n; i++)
		names_append(dst, src->v[i]);
}

void
names_intersect(struct names *dst, const struct names *a,
    const struct names *b)
{
	size_t	i;

	if (a->all || b->all) {
		names_copy(dst, a->all ? b : a);
		return;
	}
	for (i = 0; i < a->n; i++)
		if (names_has(b, a->v[i]))
			names_append(dst, a->v[i]);
}

void
names_clear(struct names *set)
{
	size_t	i;

	for (i = 0; i < set->n; i++)
		free(set->v[i]);
	free(set->v);
	memset(set, 0, sizeof(*set));
}

int
names_has(const struct names *set, const char *name)
{
	return (set->all || names_find(set, name) != NULL);
}

int
names_empty(const struct names *set)
{
	return (!set->all && set->n == 0);
}

json_t *
names_json(const struct names *set)
{
	json_t	*list;
	size_t	 i;

	if ((list = json_array()) == NULL)
		fatalx("json_array");
	if (set->all && json_array_append_new(list, json_string("*")) == -1)
		fatalx("names_json");
	for (i = 0; i < set->n; i++)
		if (json_array_append_new(list, json_string(set->v[i])) == -1)
			fatalx("names_json");
	return (list);
}
