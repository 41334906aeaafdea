/*
 * list: the runs, the newest as the daemon sorts them.
 */
#include <stdio.h>

#include "clock.h"
#include "json_out.h"
#include "query.h"
#include "result.h"
#include "table.h"
#include "text.h"

static const char *const titles[] = { "RUN", ">AGE", "STATE", ">NODES",
    ">TOKENS", "NAME", NULL };
static const char *const titles_all[] = { "RUN", "USER", ">AGE", "STATE",
    ">NODES", ">TOKENS", "NAME", NULL };

static void
add_state(struct table *t, const json_t *run)
{
	char	state[256];

	if (*member_str(run, "waiting") == '\0') {
		table_add(t, member_str(run, "state"));
		return;
	}
	snprintf(state, sizeof(state), "%.60s: %.180s",
	    member_str(run, "state"), member_str(run, "waiting"));
	table_add(t, state);
}

static void
add_run(struct table *t, const json_t *run, int all, int64_t now)
{
	char	buf[64];

	table_add(t, member_str(run, "run"));
	if (all)
		table_add(t, member_user(run, "uid", buf, sizeof(buf)));
	table_add(t, text_age(buf, sizeof(buf), now -
	    member_int(run, "created")));
	add_state(t, run);
	snprintf(buf, sizeof(buf), "%lld",
	    (long long)member_int(run, "nodes"));
	table_add(t, buf);
	table_add(t, text_count(buf, sizeof(buf), member_int(run, "tokens")));
	table_add(t, member_str(run, "name"));
}

static void
list_print(const struct options *o, const json_t *runs)
{
	struct table	*t;
	json_t		*run;
	size_t		 i;

	if (json_array_size(runs) == 0) {
		printf("no runs\n");
		return;
	}
	t = table_new(o->all ? titles_all : titles);
	json_array_foreach(runs, i, run)
		add_run(t, run, o->all, clock_now());
	table_print(t, stdout, query_columns());
	table_free(t);
}

int
cmd_list(const struct options *o)
{
	struct failure	f;
	struct answer	a;

	if (query(o, "list", NULL, &a, &f) == -1)
		return (answer_failed(o, &f));
	if (o->json)
		json_out_text(stdout, a.text);
	else
		list_print(o, json_object_get(a.body, "runs"));
	answer_free(&a);
	return (EXIT_COMPLETED);
}
