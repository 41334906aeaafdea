/*
 * What the warden sends: a configuration, parts of jails, orders.
 */
#include <stdlib.h>
#include <string.h>

#include "canary.h"
#include "log.h"
#include "starter_impl.h"

/* The jail that a message is about: one that was not spawned yet. */
static struct jail *
jail_of(struct starter *st, const json_t *env)
{
	struct jail	*j;
	int64_t		 number = msg_int(env, "jail");

	if ((j = jail_find(&st->jails, number)) == NULL)
		j = jail_new(&st->jails, number);
	if (j == NULL)
		fatal("jail_new");
	if (j->state != JAIL_COLLECTING)
		fatalx("jail %lld: spawned twice", (long long)number);
	return (j);
}

static void
part_in(struct starter *st, const json_t *env, int fd)
{
	struct jail	*j = jail_of(st, env);

	if (jail_part(j, msg_str(env, "part"), fd) == -1)
		fatalx("jail %lld: can't have a part \"%s\"",
		    (long long)j->number, msg_str(env, "part"));
}

static void
canary_in(struct starter *st, const json_t *env)
{
	struct jail	*j = jail_of(st, env);

	if (j->canary != NULL)
		fatalx("jail %lld: can't be a canary", (long long)j->number);
	j->canary = canary_new((size_t)msg_int(env, "first"));
	if (j->canary == NULL)
		fatal("canary");
}

static void
spawn_in(struct starter *st, const json_t *env)
{
	struct jail	*j = jail_of(st, env);

	j->uid = (uid_t)msg_int(env, "uid");
	j->memory = msg_int(env, "memory");
	j->pids = msg_int(env, "pids");
	j->cpu = msg_int(env, "cpu");
	j->fsize = msg_int(env, "fsize");
	j->files = msg_int(env, "files");
	j->ahead = msg_bool(env, "ahead");
	starter_spawn(st, j);
}

/* Obeyed once: a reload of the configuration changes what the next start
 * does. */
static void
config_in(struct starter *st, const char *body, size_t len)
{
	json_t	*config;

	if (st->configured)
		return;
	config = json_loadb(body, len, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(config))
		fatalx("configuration: not an object");
	if (st->ops->configure != NULL)
		st->ops->configure(st, config);
	json_decref(config);
	st->configured = 1;
}

static void
start_in(struct starter *st)
{
	if (!st->configured)
		fatalx("started without a configuration");
	starter_send(st, IMSG_ROOM_READY, -1, json_object());
}

/*
 * The checked envelope of a message, a new reference; *body is what follows
 * it, or NULL. What the warden sends is right or we are no use.
 */
static json_t *
message_check(const struct starter *st, const struct msgdef *def,
    const struct imsg *imsg, const char **body)
{
	size_t	 len = imsg->datalen;
	json_t	*env;
	char	 why[128];

	if (def == NULL || (def->to & (int)st->ops->self) == 0)
		fatalx("message %#x is not for us", imsg->hdr.type);
	if (((def->flags & MF_FD) != 0) != (imsg->fd != -1))
		fatalx("%s: descriptor", def->name);
	if ((*body = memchr(imsg->data, '\n', len)) != NULL)
		len = (size_t)((*body)++ - imsg->data);
	if ((env = msg_parse(imsg->data, len, why, sizeof(why))) == NULL ||
	    msgdef_check(def, env, why, sizeof(why)) == -1)
		fatalx("%s: %s", def->name, why);
	if (json_object_get(env, "parts") != NULL)
		fatalx("%s: longer than a packet", def->name);
	return (env);
}

static void
message_in(struct starter *st, struct imsg *imsg)
{
	const struct msgdef	*def = msgdef_find(imsg->hdr.type);
	const char		*body;
	json_t			*env;

	env = message_check(st, def, imsg, &body);
	switch (def->type) {
	case IMSG_ROOM_CONFIG:
		config_in(st, body == NULL ? "" : body, body == NULL ? 0 :
		    (size_t)(imsg->data + imsg->datalen - body));
		break;
	case IMSG_ROOM_START:
		start_in(st);
		break;
	case IMSG_JAIL_PART:
		part_in(st, env, imsg_get_fd(imsg));
		break;
	case IMSG_CANARY:
		canary_in(st, env);
		break;
	case IMSG_JAIL_SPAWN:
		spawn_in(st, env);
		break;
	default:
		fatalx("%s: no handler", def->name);
	}
	json_decref(env);
}

void
starter_in(struct starter *st)
{
	struct imsg	imsg;

	switch (imsgbuf_get(&st->ibuf, &imsg)) {
	case IMSG_GOT:
		message_in(st, &imsg);
		imsg_free(&imsg);
		break;
	case IMSG_AGAIN:
		break;
	case IMSG_EOF:
		/* All jails are in our pid namespace and end with us. */
		exit(0);
	case IMSG_BAD:
		fatalx("malformed packet");
	case IMSG_ERROR:
		fatal("receive");
	}
}
