/*
 * The keeper's state as a whole, and what it says to the broker.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "agent_slots.h"
#include "keeper.h"
#include "log.h"
#include "runs.h"
#include "text.h"

/* Nothing that this wake-up says may be heard before it is on the disk. */
static void
hold(void *arg)
{
	struct keeper	*k = arg;

	if (k->broker != NULL)
		peer_hold(k->broker);
}

static void
release(void *arg)
{
	struct keeper	*k = arg;

	run_ends_audit(k);
	space_take_back(k);
	k->promised = 0;
	if (k->broker != NULL)
		peer_release(k->broker);
}

int
keeper_open(struct keeper *k, struct event_base *base, const char *path,
    char *why, size_t whylen)
{
	memset(k, 0, sizeof(*k));
	RB_INIT(&k->runs);
	RB_INIT(&k->effects);
	TAILQ_INIT(&k->followers);
	STAILQ_INIT(&k->ends);
	k->base = base;
	if ((k->store = store_open(path, why, whylen)) == NULL)
		return (-1);
	k->share = space_share(space_total(k->store));
	k->history = space_history(space_total(k->store));
	retain_load(k);
	store_loop(k->store, base, hold, release, k);
	return (0);
}

void
keeper_close(struct keeper *k)
{
	if (k->broker != NULL)
		peer_close(k->broker);
	k->broker = NULL;
	channel_clear(&k->broker_wait);
	broker_forget(k);
	run_ends_forget(k);
	slots_free(k->slots);
	space_close(k);
	retain_close(k);
	store_close(k->store);
	config_free(k->config);
}

json_t *
keeper_pack(const char *fmt, ...)
{
	json_error_t	 error;
	json_t		*v;
	va_list		 ap;

	va_start(ap, fmt);
	v = json_vpack_ex(&error, 0, fmt, ap);
	va_end(ap);
	if (v == NULL)
		fatalx("json_pack: %s: %s", fmt, error.text);
	return (v);
}

json_t *
keeper_string(char *text)
{
	char	 safe[1024];
	json_t	*v;

	text_trim(text);
	if ((v = json_string(text)) == NULL)
		v = json_string(log_vis(safe, sizeof(safe), text,
		    strlen(text)));
	if (v == NULL)
		fatalx("json_string");
	return (v);
}

void
keeper_send(struct keeper *k, uint32_t type, uint32_t id, json_t *env,
    const void *body, size_t bodylen)
{
	if (k->broker == NULL)
		json_decref(env);
	else
		peer_send(k->broker, type, id, -1, env, body, bodylen);
}

void
keeper_send_json(struct keeper *k, uint32_t type, uint32_t id, json_t *env,
    json_t *body)
{
	char	*text = dump_json(body);

	json_decref(body);
	keeper_send(k, type, id, env, text, strlen(text));
	free(text);
}

void
keeper_refuse(struct keeper *k, uint32_t id, enum refusal why,
    const char *fmt, ...)
{
	char	message[1024];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	keeper_send(k, IMSG_REFUSED, id, keeper_pack("{s:i, s:s, s:o}",
	    "exit", refusal_exit(why), "class", refusal_class(why),
	    "message", keeper_string(message)), NULL, 0);
}
