#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker.h"
#include "clock.h"
#include "env.h"
#include "grant.h"
#include "log.h"

static int
run_compare(const struct run *a, const struct run *b)
{
	return (strcmp(a->id, b->id));
}

TREE_GENERATE(run_tree, run, entry, run_compare)

struct run *
run_find(struct broker *b, const char *id)
{
	struct run	key;

	(void)snprintf(key.id, sizeof(key.id), "%s", id);
	return (RB_FIND(run_tree, &b->runs, &key));
}

struct run *
run_next(struct broker *b, struct run *run)
{
	if (run == NULL)
		return (RB_MIN(run_tree, &b->runs));
	return (RB_NEXT(run_tree, &b->runs, run));
}

int64_t
run_count(struct broker *b, uid_t uid)
{
	struct run	*run;
	int64_t		 n = 0;

	RB_FOREACH(run, run_tree, &b->runs)
		if (run->uid == uid)
			n++;
	return (n);
}

static struct run *
run_new(struct broker *b, const char *id)
{
	struct run	*run;

	if ((run = calloc(1, sizeof(*run))) == NULL)
		fatal("run_new");
	run->broker = b;
	run->workspace.fd = -1;
	TAILQ_INIT(&run->jails);
	TAILQ_INIT(&run->unpaid);
	(void)snprintf(run->id, sizeof(run->id), "%s", id);
	RB_INSERT(run_tree, &b->runs, run);
	return (run);
}

struct run *
run_add(struct broker *b, const char *id, uid_t uid, int fd)
{
	struct run	*run = run_find(b, id);

	/* The keeper may have started it before it said that it is added. */
	if (run == NULL)
		run = run_new(b, id);
	run->uid = uid;
	if (run->workspace.fd != -1) {
		if (fd != -1)
			(void)close(fd);
		return (run);
	}
	run->workspace.fd = fd;
	if (fd != -1 && run->workspace.state != WORKSPACE_NONE) {
		run->workspace.state = WORKSPACE_HERE;
		jail_schedule(b);
	}
	return (run);
}

/* ---- the scope ---- */

/*
 * The owner's scope is all that the profile grants; the script's is a child
 * of it without any verb, within the budget of the run.
 */
static void
run_grant(struct run *run, const struct profile *profile)
{
	struct broker		*b = run->broker;
	struct scope_wish	 wish = { .run = run->id,
	    .tokens = run->tokens };
	struct scope		*owner, *scope;

	owner = scope_create(b->scopes, profile, run->uid, run->gid, 0);
	scope = scope_attenuate(b->scopes, owner, &wish);
	scope->budget.spent = owner->budget.spent = run->spent;
	run->owner = owner->id;
	run->scope = scope->id;
	run->limits = profile->limits;
	audit("scope.grant", "grant", "run", run->id, "scope",
	    audit_int((long long)scope->id), "uid", audit_int(run->uid),
	    "profile", profile->name, "tokens",
	    audit_int(scope->budget.tokens), NULL);
}

static void
run_revoke(struct run *run)
{
	if (run->owner == 0)
		return;
	audit("scope.revoke", "ok", "run", run->id, "scope",
	    audit_int((long long)run->scope), NULL);
	scope_revoke(run->broker->scopes, run->owner);
	run->owner = run->scope = 0;
}

struct scope *
run_scope(struct run *run)
{
	if (run == NULL || run->scope == 0)
		return (NULL);
	return (scope_find(run->broker->scopes, run->scope));
}

struct verdict
run_judge(struct broker *b, struct run *run, struct request *r)
{
	r->now = clock_now();
	scope_expire(b->scopes, r->now);
	return (grant_decide(run_scope(run), r));
}

/* ---- start and end ---- */

static void
run_wait(struct run *run, const char *on)
{
	if (run->broker->keeper != NULL)
		peer_send(run->broker->keeper, IMSG_RUN_WAIT, 0, -1,
		    env_new("{s:s, s:s}", "run", run->id, "on", on), NULL, 0);
}

/* Begin, if the profile is still there; else the run waits for it. */
static void
run_begin(struct run *run)
{
	const struct profile	*profile;
	char			 on[PROFILE_NAME_MAX + 64];

	if (run->scope == 0) {
		profile = config_profile(run->broker->config, run->profile);
		if (profile == NULL) {
			(void)snprintf(on, sizeof(on), "profile %s, which is "
			    "not in the configuration", run->profile);
			audit("scope.grant", "deny", "run", run->id, "profile",
			    run->profile, "reason", on, NULL);
			run_wait(run, on);
			return;
		}
		run_grant(run, profile);
	}
	(void)jail_new(run, SCRIPT, 0);
	jail_schedule(run->broker);
}

void
run_start(struct broker *b, const json_t *env)
{
	const char	*id = msg_str(env, "run");
	struct run	*run = run_find(b, id);

	if (run == NULL)
		run = run_new(b, id);
	run->wanted = 1;
	run->uid = (uid_t)msg_int(env, "uid");
	run->gid = (gid_t)msg_int(env, "gid");
	run->tokens = msg_int(env, "tokens");
	run->spent = msg_int(env, "spent");
	(void)snprintf(run->profile, sizeof(run->profile), "%s",
	    msg_str(env, "profile"));
	if (run->script != NULL)
		jail_forget(run->script, "restart");
	workspace_set(run, env);
	run_begin(run);
}

void
run_reloaded(struct broker *b)
{
	struct run	*run;

	RB_FOREACH(run, run_tree, &b->runs)
		if (run->wanted && run->scope == 0)
			run_begin(run);
	jail_schedule(b);
}

static void
run_remove(struct run *run, const char *cause)
{
	struct broker	*b = run->broker;
	struct jail	*jail;

	while ((jail = TAILQ_FIRST(&run->jails)) != NULL)
		jail_forget(jail, cause);
	model_forget_run(run);
	run_revoke(run);
	workspace_clear(run);
	RB_REMOVE(run_tree, &b->runs, run);
	free(run);
}

void
run_end(struct run *run, const char *cause)
{
	struct broker	*b = run->broker;

	run_remove(run, cause);
	jail_schedule(b);
}

void
run_end_all(struct broker *b, const char *cause)
{
	struct run	*run;

	while ((run = RB_MIN(run_tree, &b->runs)) != NULL)
		run_remove(run, cause);
}
