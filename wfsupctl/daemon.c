/*
 * cancel, doctor and version: short questions to the daemon.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "json_out.h"
#include "query.h"
#include "result.h"
#include "room.h"
#include "table.h"
#include "text.h"

static int
cancel_one(const struct options *o, const char *run, json_t *answers)
{
	struct failure	 f;
	struct reply	 r;
	json_t		*env, *row;

	if ((env = json_pack("{s:s}", "run", run)) == NULL)
		oom();
	f.exit = EXIT_COMPLETED;
	if (ask_once(o->control, IMSG_CANCEL, IMSG_OK, env, &r, &f) == 0)
		reply_free(&r);
	row = f.exit == EXIT_COMPLETED ?
	    json_pack("{s:s, s:b}", "run", run, "ok", 1) :
	    json_pack("{s:s, s:b, s:{s:s, s:s}}", "run", run, "ok", 0, "error",
	    "class", f.class, "message", f.message);
	if (json_array_append_new(answers, row) == -1)
		oom();
	if (f.exit != EXIT_COMPLETED) {
		fputs("wfsupctl: ", stderr);
		if (strstr(f.message, run) == NULL)
			fprintf(stderr, "%s: ", run);
		text_put(stderr, f.message, "  ");
		fputc('\n', stderr);
	} else if (!o->json)
		printf("run %s is being cancelled\n", run);
	return (f.exit);
}

int
cmd_cancel(const struct options *o)
{
	json_t	*answers, *obj;
	int	 code, i, worst = EXIT_COMPLETED;

	if ((answers = json_array()) == NULL)
		oom();
	for (i = 0; i < o->noperands; i++) {
		code = cancel_one(o, o->operands[i], answers);
		if (worst == EXIT_COMPLETED)
			worst = code;
	}
	if ((obj = json_pack("{s:o}", "runs", answers)) == NULL)
		oom();
	if (o->json)
		json_out_line(stdout, obj);
	json_decref(obj);
	return (worst);
}

/* The rows of the host report. Returns how many say that something lacks. */
static size_t
doctor_rows(const json_t *rows, struct table *t)
{
	json_t	*row;
	size_t	 i, lacking = 0;
	int	 ok;

	json_array_foreach(rows, i, row) {
		ok = json_is_true(json_object_get(row, "ok"));
		lacking += !ok;
		table_add(t, ok ? "ok" : "LACKING");
		table_add(t, member_str(row, "name"));
		table_add(t, member_str(row, "text"));
	}
	return (lacking);
}

/* What canaries have attempted, how it was met and what closes it. */
static void
doctor_attempts(const json_t *attempts)
{
	static const char *const titles[] = { "JAIL", "ATTEMPT", "MET BY",
	    "CLOSED BY", NULL };
	struct table	*t = table_new(titles);
	json_t		*row;
	size_t		 i;

	json_array_foreach(attempts, i, row) {
		table_add(t, member_str(row, "jail"));
		table_add(t, member_str(row, "name"));
		table_add(t, member_str(row, "how"));
		table_add(t, member_str(row, "layers"));
	}
	printf("\n");
	table_print(t, stdout, 0);
	table_free(t);
}

/* What the daemon is busy with. */
static void
doctor_rooms(const json_t *rooms)
{
	long long	runs = member_int(rooms, "runs");
	long long	clients = member_int(rooms, "clients");

	if (json_is_object(rooms))
		printf("\n%lld %s, %lld of %lld jails, %lld %s\n",
		    runs, runs == 1 ? "run" : "runs",
		    (long long)member_int(rooms, "jails"),
		    (long long)member_int(rooms, "jails_max"),
		    clients, clients == 1 ? "client" : "clients");
}

int
cmd_doctor(const struct options *o)
{
	static const char *const titles[] = { "STATE", "WHAT", "DETAIL",
	    NULL };
	struct failure	 f;
	struct answer	 a;
	struct table	*t;
	size_t		 lacking;

	if (query(o, "doctor", NULL, &a, &f) == -1)
		return (answer_failed(o, &f));
	t = table_new(titles);
	lacking = doctor_rows(json_object_get(a.body, "rows"), t);
	if (o->json)
		json_out_text(stdout, a.text);
	else {
		table_print(t, stdout, 0);
		if (o->all)
			doctor_attempts(json_object_get(a.body, "attempts"));
		doctor_rooms(json_object_get(a.body, "rooms"));
	}
	table_free(t);
	answer_free(&a);
	return (lacking == 0 ? EXIT_COMPLETED : EXIT_SCRIPT);
}

int
cmd_version(const struct options *o)
{
	struct failure	 f;
	struct answer	 a;
	json_t		*obj;
	int		 ret;

	if (!o->json)
		printf("wfsupctl %s\n", WFSUP_VERSION);
	if ((ret = query(o, "version", NULL, &a, &f)) == -1)
		ret = f.exit;
	if (o->json) {
		obj = json_pack("{s:s, s:o}", "wfsupctl", WFSUP_VERSION,
		    "daemon", ret == 0 ? json_incref(a.body) : json_null());
		if (obj == NULL)
			oom();
		json_out_line(stdout, obj);
		json_decref(obj);
	} else if (ret == 0) {
		printf("wfsupd ");
		text_put(stdout, member_str(a.body, "version"), "  ");
		fputc('\n', stdout);
	}
	if (ret != 0) {
		fputs("wfsupctl: ", stderr);
		text_put(stderr, f.message, "  ");
		fputc('\n', stderr);
	}
	answer_free(&a);
	return (ret);
}
