/*
 * Keys and rules of providers: opened, and passed on.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "reader.h"

/* Of a key's file: root's alone. */
#define KEY_MASK	077

static void
add(json_t *list, const char *provider, const char *what, const char *path)
{
	if (json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "provider",
	    provider, "what", what, "path", path)) == -1)
		fatalx("configuration: out of memory");
}

json_t *
secrets_json(const struct conf *conf)
{
	const struct conf_provider	*p = NULL;
	json_t				*list = json_array();

	STAILQ_FOREACH(p, &conf->providers, entry) {
		if (p->key_file != NULL)
			add(list, p->name, "key", p->key_file);
		else if (p->credential != NULL)
			add(list, p->name, "credential", p->credential);
		if (p->rules != NULL)
			add(list, p->name, "rules", p->rules);
	}
	return (list);
}

/* A file in the directory of credentials that the service manager made. */
static int
credential_open(const char *dir, const char *name)
{
	char	path[512];
	int	n;

	if (dir == NULL || strchr(name, '/') != NULL) {
		errno = ENOENT;
		return (-1);
	}
	n = snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return (-1);
	}
	return (file_open(path, KEY_MASK));
}

static int
secret_open(const char *credentials, const char *what, const char *path)
{
	if (strcmp(what, "rules") == 0)
		return (file_open(path, 0));
	if (strcmp(what, "key") == 0)
		return (file_open(path, KEY_MASK));
	return (credential_open(credentials, path));
}

/* Why it could not be opened. */
static const char *
reason(const char *what)
{
	if (errno != EPERM)
		return (strerror(errno));
	return (strcmp(what, "rules") == 0 ? "must be a regular file" :
	    "must be a regular file of root's, with no right for others "
	    "(chmod 600)");
}

int
secrets_check(const struct conf *conf, const char *file,
    const char *credentials)
{
	json_t		*list = secrets_json(conf), *v;
	const char	*provider, *what, *path;
	size_t		 i;
	int		 fd, wrong = 0;

	json_array_foreach(list, i, v) {
		if (json_unpack(v, "{s:s,s:s,s:s}", "provider", &provider,
		    "what", &what, "path", &path) == -1)
			fatalx("secrets_check");
		if (credentials == NULL && strcmp(what, "credential") == 0)
			continue;
		if ((fd = secret_open(credentials, what, path)) != -1) {
			(void)close(fd);
			continue;
		}
		log_warnx("%s: provider \"%s\": %s %s: %s", file, provider,
		    what, path, reason(what));
		wrong++;
	}
	json_decref(list);
	return (wrong);
}

/* Returns -1 if it is no such question. */
static int
secret_send(struct peer *p, json_t *v)
{
	const struct reader	*r = peer_ctx(p);
	const char		*provider, *what, *path;
	int			 fd, rules;

	if (json_unpack(v, "{s:s,s:s,s:s}", "provider", &provider, "what",
	    &what, "path", &path) == -1)
		return (-1);
	rules = strcmp(what, "rules") == 0;
	if ((fd = secret_open(r->credentials, what, path)) == -1) {
		log_warnx("provider \"%s\" is without its %s: %s: %s",
		    provider, what, path, reason(what));
		return (0);
	}
	audit("secret.access", "ok", "provider", provider, "what",
	    rules ? "rules" : "key", NULL);
	peer_send(p, rules ? IMSG_RULES : IMSG_KEY, 0, fd, json_pack("{s:s}",
	    "provider", provider), NULL, 0);
	return (0);
}

int
on_secrets_ask(struct peer *p, struct msg *m)
{
	char	 why[160];
	json_t	*list = msg_body(m, why, sizeof(why)), *v;
	size_t	 i;
	int	 wrong = !json_is_array(list);

	json_array_foreach(list, i, v)
		wrong |= secret_send(p, v) == -1;
	json_decref(list);
	if (wrong)
		return (-1);
	peer_send(p, IMSG_SECRETS_DONE, m->id, -1, NULL, NULL, 0);
	return (0);
}
