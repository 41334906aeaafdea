/*
 * Log lines: what they say and where they go. The sending itself, which
 * never blocks, is in log_send.c; audit lines are in audit.c.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "log_send.h"

#define LINE_MAX_BYTES	2048

static const char	*log_name = "wfsup";
static int		 log_verbose;

void
log_init(const char *name, int debug)
{
	log_name = name;
	log_verbose = debug;
	/* Reads the zone of the time stamps, which a confined room can't. */
	tzset();
}

const char *
log_who(void)
{
	return (log_name);
}

/* Format, encode, send. Text that a peer wrote can't leave its line. */
static void
vlog(int pri, const char *suffix, const char *fmt, va_list ap)
{
	char	text[LINE_MAX_BYTES / 2], line[LINE_MAX_BYTES];
	int	n;

	n = vsnprintf(text, sizeof(text), fmt, ap);
	if (n < 0)
		return;
	if (suffix != NULL && (size_t)n < sizeof(text))
		(void)snprintf(text + n, sizeof(text) - (size_t)n, ": %s",
		    suffix);
	n = snprintf(line, sizeof(line), "%s: ", log_name);
	log_clean(line + n, sizeof(line) - (size_t)n, text);
	log_send(LOG_DAEMON | pri, line);
}

void
log_debug(const char *fmt, ...)
{
	va_list	ap;

	if (!log_verbose)
		return;
	va_start(ap, fmt);
	vlog(LOG_DEBUG, NULL, fmt, ap);
	va_end(ap);
}

void
log_info(const char *fmt, ...)
{
	va_list	ap;

	va_start(ap, fmt);
	vlog(LOG_INFO, NULL, fmt, ap);
	va_end(ap);
}

void
log_warnx(const char *fmt, ...)
{
	va_list	ap;

	va_start(ap, fmt);
	vlog(LOG_WARNING, NULL, fmt, ap);
	va_end(ap);
}

void
log_warn(const char *fmt, ...)
{
	va_list	ap;
	int	saved = errno;

	va_start(ap, fmt);
	vlog(LOG_WARNING, strerror(saved), fmt, ap);
	va_end(ap);
	errno = saved;
}

void
fatal(const char *fmt, ...)
{
	va_list	ap;
	int	saved = errno;

	va_start(ap, fmt);
	vlog(LOG_CRIT, strerror(saved), fmt, ap);
	va_end(ap);
	log_flush();
	_exit(1);
}

void
fatalx(const char *fmt, ...)
{
	va_list	ap;

	va_start(ap, fmt);
	vlog(LOG_CRIT, NULL, fmt, ap);
	va_end(ap);
	log_flush();
	_exit(1);
}
