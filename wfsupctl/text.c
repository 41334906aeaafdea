#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "failure.h"
#include "log.h"
#include "text.h"

char *
text_vis(char *dst, size_t dstlen, const char *src, size_t n)
{
	char	*in, *out;

	log_vis(dst, dstlen, src, n);
	for (in = out = dst; *in != '\0'; in++) {
		if (*in == '\\' && (in[1] == '\\' || in[1] == '"'))
			in++;
		*out++ = *in;
	}
	*out = '\0';
	return (dst);
}

char *
text_vis_dup(const char *src, size_t n)
{
	size_t	 len;
	char	*dst;

	/* One byte becomes at most four; eight leave room for the mark. */
	if (__builtin_mul_overflow(n, (size_t)4, &len) ||
	    __builtin_add_overflow(len, (size_t)8, &len) ||
	    (dst = malloc(len)) == NULL)
		oom();
	return (text_vis(dst, len, src, n));
}

/* Write len bytes of a line, encoded but for its tabs. */
static void
text_put_line(FILE *out, const char *line, size_t len)
{
	const char	*end = line + len, *tab;
	char		*vis;

	for (;;) {
		tab = memchr(line, '\t', (size_t)(end - line));
		vis = text_vis_dup(line, (size_t)((tab != NULL ? tab : end) -
		    line));
		fputs(vis, out);
		free(vis);
		if (tab == NULL)
			return;
		fputc('\t', out);
		line = tab + 1;
	}
}

void
text_put(FILE *out, const char *text, const char *indent)
{
	const char	*nl;

	for (;;) {
		nl = strchr(text, '\n');
		text_put_line(out, text, nl != NULL ? (size_t)(nl - text) :
		    strlen(text));
		if (nl == NULL || nl[1] == '\0')
			return;
		fprintf(out, "\n%s", indent);
		text = nl + 1;
	}
}

void
text_put_first(FILE *out, const char *text)
{
	char	*vis;
	size_t	 len = strcspn(text, "\n");

	vis = text_vis_dup(text, len);
	fprintf(out, "%s%s", vis, text[len] != '\0' ? " ..." : "");
	free(vis);
}

/*
 * Length and columns of the character at s. What the locale doesn't know is
 * taken for one byte in one column.
 */
static size_t
text_step(const char *s, size_t *cols)
{
	mbstate_t	 mbs;
	wchar_t		 wc;
	size_t		 len;
	int		 width;

	memset(&mbs, 0, sizeof(mbs));
	len = mbrtowc(&wc, s, strlen(s), &mbs);
	if (len == 0 || len == (size_t)-1 || len == (size_t)-2) {
		*cols = 1;
		return (1);
	}
	width = wcwidth(wc);
	*cols = width < 0 ? 1 : (size_t)width;
	return (len);
}

size_t
text_width(const char *s)
{
	size_t	 cols, sum;

	for (sum = 0; *s != '\0'; sum += cols)
		s += text_step(s, &cols);
	return (sum);
}

void
text_cut(char *text, size_t max)
{
	size_t	 cols, len, sum;
	char	*end, *s;

	if (text_width(text) <= max)
		return;
	/* Keep what leaves room for the two dots that say it was cut. */
	sum = 0;
	for (s = end = text; *s != '\0'; s += len) {
		len = text_step(s, &cols);
		if (sum + cols + 2 > max)
			break;
		sum += cols;
		end = s + len;
	}
	/* A cut character has at least as many bytes as columns. */
	*end = '\0';
	if (max >= 2)
		memcpy(end, "..", 3);
}

const char *
text_span(char *dst, size_t dstlen, int64_t ms)
{
	int64_t	s;

	if (ms < 0)
		ms = 0;
	s = ms / 1000;
	if (ms < 100)
		snprintf(dst, dstlen, "%" PRId64 " ms", ms);
	else if (s < 10)
		snprintf(dst, dstlen, "%" PRId64 ".%" PRId64 " s", s,
		    ms % 1000 / 100);
	else if (s < 60)
		snprintf(dst, dstlen, "%" PRId64 " s", s);
	else if (s < 3600)
		snprintf(dst, dstlen, "%" PRId64 ":%02" PRId64, s / 60,
		    s % 60);
	else
		snprintf(dst, dstlen, "%" PRId64 ":%02" PRId64 ":%02" PRId64,
		    s / 3600, s / 60 % 60, s % 60);
	return (dst);
}

const char *
text_age(char *dst, size_t dstlen, int64_t ms)
{
	int64_t	s;

	s = ms < 0 ? 0 : ms / 1000;
	if (s < 120)
		snprintf(dst, dstlen, "%" PRId64 " s", s);
	else if (s < 7200)
		snprintf(dst, dstlen, "%" PRId64 " min", s / 60);
	else if (s < 172800)
		snprintf(dst, dstlen, "%" PRId64 " h", s / 3600);
	else
		snprintf(dst, dstlen, "%" PRId64 " d", s / 86400);
	return (dst);
}

const char *
text_count(char *dst, size_t dstlen, int64_t n)
{
	if (n < 0)
		n = 0;
	if (n < 1000)
		snprintf(dst, dstlen, "%" PRId64, n);
	else if (n < 999950)
		snprintf(dst, dstlen, "%.1fk", (double)n / 1e3);
	else
		snprintf(dst, dstlen, "%.1fM", (double)n / 1e6);
	return (dst);
}

static const char *
text_time(char *dst, size_t dstlen, int64_t at, const char *fmt)
{
	struct tm	 tm;
	time_t		 t;

	t = (time_t)(at / 1000);
	if (localtime_r(&t, &tm) == NULL ||
	    strftime(dst, dstlen, fmt, &tm) == 0)
		snprintf(dst, dstlen, "-");
	return (dst);
}

const char *
text_clock(char *dst, size_t dstlen, int64_t at)
{
	return (text_time(dst, dstlen, at, "%H:%M:%S"));
}

const char *
text_date(char *dst, size_t dstlen, int64_t at)
{
	return (text_time(dst, dstlen, at, "%Y-%m-%d %H:%M:%S"));
}
