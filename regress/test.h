/*
 * What a unit test prints: "ok WHAT", "not ok WHAT", "skip WHAT: REASON",
 * one line a case. The runner counts the lines.
 */
#ifndef TEST_H
#define TEST_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int	test_failures;

/* Say how one case went; returns ok, so that a test may stop early. */
static inline int __attribute__((format(printf, 2, 3)))
test_case(int ok, const char *fmt, ...)
{
	va_list	ap;

	printf(ok ? "ok " : "not ok ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	if (!ok)
		test_failures++;
	return (ok);
}

static inline void __attribute__((format(printf, 1, 2)))
test_skip(const char *fmt, ...)
{
	va_list	ap;

	printf("skip ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

/* So much patience, and WFSUP_SLOW times that on a machine so much slower. */
static inline int
test_slow(int n)
{
	const char	*slow = getenv("WFSUP_SLOW");
	int		 times = slow != NULL ? atoi(slow) : 1;

	return (times > 1 ? n * times : n);
}

/*
 * Where a store's directory is made: in memory, if that can be. What a test
 * kills is the process, never the power, and a busy disk syncs for seconds.
 */
static inline const char *
test_memory(void)
{
	return (access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp");
}

/* The exit status of a test program. */
static inline int
test_end(void)
{
	return (test_failures != 0);
}

#endif
