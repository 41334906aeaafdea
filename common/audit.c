/*
 * Audit lines: fixed fields first (event, outcome, by, seq, boot), then what
 * the event brings. seq rises by one with each line of one process of one
 * boot, so that a reader sees a gap; key order is the caller's.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "log.h"
#include "log_send.h"

#define RECORD_MAX	1900
#define VALUE_MAX	400

static char			boot[64] = "none";
static unsigned long long	seq;

void
log_set_boot(const char *text)
{
	(void)snprintf(boot, sizeof(boot), "%s", text);
}

const char *
audit_int(long long n)
{
	static char	 buf[8][24];
	static unsigned	 next;
	char		*p = buf[next++ % 8];

	(void)snprintf(p, sizeof(buf[0]), "%lld", n);
	return (p);
}

/* Append key="value" if it fits whole. */
static size_t
append(char *dst, size_t used, size_t len, const char *key, const char *value)
{
	char	text[VALUE_MAX];
	int	n;

	log_vis(text, sizeof(text), value, strlen(value));
	n = snprintf(dst + used, len - used, " %s=\"%s\"", key, text);
	if (n < 0 || (size_t)n >= len - used) {
		dst[used] = '\0';
		return (used);
	}
	return (used + (size_t)n);
}

void
audit(const char *event, const char *outcome, ...)
{
	char		 line[RECORD_MAX];
	const char	*key, *value;
	va_list		 ap;
	size_t		 used;
	int		 bad;

	used = (size_t)snprintf(line, sizeof(line),
	    "event=%s outcome=%s by=%s seq=%llu boot=%s", event, outcome,
	    log_who(), ++seq, boot);
	va_start(ap, outcome);
	while ((key = va_arg(ap, const char *)) != NULL) {
		if ((value = va_arg(ap, const char *)) != NULL)
			used = append(line, used, sizeof(line), key, value);
	}
	va_end(ap);
	bad = strcmp(outcome, "deny") == 0 || strcmp(outcome, "fail") == 0;
	log_send(LOG_AUTHPRIV | (bad ? LOG_WARNING : LOG_NOTICE), line);
}
