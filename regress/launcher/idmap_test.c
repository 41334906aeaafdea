/*
 * The maps of id-mapped mounts, as text and as what they do to each id.
 */
#include <stdlib.h>
#include <string.h>

#include "idmap.h"
#include "test.h"

#define BASE	0x70000000U
#define HIGH	0xa0000000U
#define TOP	0xfffdffffU	/* the last base that there can be */

static const struct {
	const char	*what;
	struct idmap	 map[2];
	size_t		 n;
	uint32_t	 base;
	const char	*text;
} maps[] = {
	{ "a user's", { { 1000, 5 } }, 1, BASE, "1000 5 1\n"
	    "0 2147483648 1000\n1001 2147484649 2147482646\n" },
	{ "root's", { { 0, 5 } }, 1, BASE,
	    "0 5 1\n1 2147483649 2147483646\n" },
	{ "one of the last that are parked", { { 0x7ffffffe, 5 } }, 1, BASE,
	    "2147483646 5 1\n0 2147483648 2147483646\n" },
	{ "one of the upper half", { { 0xf0000000, 5 } }, 1, BASE,
	    "4026531840 5 1\n0 2147483648 2147483647\n" },
	{ "two groups", { { 100, 5 }, { 10, 6 } }, 2, BASE,
	    "100 5 1\n10 6 1\n0 2147483648 10\n11 2147483659 89\n"
	    "101 2147483749 2147483546\n" },
	{ "two neighbours", { { 0, 5 }, { 1, 6 } }, 2, BASE,
	    "0 5 1\n1 6 1\n2 2147483650 2147483645\n" },
	{ "with jails in the upper half", { { 7, 5 } }, 1, HIGH,
	    "7 5 1\n0 2684485632 7\n8 2684485640 1610481655\n" },
	{ "with jails at the end: nobody is parked", { { 7, 5 } }, 1, TOP,
	    "7 5 1\n" },
};

/* No id twice on either side, and none past the last. */
static int
is_sound(const char *text)
{
	unsigned long	from[8], to[8], n[8];
	int		i, j, count = 0, used;

	for (; sscanf(text, "%lu %lu %lu\n%n", &from[count], &to[count],
	    &n[count], &used) == 3; text += used, count++)
		if (n[count] == 0 || from[count] + n[count] > UINT32_MAX ||
		    to[count] + n[count] > UINT32_MAX)
			return (0);
	for (i = 0; i < count; i++)
		for (j = 0; j < i; j++)
			if ((from[i] < from[j] + n[j] &&
			    from[j] < from[i] + n[i]) ||
			    (to[i] < to[j] + n[j] && to[j] < to[i] + n[i]))
				return (0);
	return (*text == '\0');
}

int
main(void)
{
	struct idmap	worst[2] = { { 4000000000U, 4000000001U },
			    { 2000000000U, 4000000002U } };
	char		text[IDMAP_SIZE];
	size_t		i;

	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		idmap_workspace(text, sizeof(text), maps[i].map, maps[i].n,
		    maps[i].base);
		test_case(strcmp(text, maps[i].text) == 0 && is_sound(text),
		    "%s: %zu bytes", maps[i].what, strlen(text));
		if (strcmp(text, maps[i].text) != 0)
			printf("# %s", text);
	}
	idmap_workspace(text, sizeof(text), worst, 2, BASE);
	test_case(strlen(text) < IDMAP_SIZE - 1, "the longest fits");
	idmap_layer(text, sizeof(text), maps[4].map, 2);
	test_case(strcmp(text, "100 5 1\n10 6 1\n") == 0,
	    "a layer has these and no other");
	return (test_end());
}
