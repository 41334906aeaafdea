/*
 * A new run: what will be stored is validated here, once.
 */
#include <bsd/stdlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handlers.h"
#include "json.h"
#include "log.h"
#include "quota.h"
#include "run_add.h"
#include "runs.h"

static const char	digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

/* Nine digits of time, so that ids sort by age, and seven of chance. */
void
run_make_id(char id[RUN_ID_LEN + 1], int64_t now)
{
	size_t	i;

	for (i = 9; i-- > 0; now /= 36)
		id[i] = digits[now % 36];
	for (i = 9; i < RUN_ID_LEN; i++)
		id[i] = digits[arc4random_uniform(36)];
	id[RUN_ID_LEN] = '\0';
}

static void
make_seed(char seed[RUN_SEED_LEN + 1])
{
	size_t	i;

	for (i = 0; i < RUN_SEED_LEN; i++)
		seed[i] = digits[arc4random_uniform(16)];
	seed[RUN_SEED_LEN] = '\0';
}

int
run_check_body(const json_t *body, char *why, size_t whylen)
{
	const json_t	*source = json_object_get(body, "source");
	const char	*bad = NULL;

	if (!json_is_object(body) || json_object_size(body) != 2 ||
	    json_object_get(body, "args") == NULL || !json_is_string(source))
		bad = "the body is not {\"source\": TEXT, \"args\": JSON}";
	else if (json_string_length(source) == 0)
		bad = "the script is empty";
	else if (json_string_length(source) > SOURCE_MAX)
		bad = SOURCE_LONG;
	else if (json_has_deep(body))
		bad = "the arguments are nested more than 64 deep";
	if (bad == NULL)
		return (0);
	(void)snprintf(why, whylen, "%s", bad);
	return (-1);
}

static int
check_message(const struct msg *m, char *why, size_t whylen)
{
	json_t	*body;
	int	 ret;

	if ((body = msg_body(m, why, whylen)) == NULL)
		return (-1);
	ret = run_check_body(body, why, whylen);
	json_decref(body);
	return (ret);
}

static int64_t
queue_length(struct keeper *k)
{
	struct run	*run;
	int64_t		 n = 0;

	RB_FOREACH(run, run_tree, &k->runs)
		if (run->phase == PHASE_QUEUED)
			n++;
	return (n);
}

/* Refuses if the user has as many unfinished runs as the broker allows. */
static int
user_full(struct keeper *k, const struct msg *m)
{
	int64_t		 uid = msg_int(m->env, "uid"), n = 0;
	int64_t		 max = msg_int(m->env, "runs");
	struct run	*run;

	if (max == -1)
		return (0);
	RB_FOREACH(run, run_tree, &k->runs)
		if (run->uid == uid && run->phase != PHASE_ENDED)
			n++;
	if (n < max)
		return (0);
	keeper_refuse(k, m->id, REFUSE_LIMIT, "uid %lld has as many "
	    "unfinished runs as profile \"%s\" grants: %lld", (long long)uid,
	    msg_str(m->env, "profile"), (long long)max);
	return (1);
}

static char *
copy_or_null(const char *text)
{
	char	*copy;

	if (text == NULL)
		return (NULL);
	if ((copy = strdup(text)) == NULL)
		fatal("strdup");
	return (copy);
}

static struct run *
run_make(struct keeper *k, const struct msg *m)
{
	struct run	*run = run_new(k);

	run->added = store_now_ms();
	do
		run_make_id(run->id, run->added);
	while (run_find(k, run->id) != NULL);
	make_seed(run->seed);
	run->uid = msg_int(m->env, "uid");
	run->gid = msg_int(m->env, "gid");
	run->profile = copy_or_null(msg_str(m->env, "profile"));
	run->name = copy_or_null(msg_str(m->env, "name"));
	run->workspace = copy_or_null(msg_str(m->env, "workspace"));
	run->dev = msg_int(m->env, "dev");
	run->ino = msg_int(m->env, "ino");
	run->budget = msg_int(m->env, "tokens");
	run->phase = PHASE_QUEUED;
	run_insert(run, m->body, m->bodylen);
	return (run);
}

int
msg_run_add(struct peer *p, struct msg *m)
{
	struct keeper	*k = peer_ctx(p);
	struct run	*run;
	char		 why[160];

	if (msg_str(m->env, "workspace") != NULL &&
	    (msg_int(m->env, "dev") == -1 || msg_int(m->env, "ino") == -1))
		return (-1);
	if (check_message(m, why, sizeof(why)) == -1) {
		keeper_refuse(k, m->id, REFUSE_SCRIPT, "%s", why);
		return (0);
	}
	if (user_full(k, m))
		return (0);
	if (quota_new_over(k, msg_int(m->env, "uid"), m->bodylen, why,
	    sizeof(why))) {
		keeper_refuse(k, m->id, REFUSE_LIMIT, "%s", why);
		return (0);
	}
	if (queue_length(k) >= config_queue(k->config)) {
		keeper_refuse(k, m->id, REFUSE_LIMIT,
		    "%lld runs are waiting already; try again later",
		    (long long)config_queue(k->config));
		return (0);
	}
	if (space_refuses(k, m->id, m->bodylen))
		return (0);
	run = run_make(k, m);
	run_event(run, "state", keeper_pack("{s:s}", "state", "queued"));
	keeper_send(k, IMSG_RUN_ADDED, m->id, keeper_pack("{s:s}", "run",
	    run->id), NULL, 0);
	run_schedule(k);
	return (0);
}
