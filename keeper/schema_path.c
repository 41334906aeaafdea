/*
 * A place inside a JSON value. The text is cut where it gets too long; the
 * length goes on counting, so that leaving always finds the way back.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "schema_path.h"
#include "text.h"

static void __attribute__((format(printf, 2, 3)))
path_add(struct path *p, const char *fmt, ...)
{
	va_list	ap;
	char	cut;
	size_t	room;
	int	n;

	room = p->len < sizeof(p->text) ? sizeof(p->text) - p->len : 0;
	va_start(ap, fmt);
	n = vsnprintf(room > 0 ? p->text + p->len : &cut, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		p->len += (size_t)n;
}

void
path_start(struct path *p, const char *name)
{
	p->text[0] = '\0';
	p->len = 0;
	path_add(p, "%s", name);
}

static int
is_name(const char *key)
{
	if (*key == '\0' || isdigit((unsigned char)*key))
		return (0);
	for (; *key != '\0'; key++)
		if (!isalnum((unsigned char)*key) && *key != '_' &&
		    *key != '$')
			return (0);
	return (1);
}

size_t
path_key(struct path *p, const char *key)
{
	size_t	len = p->len;

	path_add(p, is_name(key) ? ".%s" : "[\"%s\"]", key);
	return (len);
}

size_t
path_index(struct path *p, size_t i)
{
	size_t	len = p->len;

	path_add(p, "[%zu]", i);
	return (len);
}

void
path_leave(struct path *p, size_t len)
{
	p->len = len;
	if (len < sizeof(p->text))
		p->text[len] = '\0';
}

int
path_error(const struct path *p, char *why, size_t whylen, const char *fmt,
    ...)
{
	struct path	shown = *p;
	va_list		ap;
	int		n;

	text_trim(shown.text);
	n = snprintf(why, whylen, "%s%s: ", shown.text,
	    p->len >= sizeof(p->text) ? "..." : "");
	if (n > 0 && (size_t)n < whylen) {
		va_start(ap, fmt);
		vsnprintf(why + n, whylen - (size_t)n, fmt, ap);
		va_end(ap);
	}
	text_trim(why);
	return (-1);
}
