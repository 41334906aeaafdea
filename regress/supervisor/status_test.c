/*
 * Reading /proc/PID/status, and what counts as a difference.
 */
#include <errno.h>
#include <string.h>

#include "supervisor.h"
#include "test.h"

#define GOOD								\
	"Name:\twfsup-broker\nUid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t8\n"	\
	"Groups:\t \nCapInh:\t0000000000000000\n"			\
	"CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"	\
	"CapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\n"	\
	"NoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t2\n"

/* GOOD with one text replaced by another. */
static const struct {
	const char	*what, *from, *to;
	int		 parses;
	const char	*why;		/* how the difference begins */
} cases[] = {
	{ "as wanted", "", "", 1, NULL },
	{ "saved uid of another", "Uid:\t7\t7\t7", "Uid:\t7\t7\t0", 1,
	    "uid is 7/7/0/7" },
	{ "file-system gid", "8\t8\nGroups", "8\t0\nGroups", 1,
	    "gid is 8/8/8/0" },
	{ "a group", "Groups:\t", "Groups:\t27 ", 1, "has 1 supp" },
	{ "two groups", "Groups:\t", "Groups:\t27 100 ", 1, "has 2 supp" },
	{ "an effective capability", "CapEff:\t0000000000000000",
	    "CapEff:\t0000000000200000", 1, "capabilities" },
	{ "the bounding set only", "CapBnd:\t0000000000000000",
	    "CapBnd:\t000001ffffffffff", 1, "capabilities" },
	{ "an ambient capability", "CapAmb:\t0", "CapAmb:\t1", 1,
	    "capabilities" },
	{ "new privileges", "NoNewPrivs:\t1", "NoNewPrivs:\t0", 1,
	    "no_new_privs" },
	{ "no filter", "Seccomp:\t2", "Seccomp:\t0", 1, "there is no sec" },
	{ "a filter that has just killed", "Seccomp:\t2", "Seccomp:\t3", 1,
	    NULL },
	{ "strict mode is no filter", "Seccomp:\t2", "Seccomp:\t1", 1,
	    "there is no sec" },
	{ "no Uid line", "Uid:", "Uix:", 0, NULL },
	{ "three uids", "Uid:\t7\t7\t7\t7", "Uid:\t7\t7\t7", 0, NULL },
	{ "five uids", "Uid:\t7", "Uid:\t7\t7", 0, NULL },
	{ "a uid beyond 32 bits", "Uid:\t7", "Uid:\t4294967296", 0, NULL },
	{ "a negative uid", "Uid:\t7", "Uid:\t-7", 0, NULL },
	{ "no number", "NoNewPrivs:\t1", "NoNewPrivs:\tyes", 0, NULL },
	{ "an empty value", "Seccomp:\t2", "Seccomp:\t", 0, NULL },
	{ "a line twice", "Name:\twfsup-broker", "Seccomp:\t2", 0, NULL },
	{ "capabilities beyond 64 bits", "CapPrm:\t0",
	    "CapPrm:\t10000000000000000", 0, NULL },
	{ "a name in which a key hides", "wfsup-broker", "Uid: 0", 1, NULL },
};

static void
replace(char *dst, size_t len, const char *from, const char *to)
{
	const char	*at = strstr(GOOD, from);

	(void)snprintf(dst, len, "%.*s%s%s", (int)(at - GOOD), GOOD, to,
	    at + strlen(from));
}

int
main(void)
{
	struct status_want	want = { .uid = 7, .gid = 8 };
	struct status		st;
	char			text[2048], why[256];
	size_t			i;
	int			ok;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		replace(text, sizeof(text), cases[i].from, cases[i].to);
		why[0] = '\0';
		ok = (status_parse(text, &st) == 0) == cases[i].parses;
		if (ok && cases[i].parses)
			ok = status_compare(&st, &want, why, sizeof(why)) ==
			    (cases[i].why == NULL ? 0 : -1) &&
			    strncmp(why, cases[i].why == NULL ? "" :
			    cases[i].why, strlen(cases[i].why == NULL ? "" :
			    cases[i].why)) == 0;
		test_case(ok, "%s %s", cases[i].what, why);
	}
	for (i = 0; i < sizeof(GOOD) - 1; i++) {
		memcpy(text, GOOD, i);
		text[i] = '\0';
		if (status_parse(text, &st) == 0 && strstr(text,
		    "Seccomp:\t2") == NULL)
			break;
	}
	test_case(i == sizeof(GOOD) - 1, "a text cut anywhere is refused");
	test_case(status_read("/proc", 0, &st) == 0, "our own can be read");
	test_case(status_check("/proc", 0x3ffffff, &want, why, sizeof(why)) == -1,
	    "a process that is not there differs");
	return (test_end());
}
