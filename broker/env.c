#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "env.h"
#include "log.h"

json_t *
env_new(const char *fmt, ...)
{
	json_error_t	 error;
	json_t		*env;
	va_list		 ap;

	va_start(ap, fmt);
	env = json_vpack_ex(&error, 0, fmt, ap);
	va_end(ap);
	if (env == NULL)
		fatalx("env_new: %s: %s", fmt, error.text);
	return (env);
}

json_t *
env_of(const struct msg *m)
{
	return (json_incref(m->env));
}

void
env_set_str(json_t *env, const char *key, const char *value)
{
	if (json_object_set_new(env, key, json_string(value)) == -1)
		fatalx("env_set_str: %s", key);
}

json_t *
env_error(const char *class, const char *cause, const char *rule,
    const char *fmt, ...)
{
	char	text[640];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return (env_new("{s:s, s:s, s:s?, s:s?}", "class", class, "message",
	    text, "cause", cause, "rule", rule));
}

void
env_forward(struct peer *p, uint32_t type, uint32_t id, json_t *env,
    const struct msg *m)
{
	peer_send(p, type, id, -1, env, m->body, m->bodylen);
}

/* A socket that is closed with unread bytes in it says ECONNRESET. */
int
env_closed(const char *why)
{
	return (strcmp(why, "closed") == 0 ||
	    strcmp(why, strerror(ECONNRESET)) == 0);
}
