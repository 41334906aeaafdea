/* ROOM: broker
 * The whole broker, with a run, two jails and a client, and somebody who
 * says whatever the catalogue lets him say: a client, a script, a tool jail,
 * the keeper or the gateway. Input: for each message a byte for who, one for
 * which, one for the question, then bytes for the fields. Nobody may make
 * the broker end, leak or keep a descriptor.
 */
#include <sys/socket.h>
#include <sys/uio.h>

#include "../broker/fake.c"
#include "../broker/fake_say.c"

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

struct input {
	const uint8_t	*p;
	size_t		 n;
};

static unsigned
take(struct input *in)
{
	if (in->n == 0)
		return (0);
	in->n--;
	return (*in->p++);
}

/* Texts that mean something to the broker, and some that don't. */
static const char *
take_text(struct input *in, const struct fielddef *f, char *buf, size_t len)
{
	static const char *const	texts[] = { "r1", "r2", "/tool#0",
	    "/w", "bash", "read", "agent", "tool", "sleep", "m", "list",
	    "show", "result", "scopes", "doctor", "version", "stop",
	    "completed", "cancelled", WFSUP_VERSION, "default", "", "w",
	    "\xc3\xa9\xe2\x80\xa8", "a\nb\x1b[31m\"\\" };
	const char			*text;
	size_t				 i;

	text = texts[take(in) % (sizeof(texts) / sizeof(texts[0]))];
	(void)snprintf(buf, len, "%s", text);
	if ((int64_t)strlen(buf) >= f->min && (int64_t)strlen(buf) <= f->max)
		return (buf);
	for (i = 0; i < (size_t)f->min && i < len - 1; i++)
		buf[i] = 'f';
	buf[i] = '\0';
	return (buf);
}

static int64_t
take_int(struct input *in, const struct fielddef *f)
{
	unsigned	n = take(in);

	if (n == 255)
		return (f->max);
	if (n == 254)
		return (f->min);
	n %= 8;
	return (n < f->min ? f->min : n > f->max ? f->max : (int64_t)n);
}

static json_t *
take_env(struct input *in, const struct msgdef *def)
{
	const struct fielddef	*f;
	json_t			*env = json_object();
	char			 buf[256];

	for (f = def->fields; f->name != NULL; f++) {
		if (f->optional && take(in) % 2 == 0)
			continue;
		switch (f->type) {
		case FIELD_STR:
			(void)json_object_set_new(env, f->name,
			    json_string(take_text(in, f, buf, sizeof(buf))));
			break;
		case FIELD_INT:
			(void)json_object_set_new(env, f->name,
			    json_integer(take_int(in, f)));
			break;
		case FIELD_BOOL:
			(void)json_object_set_new(env, f->name,
			    json_boolean(take(in) % 2));
			break;
		}
	}
	return (env);
}

/* The n-th message that role may send to the broker. */
static const struct msgdef *
take_def(struct input *in, enum role role)
{
	const struct msgdef	*def;
	size_t			 i, n = take(in) % 24, seen = 0;

	for (i = 0; (def = msgdef_at(i)) != NULL; i++) {
		if ((def->from & (int)role) == 0 || (def->to & BROKER) == 0 ||
		    (def->flags & MF_RAW) != 0)
			continue;
		if (seen++ == n)
			return (def);
	}
	return (NULL);
}

static void
say(struct input *in, struct fake *f)
{
	const struct msgdef	*def = take_def(in, f->ops.self);
	uint32_t		 id = take(in) % 16;
	const char		*body = NULL;
	int			 fd = -1;
	json_t			*env;

	if (def == NULL || f->peer == NULL)
		return;
	env = take_env(in, def);
	if ((def->flags & MF_BODY) != 0)
		body = take(in) % 4 == 0 ? "[" : "{\"a\":1}";
	if ((def->flags & MF_FD) != 0 || ((def->flags & MF_FDOPT) != 0 &&
	    take(in) % 2 == 0))
		fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	fake_send(f, def->type, id, fd, env, body);
}

static void
begin(struct rig *rig, struct fake *who[5])
{
	who[0] = rig_client(rig);
	who[1] = rig_run(rig, "r1", 1);
	say_tool_call(rig, 1, "r1", 1, "read");
	who[2] = rig_ready(rig, TOOL, 2);
	say_model_call(rig, 2, "r1", "m", 1);
	say_node_ask(who[1], "/tool#0", "tool", "read", NULL);
	who[3] = rig->keeper;
	who[4] = rig->gateway;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input	 in = { data, size > 600 ? 600 : size };
	struct rig	*rig;
	struct fake	*who[5];
	int		 i;

	log_init("broker_fuzz", 0);
	rig = rig_new(NULL);
	begin(rig, who);
	while (in.n > 0)
		say(&in, who[take(&in) % 5]);
	for (i = 0; i < 5; i++)
		fake_close(who[i]);
	rig_exit(rig, 1, "done", 0);
	rig_exit(rig, 2, "done", 0);
	rig_free(rig);
	return (0);
}
