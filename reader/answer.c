/*
 * One reading of the configuration: what it says, for whom.
 */
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "reader.h"

#define FILES_USUAL	65536	/* that may be open, where it is allowed */

/*
 * How many files each process may have open: some for each jail in the
 * supervisor and the broker, and a jail's limit can't be more than ours.
 * Fixed by the first reading. Returns 0, or -1 and says why.
 */
static int
files_fit(const struct reader *r, rlim_t need, const json_t *old,
    rlim_t *files)
{
	struct rlimit	rl;

	if (old != NULL) {
		*files = (rlim_t)msg_int(old, "files");
		if (need <= *files)
			return (0);
		log_warnx("%s: its limits need more open files than the "
		    "daemon may have: a restart, or more of LimitNOFILE=",
		    r->file);
		return (-1);
	}
	if (getrlimit(RLIMIT_NOFILE, &rl) == -1)
		fatal("getrlimit");
	if (rl.rlim_max < need) {
		log_warnx("no more than %llu files may be open, and these "
		    "limits need %llu: raise LimitNOFILE= of the unit (ulimit "
		    "-Hn), or lower \"limit jails\" or a profile's files",
		    (unsigned long long)rl.rlim_max, (unsigned long long)need);
		return (-1);
	}
	if (need < FILES_USUAL)
		need = FILES_USUAL;
	*files = rl.rlim_max < need ? rl.rlim_max : need;
	return (0);
}

/* The answer's envelope, or NULL: the log says why. */
static json_t *
envelope(const struct reader *r, const struct conf *conf, const json_t *old)
{
	const char	*words;
	json_t		*env;
	rlim_t		 files;

	if (files_fit(r, fixed_files(conf), old, &files) == -1)
		return (NULL);
	env = fixed_json(conf, files);
	if (old != NULL && (words = fixed_differs(old, env)) != NULL) {
		log_warnx("%s: \"%s\" takes effect only with a restart",
		    r->file, words);
		json_decref(env);
		return (NULL);
	}
	return (env);
}

/* The answer's body as text, or NULL: the log says why. */
static char *
parts(const struct reader *r, const struct conf *conf)
{
	json_t	*body;
	char	*text;

	body = json_pack("{s:o,s:o,s:o,s:o,s:o}",
	    "broker", conf_broker_json(conf), "keeper",
	    conf_keeper_json(conf), "gateway", conf_gateway_json(conf),
	    "warden", conf_warden_json(conf), "secrets", secrets_json(conf));
	if (body == NULL || (text = json_dumps(body, JSON_COMPACT)) == NULL)
		fatalx("configuration: out of memory");
	json_decref(body);
	if (strlen(text) <= PEER_BODY_MAX)
		return (text);
	log_warnx("%s: is too large: what rooms are told of it has %zu bytes, "
	    "and no more than %d are possible", r->file, strlen(text),
	    PEER_BODY_MAX);
	free(text);
	return (NULL);
}

static void
answer(struct peer *p, uint32_t id, const struct conf *conf,
    const json_t *old)
{
	const struct reader	*r = peer_ctx(p);
	json_t			*env = NULL;
	char			*body = NULL;

	if (conf != NULL && (env = envelope(r, conf, old)) != NULL)
		body = parts(r, conf);
	if (body != NULL)
		peer_send(p, IMSG_CONF, id, -1, env, body, strlen(body));
	else {
		json_decref(env);
		peer_send(p, IMSG_CONF_WRONG, id, -1, NULL, NULL, 0);
	}
	free(body);
}

int
on_conf_read(struct peer *p, struct msg *m)
{
	const struct reader	*r = peer_ctx(p);
	struct conf		*conf;
	char			 why[160];
	json_t			*old = NULL;

	if (m->bodylen > 0 && (old = msg_body(m, why, sizeof(why))) == NULL)
		return (-1);
	conf = file_read(r->file, report_log);
	answer(p, m->id, conf, old);
	conf_free(conf);
	json_decref(old);
	return (0);
}
