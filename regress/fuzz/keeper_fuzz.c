/* ROOM: keeper
 * A broker that says anything the catalogue allows, in any
 * order, with any bodies: the keeper must neither crash nor end, and all it
 * sends must be as the catalogue says (peer_send() ends the process if not).
 */
#include <sys/socket.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "handlers.h"
#include "keeper.h"
#include "log.h"

struct input {
	const uint8_t	*p;
	size_t		 left;
};

/* Words that lead somewhere, and bodies that parse. */
static const char *const	words[] = {
	"/tool#0", "/agent#0", "/p0.1/sleep#0", "tool", "agent", "sleep",
	"read", "bash", "log", "phase", "list", "show", "result", "stop",
	"tool_calls", "transient", "oom", "failed step: x", "canned",
	"0000000000000000000000000000000000000000000000000000000000000000",
	"1111111111111111111111111111111111111111111111111111111111111111",
	"\303\244\303\266\360\237\230\200", "\001\"\\",
};
static const char *const	bodies[] = {
	"{\"source\":\"x\",\"args\":{}}",
	"{\"name\":\"read\",\"input\":{\"path\":\"a\"}}",
	"{\"name\":\"bash\",\"input\":{\"command\":\"a\",\"timeout\":0.1}}",
	"{\"prompt\":\"hello\",\"model\":\"canned\"}",
	"{\"prompt\":\"hello\",\"schema\":{\"type\":\"object\"},\"tools\":[]}",
	"{\"seconds\":0}", "{\"seconds\":-1e300}", "[]", "null", "1e5", "{",
	"{\"result\":[1,0.1],\"failures\":[{\"node\":null}]}",
	"{\"class\":\"TypeError\",\"message\":\"m\",\"line\":1}",
	"{\"text\":\"abc\"}", "{\"role\":\"assistant\",\"content\":\"x\"}",
	"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"
	    "\"1\",\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}]}",
	"{\"class\":1,\"cause\":[],\"message\":{},\"rule\":null}",
};
#define COUNT(t)	(sizeof(t) / sizeof((t)[0]))

static char	last_run[RUN_ID_LEN + 1];

static uint8_t
byte(struct input *in)
{
	if (in->left == 0)
		return (0);
	in->left--;
	return (*in->p++);
}

/* A text of the input's own bytes, or one of ours. */
static json_t *
text(struct input *in, const struct fielddef *fd)
{
	uint8_t	 how = byte(in);
	size_t	 n;
	json_t	*v;

	if (strcmp(fd->name, "run") == 0 && how < 250)
		return (json_string(last_run));
	if (how < 128)
		return (json_string(words[how % COUNT(words)]));
	n = byte(in);
	if (n > in->left)
		n = in->left;
	v = json_stringn((const char *)in->p, n);
	in->p += n;
	in->left -= n;
	if (v != NULL && memchr(json_string_value(v), 0, n) == NULL)
		return (v);
	json_decref(v);
	return (json_string("bad"));
}

static json_t *
number(struct input *in, const struct fielddef *fd)
{
	uint8_t	how = byte(in);

	if (how == 255)
		return (json_integer(fd->max));
	if (how == 254 || (int64_t)how > fd->max || (int64_t)how < fd->min)
		return (json_integer(fd->min));
	return (json_integer(how));
}

/* An envelope as the catalogue wants it, or NULL. */
static json_t *
envelope(struct input *in, const struct msgdef *def)
{
	const struct fielddef	*fd;
	json_t			*env = json_object(), *v;
	char			 why[128];

	for (fd = def->fields; fd->name != NULL; fd++) {
		if (strcmp(fd->name, "parts") == 0 ||
		    (fd->optional && (byte(in) & 1) == 0))
			continue;
		switch (fd->type) {
		case FIELD_STR:
			v = text(in, fd);
			break;
		case FIELD_INT:
			v = number(in, fd);
			break;
		case FIELD_BOOL:
			v = json_boolean(byte(in) & 1);
			break;
		}
		(void)json_object_set_new(env, fd->name, v);
	}
	if (msgdef_check(def, env, why, sizeof(why)) == 0)
		return (env);
	json_decref(env);
	return (NULL);
}

