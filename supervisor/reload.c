/*
 * A new configuration, while all goes on. Names of users are looked up by the
 * launcher: the file is read once to learn which are in it, and again when
 * all are known.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "supervisor.h"

#define NAME_LEN	256	/* of NAME_ASK */

struct name {
	STAILQ_ENTRY(name)	 entry;
	int			 group;		/* not a user's */
	int			 known, found;
	uid_t			 uid;
	gid_t			 gid;
	char			 text[];
};

struct reload {
	struct supervisor	*sup;
	int			 running, again;
	uint32_t		 first, last;	/* ids of this one's questions */
	int			 missing;	/* names without an answer */
	STAILQ_HEAD(name_list, name) names;	/* in the order of the ids */
};

/* ---- names ---- */

/* What can't be sent is nobody's name. */
static void
name_ask(struct reload *r, struct name *n)
{
	struct peer	*launcher = r->sup->children[CHILD_LAUNCHER].peer;
	size_t		 len = strlen(n->text);
	json_t		*env;

	r->last++;
	n->known = 1;
	/* Without a launcher the daemon is about to end. */
	if (len == 0 || len > NAME_LEN || launcher == NULL ||
	    (env = json_pack("{s:s,s:b}", "name", n->text, "group",
	    n->group)) == NULL)
		return;
	peer_send(launcher, IMSG_NAME_ASK, r->last, -1, env, NULL, 0);
	n->known = 0;
	r->missing++;
}

static void
name_add(struct reload *r, const char *text, int group)
{
	struct name	*n;
	size_t		 size = strlen(text) + 1;

	if ((n = calloc(1, sizeof(*n) + size)) == NULL)
		fatal("reload");
	memcpy(n->text, text, size);
	n->group = group;
	STAILQ_INSERT_TAIL(&r->names, n, entry);
	name_ask(r, n);
}

/* What is known of it; if nothing, it is asked for. */
static const struct name *
name_find(struct reload *r, const char *text, int group)
{
	struct name	*n;

	STAILQ_FOREACH(n, &r->names, entry)
		if (n->group == group && strcmp(n->text, text) == 0)
			return (n);
	name_add(r, text, group);
	return (NULL);
}

static int
name_user(void *arg, const char *text, uid_t *uid, gid_t *gid)
{
	const struct name	*n = name_find(arg, text, 0);

	if (n == NULL || !n->found)
		return (-1);
	*uid = n->uid;
	*gid = n->gid;
	return (0);
}

static int
name_group(void *arg, const char *text, gid_t *gid)
{
	const struct name	*n = name_find(arg, text, 1);

	if (n == NULL || !n->found)
		return (-1);
	*gid = n->gid;
	return (0);
}

static void
names_forget(struct reload *r)
{
	struct name	*n;

	while ((n = STAILQ_FIRST(&r->names)) != NULL) {
		STAILQ_REMOVE_HEAD(&r->names, entry);
		free(n);
	}
	r->first = r->last + 1;
	r->missing = 0;
}

/* ---- the file ---- */

/* Read it, with what is known of the names in it. */
static struct conf *
file_read(struct reload *r, void (*report)(const char *, void *))
{
	struct conf_names	 names = { name_user, name_group, r };

	return (config_load(r->sup->conf_name, r->sup->debug, &names,
	    report));
}

static void
report_nothing(const char *text, void *arg)
{
	(void)text;
	(void)arg;
}

/* Why a new configuration needs a restart, or NULL. */
static const char *
refused(const struct supervisor *sup, const struct conf *conf)
{
	struct rlimit	rl;

	if (!config_fixed(sup->conf, conf))
		return ("state, control, cgroup, users, jail ids, and the log "
		    "from a socket to standard error change only with a "
		    "restart");
	if (getrlimit(RLIMIT_NOFILE, &rl) == -1 ||
	    config_files(conf) > rl.rlim_cur)
		return ("its limits need more open files than this process "
		    "may have: a restart, or more of LimitNOFILE=");
	return (NULL);
}

void
reload_log(void *arg)
{
	struct supervisor	*sup = arg;
	int			 fd;

	if ((fd = config_log(sup->conf)) != -1)
		log_set_socket(fd);
}

/* What has changed takes effect. Takes conf. */
static void
use(struct supervisor *sup, struct conf *conf)
{
	struct conf	*old = sup->conf;

	sup->conf = conf;
	if (conf->log != NULL && (old->log == NULL ||
	    strcmp(conf->log, old->log) != 0)) {
		reload_log(sup);
		children_log(sup);
	}
	conf_free(old);
	children_reload(sup);
}

/* All names are known. */
static void
finish(struct reload *r)
{
	struct supervisor	*sup = r->sup;
	struct conf		*conf = file_read(r, config_report);
	const char		*why;

	if (conf != NULL && (why = refused(sup, conf)) != NULL) {
		log_warnx("%s: %s", sup->conf_name, why);
		conf_free(conf);
		conf = NULL;
	}
	audit("daemon.reload", conf != NULL ? "ok" : "fail", "file",
	    sup->conf_name, NULL);
	if (conf == NULL)
		log_warnx("the old configuration stays in force");
	else
		use(sup, conf);
	if (sup->state == SUP_RUNNING)
		notify_send("READY=1");
	names_forget(r);
	r->running = 0;
}

/* Are there names to ask for? Else that was all. */
static void
attempt(struct reload *r)
{
	conf_free(file_read(r, report_nothing));
	if (r->missing == 0)
		finish(r);
}

int
on_name(struct peer *p, struct msg *m)
{
	struct supervisor	*sup = ((struct child *)peer_ctx(p))->sup;
	struct reload		*r = sup->reload;
	struct name		*n;
	uint32_t		 id = r->first;

	STAILQ_FOREACH(n, &r->names, entry)
		if (id++ == m->id)
			break;
	if (n == NULL || n->known)
		return (-1);
	n->known = 1;
	n->found = msg_bool(m->env, "found");
	n->uid = (uid_t)msg_int(m->env, "uid");
	n->gid = (gid_t)msg_int(m->env, "gid");
	if (--r->missing > 0 || sup->state == SUP_STOPPING)
		return (0);
	/* The file may be another one by now, and have other names. */
	attempt(r);
	if (!r->running && r->again) {
		r->again = 0;
		reload(sup);
	}
	return (0);
}

void
reload(struct supervisor *sup)
{
	struct reload	*r = sup->reload;

	if (sup->state == SUP_STOPPING)
		return;
	if (r->running) {
		r->again = 1;
		return;
	}
	/* While it starts, the word that ends the start ends this, too. */
	if (sup->state == SUP_RUNNING)
		notify_send("RELOADING=1");
	r->running = 1;
	attempt(r);
}

void
reload_init(struct supervisor *sup)
{
	struct reload	*r;

	if ((r = calloc(1, sizeof(*r))) == NULL)
		fatal("reload_init");
	r->sup = sup;
	r->first = 1;
	STAILQ_INIT(&r->names);
	sup->reload = r;
}
