/*
 * A new run: its workspace is looked at, the user's runs are counted, and
 * the keeper is asked to record it.
 */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fcntl.h>
#include <stdio.h>

#include "broker.h"
#include "control.h"
#include "env.h"
#include "grant.h"
#include "log.h"

struct place {
	int64_t	dev, ino;
};

/*
 * Which directory it is, from what the kernel knows: to ask its file system
 * could take as long as the client likes. Opened for reading and as a
 * directory, as the warden wants it. Returns -1 if it is not so.
 */
static int
workspace_place(int fd, struct place *place)
{
	struct statx	stx;
	int		flags = fcntl(fd, F_GETFL);

	if (flags == -1 || (flags & O_DIRECTORY) == 0 ||
	    (flags & O_PATH) != 0 || (flags & O_ACCMODE) != O_RDONLY)
		return (-1);
	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
	    STATX_TYPE | STATX_INO, &stx) == -1 || !S_ISDIR(stx.stx_mode) ||
	    stx.stx_ino > INT64_MAX)
		return (-1);
	place->dev = (int64_t)makedev(stx.stx_dev_major, stx.stx_dev_minor);
	place->ino = (int64_t)stx.stx_ino;
	return (place->dev < 0 ? -1 : 0);
}

/* What is wrong with a workspace, or NULL. */
static const char *
workspace_check(const struct msg *m, struct place *place)
{
	const char	*path = msg_str(m->env, "workspace");

	if (m->fd == -1 && path == NULL)
		return (NULL);
	if (m->fd == -1)
		return ("a workspace comes with its descriptor");
	if (path == NULL || path[0] != '/')
		return ("a workspace comes with its absolute path");
	if (workspace_place(m->fd, place) == -1)
		return ("the workspace is not a directory opened for reading");
	return (NULL);
}

/* The run as the keeper shall record it. tokens 0: as the profile says. */
static json_t *
submit_env(const struct client *client, const struct scope *scope,
    const struct msg *m, const struct place *place)
{
	const struct profile	*profile;
	int64_t			 tokens = msg_int(m->env, "tokens"), runs;
	json_t			*env;

	profile = config_profile(client->broker->config, scope->profile);
	runs = profile == NULL ? 0 : profile->runs;
	if (tokens <= 0)
		tokens = scope->budget.tokens;
	env = env_new("{s:I, s:I, s:s, s:I, s:s*, s:s*}",
	    "uid", (json_int_t)client->uid, "gid", (json_int_t)client->gid,
	    "profile", scope->profile, "tokens", (json_int_t)tokens,
	    "name", msg_str(m->env, "name"),
	    "workspace", msg_str(m->env, "workspace"));
	if (runs != 0 && json_object_set_new(env, "runs",
	    json_integer(runs)) == -1)
		fatalx("submit_env");
	if (m->fd != -1 && (json_object_set_new(env, "dev",
	    json_integer(place->dev)) == -1 ||
	    json_object_set_new(env, "ino", json_integer(place->ino)) == -1))
		fatalx("submit_env");
	return (env);
}

/* Has the user as many runs as the profile grants? Those that are still to
 * be recorded count. After a restart the keeper knows of more than we do, and
 * refuses too. */
static int
submit_full(struct client *client, const struct scope *scope, uint32_t id)
{
	struct broker		*b = client->broker;
	const struct profile	*profile;

	profile = config_profile(b->config, scope->profile);
	if (profile == NULL || profile->runs == 0 ||
	    run_count(b, client->uid) + (int64_t)share_submits(b,
	    client->uid) < profile->runs)
		return (0);
	control_refuse(client->peer, id, REFUSE_LIMIT, "uid %u has as many "
	    "unfinished runs as profile \"%s\" grants: %lld",
	    (unsigned)client->uid, profile->name, (long long)profile->runs);
	return (1);
}

static void
submit_pass(struct client *client, json_t *env, struct msg *m)
{
	struct pending	*p = client_ask(client, ASK_SUBMIT, m);

	env_forward(client->broker->keeper, IMSG_RUN_ADD, p->id, env, m);
	p->u.submit.fd = msg_take_fd(m);
}

int
control_submit(struct peer *peer, struct msg *m)
{
	struct client	*client = peer_ctx(peer);
	struct broker	*b = client->broker;
	struct request	 r = { .want = WANT_SUBMIT };
	struct scope	*scope;
	struct place	 place = { 0, 0 };
	const char	*why;

	r.tokens = msg_int(m->env, "tokens");
	if (request_judge(client, m->id, "admin.submit", &r) == -1)
		return (0);
	scope = client_scope(client);
	if ((why = workspace_check(m, &place)) != NULL)
		control_refuse(peer, m->id, REFUSE_USAGE, "%s", why);
	else if (b->keeper == NULL)
		control_refuse_away(peer, m->id);
	else if (!submit_full(client, scope, m->id))
		submit_pass(client, submit_env(client, scope, m, &place), m);
	return (0);
}