static void
body(struct input *in, struct msg *m)
{
	uint8_t	how = byte(in);

	if (how < 200) {
		m->body = bodies[how % COUNT(bodies)];
		m->bodylen = strlen(m->body);
		return;
	}
	m->body = (const char *)in->p;
	m->bodylen = byte(in);
	if (m->bodylen > in->left)
		m->bodylen = in->left;
	m->body = (const char *)in->p;
	in->p += m->bodylen;
	in->left -= m->bodylen;
}

/* One message to its handler. */
static void
say(struct keeper *k, struct input *in)
{
	const struct handler	*h = broker_handlers;
	struct run		*run;
	struct msg		 m;
	size_t			 n = 0;

	while (h[n].fn != NULL)
		n++;
	h += byte(in) % n;
	memset(&m, 0, sizeof(m));
	m.fd = -1;
	m.def = msgdef_find(h->type);
	m.id = byte(in) % 8;
	if ((m.env = envelope(in, m.def)) == NULL)
		return;
	if ((m.def->flags & (MF_BODY | MF_BODYOPT)) != 0)
		body(in, &m);
	(void)h->fn(k->broker, &m);	/* -1 would drop the broker: allowed */
	json_decref(m.env);
	if ((run = RB_MAX(run_tree, &k->runs)) != NULL)
		memcpy(last_run, run->id, sizeof(last_run));
}

/* A run whose script has begun: where most of the keeper's work begins. */
static void
begin(struct keeper *k)
{
	struct msg	m;

	memset(&m, 0, sizeof(m));
	m.fd = -1;
	m.def = msgdef_find(IMSG_RUN_ADD);
	m.env = json_pack("{s:i, s:i, s:s, s:i}", "uid", 1, "gid", 1,
	    "profile", "p", "tokens", 0);
	m.body = bodies[0];
	m.bodylen = strlen(m.body);
	(void)msg_run_add(k->broker, &m);	/* shown by what follows */
	json_decref(m.env);
	memcpy(last_run, RB_MAX(run_tree, &k->runs)->id, sizeof(last_run));
	m.def = msgdef_find(IMSG_RUN_JAIL);
	m.env = json_pack("{s:s, s:i, s:s}", "run", last_run, "jail", 1,
	    "python", "");
	(void)msg_run_jail(k->broker, &m);	/* likewise */
	json_decref(m.env);
}

static void
drain(int fd)
{
	static char	buf[70000];

	while (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) > 0)
		continue;
}

/* A store in memory, and still a file, beside which the reserve can lie. */
static char	store_dir[] = "/dev/shm/keeper_fuzz.XXXXXX";

static void
store_remove(const char *suffix)
{
	char	path[64];

	(void)snprintf(path, sizeof(path), "%s/db%s", store_dir, suffix);
	(void)unlink(path);	/* it need not be there */
}

static void
store_end(void)
{
	store_remove("");
	store_remove("-wal");
	store_remove("-reserve");
	(void)rmdir(store_dir);
}

/* The path of a store that is not there. The reserve stays. */
static const char *
store_fresh(void)
{
	static char	path[64];

	if (path[0] == '\0') {
		if (mkdtemp(store_dir) == NULL || atexit(store_end) != 0)
			abort();
		(void)snprintf(path, sizeof(path), "%s/db", store_dir);
	}
	store_remove("");
	store_remove("-wal");
	return (path);
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input		 in = { data, size };
	struct event_base	*base = event_base_new();
	struct keeper		 k;
	json_t			*conf;
	char			 why[256];
	int			 fds[2];

	conf = json_loads("{\"runs\":2,\"queue\":2,\"retain\":1,\"models\":"
	    "{\"canned\":{\"max_tokens\":10,\"window\":100}},"
	    "\"default_model\":\"canned\",\"agents\":{}}", 0, NULL);
	if (keeper_open(&k, base, store_fresh(), why, sizeof(why)) == -1 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds) == -1)
		abort();
	k.config = config_new(conf, why, sizeof(why));
	json_decref(conf);
	broker_attach(&k, fds[1]);
	broker_start(&k);
	begin(&k);
	while (in.left > 0 && k.broker != NULL) {
		say(&k, &in);
		if ((byte(&in) & 3) == 0) {
			(void)event_base_loop(base, EVLOOP_NONBLOCK);
			drain(fds[0]);
		}
	}
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	keeper_close(&k);
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	(void)close(fds[0]);
	event_base_free(base);
	return (0);
}
