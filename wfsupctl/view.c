#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "failure.h"
#include "json_out.h"
#include "progress.h"
#include "text.h"
#include "view.h"

/* Least time between two pictures, and most. In milliseconds. */
#define FRAME_LEAST	100
#define FRAME_MOST	1000
#define LINES_MAX	24

struct view {
	enum view_kind	 kind;
	FILE		*out;
	struct screen	*screen;
	struct progress	*progress;
	int		 dirty;
	int64_t		 drawn;		/* when; 0: not at all */
};

struct view *
view_new(enum view_kind kind, FILE *out, const char *run)
{
	struct view	*v;

	if ((v = calloc(1, sizeof(*v))) == NULL)
		oom();
	v->kind = kind;
	v->out = out;
	if (kind == VIEW_SCREEN) {
		v->screen = screen_new(fileno(out));
		v->progress = progress_new(run);
	}
	return (v);
}

void
view_free(struct view *v)
{
	screen_free(v->screen);
	progress_free(v->progress);
	free(v);
}

static void
view_line(struct view *v, const struct event *ev)
{
	char	*line;

	if ((line = event_line(ev)) == NULL)
		return;
	fprintf(v->out, "%s\n", line);
	fflush(v->out);
	free(line);
}

static void
view_json(struct view *v, const struct event *ev)
{
	json_t	*obj;

	obj = event_object(ev);
	json_out_line(v->out, obj);
	fflush(v->out);
	json_decref(obj);
}

/*
 * What stays on the screen above the picture, and how; -1 if it does not.
 * Holes are listed at the end.
 */
static int
lasting_style(const struct event *ev)
{
	if (strcmp(ev->kind, "log") == 0)
		return (STYLE_PLAIN);
	if (strcmp(ev->kind, "node.end") == 0 && !event_true(ev, "ok") &&
	    !event_cancelled(ev))
		return (STYLE_BAD);
	return (-1);
}

static void
view_screen(struct view *v, const struct event *ev)
{
	char	*line;
	int	 style;

	progress_event(v->progress, ev);
	v->dirty = 1;
	if ((style = lasting_style(ev)) == -1 || (line = event_line(ev)) ==
	    NULL)
		return;
	screen_print(v->screen, (enum style)style, line);
	free(line);
}

void
view_event(struct view *v, const struct event *ev)
{
	switch (v->kind) {
	case VIEW_NONE:
		break;
	case VIEW_LINES:
		view_line(v, ev);
		break;
	case VIEW_JSON:
		view_json(v, ev);
		break;
	case VIEW_SCREEN:
		view_screen(v, ev);
		break;
	}
}

void
view_notice(struct view *v, const char *fmt, ...)
{
	char	text[1400], vis[2800];
	va_list	ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_vis(vis, sizeof(vis), text, strlen(text));
	if (v->kind != VIEW_SCREEN) {
		fprintf(stderr, "wfsupctl: %s\n", vis);
		return;
	}
	screen_print(v->screen, STYLE_DIM, vis);
	v->dirty = 1;
}

int
view_wait(const struct view *v)
{
	int64_t	due;

	if (v->kind != VIEW_SCREEN)
		return (-1);
	due = v->drawn + (v->dirty ? FRAME_LEAST : FRAME_MOST) - clock_ms();
	return (due < 0 ? 0 : (int)due);
}

void
view_tick(struct view *v)
{
	struct line	lines[LINES_MAX];
	size_t		max, n;

	if (v->kind != VIEW_SCREEN || view_wait(v) > 0)
		return;
	/* The cursor stands on a line below the picture. */
	max = screen_rows(v->screen) - 1;
	n = progress_lines(v->progress, clock_now(),
	    screen_cols(v->screen), lines, max < LINES_MAX ? max : LINES_MAX);
	screen_draw(v->screen, lines, n);
	v->drawn = clock_ms();
	v->dirty = 0;
}

void
view_resize(struct view *v)
{
	if (v->kind != VIEW_SCREEN)
		return;
	screen_resize(v->screen);
	v->drawn = 0;
}

void
view_return(struct view *v)
{
	if (v->kind != VIEW_SCREEN)
		return;
	screen_forget(v->screen);
	view_resize(v);
}

void
view_hide(struct view *v)
{
	if (v->kind != VIEW_SCREEN)
		return;
	screen_clear(v->screen);
	v->drawn = 0;
}
