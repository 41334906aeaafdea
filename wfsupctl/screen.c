#include <sys/ioctl.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"
#include "screen.h"
#include "text.h"

/* Lines drawn at most; more would be worth nothing to a reader. */
#define DRAWN_MAX	64
/* Bytes of lines above that wait for the next picture at most. */
#define ABOVE_MAX	65536

struct screen {
	int	fd;
	int	colour;
	size_t	rows, cols;
	size_t	ndrawn;
	size_t	drawn[DRAWN_MAX];	/* the width of each drawn line */
	char	*above;			/* what is to be printed above them */
	size_t	abovelen;
};

static const char *const styles[] = {
	[STYLE_PLAIN]	= "",
	[STYLE_BOLD]	= "\033[1m",
	[STYLE_DIM]	= "\033[2m",
	[STYLE_GOOD]	= "\033[32m",
	[STYLE_BAD]	= "\033[31m",
};

int
screen_usable(int fd)
{
	const char	*term = getenv("TERM");

	return (isatty(fd) && term != NULL && *term != '\0' &&
	    strcmp(term, "dumb") != 0);
}

void
screen_resize(struct screen *s)
{
	struct winsize	ws;

	s->rows = 24;
	s->cols = 80;
	if (ioctl(s->fd, TIOCGWINSZ, &ws) == 0 && ws.ws_row > 0 &&
	    ws.ws_col > 0) {
		s->rows = ws.ws_row;
		s->cols = ws.ws_col;
	}
}

struct screen *
screen_new(int fd)
{
	const char	*no_color = getenv("NO_COLOR");
	struct screen	*s;

	if ((s = calloc(1, sizeof(*s))) == NULL)
		oom();
	s->fd = fd;
	s->colour = no_color == NULL || *no_color == '\0';
	screen_resize(s);
	return (s);
}

size_t
screen_rows(const struct screen *s)
{
	return (s->rows);
}

size_t
screen_cols(const struct screen *s)
{
	return (s->cols);
}

/* One write for each frame, so that no half of one is ever seen. */
static void
screen_write(struct screen *s, const char *buf, size_t len)
{
	ssize_t	n;

	while (len > 0) {
		n = write(s->fd, buf, len);
		if (n == -1 && errno != EINTR && errno != EAGAIN)
			return;		/* the terminal is gone */
		if (n > 0) {
			buf += n;
			len -= (size_t)n;
		}
	}
}

/*
 * Move to where the first drawn line begins. A terminal that has become
 * narrower since has wrapped the lines that no longer fit.
 */
static void
put_home(const struct screen *s, FILE *out)
{
	size_t	i, up = 0;

	for (i = 0; i < s->ndrawn; i++)
		up += s->drawn[i] == 0 ? 1 :
		    (s->drawn[i] + s->cols - 1) / s->cols;
	fputc('\r', out);
	if (up > 0)
		fprintf(out, "\033[%zuA", up);
}

static void
put_styled(const struct screen *s, FILE *out, enum style style,
    const char *text)
{
	int	styled = s->colour && style != STYLE_PLAIN;

	fprintf(out, "%s%s%s", styled ? styles[style] : "", text,
	    styled ? "\033[0m" : "");
}

static FILE *
frame_open(char **buf, size_t *len)
{
	FILE	*out;

	if ((out = open_memstream(buf, len)) == NULL)
		oom();
	return (out);
}

static void
frame_close(FILE *out)
{
	if (fclose(out) == EOF)
		oom();
}

/* Put the lines that waited where the picture was. */
static void
put_above(struct screen *s, FILE *out)
{
	if (s->abovelen == 0)
		return;
	fputs("\033[J", out);
	fwrite(s->above, 1, s->abovelen, out);
	free(s->above);
	s->above = NULL;
	s->abovelen = 0;
}

void
screen_draw(struct screen *s, const struct line *lines, size_t n)
{
	char	 text[LINE_SIZE], *buf;
	FILE	*out;
	size_t	 i, len;

	out = frame_open(&buf, &len);
	put_home(s, out);
	put_above(s, out);
	s->ndrawn = n < DRAWN_MAX ? n : DRAWN_MAX;
	for (i = 0; i < s->ndrawn; i++) {
		memcpy(text, lines[i].text, sizeof(text));
		text_cut(text, s->cols - 1);
		s->drawn[i] = text_width(text);
		put_styled(s, out, lines[i].style, text);
		fputs("\033[K\n", out);
	}
	fputs("\033[J", out);
	frame_close(out);
	screen_write(s, buf, len);
	free(buf);
}

void
screen_print(struct screen *s, enum style style, const char *text)
{
	char	*buf;
	FILE	*out;
	size_t	 len;

	out = frame_open(&buf, &len);
	if (s->abovelen > 0)
		fwrite(s->above, 1, s->abovelen, out);
	put_styled(s, out, style, text);
	fputc('\n', out);
	frame_close(out);
	free(s->above);
	s->above = buf;
	s->abovelen = len;
	if (len > ABOVE_MAX)
		screen_clear(s);
}

void
screen_clear(struct screen *s)
{
	if (s->ndrawn > 0 || s->abovelen > 0)
		screen_draw(s, NULL, 0);
}

void
screen_forget(struct screen *s)
{
	s->ndrawn = 0;
}

void
screen_free(struct screen *s)
{
	if (s == NULL)
		return;
	screen_clear(s);
	free(s);
}
