/*
 * How long a server asks us to wait.
 */
#include <curl/curl.h>
#include <ctype.h>

#include "classify.h"

/*
 * A number such as "2" or "1.5", times scale, up to a week. -1 if it is
 * anything else, a sign and an exponent included.
 */
static int64_t
number(const char *s, int64_t scale)
{
	int64_t	n = 0;

	if (!isdigit((unsigned char)*s))
		return (-1);
	for (; isdigit((unsigned char)*s); s++)
		if (n < RETRY_AFTER_MAX)
			n = n * 10 + (*s - '0') * scale;
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s); s++) {
			scale /= 10;
			n += (*s - '0') * scale;
		}
	if (*s != '\0')
		return (-1);
	return (n < RETRY_AFTER_MAX ? n : RETRY_AFTER_MAX);
}

static int64_t
date(const char *s, time_t now)
{
	time_t	then = curl_getdate(s, NULL);

	if (then == -1 || then <= now)
		return (0);
	if (then - now > RETRY_AFTER_MAX / 1000)
		return (RETRY_AFTER_MAX);
	return ((int64_t)(then - now) * 1000);
}

int64_t
retry_after(const char *seconds_or_date, const char *ms, time_t now)
{
	int64_t	n;

	if (ms != NULL && (n = number(ms, 1)) != -1)
		return (n);
	if (seconds_or_date == NULL)
		return (0);
	if ((n = number(seconds_or_date, 1000)) != -1)
		return (n);
	/* What begins like a number is a bad number, not a date. */
	if (!isalpha((unsigned char)*seconds_or_date))
		return (0);
	return (date(seconds_or_date, now));
}
