#include <sys/ioctl.h>

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "dump.h"
#include "query.h"

int
query(const struct options *o, const char *what, const char *run,
    struct answer *a, struct failure *f)
{
	struct reply	 r;
	json_t		*env;

	memset(a, 0, sizeof(*a));
	env = json_pack("{s:s, s:s*}", "what", what, "run", run);
	if (env == NULL || (o->limit > 0 && json_object_set_new(env, "limit",
	    json_integer((json_int_t)o->limit)) == -1) ||
	    (o->all && json_object_set_new(env, "all", json_true()) == -1))
		oom();
	if (ask_once(o->control, IMSG_QUERY, IMSG_ANSWER, env, &r, f) == -1)
		return (-1);
	if ((a->body = reply_json(&r, f)) != NULL) {
		a->text = r.body;
		r.body = NULL;
	}
	reply_free(&r);
	return (a->body != NULL ? 0 : -1);
}

void
answer_free(struct answer *a)
{
	free(a->text);
	json_decref(a->body);
}

size_t
query_columns(void)
{
	struct winsize	ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == -1)
		return (0);
	return (ws.ws_col);
}

const char *
member_str(const json_t *obj, const char *key)
{
	const char	*s;

	s = json_string_value(json_object_get(obj, key));
	return (s != NULL ? s : "");
}

int64_t
member_int(const json_t *obj, const char *key)
{
	return (json_integer_value(json_object_get(obj, key)));
}

const char *
member_user(const json_t *obj, const char *key, char *dst, size_t dstlen)
{
	const struct passwd	*pw;
	int64_t			 uid = member_int(obj, key);

	if ((pw = getpwuid((uid_t)uid)) != NULL)
		snprintf(dst, dstlen, "%s", pw->pw_name);
	else
		snprintf(dst, dstlen, "%" PRId64, uid);
	return (dst);
}

char *
member_text(const json_t *v)
{
	char	*text;

	if (json_is_string(v))
		text = strdup(json_string_value(v));
	else if (v == NULL || json_is_null(v))
		text = strdup("-");
	else
		return (dump_json(v));
	if (text == NULL)
		oom();
	return (text);
}
