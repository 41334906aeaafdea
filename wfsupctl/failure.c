#include <err.h>
#include <stdarg.h>
#include <stdio.h>

#include "failure.h"

int
failure_set(struct failure *f, int code, const char *class, const char *fmt,
    ...)
{
	va_list	ap;

	f->exit = code;
	snprintf(f->class, sizeof(f->class), "%s", class);
	va_start(ap, fmt);
	vsnprintf(f->message, sizeof(f->message), fmt, ap);
	va_end(ap);
	return (-1);
}

void
oom(void)
{
	errx(EXIT_FAULT, "out of memory");
}
