#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "broker.h"
#include "control.h"
#include "env.h"
#include "log.h"
#include "report.h"
#include "room.h"

/* Rows of the host report, attempts of canaries: the warden has far fewer. */
#define ROWS_MAX	128
#define ATTEMPTS_MAX	2048

struct report {
	json_t	*rows;		/* of the host */
	json_t	*attempts;	/* of canaries */
	int	 told;		/* the warden has told all of that */
};

void
report_free(struct report *r)
{
	if (r == NULL)
		return;
	json_decref(r->rows);
	json_decref(r->attempts);
	free(r);
}

static struct report *
report_get(struct broker *b)
{
	if (b->report != NULL)
		return (b->report);
	if ((b->report = calloc(1, sizeof(*b->report))) == NULL ||
	    (b->report->rows = json_array()) == NULL ||
	    (b->report->attempts = json_array()) == NULL)
		fatal("report");
	return (b->report);
}

/* Where the row of this name stands, or the end. */
static size_t
row_place(const json_t *rows, const char *name)
{
	const json_t	*row;
	size_t		 i;

	json_array_foreach(rows, i, row)
		if (strcmp(msg_str(row, "name"), name) == 0)
			return (i);
	return (json_array_size(rows));
}

int
report_row(struct peer *peer, struct msg *m)
{
	struct report	*r = report_get(peer_ctx(peer));
	json_t		*row = env_of(m);
	size_t		 i = row_place(r->rows, msg_str(m->env, "name"));

	r->told |= msg_bool(m->env, "last");
	if (i < json_array_size(r->rows)) {
		if (json_array_set_new(r->rows, i, row) == -1)
			fatalx("report_row");
	} else if (i >= ROWS_MAX) {
		json_decref(row);
	} else if (json_array_append_new(r->rows, row) == -1)
		fatalx("report_row");
	return (0);
}

int
report_attempt(struct peer *peer, struct msg *m)
{
	json_t	*attempts = report_get(peer_ctx(peer))->attempts;

	if (json_array_size(attempts) >= ATTEMPTS_MAX)
		return (-1);
	if (json_array_append_new(attempts, env_of(m)) == -1)
		fatalx("report_attempt");
	return (0);
}

static void __attribute__((format(printf, 4, 5)))
row_add(json_t *rows, const char *name, int ok, const char *fmt, ...)
{
	char	text[128];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (json_array_append_new(rows, env_new("{s:s, s:b, s:s}", "name",
	    name, "ok", ok, "text", text)) == -1)
		fatalx("row_add");
}

static void
rooms_report(struct broker *b, json_t *rows)
{
	if (!report_get(b)->told)
		row_add(rows, "warden", 0, "has not told yet what this host "
		    "can do: ask again");
	row_add(rows, "keeper", b->keeper != NULL, "%s",
	    b->keeper != NULL ? "is there" : "is being restarted");
	row_add(rows, "gateway", b->gateway != NULL, "%s",
	    b->gateway != NULL ? "is there" : "is being restarted");
}

static json_t *
rooms_json(struct broker *b)
{
	struct jail	*jail;
	struct run	*run = NULL;
	json_int_t	 jails = 0, runs = 0;

	TAILQ_FOREACH(jail, &b->jails, entry)
		if (jail->state != JAIL_QUEUED)
			jails++;
	while ((run = run_next(b, run)) != NULL)
		runs++;
	return (env_new("{s:b, s:b, s:I, s:I, s:I, s:I}",
	    "keeper", b->keeper != NULL, "gateway", b->gateway != NULL,
	    "jails", jails, "jails_max", (json_int_t)config_jails(b->config),
	    "runs", runs, "clients", (json_int_t)control_count(b)));
}

json_t *
report_doctor(struct broker *b)
{
	json_t	*rows;

	if ((rows = json_copy(report_get(b)->rows)) == NULL)
		fatalx("report_doctor");
	rooms_report(b, rows);
	return (env_new("{s:o, s:o, s:O}", "rows", rows, "rooms",
	    rooms_json(b), "attempts", b->report->attempts));
}

json_t *
report_scopes(struct broker *b, const struct client *client, int all)
{
	struct scope	*scope;
	json_t		*list;
	uint64_t	 last = 0;

	if ((list = json_array()) == NULL)
		fatalx("report_scopes");
	while ((scope = scope_next(b->scopes, last)) != NULL) {
		last = scope->id;
		if (scope->run[0] == '\0' ||
		    (scope->uid != client->uid && !all))
			continue;
		if (json_array_append_new(list, scope_json(scope)) == -1)
			fatalx("report_scopes");
	}
	return (env_new("{s:o}", "scopes", list));
}

static json_t *
limits_json(const struct limits *l)
{
	return (env_new("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
	    "memory", (json_int_t)l->memory, "pids", (json_int_t)l->pids,
	    "cpu", (json_int_t)l->cpu, "wall", (json_int_t)l->wall,
	    "fsize", (json_int_t)l->fsize, "files", (json_int_t)l->files,
	    "output", (json_int_t)l->output, "frame", (json_int_t)l->frame,
	    "calls", (json_int_t)l->calls, "rate", (json_int_t)l->rate));
}

json_t *
report_policy(struct run *run)
{
	const struct scope	*scope = run_scope(run);

	if (scope == NULL)
		return (NULL);
	return (env_new("{s:s, s:o, s:o, s:o, s:I, s:o}",
	    "profile", scope->profile, "tools", names_json(&scope->tools),
	    "models", names_json(&scope->models),
	    "agents", names_json(&scope->agents),
	    "tokens", (json_int_t)scope->budget.tokens,
	    "limits", limits_json(&run->limits)));
}

json_t *
report_version(void)
{
	return (env_new("{s:s}", "version", WFSUP_VERSION));
}
