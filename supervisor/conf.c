/*
 * The configuration, as the reader tells of it. What is the supervisor's own
 * it has checked; the parts of rooms it passes on, unseen.
 */
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "log.h"
#include "supervisor.h"

const char *
conf_text(const struct supervisor *sup, const char *name)
{
	return (sup->conf == NULL ? NULL : msg_str(sup->conf, name));
}

int
conf_log(const struct supervisor *sup)
{
	const char		*path = conf_text(sup, "log");
	struct sockaddr_un	 sun = { .sun_family = AF_UNIX };
	int			 fd;

	if (sup->debug || path == NULL)
		return (-1);
	(void)snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* If nobody listens yet, lines wait, and it is asked for again. */
	if (fd != -1 && connect(fd, (struct sockaddr *)&sun,
	    sizeof(sun)) == -1 && sup->state == SUP_STARTING)
		log_warn("%s: lines wait until somebody listens", path);
	return (fd);
}

void
conf_log_open(void *arg)
{
	int	fd;

	if ((fd = conf_log(arg)) != -1)
		log_set_socket(fd);
}

/* ---- reading it ---- */

/* The reader, if it can be asked; if not, it is asked when it works. */
static struct peer *
reader(const struct supervisor *sup)
{
	const struct child	*c = &sup->children[CHILD_READER];

	return (c->state == CHILD_READY ? c->peer : NULL);
}

static void
ask(struct supervisor *sup)
{
	if (reader(sup) == NULL)
		return;
	if (sup->conf == NULL)
		peer_send(reader(sup), IMSG_CONF_READ, ++sup->conf_id, -1,
		    NULL, NULL, 0);
	else
		peer_send_json(reader(sup), IMSG_CONF_READ, ++sup->conf_id,
		    -1, NULL, json_incref(sup->conf));
	/* Whoever looks up accounts may hang. */
	watch_rooms(sup);
}

void
conf_reload(struct supervisor *sup)
{
	if (sup->state == SUP_STOPPING)
		return;
	if (sup->reading) {
		sup->again = 1;
		return;
	}
	/* While it starts, the word that ends the start ends this, too. */
	if (sup->state == SUP_RUNNING)
		notify_send("RELOADING=1");
	sup->reading = 1;
	ask(sup);
}

/* That was it; the next, if somebody wanted one meanwhile. */
static void
settled(struct supervisor *sup)
{
	sup->reading = 0;
	if (!sup->again)
		return;
	sup->again = 0;
	conf_reload(sup);
}

static void
reloaded(struct supervisor *sup, int taken)
{
	audit("daemon.reload", taken ? "ok" : "fail", "file", sup->conf_name,
	    NULL);
	if (!taken)
		log_warnx("the old configuration stays in force");
	if (sup->state == SUP_RUNNING)
		notify_send("READY=1");
	settled(sup);
}

void
conf_lost(struct supervisor *sup)
{
	if (sup->reading)
		reloaded(sup, 0);
}

/* The first one: now the launcher can make all others. */
static void
begin(struct supervisor *sup)
{
	struct rlimit	 rl;
	json_t		*setup;

	if (getrlimit(RLIMIT_NOFILE, &rl) == -1)
		fatal("getrlimit");
	rl.rlim_cur = (rlim_t)msg_int(sup->conf, "files");
	if (setrlimit(RLIMIT_NOFILE, &rl) == -1)
		fatal("setrlimit");
	conf_log_open(sup);
	if ((setup = json_copy(sup->conf)) == NULL)
		fatalx("set-up: out of memory");
	(void)json_object_del(setup, "log");
	(void)json_object_del(setup, "files");
	peer_send(sup->children[CHILD_LAUNCHER].peer, IMSG_LAUNCH_SETUP, 0,
	    conf_log(sup), setup, NULL, 0);
	children_log(sup);
}

/* What has changed takes effect. */
static void
use(struct supervisor *sup, json_t *now)
{
	json_t	*log = json_object_get(now, "log");

	if (log != NULL && !json_equal(log, json_object_get(sup->conf,
	    "log"))) {
		(void)json_object_set(sup->conf, "log", log);
		conf_log_open(sup);
		children_log(sup);
	}
	children_reload(sup);
}

int
on_conf(struct peer *p, struct msg *m)
{
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;
	char			 why[160];
	json_t			*parts;

	if (!sup->reading || m->id != sup->conf_id ||
	    (parts = msg_body(m, why, sizeof(why))) == NULL)
		return (-1);
	json_decref(sup->parts);
	sup->parts = parts;
	if (sup->conf != NULL) {
		use(sup, m->env);
		reloaded(sup, 1);
	} else {
		sup->conf = json_incref(m->env);
		begin(sup);
		settled(sup);
	}
	return (0);
}

int
on_conf_wrong(struct peer *p, struct msg *m)
{
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;

	if (!sup->reading || m->id != sup->conf_id)
		return (-1);
	if (sup->conf == NULL)
		sup_stop(sup, EX_CONFIG);
	else
		reloaded(sup, 0);
	return (0);
}

/* ---- keys and rules ---- */

void
secrets_ask(struct supervisor *sup)
{
	sup->secrets_due = 1;
	if (reader(sup) != NULL)
		peer_send_json(reader(sup), IMSG_SECRETS_ASK,
		    ++sup->secrets_id, -1, NULL, json_incref(
		    json_object_get(sup->parts, "secrets")));
}

void
conf_begin(struct supervisor *sup)
{
	if (sup->conf == NULL)
		sup->reading = 1;
	if (sup->reading)
		ask(sup);
	if (sup->secrets_due)
		secrets_ask(sup);
}

int
on_secret(struct peer *p, struct msg *m)
{
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;
	const struct child	*gateway = &sup->children[CHILD_GATEWAY];

	if (gateway->peer != NULL && gateway->state >= CHILD_BEGUN)
		peer_send(gateway->peer, m->def->type, 0, msg_take_fd(m),
		    json_incref(m->env), NULL, 0);
	return (0);
}

int
on_secrets_done(struct peer *p, struct msg *m)
{
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;
	struct child		*gateway = &sup->children[CHILD_GATEWAY];

	if (m->id != sup->secrets_id)
		return (0);
	sup->secrets_due = 0;
	if (sup->gateway_waits && gateway->peer != NULL)
		child_go(gateway);
	sup->gateway_waits = 0;
	return (0);
}
