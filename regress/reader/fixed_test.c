/*
 * What a reload can change and what it can't, and how many files are needed.
 */
#include <stdio.h>
#include <string.h>

#include "reader.h"
#include "test.h"

static int
name_user(void *arg, const char *name, uid_t *uid, gid_t *gid)
{
	(void)arg;
	*uid = *gid = 500 + (uid_t)(unsigned char)name[3];
	return (0);
}

static int
name_group(void *arg, const char *name, gid_t *gid)
{
	(void)arg;
	(void)name;
	*gid = 600;
	return (0);
}

static void
report(const char *text, void *ctx)
{
	(void)ctx;
	printf("# %s\n", text);
}

static struct conf *
parse(const char *text)
{
	static const struct conf_names	 names = { name_user, name_group, NULL };
	struct conf			*conf;
	FILE				*f;

	if ((f = fmemopen((void *)(uintptr_t)text, strlen(text), "r")) == NULL)
		return (NULL);
	conf = conf_parse(f, "t", &names, report, NULL);
	(void)fclose(f);
	return (conf);
}

static const struct {
	const char	*old, *now, *words;	/* NULL: can be changed */
} cases[] = {
	{ "#\n", "#\n", NULL },
	{ "#\n", "limit runs 5\n", NULL },
	{ "#\n", "profile a {\n}\nallow user 0 profile a\n", NULL },
	{ "#\n", "state directory \"/x\"\n", "state directory" },
	{ "#\n", "control socket \"/x\"\n", "control socket" },
	{ "#\n", "control socket \"/run/wfsup/control.sock\" group staff\n",
	    "control socket" },
	{ "#\n", "control socket \"/run/wfsup/control.sock\" mode 0600\n",
	    "control socket" },
	{ "#\n", "cgroup \"/x\"\n", "cgroup" },
	{ "cgroup \"/x\"\n", "#\n", "cgroup" },
	{ "#\n", "jail ids 100000\n", "jail ids" },
	{ "#\n", "user broker 900\n", "user broker" },
	{ "#\n", "user keeper 900\n", "user keeper" },
	{ "#\n", "user gateway 900\n", "user gateway" },
	{ "#\n", "user sandbox 900\n", "user sandbox" },
	{ "user broker 900\n", "user broker 900 group 901\n", "user broker" },
	{ "#\n", "log socket \"/x\"\n", NULL },
	{ "log stderr\n", "#\n", NULL },
	{ "#\n", "log stderr\n", "log stderr" },
};

static void
test_differs(void)
{
	struct conf	*old, *now;
	json_t		*a, *b;
	const char	*words;
	size_t		 i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		old = parse(cases[i].old);
		now = parse(cases[i].now);
		if (!test_case(old != NULL && now != NULL, "case %zu", i))
			continue;
		a = fixed_json(old, 100);
		/* How many files may be open is no line's. */
		b = fixed_json(now, 200);
		words = fixed_differs(a, b);
		test_case(cases[i].words == NULL ? words == NULL :
		    words != NULL && strcmp(words, cases[i].words) == 0,
		    "%.*s to %.*s: %s", (int)strcspn(cases[i].old, "\n"),
		    cases[i].old, (int)strcspn(cases[i].now, "\n"),
		    cases[i].now, words != NULL ? words : "can be changed");
		json_decref(a);
		json_decref(b);
		conf_free(old);
		conf_free(now);
	}
}

static void
test_files(void)
{
	static const struct {
		const char	*text;
		rlim_t		 files;
	} rows[] = {
		{ "limit jails 100\nlimit spares 0\n", 464 },
		{ "limit jails 100\nlimit spares 10\n", 504 },
		{ "limit jails 1\nlimit spares 0\nprofile a {\n files 300\n}\n",
		    300 },
	};
	struct conf	*conf;
	size_t		 i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		conf = parse(rows[i].text);
		test_case(conf != NULL && fixed_files(conf) == rows[i].files,
		    "files needed: %llu", (unsigned long long)rows[i].files);
		conf_free(conf);
	}
}

int
main(void)
{
	test_differs();
	test_files();
	return (test_end());
}
